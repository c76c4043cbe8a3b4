"""Follows the objects of classes that own a descriptor: the object stands for what it holds, and its closing methods
close it.

Nothing is known about the use that others make of an object, so whoever gets it takes it over.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple, cast

from fdlint.catalog.model import Keywords
from fdlint.catalog.naming import Naming, is_assertion
from fdlint.catalog.shape import class_made
from fdlint.core.domain.contents import is_object
from fdlint.core.domain.event import ENDS, Event
from fdlint.core.domain.owner import Begins, OwnerClass
from fdlint.core.domain.state import BOUND, Resource, State
from fdlint.core.domain.typestate import Status
from fdlint.core.domain.values import AllocationSite, Descriptor, Fd, Known, Value
from fdlint.core.engine.eval import fresh, value_of
from fdlint.core.engine.heap import held
from fdlint.core.engine.log import Log
from fdlint.core.engine.match_api import Reading
from fdlint.core.engine.summary import Callees
from fdlint.core.ir import (
    AccessPath,
    Arg,
    Assign,
    Build,
    Call,
    Closure,
    Graph,
    Item,
    Leaving,
    Operand,
    Place,
    Step,
    Store,
    StoreItem,
    Unpack,
    Yield,
)
from fdlint.core.ir import Iterator as IteratorOver

_LEAVING_OPEN = (Event.USED, Event.SENT, Event.SPAWNED)
_TOLD = frozenset({"text", "format", "str", "kept"})  # kinds of a new value that only shows what it is made of


def class_of(state: State, value: Value) -> OwnerClass | None:
    """Returns the class of an object that owns a descriptor; None for any other value."""
    return of(state, value.descriptor) if isinstance(value, Fd) else None


def of(state: State, fd: Descriptor) -> OwnerClass | None:
    """Returns the class of an object that stands for the descriptor it owns; None for a plain descriptor."""
    resource = state.resources.get(fd)
    return resource.of if resource is not None else None


def listed_above(state: State, graph: Graph, place: Place) -> Iterator[tuple[Descriptor, frozenset[str]]]:
    """Yields the objects that a place is part of and whose class the catalog has, with the methods that end them."""
    for value in (value_of(state, graph, one) for one in place.prefixes):
        owner = class_of(state, value)
        if owner is not None and owner.listed and isinstance(value, Fd):
            yield value.descriptor, owner.ends


def has_objects(state: State) -> bool:
    """Whether a state has an object that owns a descriptor or has one in an attribute."""
    if not state.resources:
        return False
    return any(one.of is not None for one in state.resources.values()) or any(map(is_object, state.heap.values()))


class Lent(NamedTuple):
    """An object that lends its number, or a ``method``. ``alone``: it is the only number that the object has."""

    object: Fd
    method: bool
    alone: bool = False


class Part(NamedTuple):
    """An attribute of an object. ``number``: it is sure to hold a descriptor. ``flag``: it may tell whether there is
    one."""

    object: Fd
    number: bool
    flag: bool


def part_of(state: State, graph: Graph, operand: Operand) -> Part | None:
    """Returns what is known of an attribute of an object that owns a descriptor; None for any other operand."""
    if not isinstance(operand, AccessPath) or not operand.is_attribute or not state.resources:
        return None
    value = value_of(state, graph, operand.base)
    owner = class_of(state, value)
    if owner is None or not isinstance(value, Fd):
        return None
    fills = operand.base == graph.receiver and (graph.name or "").rpartition(".")[2] in owner.fills
    return Part(value, operand.name in owner.fields and not fills, operand.name in owner.flags)


@dataclass(slots=True)
class Objects:
    """The objects of one function. ``present``: there may be some, so that each step must be looked at."""

    graph: Graph
    log: Log
    callees: Callees | None
    naming: Naming
    present: bool = False
    _captured: frozenset[Place] | None = None
    _made: dict[int, tuple[Call, OwnerClass | None]] = field(default_factory=dict)  # by the ids of calls
    _resolved: dict[tuple[int, OwnerClass], tuple[Call, Call | None]] = field(default_factory=dict)

    def made_by(self, call: Call) -> OwnerClass | None:
        """Returns the class of the object that a call creates, if the object owns a descriptor; None otherwise."""
        if self.callees is None:
            return None
        known = self._made.get(id(call))
        if known is None:
            known = self._made[id(call)] = call, self.callees.created(self.graph, call)
        return known[1]

    @staticmethod
    def are_in(state: State, value: Value) -> bool:
        """Whether a value is an object that owns a descriptor or has one in an attribute, or holds such an object."""
        if any(of(state, fd) is not None for fd in state.reachable([value])):
            return True
        return any(is_object(state.heap.get(container)) for container in state.containers([value]))

    def judged(
        self, state: State, reading: Reading, call: Call, actions: Iterable[tuple[Arg, Event]]
    ) -> Iterator[tuple[Arg, Event]]:
        """Yields the actions of a call. Whoever gets an object takes it over, unless the call only looks at it, or
        hands it to a function that only uses it."""
        if not (self.present and has_objects(state)):
            yield from actions
            return
        works = reading.api is not None and class_made(reading.api.returns) is not None
        runs = reading.api is not None and reading.api.registers  # a function, which decides
        for arg, action in actions:
            if works and self.are_in(state, value_of(state, self.graph, arg.value)):
                yield arg, Event.SENT  # to the processes of the new object
            elif self.are_in(state, value_of(state, self.graph, arg.value)):
                only_uses = runs and action is Event.USED
                keeps = action not in ENDS and not only_uses and not self._only_looks(state, reading, call, arg)
                yield arg, Event.TRANSFERRED if keeps else action
            else:
                yield arg, action

    def _only_looks(self, state: State, reading: Reading, call: Call, arg: Arg) -> bool:
        """Whether a call reads, writes or tells something of an argument, and keeps nothing of it."""
        api = reading.api
        if api is None and self._is_lent(state, call, arg):
            return True
        if api is None:
            return self.naming.tells(call.callee.name) or is_assertion(call.callee.name)
        uses = (api.actions.get(name) in _LEAVING_OPEN for name, one in reading.bound if one is arg)
        plain = api.name.startswith(self.graph.language.builtins) or isinstance(api.returns, Keywords)
        return plain or any(uses)

    def _is_lent(self, state: State, call: Call, arg: Arg) -> bool:
        """Whether a function gets an object that such functions only use."""
        owner, callee = class_of(state, value_of(state, self.graph, arg.value)), call.callee
        plain = not callee.own and callee.receiver is None and not self.naming.takes_over(callee.name)
        return owner is not None and owner.borrowed and plain

    def wrapped(self, state: State, call: Call) -> Value | None:
        """Returns the object that a constructor of the project gets and that such functions only use: the new object
        stands for it. None for any other call."""
        if not self.present or self.callees is None:
            return None
        given = (state.env.get(place) for place in call.given)
        found = [one for one in given if one is not None and (of := class_of(state, one)) is not None and of.borrowed]
        return found[0] if len(found) == 1 and self.callees.constructs(self.graph, call) else None

    def create(self, state: State, step: Step, call: Call, made: OwnerClass) -> Value:
        """Creates the object of a call, which owns a descriptor from here on. One that a method fills owns none yet."""
        name = call.callee.dotted.lstrip(".") if call.callee.dotted is not None else made.name
        site = self.log.site(step.origin, name, False, step.statement, of=made)
        state.make_older(site)
        return self.begin(state, step, site, made)

    def begin(self, state: State, step: Step, site: AllocationSite, made: OwnerClass, slot: int = 0) -> Value:
        """Returns the new object of a call, if its descriptors are followed."""
        self.present = True
        if not self.log.follows(site):
            return Known.TRUTHY
        value = fresh(site, slot)
        if made.begins is Begins.FILLED:
            state.resources[value.descriptor] = Resource(Status.BORROWED, of=made)
        else:
            self._begin(state, step, value.descriptor, Resource(Status.OPEN, of=made))
        return value

    def new(self, state: State, step: Step, call: Call, otherwise: Value) -> Value:
        """Returns the object that a call of a class without a known constructor creates, or the value of any other
        call."""
        made = self.made_by(call)
        if made is None or made.begins is Begins.GIVEN:
            return otherwise
        return self.create(state, step, call, made)

    def fill(self, state: State, step: Step, call: Call) -> None:
        """Lets an object own a descriptor that one of its methods has acquired, if it had none. From here on the object
        counts as acquired by that call."""
        found = self.receiver(state, call)
        if found is None or not self.is_filled(state, call):
            return
        before, made = found[0].descriptor, found[1]
        if not before.site.is_own or not (state.is_borrowed(before) or state.resources[before].status is Status.CLOSED):
            return
        statement = self.log.sites[before.site].statement  # a loop that creates another one does so there
        site = self.log.site(step.origin, f"{made.name}.{call.callee.name}", False, statement, of=made)
        if not self.log.follows(site):
            state.resources[before] = Resource(Status.HANDED, of=made)
            return
        if before.site != site:
            state.make_older(site)
        filled = fresh(site, 0).descriptor
        state.resources.pop(before)
        state.rename({before: filled}, {})
        for place in [place for place, value in state.env.items() if place.is_named and value == Fd(filled)]:
            self.log.name(state, Fd(filled), place)
        status = Status.HELD if filled in held(self.graph, state) else Status.OPEN
        self._begin(state, step, filled, Resource(status, BOUND, of=made))

    def is_filled(self, state: State, call: Call) -> bool:
        """Whether a call is of a method that acquires for its object."""
        found = self.receiver(state, call) if self.present else None
        return found is not None and call.callee.name in found[1].fills

    def _begin(self, state: State, step: Step, fd: Descriptor, resource: Resource) -> None:
        self.log.note(Event.ACQUIRED, fd)
        state.resources[fd] = resource
        state.tell(Event.ACQUIRED, step.origin, fd)

    def receiver(self, state: State, call: Call) -> tuple[Fd, OwnerClass] | None:
        """Returns the object that a method is called on, with its class; None if it owns nothing that is known."""
        receiver = call.callee.receiver
        value = value_of(state, self.graph, receiver) if receiver is not None else None
        owner = class_of(state, value) if value is not None else None
        return (value, owner) if isinstance(value, Fd) and owner is not None else None

    def is_nothrow(self, state: State, call: Call) -> bool:
        """Whether a call of an object's method raises nothing, as the object is now."""
        found = self.receiver(state, call) if self.present else None
        if found is None:
            return False
        (value, owner), name = found, call.callee.name
        if state.resources[value.descriptor].status is Status.CLOSED:
            return name in owner.nothrow_closed or name in owner.nothrow & owner.ends
        return name in owner.nothrow and (name in owner.ends or state.is_alive(value.descriptor))

    def resolved(self, state: State, call: Call) -> Call | None:
        """Returns the call of an object's method with the method as its target; None if the class has no such
        method, and the same call if it is on no object of a known class."""
        found = self.receiver(state, call)
        if found is None or self.callees is None or call.callee.inherited:
            return call
        _, owner = found
        if owner.listed:
            return call
        known = self._resolved.get((id(call), owner))
        if known is None:
            method = self.callees.method_of(owner, call.callee.name)
            callee = replace(call.callee, function=method, owner=owner.name, own=True, dotted=None, constructs=False)
            known = call, replace(call, callee=callee) if method is not None else None
            self._resolved[id(call), owner] = known
        return known[1]

    def lent(self, state: State, operand: Operand | None) -> Lent | None:
        """Returns the object whose method or number an operand is; None for any other.

        In its own methods the object still has its number: the class as a whole shows what becomes of it.
        """
        if not isinstance(operand, AccessPath) or not operand.is_attribute:
            return None
        value = value_of(state, self.graph, operand.base)
        owner = class_of(state, value)
        if owner is None or not isinstance(value, Fd):
            return None
        if owner.listed and owner.number is None:
            return None if owner.borrowed else Lent(value, True)
        if operand.name in owner.methods:
            return Lent(value, True)
        is_own = operand.base == self.graph.receiver
        field = operand.name in owner.fields and not is_own
        return Lent(value, False, operand.name == owner.number) if field else None

    def given_by(
        self, state: State, step: Step, stand_ins: Collection[Operand], closed: Collection[Place]
    ) -> Iterator[Fd]:
        """Yields the objects of which a step that is no call puts a method or the number somewhere else, and those
        that a nested function captures. ``stand_ins``: the numbers that go on standing for their objects. ``closed``:
        what the function closes: it may be an item that comes out of an object."""
        match step.effect:
            case Assign(_, Closure(name)):
                values = (state.env.get(place) for place in sorted(self.graph.captures.get(name, ())))
                yield from (one for one in values if isinstance(one, Fd) and class_of(state, one) is not None)
                return
            case Assign(_, Build(kind) as build) if kind not in _TOLD:
                operands: tuple[Operand, ...] = build.items
            case Assign(_, AccessPath() as value) | Store(_, value) | StoreItem(_, _, value):
                operands = (value,)
            case Leaving(value) | Yield(value):
                operands = (value,)
            case Assign(
                _, Item(AccessPath() as base) | Unpack(AccessPath() as base) | IteratorOver(AccessPath() as base)
            ):
                operands = (base,) if any(one.root != base.root for one in closed) else ()
            case _:
                return
        for operand in operands:
            found = self.lent(state, operand)
            if found is not None and operand not in stand_ins:
                yield found.object

    def numbers(self, state: State, step: Step) -> dict[Place, Fd]:
        """Returns the numbers of open objects that a step assigns or puts into a new value, each with its object: the
        only number of an object stands for it."""
        value = step.effect.value if isinstance(step.effect, Assign) else None
        found: dict[Place, Fd] = {}
        for operand in value.items if isinstance(value, Build) and value.kind not in _TOLD else (value,):
            lent = self.lent(state, operand) if isinstance(operand, AccessPath) else None
            if lent is not None and lent.alone and state.is_open(lent.object.descriptor):
                found[cast(AccessPath, operand)] = lent.object
        return found

    def is_captured(self, state: State, place: Place, value: Value) -> bool:
        """Whether a nested function, which may be called at any time, uses the variable that gets an object."""
        if class_of(state, value) is None:
            return False
        if self._captured is None:
            self._captured = frozenset[Place]().union(*self.graph.captures.values())
        return place in self._captured
