"""The log of one function: what happened to each descriptor, over all paths."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol, TypeAlias

from fdlint.domain.event import SINGLE, Event
from fdlint.domain.facts import Death
from fdlint.domain.state import Resource, Role, State, Story
from fdlint.domain.typestate import ALIVE, Mark, Status, Violation
from fdlint.domain.values import Age, AllocationSite, Descriptor, Fd, Seq, Value
from fdlint.findings.finding import Span
from fdlint.ir import Place

Slot = tuple[AllocationSite, int]


class Places(Protocol):
    """One file: turns origins into positions and text."""

    def span(self, node: object) -> Span:
        """Where it stands."""

    def text(self, node: object) -> str:
        """How it reads."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """An origin in another function, together with that function's name and the file that knows where it stands."""

    origin: object
    places: Places
    function: str | None


def bare(origin: object) -> object:
    """An origin without where it stands."""
    return origin.origin if isinstance(origin, Elsewhere) else origin


@dataclass(frozen=True, slots=True)
class Site:
    """One acquiring call. ``origin`` may be ``Elsewhere``, for what a callee acquired; ``function`` is where it
    stands; ``inner`` is the acquiring call in the callee that returned what it had acquired; ``met``: nothing was
    acquired there, a descriptor of unknown origin was only met."""

    origin: object
    api: str
    received: bool
    statement: int
    function: str | None = None
    inner: Site | None = field(default=None, compare=False)
    met: bool = False


class Home(NamedTuple):
    """A field in which a descriptor was stored. ``whole``: with others, in a tuple or a container; ``owner``: the class
    whose constructor was given it and stored it, and ``places`` its file, both None for a store of the function's
    own."""

    place: Place
    whole: bool
    owner: str | None = None
    places: Places | None = None


class LetGo(NamedTuple):
    """How a field let go of an open descriptor. ``place``: the field; ``nth``: which of those that were acquired on
    this path it may be, counted up to three."""

    place: Place
    nth: int


class Loss(NamedTuple):
    """How a descriptor was lost, and what had been done with it before."""

    death: Death
    marks: frozenset[Event]


Detail: TypeAlias = Loss | LetGo | Home | Status | str | None
"""What else there is to say: of LOST a ``Loss``, of an attribute that lets go a ``LetGo``, of KEPT a ``Home``, of
CLOSED what it was before, of BOUND and RESET the name."""

PLACED = frozenset[Mark]({Event.REPLACED, Event.DETACHED, Event.RESET, *SINGLE, *Violation})
"""Events that are told apart by where they happen; of the others, the first path to show one tells it."""

_BEFORE_LOSS = frozenset({Event.SENT, Event.SPAWNED, Event.FORKED})
_GIVEN_AWAY = frozenset({Event.TRANSFERRED, Event.PASSED})
_RELEASED = frozenset({Event.TRANSFERRED, Event.STORED, Event.ENTRUSTED, Event.EXCUSED})
_OWN = frozenset({Status.OPEN, Status.BORROWED})


@dataclass(frozen=True, slots=True, eq=False)
class Occurrence:
    """Something that happened to a descriptor on some path. ``origin``: where; ``certain``: it was seen on a path that
    was told apart from all others, and happens to this very descriptor; ``story``: what led there."""

    event: Mark
    descriptor: Descriptor
    origin: object
    detail: Detail = None
    certain: bool = True
    story: Story | None = None

    @property
    def slot(self) -> Slot:
        """The acquiring call, and which of its results it is about."""
        return self.descriptor.origin_slot

    @property
    def key(self) -> Hashable:
        """What tells it from others."""
        if self.event in PLACED:
            return self.descriptor, self.origin, self.detail, self.certain
        return self.slot, self.detail, self.certain

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Occurrence) and self.event is other.event and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


class History(list[Occurrence]):
    """All that happened to one descriptor, in the order in which it was seen."""

    def of(self, event: Mark) -> list[Occurrence]:
        """What happened of one kind."""
        return [one for one in self if one.event is event]

    def first(self, event: Mark) -> Occurrence | None:
        """What was seen first of one kind."""
        return next((one for one in self if one.event is event), None)

    @property
    def name(self) -> str | None:
        """How the source calls the descriptor."""
        bound = self.first(Event.BOUND)
        return bound.detail if bound is not None and isinstance(bound.detail, str) else None

    @property
    def released(self) -> bool:
        """Whether some path closes it, or hands it to somebody."""
        return any(one.event in _RELEASED or (one.event is Event.CLOSED and one.detail in ALIVE) for one in self)

    @property
    def given_away(self) -> bool:
        """Whether it was closed where a field holds it, or handed to somebody who is no field."""
        return any(one.event in _GIVEN_AWAY or (one.event is Event.CLOSED and one.detail not in _OWN) for one in self)

    def losses(self) -> list[Occurrence]:
        """How it was lost. A loss that was seen only where paths could no longer be told apart counts if no path
        releases the descriptor."""
        lost = self.of(Event.LOST)
        found = {} if self.released else {one.detail: one for one in lost if not one.certain}
        return list((found | {one.detail: one for one in lost if one.certain}).values())

    @property
    def in_doubt(self) -> bool:
        """Whether it may have been lost in a way in which it surely was not seen to be lost."""
        certain = {one.detail for one in self.of(Event.LOST) if one.certain}
        return self.released and any(one.detail not in certain for one in self.of(Event.LOST))


@dataclass(slots=True)
class Log:
    """Collects what happens to descriptors over all paths of one function.

    ``function`` is the function's name; ``only``: the origin of the one acquiring call to follow, None for all;
    ``lets_go``: others may have done anything to the fields of the function's object, also to those that it does not
    know.
    """

    function: str | None = None
    only: object = None
    lets_go: bool = False
    sites: list[Site] = field(default_factory=list)
    occurrences: dict[Mark, dict[Hashable, Occurrence]] = field(default_factory=dict)
    _numbers: dict[tuple[int, str], AllocationSite] = field(default_factory=dict)

    # -- what happens

    def add(self, one: Occurrence) -> None:
        """Something has happened."""
        self.occurrences.setdefault(one.event, {}).setdefault(one.key, one)

    def note(
        self,
        event: Mark,
        fd: Descriptor,
        origin: object = None,
        detail: Detail = None,
        story: Story | None = None,
        certain: bool = True,
    ) -> None:
        """Something has happened to a descriptor."""
        found = self.occurrences.setdefault(event, {})
        key = (fd, origin, detail, certain) if event in PLACED else ((fd.site, fd.slot), detail, certain)
        if key not in found:
            found[key] = Occurrence(event, fd, origin, detail, certain, story)

    def of(self, *events: Mark) -> list[Occurrence]:
        """What happened of some kinds, to any descriptor."""
        return [one for event in events for one in self.occurrences.get(event, {}).values()]

    def slots(self, event: Mark) -> set[Slot]:
        """The descriptors to which something happened."""
        return {one.slot for one in self.of(event)}

    def histories(self) -> dict[Slot, History]:
        """What happened, by descriptor."""
        found: dict[Slot, History] = {}
        for one in self.of(*self.occurrences):
            found.setdefault(one.slot, History()).append(one)
        return found

    def forget(self, *events: Mark, sites: Collection[AllocationSite] | None = None) -> None:
        """Forgets what happened of some kinds, to what some calls acquired or to everything."""
        for event in events:
            found = self.occurrences.get(event, {})
            kept = {key: one for key, one in found.items() if sites is not None and one.descriptor.site not in sites}
            self.occurrences[event] = kept

    # -- acquiring calls

    def site(self, origin: object, api: str, received: bool, statement: int) -> AllocationSite:
        """The number of an acquiring call; the copies of a cleanup share it."""
        return self.adopt(Site(origin, api, received, statement, self.function))

    def explain(self, number: AllocationSite, inner: Site | None) -> None:
        """Remembers where the callee of an acquiring call acquired what it returned."""
        if inner is not None and self.sites[number].inner is None:
            self.sites[number] = replace(self.sites[number], inner=inner)

    def adopt(self, site: Site) -> AllocationSite:
        """The number of an acquiring call that a callee made."""
        key = id(bare(site.origin)), site.api
        if key not in self._numbers:
            self._numbers[key] = AllocationSite(len(self.sites))
            self.sites.append(site)
        return self._numbers[key]

    def is_stranger(self, fd: Descriptor) -> bool:
        """Whether it was only met here."""
        return fd.site.is_own and self.sites[fd.site].met

    def is_lot(self, fd: Descriptor) -> bool:
        """Whether it stands for several: all that came in but the first."""
        return fd.site.is_own and fd.slot > 0 and self.sites[fd.site].received

    def follows(self, site: AllocationSite) -> bool:
        """Whether what a site acquires is followed."""
        self.note(Event.REACHED, Descriptor(site, 0, Age.NEWEST))
        return self.only is None or self.sites[site].origin is self.only

    # -- names and losses

    def name(self, state: State, value: Value, target: str) -> None:
        """Remembers how the source calls what a place has just been given: ``pair[1]`` of a tuple kept whole."""
        if isinstance(value, Seq) and value.exact:
            for index, item in enumerate(value.items):
                if isinstance(item, Fd):
                    self.note(Event.BOUND, item.descriptor, detail=f"{target}[{index}]")
        for fd in state.reachable([value]):
            self.note(Event.BOUND, fd, detail=target)

    def lose(self, state: State, fd: Descriptor, death: Death, origin: object) -> None:
        """The last reference to an open descriptor is gone: notes it and forgets the descriptor."""
        resource = state.resources.pop(fd, None)
        if resource is not None:
            self.lost(state, fd, resource, death, origin)

    def lost(self, state: State, fd: Descriptor, resource: Resource, death: Death, origin: object) -> None:
        """Notes a loss. What the child of a fork loses counts only if it goes on."""
        rest = self.sites[fd.site].received and fd.slot > 0  # `recv_fds(…)[1][0]` drops all but the first
        if Event.BOUND not in resource.marks and not rest and death is not Death.EXCEPTION:
            death = Death.DISCARDED
        loss = Loss(death, frozenset(event for event in _BEFORE_LOSS if event in resource.marks))
        one = Occurrence(Event.LOST, fd, origin, loss, not state.widened, state.story)
        if state.role is not Role.CHILD:
            self.add(one)
        elif Event.FORKED not in resource.marks and death is not Death.EXCEPTION:
            # What the child of a fork inherited goes with it, and so does all it has if it ends in exec or exit.
            state.pending = state.pending | {one}

    def leave(self, state: State) -> None:
        """The function is left, so the child of a fork goes on living: what it lost counts."""
        for one in state.pending:
            assert isinstance(one, Occurrence)
            self.add(one)
