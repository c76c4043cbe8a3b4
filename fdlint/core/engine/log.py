"""The log of one function: the events of each descriptor, over all paths."""

from __future__ import annotations

import enum
from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple, Protocol, TypeAlias

from fdlint.core.domain.assumption import kinds_of
from fdlint.core.domain.event import LET_GO_EVENTS, SINGLE, Chance, Event
from fdlint.core.domain.facts import Death
from fdlint.core.domain.owner import OwnerClass
from fdlint.core.domain.state import Resource, Role, State, Story
from fdlint.core.domain.typestate import ALIVE, Mark, Status, Violation
from fdlint.core.domain.values import UNKNOWN, Age, AllocationSite, ContainerSite, Descriptor, Fd, Seq, Text, Value
from fdlint.core.finding import AssumptionKind, Span
from fdlint.core.ir import RESULT, Graph, Operand, Place, spelled
from fdlint.core.ir.source import SourceCode

Slot = tuple[AllocationSite, int]


class Places(Protocol):
    """One file: turns origins into positions and text."""

    def span(self, node: object) -> Span:
        """Returns the position of a node."""

    def text(self, node: object) -> str:
        """Returns the source text of a node."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """An origin in another function, with that function's name and the file that knows its position."""

    origin: object
    places: SourceCode
    function: str | None


def bare(origin: object) -> object:
    """Returns an origin without its file and function."""
    return origin.origin if isinstance(origin, Elsewhere) else origin


@dataclass(frozen=True, slots=True)
class Site:
    """One acquiring call.

    ``origin`` is ``Elsewhere`` when a callee acquired; ``function`` is the name of the function that has the call;
    ``inner`` is the acquiring call in the callee that returned the descriptor; ``met``: the call acquires nothing, it
    is the place where a descriptor of unknown origin was first seen. ``finalized``: the call gives an object, which
    closes itself when it is collected. ``of``: the call gives an object of this class, which must be closed.
    """

    origin: object
    api: str
    received: bool
    statement: int
    function: str | None = None
    inner: Site | None = field(default=None, compare=False)
    met: bool = False
    finalized: bool = False
    of: OwnerClass | None = None


Assumed: TypeAlias = frozenset[AssumptionKind]
NOTHING: Assumed = frozenset()


class Home(NamedTuple):
    """A field in which a descriptor was stored.

    ``whole``: it was stored as part of a larger value, such as a tuple or a container; ``owner``: the class whose
    constructor got it and stored it; ``places``: the file of that class. Both are None if the function itself stored
    it. ``of``: the class of the object that was stored; None for a descriptor. ``local``: the field is one of an object
    that only the function had when it was stored.
    """

    place: Place
    whole: bool
    owner: str | None = None
    places: Places | None = None
    of: OwnerClass | None = None
    local: bool = False


class LetGo(NamedTuple):
    """The loss of an open descriptor by a field.

    ``place``: the field; ``nth``: how many descriptors the same call had acquired on this path, counted up to three;
    ``rare``: a caught exception led to it that hardly ever comes; ``assumed``: what is assumed on the path.
    """

    place: Place
    nth: int
    rare: bool = False
    assumed: Assumed = NOTHING


class Loss(NamedTuple):
    """The way in which a descriptor was lost, and the earlier events that matter for the report. ``chance``: how often
    the exception comes with which it was lost, or which was caught before, if any. ``assumed``: what is assumed on the
    path."""

    death: Death
    marks: frozenset[Event]
    chance: Chance = Chance.KNOWN
    assumed: Assumed = NOTHING

    @property
    def kind(self) -> Loss:
        """The same loss, whatever is assumed."""
        return self._replace(assumed=NOTHING) if self.assumed else self


class Misuse(NamedTuple):
    """What a violation depends on. ``rare``: an exception that is caught and hardly ever comes. ``assumed``: what is
    assumed on the path. ``caught``: something failed before it, and the function goes on whether it fails or not."""

    rare: bool
    assumed: Assumed
    caught: bool = False

    def exceeds(self, other: Misuse) -> bool:
        """Whether it depends on all that another one depends on, and on more."""
        more = self.rare >= other.rare and self.assumed >= other.assumed and self.caught >= other.caught
        return self != other and more


Detail: TypeAlias = Loss | LetGo | Misuse | Home | Status | str | None
"""The details of an event: a ``Loss`` for LOST, a ``LetGo`` for a field that lets go, a ``Misuse`` for a violation, a
``Home`` for KEPT, the status before for CLOSED, the name for BOUND and RESET, the call for INHERITABLE if it is another
than the acquiring one."""

PLACED = frozenset[Mark]({*LET_GO_EVENTS, Event.STRANDED, Event.RESET, *SINGLE, *Violation})
"""Events that are told apart by the place where they happen. For all others, the log keeps the first path only."""

_BEFORE_LOSS = frozenset({Event.SENT, Event.SPAWNED, Event.FORKED, Event.GIVEN, Event.FINALIZED, Event.LOCKED})
_GIVEN_AWAY = frozenset({Event.TRANSFERRED, Event.PASSED})
_RELEASED = frozenset({Event.TRANSFERRED, Event.STORED, Event.ENTRUSTED, Event.EXCUSED})
_OWN = frozenset({Status.OPEN, Status.BORROWED})


@dataclass(frozen=True, slots=True, eq=False)
class Occurrence:
    """An event of a descriptor on some path.

    ``origin``: where it happened; ``certain``: the path was told apart from all others, and the event happens to this
    very descriptor; ``story``: the events that led there.
    """

    event: Mark
    descriptor: Descriptor
    origin: object
    detail: Detail = None
    certain: bool = True
    story: Story | None = None

    @property
    def slot(self) -> Slot:
        """Returns the acquiring call, and the number of its result that the event is about."""
        return self.descriptor.origin_slot

    def closes(self, fd: Descriptor) -> bool:
        """Whether this is the close of a descriptor."""
        return self.event is Event.CLOSED and self.descriptor == fd

    @property
    def key(self) -> Hashable:
        """Returns the key that tells an occurrence of an event from others of the same event."""
        if self.event in PLACED:
            return self.descriptor, self.origin, self.detail, self.certain
        return self.slot, self.detail, self.certain

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Occurrence) and self.event is other.event and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


class History(list[Occurrence]):
    """All occurrences of one descriptor, in the order in which they were logged."""

    def of(self, event: Mark) -> list[Occurrence]:
        """Returns the occurrences of one event."""
        return [one for one in self if one.event is event]

    def first(self, event: Mark) -> Occurrence | None:
        """Returns the first occurrence of one event; None if there is none."""
        return next((one for one in self if one.event is event), None)

    @property
    def name(self) -> str | None:
        """Returns the name of the descriptor in the source; None if it has none."""
        bound = self.first(Event.BOUND)
        return spelled(bound.detail) if bound is not None and isinstance(bound.detail, str) else None

    @property
    def closed(self) -> bool:
        """Whether some path closes the descriptor, whoever owns it."""
        return self.first(Event.CLOSED) is not None

    @property
    def released(self) -> bool:
        """Whether some path closes the descriptor or hands it over."""
        return any(one.event in _RELEASED or (one.event is Event.CLOSED and one.detail in ALIVE) for one in self)

    @property
    def leaves(self) -> bool:
        """Whether some path hands the descriptor over, to a field, too."""
        return any(one.event in _RELEASED or one.event is Event.KEPT for one in self)

    @property
    def outlives(self) -> bool:
        """Whether an object that outlives the function, or is given away, gets the descriptor on some path."""
        return any(one.event in (Event.STORED, Event.ENTRUSTED) for one in self)

    @property
    def given_away(self) -> bool:
        """Whether the descriptor was closed while a field held it, or handed over to something other than a field."""
        return any(one.event in _GIVEN_AWAY or (one.event is Event.CLOSED and one.detail not in _OWN) for one in self)

    def losses(self) -> list[Occurrence]:
        """Returns the losses of the descriptor, each kind once.

        A loss that was only seen where paths were no longer told apart counts if no path releases the descriptor.
        """
        lost = self._lost(certain=True)
        kinds = {kind for kind, _ in lost}
        found = [one for (kind, _), one in self._lost(certain=False).items() if kind not in kinds]
        return [*([] if self.released else found), *lost.values()]

    def _lost(self, certain: bool) -> dict[tuple[Loss, Assumed], Occurrence]:
        """Returns the losses by their kinds and by what they assume. Leaves out those that assume more than another one
        of their kind."""
        found = {
            (one.detail.kind, one.detail.assumed): one
            for one in self.of(Event.LOST)
            if one.certain is certain and isinstance(one.detail, Loss)
        }
        return {
            (kind, assumed): one
            for (kind, assumed), one in found.items()
            if not any(other == kind and fewer < assumed for other, fewer in found)
        }

    @property
    def in_doubt(self) -> bool:
        """Whether the descriptor is released on some path and has a loss of a kind that is not certain."""
        if not self.released:
            return False
        certain = {kind for kind, _ in self._lost(certain=True)}
        return any(kind not in certain for kind, _ in self._lost(certain=False))


class Source(enum.Enum):
    """Where the engine knows from what a call does to its arguments."""

    CATALOG = "an entry of the catalog"
    PASSED = "a function of the catalog that the call is given"
    PROJECT = "a function of the project, which was followed"
    GIVEN_UP = "a function of the project that was too much to follow"
    NAME = "the name of an unknown function"


@dataclass(slots=True)
class Log:
    """Collects the events of descriptors over all paths of one function.

    ``function`` is the function's name; ``only``: the origin of the one acquiring call to follow, None for all;
    ``lets_go``: unknown code may have changed any field of the function's object, even fields that the function does
    not mention;
    ``returning``: the sides of a fork that return, or go on as another program;
    ``of_daemons``: losses in children that count only if they return and their parents do not;
    ``started``: the structs that start a child.
    """

    function: str | None = None
    only: object = None
    lets_go: bool = False
    returning: set[Role] = field(default_factory=set)
    of_daemons: list[Occurrence] = field(default_factory=list)
    started: set[ContainerSite] = field(default_factory=set)
    sites: list[Site] = field(default_factory=list)
    occurrences: dict[Mark, dict[Hashable, Occurrence]] = field(default_factory=dict)
    _places: dict[Event, dict[Slot, dict[object, None]]] = field(default_factory=dict)
    _numbers: dict[tuple[int, str], AllocationSite] = field(default_factory=dict)
    thorough: ClassVar[bool] = False  # it keeps what an explanation needs

    # -- what happens

    def add(self, one: Occurrence) -> None:
        """Adds an occurrence, unless the log has an equal one."""
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
        """Adds an event of a descriptor, unless the log has an equal one."""
        found = self.occurrences.setdefault(event, {})
        key = (fd, origin, detail, certain) if event in PLACED else ((fd.site, fd.slot), detail, certain)
        if key not in found:
            found[key] = Occurrence(event, fd, origin, detail, certain, story)

    def of(self, *events: Mark) -> list[Occurrence]:
        """Returns the occurrences of some events, for all descriptors."""
        return [one for event in events for one in self.occurrences.get(event, {}).values()]

    def slots(self, event: Mark) -> set[Slot]:
        """Returns the slots of the descriptors that have an event."""
        return {one.slot for one in self.of(event)}

    def mark(self, event: Event, fd: Descriptor, origin: object = None) -> None:
        """Adds the place of an event that has many places and that no history needs."""
        self._places.setdefault(event, {}).setdefault(fd.origin_slot, {})[origin] = None

    def marked(self, event: Event) -> Mapping[Slot, Collection[object]]:
        """Returns the places of such an event by slot, each once."""
        return self._places.get(event, {})

    def origins(self, event: Event, slot: Slot) -> Mapping[object, None]:
        """Returns the places of such an event for the descriptors of one slot."""
        return self._places.get(event, {}).get(slot, {})

    def histories(self) -> dict[Slot, History]:
        """Returns the histories of all descriptors, by slot."""
        found: dict[Slot, History] = {}
        for one in self.of(*self.occurrences):
            found.setdefault(one.slot, History()).append(one)
        return found

    def forget(self, *events: Mark, sites: Collection[AllocationSite] | None = None) -> None:
        """Forgets the occurrences of some events, for the descriptors of some calls; without ``sites``, for all."""
        for event in events:
            found = self.occurrences.get(event, {})
            kept = {key: one for key, one in found.items() if sites is not None and one.descriptor.site not in sites}
            self.occurrences[event] = kept

    def keep_misuses(self) -> None:
        """Forgets everything but the violations and the names of descriptors."""
        kept = {event for event in self.occurrences if isinstance(event, Violation) or event is Event.BOUND}
        self.occurrences = {event: self.occurrences[event] for event in kept}
        self._places.clear()

    # -- acquiring calls

    def site(
        self,
        origin: object,
        api: str,
        received: bool,
        statement: int,
        finalized: bool = False,
        of: OwnerClass | None = None,
    ) -> AllocationSite:
        """Returns the number of an acquiring call. The copies of a cleanup block share one number."""
        return self.adopt(Site(origin, api, received, statement, self.function, finalized=finalized, of=of))

    def explain(self, number: AllocationSite, inner: Site | None) -> None:
        """Remembers where the callee of an acquiring call acquired what it returned."""
        if inner is not None and self.sites[number].inner is None:
            self.sites[number] = replace(self.sites[number], inner=inner)

    def adopt(self, site: Site) -> AllocationSite:
        """Returns the number of a site, new if the site is new. The site may be in a callee."""
        key = id(bare(site.origin)), site.api
        if key not in self._numbers:
            self._numbers[key] = AllocationSite(len(self.sites))
            self.sites.append(site)
        return self._numbers[key]

    def is_stranger(self, fd: Descriptor) -> bool:
        """Whether a descriptor is of unknown origin and was only met here."""
        return fd.site.is_own and self.sites[fd.site].met

    def is_lot(self, fd: Descriptor) -> bool:
        """Whether a descriptor stands for several: for all that one call received except the first."""
        return fd.site.is_own and fd.slot > 0 and self.sites[fd.site].received

    def is_one(self, state: State, fd: Descriptor) -> bool:
        """Whether a descriptor is known to be a single one, and not any item of a list."""
        return not (state.widened or self.is_lot(fd) or state.is_among_others(fd))

    def follows(self, site: AllocationSite) -> bool:
        """Whether the descriptors of a site are followed. Notes that the site was reached."""
        self.note(Event.REACHED, Descriptor(site, 0, Age.NEWEST))
        return self.only is None or self.sites[site].origin is self.only

    def holds_followed(self, state: State) -> bool:
        """Whether a state has a descriptor of the one acquiring call to follow."""
        return any(fd.site.is_own and self.sites[fd.site].origin is self.only for fd in state.resources)

    # -- names and losses

    def name(self, state: State, value: Value, target: str) -> None:
        """Logs the source's names for the descriptors in a new value, for example ``pair[1]`` in a tuple. A text with
        the number is no name."""
        if isinstance(value, Text):
            return
        if isinstance(value, Seq) and value.exact:
            for index, item in enumerate(value.items):
                if isinstance(item, Fd):
                    self.note(Event.BOUND, item.descriptor, detail=f"{target}[{index}]")
        for fd in state.reachable([value]):
            self.note(Event.BOUND, fd, detail=target)

    def lose(self, state: State, fd: Descriptor, death: Death, origin: object) -> None:
        """Logs that the last reference to an open descriptor is gone, and removes the descriptor from the state."""
        resource = state.resources.pop(fd, None)
        if resource is not None:
            self.lost(state, fd, resource, death, origin)

    def lost(
        self,
        state: State,
        fd: Descriptor,
        resource: Resource,
        death: Death,
        origin: object,
        chance: Chance = Chance.KNOWN,
    ) -> None:
        """Logs a loss. A loss in the child of a fork counts only if the child leaves the function, and does not end in
        exec or exit. For what it inherited, and for what an exception leaves open, it answers only if the parent has
        ended: a program becomes a daemon."""
        rest = self.sites[fd.site].received and fd.slot > 0  # `recv_fds(…)[1][0]` drops all but the first
        if Event.BOUND not in resource.marks and not rest and death is not Death.EXCEPTION:
            death = Death.DISCARDED
        chance = Chance.RARE if Event.SPARED in resource.marks else chance
        forked = Event.FORKED in resource.marks
        in_child = state.role is Role.CHILD
        marks = frozenset(
            one for one in _BEFORE_LOSS if one in resource.marks and not (in_child and one is Event.FORKED)
        )
        loss = Loss(death, marks, chance, kinds_of(resource))
        one = Occurrence(Event.LOST, fd, origin, loss, not state.widened, state.story)
        if in_child:
            state.pending = state.pending | {(one, forked or death is Death.EXCEPTION)}
        else:
            self.add(one)

    def returns_open(self, state: State) -> None:
        """Notes that a ``return`` leaves descriptors open, except for those that it returns."""
        given = state.reachable([state.env.get(RESULT, UNKNOWN)])
        left_by = _return(state.story) if state.role is not Role.CHILD and not state.widened else None
        for fd in state.resources if left_by is not None else ():
            if state.is_open(fd) and fd not in given:
                self.mark(Event.LEFT_OPEN, fd, left_by)

    def leaves_open(self, state: State, origin: object) -> None:
        """Notes that an exception leaves the function right where it is raised, with its descriptors open."""
        for fd in state.resources if not state.widened else ():
            if state.is_open(fd):
                self.mark(Event.RAISED_OPEN, fd, origin)

    def end(self, state: State, fd: Descriptor, origin: object) -> None:
        """Notes that the function ends a descriptor itself: the unknown calls that got it before have not taken it.

        A call that raised is no such call: it may take the descriptor only if it succeeds. Nor is one that got an older
        descriptor of the same acquiring call: it may have been another one than this.
        """
        if state.raising is None:
            self.mark(Event.ENDED, fd, origin)
        story = state.story if Event.GIVEN in self.occurrences and fd.age is Age.NEWEST else None
        failed: object = None
        while story is not None:
            if story.descriptor is not None and story.descriptor.origin_slot == fd.origin_slot:
                if story.event is Event.ACQUIRED:
                    return
                if story.event is Event.GIVEN and story.origin is not failed:
                    self.mark(Event.UNTAKEN, fd, story.origin)
            failed = story.origin if story.event is Event.RAISED else failed
            story = story.before

    def remark(self, origin: object, source: Source, name: str) -> None:
        """Notes where it is known from what a call does. A plain log drops this: only an explanation needs it."""

    def depart(self, state: State, raising: bool) -> None:
        """Notes the state in which the function is left. A plain log drops this: only an explanation needs it."""

    def meets(self, graph: Graph, state: State, operand: Operand, value: Value, origin: object) -> None:
        """Notes what a close is about to close. A plain log drops this: only the proof of a fix needs it."""

    def acts(self, state: State, value: Value, action: Event, origin: object) -> None:
        """Notes an action on a value, other than a close. A plain log only notes what a forked child does with it."""
        if state.role is Role.CHILD and action in (Event.USED, Event.TRANSFERRED):
            for fd in filter(state.is_alive, state.reachable([value])):
                self.note(Event.USED_BY_CHILD, fd)

    def defers(self, state: State, value: Value) -> None:
        """Notes that something may use a value later. A plain log drops this, too."""

    def leave(self, state: State, returns: bool) -> None:
        """Logs the pending losses of a forked child: it leaves the function and goes on, so its losses count."""
        if returns and isinstance(state.role, Role):
            self.returning.add(state.role)
        for one, alone in state.pending:
            assert isinstance(one, Occurrence)
            if returns and not alone:
                self.add(one)
            else:
                self.of_daemons.append(one)

    def end_parents(self) -> None:
        """Logs the losses of children that are daemons: they return from the function, and their parents do not."""
        for one in self.of_daemons if self.returning == {Role.CHILD} else ():
            self.add(one)


def _return(story: Story | None) -> object:
    """Returns the origin of the statement by which a path leaves its function; None if an exception does."""
    while story is not None:
        if story.event in (Event.RETURNED, Event.FELL_OFF):
            return story.origin if story.event is Event.RETURNED else None
        story = story.before
    return None
