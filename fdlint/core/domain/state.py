"""One abstract state: the facts that hold on one bundle of paths. Each state has a bounded size.

A state maps places to values, containers to their contents and descriptors to their status. Its story (the events that
led here) does not count when two states are compared: the first path that reaches a state provides the story.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from fdlint.core.domain.contents import Contents, Leads, forget_plain_fields, merged, normal
from fdlint.core.domain.correlated import Apart
from fdlint.core.domain.event import CARRIED, Event
from fdlint.core.domain.owner import OwnerClass
from fdlint.core.domain.raising import Raising
from fdlint.core.domain.typestate import ALIVE, Mark, Status, Violation, joined_marks
from fdlint.core.domain.values import (
    COMPOSED,
    LEADING,
    PLAIN,
    Age,
    AllocationSite,
    Ancillary,
    Borrowed,
    Box,
    Const,
    Container,
    ContainerSite,
    Descriptor,
    Fd,
    Iter,
    Known,
    Maker,
    Pid,
    Seq,
    Sym,
    Text,
    Typed,
    Unlike,
    Value,
    boxes,
    inner,
    mentions_any,
    substitute,
    weight,
)
from fdlint.core.finding import AssumptionKind
from fdlint.core.ir import RESULT, Condition, LiveAt, Place

SOME_NUMBER = 3  # among free numbers, stands for that of any descriptor that the function does not own

_new = object.__new__
_DECIDING = frozenset({Pid, Ancillary, Borrowed})
_LOT = Seq((), exact=False)  # a container without anything that matters


class Role(enum.Enum):
    """The side of a fork."""

    CHILD = "child"
    PARENT = "parent"

    __hash__ = object.__hash__  # as for ``Raising``


class Resource(NamedTuple):
    """A descriptor's typestate and its marks. ``stream``: it has this number of a standard stream, which was free when
    the descriptor was created. ``certain``: this very descriptor was closed, or taken by an object that closes it.
    ``owner``: the call that created this object, by its number in the log. ``of``: the class, if it is an object."""

    status: Status
    marks: frozenset[Mark] = frozenset()
    stream: int | None = None
    certain: bool = False
    owner: int | None = None
    of: OwnerClass | None = None

    @property
    def is_gone(self) -> bool:
        """Whether somebody else has it, and nothing is known of it that could matter later."""
        handed = self.status is Status.HANDED and not self.certain and self.of is None
        return handed and self.marks.isdisjoint(CARRIED)

    def marked(self, mark: Mark) -> Resource:
        """Returns the resource with one more mark."""
        return self if mark in self.marks else self._replace(marks=self.marks | {mark})


BOUND = frozenset[Mark]({Event.BOUND})
"""The marks of a descriptor if only its holder is known."""


class Story(NamedTuple):
    """The events so far, newest first: the event, or what is assumed; its step; its descriptor (None for an event of
    the path itself). ``about``: what an assumption names."""

    event: Event | AssumptionKind
    origin: object
    descriptor: Descriptor | None
    before: Story | None
    place: Place | None = None  # the attribute that drops the descriptor
    about: str = ""

    def closes(self, fd: Descriptor) -> bool:
        """Whether this entry is the close of a descriptor."""
        return self.event is Event.CLOSED and self.descriptor == fd


@dataclass(slots=True)
class State:
    """The state at one point. It is mutable while one block runs; ``key`` is its identity."""

    env: dict[Place, Value] = field(default_factory=dict)
    heap: dict[Container, Contents] = field(default_factory=dict)
    resources: dict[Descriptor, Resource] = field(default_factory=dict)
    facts: dict[Condition, bool] = field(default_factory=dict)
    raising: Raising | None = None
    role: Role | Pid | None = None  # the side of a fork, or its id until the side is known
    pending: frozenset[tuple[Hashable, bool]] = frozenset()  # losses that count only if the child of a fork goes on
    widened: bool = False  # it covers several states: a loss in it may happen on no real path
    free: frozenset[int] = frozenset()  # numbers that are free again: the next new descriptor gets the lowest one
    story: Story | None = None
    kind: str = ""  # the name of the current exception, in a function that is followed for its callers
    armed: frozenset[Place] = frozenset()  # a nested function closes the values that these places receive
    rarely: bool = False  # a call has returned an error that hardly ever comes, in a language whose calls return errors

    def copy(self) -> State:
        """Returns an independent copy."""
        copied = _new(State)  # skips ``__init__``, which takes as long as the rest of this method
        copied.env = self.env.copy()
        copied.heap = self.heap.copy()
        copied.resources = self.resources.copy()
        copied.facts = self.facts.copy()
        copied.raising = self.raising
        copied.role = self.role
        copied.pending = self.pending
        copied.widened = self.widened
        copied.free = self.free
        copied.story = self.story
        copied.kind = self.kind
        copied.armed = self.armed
        copied.rarely = self.rarely
        return copied

    def key(self) -> Hashable:
        """The parts that make two states equal."""
        env, heap, facts = frozenset(self.env.items()), frozenset(self.heap.items()), frozenset(self.facts.items())
        return env, heap, facts, *self._rest()

    def _rest(self) -> tuple[Hashable, ...]:
        """Returns the parts that are equal in equal states and in states of one kin."""
        return (
            frozenset(self.resources.items()),
            self.raising,
            self.role,
            self.pending,
            self.widened,
            self.free,
            self.kind,
            self.armed,
            self.rarely,
        )

    def size(self) -> int:
        """The number of values in the state."""
        return len(self.env) + len(self.heap) + len(self.resources) + len(self.armed)

    def inside(self) -> int:
        """The number of values inside other values."""
        inside = sum([weight(value) for value in self.env.values() if type(value) in COMPOSED])
        for contents in self.heap.values():
            inside += sum([weight(value) for value in contents.items if type(value) in COMPOSED])
        return inside

    def tell(self, event: Event, origin: object, fd: Descriptor | None = None, place: Place | None = None) -> None:
        """Adds an event to the story."""
        self.story = Story(event, origin, fd, self.story, place)

    # -- reachability

    def reachable(self, values: Iterable[Value], without: Collection[ContainerSite] = ()) -> set[Descriptor]:
        """Returns all descriptors that the values hold, also through containers. ``without``: not through those of
        these sites."""
        found: set[Descriptor] = set()
        seen = {one for one in self.heap if one.site in without} if without else set[Container]()
        pending = [values]
        while pending:
            for value in pending.pop():
                kind = type(value)
                if kind is Fd:
                    found.add(value.descriptor)  # type: ignore[union-attr]
                elif kind in LEADING:
                    pending.append(self._inside(value, seen))
        return found

    def concerns(self, values: Iterable[Value], ending: bool) -> bool:
        """Whether a function that gets some values may do something about a descriptor of this state. What was handed
        over counts only for one that may close or adopt something (``ending``)."""
        found = (self.resources[fd] for fd in self.reachable(values) if fd in self.resources)
        return any(ending or not one.is_gone for one in found)

    def told(self, value: Value) -> bool:
        """Whether a value holds a text with the number of a descriptor, also through containers."""
        seen: set[Container] = set()
        pending = [value]
        while pending:
            one = pending.pop()
            if type(one) is Text:
                return mentions_any(one)
            if type(one) in LEADING:
                pending.extend(self._inside(one, seen))
        return False

    def _inside(self, value: Value, seen: set[Container]) -> tuple[Value, ...]:
        """Returns the direct parts of a value, but none for a container in ``seen``."""
        if not isinstance(value, Box):
            return inner(value)
        if value.container in seen or value.container not in self.heap:
            return ()
        seen.add(value.container)
        return self.heap[value.container].items

    def leads_anywhere(self, value: Value) -> bool:
        """Whether a value holds any descriptor, also through containers."""
        return bool(self.reachable([value]))

    def share(self, values: Iterable[Value]) -> None:
        """Notes that the containers to which values lead outlive the function."""
        for container in self.containers(values):
            contents = self.heap[container]
            self.heap[container] = Contents(contents.items, contents.exact, contents.keys, True)

    def containers(self, values: Iterable[Value]) -> set[Container]:
        """Returns all containers that the values refer to, also through containers."""
        seen: set[Container] = set()
        pending = [values] if self.heap else []
        while pending:
            for value in pending.pop():
                kind = type(value)
                if kind in LEADING and kind is not Fd:
                    pending.append(self._inside(value, seen))
        return seen

    def orphans(self, old: Value) -> list[Descriptor]:
        """Returns the open descriptors in ``old`` that nothing else in the state holds."""
        if old in self.env.values():
            return []
        lost = [fd for fd in self.reachable([old]) if self.is_open(fd)]
        if not lost:
            return []
        held = self.reachable(self.env.values())
        return sorted(fd for fd in lost if fd not in held)

    def is_alive(self, fd: Descriptor) -> bool:
        """Whether the descriptor is open, whether or not this function must close it."""
        resource = self.resources.get(fd)
        return resource is not None and resource.status in ALIVE

    def is_open(self, fd: Descriptor) -> bool:
        """Whether this function must still close it."""
        resource = self.resources.get(fd)
        return resource is not None and resource.status is Status.OPEN

    def is_held(self, fd: Descriptor) -> bool:
        """Whether an object or the module must close it."""
        resource = self.resources.get(fd)
        return resource is not None and resource.status is Status.HELD

    def is_borrowed(self, fd: Descriptor) -> bool:
        """Whether the caller must close it."""
        resource = self.resources.get(fd)
        return resource is not None and resource.status is Status.BORROWED

    @property
    def at_stake(self) -> set[Descriptor]:
        """Returns the descriptors that an exception may leave open here; if there are none, those of the caller."""
        owed = {fd for fd in self.resources if self.is_open(fd) or self.is_held(fd)}
        return owed or set(filter(self.is_borrowed, self.resources))

    def has_ended(self, fd: Descriptor, status: Status) -> bool:
        """Whether exactly this descriptor was closed for certain, or taken by an object that closes it."""
        resource = self.resources.get(fd)
        return resource is not None and resource.certain and resource.status is status and fd.age is Age.NEWEST

    def is_among_others(self, fd: Descriptor) -> bool:
        """Whether the choice of this descriptor was blind, or a sequence may hold others in its place."""
        return Event.PICKED in self.resources[fd].marks or any(_may_be_in(Fd(fd), value) for value in self.env.values())

    def let_older_go(self, owner: int) -> None:
        """Cuts the links of the older objects of a call, which is about to create another one, to their descriptors."""
        for place, value in self.env.items():
            if type(value) is Typed and value.maker == owner:
                self.env[place] = replace(value, maker=None)

    def owned_by(self, value: Value) -> list[Descriptor]:
        """Returns the descriptors that an object is certain to own."""
        if type(value) is not Typed or value.maker is None:
            return []
        return [
            fd for fd, one in self.resources.items() if one.owner == value.maker and self.has_ended(fd, Status.HANDED)
        ]

    def tie(self, values: Iterable[Value], owner: Value) -> None:
        """Notes that an object has just taken over what some values hold: a close of either closes both."""
        if not isinstance(owner, Fd):
            return
        for fd in self.reachable(values):
            resource = self.resources.get(fd)
            if resource is not None and resource.of is None:
                self.resources[fd] = resource._replace(owner=owner.descriptor.site)

    def tied_to(self, fd: Descriptor) -> list[Descriptor]:
        """Returns the objects that have taken over a descriptor; for an object, what it has taken over."""
        resource = self.resources.get(fd)
        if resource is None or (resource.of is None and resource.owner is None):
            return []
        alike = [(one, held) for one, held in self.resources.items() if one.age is fd.age]
        if resource.of is not None:
            return [one for one, held in alike if held.owner == fd.site and held.of is None]
        return [one for one, held in alike if one.site == resource.owner and held.of is not None]

    def take_number(self, unused: bool) -> tuple[bool, int | None]:
        """Gives the lowest free number to a new descriptor. Returns whether it is one that the code wants there, a
        standard stream or, if it is ``unused``, the one that was closed before; and the number of the stream."""
        stream = min((number for number in self.free if number < SOME_NUMBER), default=None)
        wanted = stream is not None or (unused and SOME_NUMBER in self.free)
        self.free -= {SOME_NUMBER if stream is None else stream}
        return wanted, stream

    def free_number(self, fd: Descriptor, any_number: bool) -> None:
        """Notes that the number of a descriptor will be free, before it is closed. Notes only standard streams, or with
        ``any_number`` also descriptors that the function did not create."""
        resource = self.resources.get(fd)
        if resource is not None and resource.stream is not None:
            self.free |= {resource.stream}
            self.resources[fd] = resource._replace(stream=None)
        elif any_number and resource is not None and resource.status in (Status.BORROWED, Status.HELD):
            self.free |= {SOME_NUMBER}

    def doubt(self, fd: Descriptor) -> None:
        """Removes the certainty of a descriptor's typestate."""
        self.resources[fd] = self.resources[fd]._replace(certain=False)

    def doubt_owners(self) -> None:
        """Removes the certainty of all descriptors that objects own: an unknown one of these objects gives up its
        descriptor."""
        for fd, resource in self.resources.items():
            if resource.certain and resource.status is Status.HANDED:
                self.doubt(fd)

    # -- recency

    def make_older(self, site: AllocationSite) -> None:
        """Ages the descriptors of a site that is about to acquire again. The newest becomes the previous one."""
        self._age([fd for fd in self.resources if fd.site == site and fd.age is Age.PREVIOUS], Age.OLDER)
        self._age([fd for fd in self.resources if fd.site == site and fd.age is Age.NEWEST], Age.PREVIOUS)

    def be_sure_of_closed(self) -> None:
        """Makes it certain that those descriptors were closed that are closed in this state."""
        for fd, resource in self.resources.items():
            self.resources[fd] = resource._replace(certain=resource.status is Status.CLOSED)

    def settle(self) -> None:
        """Ends a statement: merges the previous descriptor of each site with the older ones."""
        if self.resources:
            self._age([fd for fd in self.resources if fd.age is Age.PREVIOUS], Age.OLDER)

    def _age(self, fds: list[Descriptor], age: Age) -> None:
        if not fds:
            return
        renamed: dict[Descriptor, Descriptor] = {}
        for fd in fds:
            aged = renamed[fd] = fd._replace(age=age)
            self.resources[aged] = _worse(self.resources.pop(fd), self.resources.get(aged))
        self.rename(renamed, {})

    def new_box(self, site: ContainerSite, contents: Contents) -> Box:
        """Creates a container at a site."""
        self.make_older_box(site)
        self.heap[Container(site, Age.NEWEST)] = contents
        return Box(Container(site, Age.NEWEST))

    def make_older_box(self, site: ContainerSite) -> dict[Container, Container]:
        """Ages the container of a site that is about to create another one. Returns its new name."""
        newest, older = Container(site, Age.NEWEST), Container(site, Age.OLDER)
        now, before = self.heap.get(newest), self.heap.get(older)
        if now is None or newest not in self.containers(self.env.values()):
            return {}
        self.heap[older] = now if before is None else merged(now, before)
        self.rename({}, {newest: older})
        return {newest: older}

    def rename(self, fds: dict[Descriptor, Descriptor], containers: dict[Container, Container]) -> None:
        """Renames descriptors and containers in all values."""
        for place, value in self.env.items():
            self.env[place] = substitute(value, fds, containers)
        for container, contents in self.heap.items():
            items = tuple(substitute(item, fds, containers) for item in contents.items)
            if items != contents.items:
                self.heap[container] = normal(Contents(items, contents.exact, contents.keys, contents.outlives))

    # -- housekeeping

    def forget(self, live: LiveAt) -> None:
        """Drops parts without influence: dead plain values, unreachable containers, settled lost descriptors."""
        env, leads = self.env, Leads(self.heap)
        dead = [(place, value) for place, value in env.items() if place not in live.places]
        for place, value in dead:
            if type(value) in PLAIN or not self._matters(place, value, leads):
                del env[place]
        if self.facts:
            conditions = live.conditions
            for key in [k for k in self.facts if k not in conditions]:
                del self.facts[key]
        if self.heap:
            kept = self.containers(self.env.values())
            if len(kept) != len(self.heap):
                self.heap = {container: contents for container, contents in self.heap.items() if container in kept}
        if not self.resources:
            return
        settled = [fd for fd, one in self.resources.items() if one.status is not Status.OPEN and fd.site.is_own]
        if settled:
            held = self.reachable(self.env.values())
            for fd in settled:
                if fd not in held and Violation.CLOSE_WHILE_REGISTERED not in self.resources[fd].marks:
                    del self.resources[fd]

    def forget_answers(self, place: Place) -> None:
        """Drops the known results of conditions that may depend on a place."""
        if not self.facts:
            return
        for condition in [condition for condition in self.facts if condition.mentions(place)]:
            del self.facts[condition]

    def forget_items(self, place: Place) -> None:
        """Drops the known results of conditions about items of a container that may change."""
        for condition in [condition for condition in self.facts if condition.asks_for_item(place)]:
            del self.facts[condition]

    def widen(self, records: bool = False) -> State:
        """Returns a state that covers this one and many others: no constants, no facts, only holders and their values.
        ``records``: nor other fields, because containers with keys are records."""
        state = self.copy()
        state.widened = True
        state.facts.clear()
        leads = Leads(self.heap)
        if records:
            forget_plain_fields(state.heap, list(state.heap), lambda value: self._holds(value, leads))
        for place, value in self.env.items():
            if isinstance(value, (Const, Known, Sym, Unlike)) or (
                not self._holds(value, leads) and not isinstance(value, (Typed, Pid))
            ):
                del state.env[place]
        return state

    def kin(self, apart: Apart) -> Hashable:
        """Returns the parts that are equal in states which may be merged: everything except answers and plain values
        that do not decide about descriptors. ``apart``: the differences that count."""
        kept = self._that_decide(apart)
        heap = self.containers([value for _, value in kept if value is not None]) if self.heap else ()
        answers = frozenset([(one, answer) for one, answer in self.facts.items() if one in apart.conditions])
        return (
            (frozenset(kept), answers),
            frozenset([(container, self.heap[container]) for container in heap]),
            *self._rest(),
        )

    def _that_decide(self, apart: Apart) -> list[tuple[Place, Value | None]]:
        """Returns the places and values that count in ``kin``; None for a value that only counts as a container."""
        kept: list[tuple[Place, Value | None]] = []
        places, types, iterated, _ = apart
        leads = Leads(self.heap)
        for place, value in self.env.items():
            kind = type(value)
            if place in places:
                kept.append((place, value))
            elif kind in PLAIN:
                if place in types and _is_typed(value):
                    kept.append((place, value))
            elif value != _LOT and (kind is not Box or self._holds(value, leads)):
                kept.append((place, value))
            elif place in iterated:
                kept.append((place, None))
        return kept

    def essence(self, apart: Apart) -> State:
        """Returns a state that covers all states of this one's kin: it has nothing but the parts that count there."""
        state = self.copy()
        kept = self._that_decide(apart)
        state.env = {place: _LOT if value is None else value for place, value in kept}
        state.facts = {key: answer for key, answer in self.facts.items() if key in apart.conditions}
        return state

    def doubted(self, records: bool = False) -> tuple[State, Hashable]:
        """Returns this state as one of several that it may cover, and the parts that are equal in those: the
        descriptors and their holders. ``records``: as for ``widen``."""
        state = self.copy()
        state.widened = True
        leads = Leads(self.heap)
        holders = [(place, value) for place, value in self.env.items() if _decides(value, leads)]
        heap = self.containers([value for _, value in holders]) if self.heap else set[Container]()
        if records:
            forget_plain_fields(state.heap, heap, lambda value: self._holds(value, leads))
        return state, (
            frozenset(holders),
            frozenset([(container, state.heap[container]) for container in heap]),
            *state._rest(),
        )

    def merged(self, other: State) -> State:
        """Returns a state that covers this one and another of the same kin. It leaves out the values and answers in
        which they differ. Returns this state itself if it covers both."""
        changed = {one for one, contents in self.heap.items() if other.heap.get(one) != contents}
        differing = [
            place
            for place, value in self.env.items()
            if other.env.get(place) != value or (changed and not changed.isdisjoint(self.containers([value])))
        ]
        differing = [place for place in differing if self.env[place] != _LOT or not _is_lot(other.env.get(place))]
        answers = [key for key, answer in self.facts.items() if other.facts.get(key) is not answer]
        if not differing and not answers:
            return self
        found = self.copy()
        for place in differing:
            if _is_lot(found.env[place]) and _is_lot(other.env.get(place)):
                found.env[place] = _LOT
            else:
                del found.env[place]
        for key in answers:
            del found.facts[key]
        return found

    def _matters(self, place: Place, value: Value, leads: Leads) -> bool:
        """Whether a value that no code reads any more still matters: its descriptor may be lost, or the caller gets a
        list of closed ones."""
        if not self._holds(value, leads):
            return False
        if leads.anywhere(value):
            return (place == RESULT and not isinstance(value, Fd)) or not self._is_over(value)
        return any(boxes(value))  # messages that nobody will decode do not matter

    def _is_over(self, value: Value) -> bool:
        """Whether a value is a closed descriptor, or holds nothing but such ones, also if they were closed long ago and
        no state knows them any more. Does not look into containers inside of it."""
        if isinstance(value, Fd):
            known = self.resources.get(value.descriptor)
            return known.status is Status.CLOSED if known is not None else value.descriptor.site.is_own
        held = self.heap[value.container].items if isinstance(value, Box) else inner(value)
        return bool(held) and all(isinstance(one, Fd) and self._is_over(one) for one in held)

    def _holds(self, value: Value, leads: Leads) -> bool:
        """Whether a value matters: it leads to a descriptor, may yet receive one, or is a container of the caller."""
        return mentions_any(value) and (
            not isinstance(value, Box)
            or value.container.site.maker is Maker.CALLER
            or self.heap[value.container].outlives
            or leads.anywhere(value)
        )


def _decides(value: Value, leads: Leads) -> bool:
    """Whether a value leads to a descriptor, or determines what becomes of one."""
    return type(value) in _DECIDING or (type(value) not in PLAIN and leads.anywhere(value))


def _is_typed(value: Value) -> bool:
    """Whether the type of a value may determine the effect of a call of one of its methods."""
    return isinstance(value, Typed) or (isinstance(value, Const) and isinstance(value.value, str))


def _is_lot(value: Value | None) -> bool:
    return isinstance(value, Box) or value == _LOT


def _may_be_in(fd: Fd, value: Value) -> bool:
    """Whether a sequence with unknown items contains a descriptor."""
    if isinstance(value, (Seq, Iter)) and not value.exact and fd in value.items:
        return True
    return any(_may_be_in(fd, item) for item in inner(value))


def _worse(one: Resource, other: Resource | None) -> Resource:
    """Joins two descriptors: the result is open if either is."""
    if other is None:
        return one
    status = next((state for state in (Status.OPEN, Status.HELD) if state in (one.status, other.status)), one.status)
    return Resource(status, joined_marks(one.marks, other.marks), of=one.of)
