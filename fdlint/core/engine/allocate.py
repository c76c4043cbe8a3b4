"""Makes the result of a call: turns the catalog's shapes into values, new descriptors among them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

from fdlint.catalog import Catalog
from fdlint.catalog.model import Ancillary as AncillaryShape
from fdlint.catalog.model import (
    AnyOf,
    Api,
    Argument,
    Counted,
    CountOf,
    ElementsOf,
    ErrorNumber,
    FlatOf,
    ForkPid,
    Fresh,
    FreshList,
    FreshObject,
    Instance,
    Keywords,
    NoneResult,
    Number,
    NumberIn,
    PairsOf,
    Shape,
    SomeOf,
    TextOf,
    TupleOf,
    Zipped,
    ZippedLongest,
)
from fdlint.catalog.model import Borrowed as BorrowedShape
from fdlint.core.domain.apply_event import apply_event
from fdlint.core.domain.assumption import assume
from fdlint.core.domain.contents import Contents, normal
from fdlint.core.domain.event import Event
from fdlint.core.domain.state import Resource, State
from fdlint.core.domain.typestate import Status
from fdlint.core.domain.values import (
    NONE,
    UNKNOWN,
    AllocationSite,
    Ancillary,
    Borrowed,
    Box,
    Const,
    ContainerSite,
    Descriptor,
    Fd,
    Known,
    Length,
    Maker,
    Pid,
    Seq,
    Some,
    Success,
    Sym,
    Text,
    Typed,
    Value,
    constant,
    mentions_any,
)
from fdlint.core.engine.eval import (
    MAX_COUNTED,
    NUMBER_SIZE,
    elements,
    entries,
    fresh,
    item,
    leads_to_numbers,
    received_at,
    text_of,
    value_of,
)
from fdlint.core.engine.log import Log
from fdlint.core.engine.match_api import operand_of
from fdlint.core.engine.models.undecoded import expect, forget, site_of
from fdlint.core.engine.objects import Objects
from fdlint.core.finding import AssumptionKind
from fdlint.core.ir import AccessPath, Arg, Call, Constant, Graph, Place, Step


class Doer(Protocol):
    """The part of the call machinery that the models of single calls need."""

    graph: Graph
    log: Log
    catalog: Catalog
    objects: Objects

    @property
    def closed(self) -> frozenset[Place]:
        """Returns the places that the function closes, itself or through a function that it calls."""

    def gives_up(self, kind: str) -> bool:
        """Whether an object of this type has a method that gives its descriptor away."""

    def run_lazily(self, state: State, value: Value, step: Step) -> None:
        """Lets a lazy ``map`` do its work: it may close its items."""

    def registered(self, call: Call, event: Event) -> Event:
        """Returns the event of a call that registers: what keeps the registration may live on."""

    def mark(self, state: State, fds: Iterable[Descriptor], step: Step, event: Event) -> None:
        """Applies an event that does not change the typestate of descriptors."""

    def hand_over(self, state: State, value: Value, step: Step, event: Event = ...) -> None:
        """Gives everything in a value to another owner."""

    def store(self, state: State, value: Value, step: Step, target: Place | None) -> None:
        """Gives what a value holds to the field ``target``; to an unknown owner if it is no field."""

    def stow(self, state: State, value: Value, step: Step, place: Place | None) -> None:
        """Gives what a value holds to an unknown container. A field may hold the container."""


def acquire(log: Log, state: State, step: Step, site: AllocationSite, slot: int, unused: bool = False) -> Value:
    """Acquires a new descriptor and returns it. It gets the lowest free number; a standard stream need not be closed.

    ``unused``: the code ignores the number, because it expects the one that it has just closed.
    """
    value = fresh(site, slot)
    log.note(Event.ACQUIRED, value.descriptor)
    wanted, stream = state.take_number(unused)
    state.resources[value.descriptor] = Resource(Status.HANDED if wanted else Status.OPEN, stream=stream)
    if log.sites[site].finalized:
        apply_event(state, None, value.descriptor, Event.FINALIZED)
        log.note(Event.FINALIZED, value.descriptor)
    state.tell(Event.ACQUIRED, step.origin, value.descriptor)
    return value


def receive(log: Log, state: State, step: Step, site: AllocationSite, single: bool = False) -> Value:
    """Returns a new list of descriptors of unknown length: one value for the first, and one for all the others.

    ``single``: there is only the first.
    """
    site = site_of(log, step, site)
    forget(state, site)
    state.make_older(site)
    items = tuple(acquire(log, state, step, site, slot) for slot in range(1 if single else 2))
    return state.new_box(received_at(site), Contents(items, False))


@dataclass(slots=True)
class Allocator:
    """Makes the result of one call in one state."""

    doer: Doer
    state: State
    step: Step
    site: AllocationSite
    call: Call
    bound: tuple[tuple[str, Arg], ...]
    api: Api
    _slots: int = 0

    def result(self) -> Value:
        """Returns the result of the call."""
        made = self.make(self.api.returns)
        if self.api.name.startswith("*.") and not self._has_class():
            new = (fd for fd in self.state.reachable([made]) if fd.site == self.site)
            assume(self.state, AssumptionKind.RECEIVER_GUESSED, self.step.origin, sorted(new))
        return made

    def _has_class(self) -> bool:
        """Whether the class of the object is known whose method is called."""
        receiver = self.call.callee.receiver
        return receiver is not None and isinstance(value_of(self.state, self.doer.graph, receiver), Typed)

    def make(self, shape: Shape) -> Value:
        """Returns the value that a shape describes."""
        match shape:
            case FreshObject(of):
                self._slots += 1
                return self.doer.objects.begin(self.state, self.step, self.site, of, self._slots - 1)
            case Fresh() | FreshList() if not self.doer.log.follows(self.site):
                return Known.SOME
            case Fresh():
                self._slots += 1
                value = acquire(self.doer.log, self.state, self.step, self.site, self._slots - 1, self.call.unused)
                return self._given_up(value)
            case FreshList():
                return receive(self.doer.log, self.state, self.step, self.site, single=self._is_one())
            case TupleOf((_, AncillaryShape(), *_)) if self.doer.log.follows(self.site):
                message = expect(self.doer.log, self.state, self.step, self.site)
                return Seq((message, Ancillary(self.site, 0, self._is_one()), UNKNOWN, UNKNOWN))
            case TupleOf(items):
                return Seq(tuple(self._beside(shape, self.make(one)) for one in items))
            case NoneResult():
                return NONE
            case Number(value):
                return constant(value)
            case ErrorNumber():
                return Success(0)
            case Instance(kind):
                return (
                    Known.TRUTHY
                    if self.doer.gives_up(kind) and self._wraps_foreign_number()
                    else Typed(kind, maker=self._owner())
                )
            case ForkPid():
                fork(self.state, self.step)
                self.state.role = pid = Pid(self.site)
                return pid
            case AncillaryShape():
                return Ancillary(self.site, 0, self._is_one()) if self.doer.log.follows(self.site) else UNKNOWN
            case BorrowedShape():
                receiver = self.call.callee.receiver
                giver = value_of(self.state, self.doer.graph, receiver) if receiver is not None else UNKNOWN
                known = giver if isinstance(giver, (Sym, Typed)) else UNKNOWN  # no other value keeps its name
                return Borrowed(receiver, known) if isinstance(receiver, AccessPath) else UNKNOWN
        return self._derived(shape)

    def _given_up(self, value: Value) -> Value:
        """Notes that a number which an object lent before is the descriptor that it gives up now (``detach``). The same
        object may have lent it under another name."""
        receiver = self.call.callee.receiver
        if not isinstance(receiver, AccessPath):
            return value
        env, heap = self.state.env, self.state.heap
        giver = value_of(self.state, self.doer.graph, receiver)

        def lent(before: Value) -> bool:
            return isinstance(before, Borrowed) and (before.owner == receiver or env.get(before.owner, giver) == giver)

        env.update([(place, value) for place, before in env.items() if lent(before)])
        for container, contents in [*heap.items()]:
            if any(map(lent, contents.items)):
                heap[container] = replace(contents, items=tuple(value if lent(one) else one for one in contents.items))
        return value

    def _beside(self, shape: TupleOf, value: Value) -> Value:
        """Marks a result that comes along with a new descriptor as not empty: ``mkstemp`` returns a file name."""
        return replace(value, full=True) if isinstance(value, Typed) and Fresh() in shape.items else value

    def _derived(self, shape: Shape) -> Value:
        """Returns a value that is made from the arguments."""
        match shape:
            case Argument(name) if name.startswith("*"):
                items, whole = self._given(name)
                holds = not self.doer.graph.language.records or any(map(mentions_any, items))
                return self._box(Contents(items, whole)) if holds else Known.SOME
            case Argument(name):
                return self._argument(name)
            case AnyOf(name):
                return self._any(*self._given(name))
            case TextOf(name):
                return self._text(name)
            case CountOf(name):
                return self._number_of(self._argument(name))
            case NumberIn(name):
                return self._number(self._argument(name))
            case ElementsOf(name):
                return self._elements(name)
            case FlatOf(name):
                made = self._joined(*self._items(self._argument(name)))
                return made if self.state.reachable([made]) else UNKNOWN
            case SomeOf(name):
                items, exact = self._items(self._argument(name))
                found = tuple(filter(mentions_any, items))
                return Some(found, exact and len(found) == len(items)) if found else UNKNOWN
            case PairsOf(name):
                items, exact = self._items(self._argument(name))
                return Seq(tuple(Seq((UNKNOWN, one)) for one in items), exact)
            case Keywords():
                return self._keywords()
            case Zipped(name):
                return self._zip(name, isinstance(shape, ZippedLongest))
            case Counted():
                return self._count()
        return UNKNOWN

    def _owner(self) -> int | None:
        """Returns the number of the call if the new object owns a descriptor."""
        return (
            self.site
            if self.api.adopts and any(one.owner == self.site for one in self.state.resources.values())
            else None
        )

    def _wraps_foreign_number(self) -> bool:
        """Whether the new object wraps a number that is not the function's own, as in ``socket.socket(fileno=number)``.

        Detaching the object gives that number back, so no new descriptor comes of it.
        """
        taken = [self._argument(name) for name, _ in self.bound if self.api.actions.get(name) is Event.TRANSFERRED]
        return any(
            value in (UNKNOWN, Known.SOME)
            or isinstance(value, (Sym, Borrowed, Typed))
            or (isinstance(value, Fd) and self.doer.log.is_stranger(value.descriptor))
            for value in taken
        )

    def _is_one(self) -> bool:
        """Whether the call can receive one descriptor at most: ``recv_fds(…, maxfds=1)``, ``recvmsg`` with room for
        one."""
        limits = (self.api.max_fds, 1), (self.api.max_bytes, NUMBER_SIZE)
        return any(name is not None and self._argument(name) == Const(one) for name, one in limits)

    def _argument(self, name: str) -> Value:
        operand = operand_of(self.bound, name)
        if operand is None and name == "self":
            operand = self.call.callee.receiver
        return value_of(self.state, self.doer.graph, operand) if operand is not None else UNKNOWN

    def _text(self, name: str) -> Value:
        given = (value_of(self.state, self.doer.graph, arg.value) for _, arg in self.bound)
        values = list(given) if name.startswith("*") else [self._argument(name)]
        if any(map(leads_to_numbers, values)):
            return Known.SOME
        return text_of(self.state, self.doer.graph, values, alone=not name.startswith("*"))

    def _items(self, value: Value) -> tuple[tuple[Value, ...], bool]:
        """Returns the elements of an argument that is iterated to its end, and whether they are all of it.

        A lazy ``map`` does its work now, and the payload of a message is decoded.
        """
        value = self._decoded(value)
        self.doer.run_lazily(self.state, value, self.step)
        return elements(self.state, value) or ((), False)

    def _values(self, name: str) -> list[Value]:
        return [value_of(self.state, self.doer.graph, arg.value) for bound, arg in self.bound if bound == name]

    def _given(self, name: str) -> tuple[tuple[Value, ...], bool]:
        """Returns the arguments of a parameter, those that ``*items`` stands for among them, and whether these are all
        of them."""
        found: list[Value] = []
        whole = True
        for arg in (arg for bound, arg in self.bound if bound == name):
            value = value_of(self.state, self.doer.graph, arg.value)
            items, exact = self._items(value) if arg.stars else ((value,), True)
            found.extend(items)
            whole = whole and exact
        return tuple(found), whole

    def _any(self, values: tuple[Value, ...], whole: bool) -> Value:
        if any(isinstance(one, Typed) or (isinstance(one, Known) and one is not UNKNOWN) for one in values):
            return Known.SOME
        return NONE if whole and all(one == NONE for one in values) else UNKNOWN

    def _decoded(self, value: Value) -> Value:
        if not (isinstance(value, Ancillary) and value.level == 2):
            return value
        return receive(self.doer.log, self.state, self.step, value.site, value.single)

    def _elements(self, name: str) -> Value:
        values, whole = self._given(name) if name != "self" else ((self._argument(name),), True)
        made = next((decoded for one in values if (decoded := self._decoded(one)) is not one), None)
        return made if made is not None else self._joined(values, whole)

    def _joined(self, values: Iterable[Value], whole: bool) -> Value:
        """Returns a new list of the elements of several values. ``whole``: these are all of them."""
        found = [self._items(value) for value in values]
        items = tuple(one for some, _ in found for one in some)
        return self._box(Contents(items, whole and all(exact for _, exact in found)))

    def _box(self, contents: Contents) -> Value:
        return self.state.new_box(ContainerSite(Maker.CATALOG_CALL, self.site), normal(contents))

    def _number_of(self, value: Value) -> Value:
        """Returns the number of elements of a container: a constant if there are few and each is known."""
        items, exact = elements(self.state, value) or ((), False)
        if exact:
            return constant(len(items)) if len(items) <= MAX_COUNTED else UNKNOWN
        contents = self.state.heap.get(value.container) if isinstance(value, Box) else None
        if isinstance(value, Box) and items and all(isinstance(one, Fd) for one in items):
            return Length(value.container, contents)
        return UNKNOWN

    def _number(self, value: Value) -> Value:
        """Returns the number that a text shows, or that the payload of a message is."""
        if isinstance(value, Text) and value.alone:
            return value.items[0]
        if isinstance(value, Ancillary) and value.level == 2:
            alone = value.single or not value.starts
            return item(self.state, receive(self.doer.log, self.state, self.step, value.site, alone), Const(0))
        return value

    def _keywords(self) -> Value:
        """Returns a dict of the keyword arguments, or an object that has them as its attributes. A dict also has what
        the other dict, or the pairs, that it is made from have."""
        whole, named, others = True, dict[Constant, Value](), list[Value]()
        for _, arg in self.bound:
            value = value_of(self.state, self.doer.graph, arg.value)
            if arg.keyword is not None:
                named[arg.keyword] = value
                continue
            self.doer.run_lazily(self.state, value, self.step)
            found, exact = entries(self.state, value)
            whole &= exact and not arg.stars
            for key, one in found:
                self.doer.hand_over(self.state, key, self.step)
                if isinstance(key, Const):
                    named[key.value] = one
                else:
                    others.append(one)
        keys = (*named, *[None] * len(others))
        return self._box(Contents((*named.values(), *others), whole, keys))

    def _count(self) -> Value:
        """Returns the numbers of a short ``range`` of constants; UNKNOWN for any other range."""
        values = self._values("*args")
        bounds = [one.value for one in values if isinstance(one, Const) and isinstance(one.value, int)]
        numbers = range(*bounds) if len(bounds) == len(values) and 0 < len(bounds) < 3 else range(0)
        return Seq(tuple(map(constant, numbers)), True) if 0 < len(numbers) <= MAX_COUNTED else UNKNOWN

    def _zip(self, name: str, longest: bool) -> Value:
        columns = [self._items(value) for value in self._values(name)]
        if len(columns) == 1 and self.call.args[0].stars and (turned := self._turned(*columns[0])) is not None:
            return turned
        whole = bool(columns) and all(exact for _, exact in columns)
        # An empty list is one that a loop has not filled on this path; the loop that filled the other ran as often.
        lengths = [len(items) for items, _ in columns if items]
        length = (max if longest or not whole else min)(lengths, default=0)
        rest = NONE if whole and longest else UNKNOWN
        rows = [tuple(items[i] if i < len(items) else rest for items, _ in columns) for i in range(length)]
        return Seq(tuple(Seq(row) for row in rows), whole)

    def _turned(self, rows: tuple[Value, ...], whole: bool) -> Value | None:
        """Returns the columns of a list of tuples, as in ``zip(*pairs)``; None if the rows are not known or differ in
        length."""
        found = [elements(self.state, row) for row in rows]
        known = [items for items, exact in filter(None, found) if exact]
        if len(known) < len(rows) or len(set(map(len, known))) != 1:
            return None
        return Seq(tuple(Seq(column, whole) for column in zip(*known, strict=True)))


def fork(state: State, step: Step) -> None:
    """Notes that a forked child gets a copy of every open descriptor."""
    for fd, resource in state.resources.items():
        if resource.status is Status.OPEN and Event.FORKED not in resource.marks:
            apply_event(state, None, fd, Event.FORKED)
            state.tell(Event.FORKED, step.origin, fd)
