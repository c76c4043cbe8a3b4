"""What a call of one of the project's own functions came to, in words that any caller can translate into its own.

Descriptors and containers that came in are numbered in the order in which the parameters reach them, so that callers
which pass the same kinds of things share one analysis.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

from fdlint.dataflow.slice import Correlated
from fdlint.domain.event import Event
from fdlint.domain.state import BOUND, Contents, Resource, State
from fdlint.domain.typestate import Status
from fdlint.domain.values import (
    UNKNOWN,
    Age,
    AllocationSite,
    Ancillary,
    Borrowed,
    Const,
    Container,
    ContainerSite,
    Descriptor,
    Fn,
    IncomingSite,
    Iter,
    Known,
    Lazy,
    Maker,
    Pid,
    Seq,
    Sym,
    Unlike,
    Value,
    boxes,
    descriptors,
    is_portable,
    restricted,
    substitute,
)
from fdlint.engine.log import Home, Occurrence, Site
from fdlint.engine.parameter_effects import Ended
from fdlint.engine.trace import MISTAKES, chapters
from fdlint.ir import RESULT, Call, Field, Graph, InitialValue, Place, below
from fdlint.process.budget import Budget

_NEVER_CAME = Resource(Status.HANDED)  # a list turned out to be shorter than it might have been


class New(NamedTuple):
    """A descriptor that a callee made, and that outlives it. ``held``: a field has it, and not the caller alone."""

    descriptor: Descriptor
    site: Site
    held: bool


class Left(NamedTuple):
    """A container as a callee leaves it. ``is_new``: the callee made it."""

    container: Container
    contents: Contents
    is_new: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """One way out. ``raised``: the name of the exception that comes out and those of its bases, empty when it returns;
    ``came_in``: the state in which it leaves the descriptors that came in; ``heap``: the containers that came in, and
    new ones; ``new``: what it acquired and gives, or leaves in fields; ``env``: the result, what the fields hold on
    which a method of the same object was called, and what parameters turned out to be; ``occurrences``: where it closed
    what came in, and the misuse of an incoming number as an object that made it raise."""

    raised: tuple[str, ...]
    came_in: tuple[tuple[Descriptor, Resource], ...]
    heap: tuple[Left, ...]
    new: tuple[New, ...]
    env: tuple[tuple[Field | Place, Value], ...]
    occurrences: tuple[Occurrence, ...] = field(default=(), compare=False)

    @property
    def boxes(self) -> list[tuple[Container, Contents]]:
        """The containers that came in."""
        return [(one.container, one.contents) for one in self.heap if not one.is_new]

    @property
    def made(self) -> list[tuple[Container, Contents]]:
        """The containers that it made."""
        return [(one.container, one.contents) for one in self.heap if one.is_new]

    @property
    def fields(self) -> list[tuple[Field, Value]]:
        """What the fields hold."""
        return [(place, value) for place, value in self.env if isinstance(place, Field)]

    @property
    def lessons(self) -> tuple[tuple[Place, Value], ...]:
        """What parameters turned out to be."""
        return tuple((place, value) for place, value in self.env if not isinstance(place, Field) and place != RESULT)

    @property
    def result(self) -> Value:
        """What it returns."""
        return self.env[0][1]

    def returning(self, value: Value) -> Outcome:
        """The same with another result."""
        return replace(self, env=((RESULT, value), *self.env[1:]))

    @property
    def fresh(self) -> list[New]:
        """What the caller owns from here on."""
        return [one for one in self.new if not one.held]

    @property
    def held(self) -> list[New]:
        """What it acquired and left in fields."""
        return [one for one in self.new if one.held]

    @property
    def mistake(self) -> Occurrence | None:
        """The misuse of a number as an object that ended it."""
        return next((one for one in self.occurrences if one.event in MISTAKES), None)

    def closed_at(self, fd: Descriptor) -> object:
        """Where it closed what came in, None if it did not."""
        closes = [one for one in self.occurrences if one.event is Event.CLOSED and one.descriptor == fd]
        return closes[-1].origin if closes else None


@dataclass(frozen=True, slots=True)
class Summary:
    """All ways out of a function, called with certain things. ``occurrences``: what happened to what came in, on
    whatever way; ``reached``: the graphs that were followed; ``lets_go``: others may have done anything to the fields
    of its object."""

    outcomes: tuple[Outcome, ...]
    occurrences: tuple[Occurrence, ...] = ()
    reached: frozenset[int] = frozenset()
    lets_go: bool = False

    @property
    def received(self) -> bool:
        """Whether what it gives came from another process."""
        return any(one.site.received for outcome in self.outcomes for one in outcome.fresh)

    def homes(self, fd: Descriptor) -> list[Home]:
        """Where a constructor keeps what came in."""
        kept = (one.detail for one in self.occurrences if one.event is Event.KEPT and one.descriptor == fd)
        return [home for home in kept if isinstance(home, Home)]


@dataclass(frozen=True, slots=True)
class Shared:
    """The fields that caller and callee both know: the attributes of one object, and globals.

    ``receiver`` is what a function calls the object, None for one that is no method of it; ``names`` are the globals;
    ``apart``: attributes that do not go along.
    """

    receiver: Place | None
    names: frozenset[str] = frozenset()
    apart: frozenset[Field] = frozenset()

    def field(self, place: Place) -> Field | None:
        """The field that a place is, None if it is no such field."""
        if place in self.names:
            return Field(place)
        return place.field_of(self.receiver) if self.receiver is not None else None

    def place(self, path: Field) -> Place:
        """What the function calls a field."""
        return path.on(self.receiver)

    def places(self, state: State) -> list[Place]:
        """Where a state has the fields."""
        found = below(state.env, () if self.receiver is None else (self.receiver,), self.names)
        return [place for place in found if self.field(place) not in self.apart] if self.apart else found

    def values(self, state: State) -> dict[Field, Value]:
        """What the fields hold."""
        found: dict[Field, Value] = {}
        for place in self.places(state):
            value, path = state.env[place], self.field(place)
            if path is not None and not isinstance(value, Sym):
                found[path] = value
        return found

    def kept_apart(self, state: State) -> list[Value]:
        """What the fields hold that do not go along."""
        return [state.env[path.on(self.receiver)] for path in self.apart]

    def lead_to(self, state: State, container: Container) -> bool:
        """Whether one of the fields leads to a container."""
        return any(container in state.containers([value]) for value in self.values(state).values())


@dataclass(slots=True)
class Renaming:
    """A caller's descriptors and containers, and what the callee knows them by.

    ``shared``: the fields that went along, by the caller's names; None when none did. ``symbols``: what it does not
    know, and the parameter that first got it.
    """

    fds: dict[Descriptor, Descriptor] = field(default_factory=dict)
    containers: dict[Container, Container] = field(default_factory=dict)
    shared: Shared | None = None
    symbols: dict[Sym, Place] = field(default_factory=dict)
    _lots: dict[tuple[AllocationSite, Age], IncomingSite] = field(default_factory=dict)  # one for all of one call

    def meet(self, state: State, value: Value) -> None:
        """Numbers what a value holds, through containers."""
        for fd in descriptors(value):
            if fd not in self.fds:
                site = self._lots.setdefault((fd.site, fd.age), IncomingSite.of_lot(len(self._lots)))
                self.fds[fd] = Descriptor(site, fd.slot, Age.NEWEST)
        for container in boxes(value):
            if container not in self.containers and container in state.heap:
                site_of_box = ContainerSite(Maker.CALLER, len(self.containers))
                self.containers[container] = Container(site_of_box, Age.NEWEST)
                for item in state.heap[container].items:
                    self.meet(state, item)

    def inward(self, value: Value) -> Value:
        """A value as the callee knows it."""
        return substitute(value, self.fds, self.containers)


class Callees(Protocol):
    """Knows the project's own functions."""

    @property
    def budget(self) -> Budget:
        """The work that may be spent."""

    def acquires(self, caller: Graph, call: Call) -> bool:
        """Whether the function called, or one it calls, may acquire."""

    def fills(self, caller: Graph, call: Call) -> bool:
        """Whether the function called may put what it acquires into a container that it is given."""

    def makes_function(self, caller: Graph, call: Call) -> bool:
        """Whether the function called may return one that is nested in it."""

    def touches_fields(self, state: State, caller: Graph, call: Call) -> bool:
        """Whether it is a method of the same object and has to do with attributes that are followed."""

    def knows(self, caller: Graph, call: Call) -> bool:
        """Whether the call is of one of the project's own functions."""

    def ends(self, caller: Graph, call: Call) -> Ended:
        """The arguments that the function called may close, or make an object of that owns them."""

    def renamed(self, caller: Graph, call: Call) -> Call:
        """The call with a name that only stands for a function of the catalog replaced by that function's."""

    def exits(self, caller: Graph, call: Call, thorough: bool) -> tuple[bool, bool] | None:
        """(may return, may raise), or None when the function is not known. ``thorough``: it matters what is found."""

    def correlated(self, graph: Graph, holding: frozenset[Place]) -> Correlated:
        """What of the plain values of a function must be told apart. ``holding``: the places that hold descriptors when
        it is entered."""

    def is_small(self, caller: Graph, call: Call) -> bool:
        """Whether the function called is known, and so short that it may be followed for its own sake."""

    def summary(self, state: State, caller: Graph, call: Call, values: list[Value]) -> tuple[Summary, Renaming] | None:
        """What the call does; None when the function is not known or too much to follow. ``values``: of the
        arguments."""


def entry(state: State, values: Iterable[tuple[Place, Value]], shared: Shared | None = None) -> tuple[State, Renaming]:
    """The state in which the callee starts, with its parameters bound. ``shared``: the fields that go along
    among the values."""
    renaming = Renaming(shared=shared)
    inside = State()
    for place, value in values:
        renaming.meet(state, value)
        known = plain(value, renaming.symbols.setdefault(value, place) if isinstance(value, Sym) else place)
        if known is not UNKNOWN:
            inside.env[place] = renaming.inward(known)
    for container, inner in renaming.containers.items():
        contents = state.heap[container]
        items = tuple(renaming.inward(plain(item, None)) for item in contents.items)
        outlives = contents.outlives and shared is not None and shared.lead_to(state, container)
        inside.heap[inner] = Contents(items, contents.exact, contents.keys, outlives)
    for fd, known_as in renaming.fds.items():
        resource = state.resources.get(fd)
        status = resource.status if resource is not None else Status.HANDED
        certain = resource is not None and resource.certain and fd.age is Age.NEWEST
        status = Status.BORROWED if status is Status.OPEN else status
        inside.resources[known_as] = Resource(status, BOUND, certain=certain)
    return inside, renaming


def plain(value: Value, place: Place | None) -> Value:
    """What of a value crosses into the callee: strings and large numbers are all alike."""
    match value:
        case Const(constant):
            small = (
                constant is None or isinstance(constant, bool) or (isinstance(constant, int) and -1 <= constant <= 2)
            )
            return value if small else Known.TRUTHY if constant else Known.FALSY
        case Sym():
            return Sym(place) if place is not None else UNKNOWN
        case Unlike(_, known):
            return known
        case Fn() if is_portable(value):
            return value
        case Fn() | Lazy() | Iter():
            return Known.TRUTHY
        case Pid() | Borrowed() | Ancillary():
            return UNKNOWN
        case Seq(items, exact):
            return Seq(tuple(plain(item, None) for item in items), exact)
    return value


def outcome_of(
    state: State, entered: State, raised: bool, result: Value, fields: Mapping[Field, Value], sites: Sequence[Site]
) -> Outcome:
    """What a state at an exit says about what came in and what goes out. ``sites``: of the callee's own log."""
    came_in = tuple((fd, state.resources.get(fd, _NEVER_CAME)) for fd in sorted(entered.resources))
    kept = {container: state.heap.get(container, contents) for container, contents in sorted(entered.heap.items())}
    if raised:
        result = UNKNOWN
    inside = [item for contents in kept.values() for item in contents.items]
    going = [result, *inside, *fields.values()]
    made_here = state.reachable(going) - entered.resources.keys()
    fresh = {fd for fd in made_here if state.is_open(fd)}
    held = {fd for fd in state.reachable([*fields.values(), *inside]) & made_here if state.is_held(fd)}
    known = fresh | held | entered.resources.keys()
    made = sorted(state.containers(going) - entered.heap.keys())
    return Outcome(
        (state.kind,) if raised else (),
        came_in,
        (
            *(Left(container, _restricted(contents, known), False) for container, contents in kept.items()),
            *(Left(container, _restricted(state.heap[container], known), True) for container in made),
        ),
        tuple(New(fd, sites[fd.site], fd in held) for fd in sorted(fresh | held)),
        (
            (RESULT, restricted(result, known)),
            *((name, restricted(value, known)) for name, value in sorted(fields.items())),
            *sorted(_lessons(state), key=_name),
        ),
        tuple(_occurrences(state, entered, raised)),
    )


def _occurrences(state: State, entered: State, raised: bool) -> Iterator[Occurrence]:
    """Where what came in was closed, and misused as an object if that raised; the newest first."""
    for one in chapters(state.story):
        if one.descriptor in entered.resources and (one.event is Event.CLOSED or (raised and one.event in MISTAKES)):
            yield Occurrence(one.event, one.descriptor, one.origin)


def _name(item: tuple[Place, Value]) -> Place:
    return item[0]


def _lessons(state: State) -> Iterator[tuple[Place, Value]]:
    """What parameters turned out to have been given."""
    for place, value in state.env.items():
        if isinstance(place, InitialValue) and not isinstance(value, Sym):
            yield place.parameter, value


def _restricted(contents: Contents, known: set[Descriptor]) -> Contents:
    items = tuple(restricted(item, known) for item in contents.items)
    return Contents(items, contents.exact, contents.keys, contents.outlives)


def constructed(outcome: Outcome, keeps: frozenset[Place], start: State) -> Outcome:
    """Turn the outcome of a constructor into that of the call that creates the object. The object owns what it may
    keep; ``keeps`` names those parameters."""
    if outcome.raised:
        return outcome
    kept = start.reachable(value for place, value in start.env.items() if place in keeps)
    came_in = tuple(
        (fd, one._replace(status=Status.HANDED) if fd in kept and one.status is Status.BORROWED else one)
        for fd, one in outcome.came_in
    )
    return replace(outcome, came_in=came_in).returning(Known.TRUTHY)


def leaves_alone(summary: Summary) -> bool:
    """Whether the function ends, in whatever way, with all that came in as it was."""
    return all(
        not outcome.boxes and all(one.status is Status.BORROWED for _, one in outcome.came_in)
        for outcome in summary.outcomes
    )


def used_only(summary: Summary) -> Summary | None:
    """The summary of a call that creates a generator, if the body only uses what came in. The body does not run
    yet, and it will take nothing."""
    if not summary.outcomes:
        return summary  # a recursive call, assumed not to return so far
    first = summary.outcomes[0]
    if not leaves_alone(summary) or any(outcome.new for outcome in summary.outcomes):
        return None
    return Summary((replace(first, raised=(), heap=()).returning(Known.SOME),))
