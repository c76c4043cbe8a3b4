"""What the paths of one function did with each descriptor: the raw material of the facts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

from fdlint.domain.event import Event
from fdlint.domain.facts import Death
from fdlint.domain.state import Resource, Role, State, Story
from fdlint.domain.typestate import Violation
from fdlint.domain.values import Descriptor, Fd, Seq, Value
from fdlint.findings.finding import Span
from fdlint.ir import Place

Slot = tuple[int, int]


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


@dataclass(frozen=True, slots=True)
class Overwrite:
    """A field let go of an open descriptor that nothing else holds in the end. ``fills``: for another value, not for a
    constant that says "none"; ``place`` is the field; ``nth``: which of those that were acquired on this path it may
    be, counted up to three."""

    descriptor: Descriptor
    origin: object
    fills: bool
    place: Place
    story: Story | None = field(compare=False)
    nth: int = 0


@dataclass(frozen=True, slots=True)
class Reclose:
    """A number was closed that had been closed before."""

    descriptor: Descriptor
    origin: object
    story: Story | None = field(compare=False)


@dataclass(frozen=True, slots=True)
class Truthiness:
    """A descriptor was asked whether it is true, or greater than 0, as if 0 were none."""

    descriptor: Descriptor
    origin: object


@dataclass(frozen=True, slots=True)
class Misdoing:
    """A number was used or closed after its end."""

    descriptor: Descriptor
    deed: Violation
    origin: object
    story: Story | None = field(compare=False)


class Home(NamedTuple):
    """A field in which a descriptor was stored. ``whole``: with others, in a tuple or a container; ``owner``: the class
    whose constructor was given it and stored it, and ``places`` its file, both None for a store of the function's
    own."""

    place: Place
    whole: bool
    owner: str | None = None
    places: Places | None = None


@dataclass(frozen=True, slots=True)
class Loss:
    """How a descriptor was lost; two losses that say the same are one."""

    death: Death
    sent: bool
    spawned: bool
    forked: bool


@dataclass(frozen=True, slots=True)
class Pending:
    """A loss that counts only if the process goes on."""

    slot: Slot
    loss: Loss
    origin: object = field(compare=False)
    story: Story | None = field(compare=False)
    widened: bool


@dataclass(slots=True)
class Log:
    """Collects, over all paths of one function, what each acquisition came to.

    ``function`` is the function's name; ``only``: the origin of the one acquiring call to follow, None for all.
    ``doubtful`` are losses that were seen only where paths could no longer be told apart.
    """

    function: str | None = None
    only: object = None
    sites: list[Site] = field(default_factory=list)
    losses: dict[Slot, dict[Loss, tuple[object, Story | None]]] = field(default_factory=dict)
    doubtful: dict[Slot, dict[Loss, tuple[object, Story | None]]] = field(default_factory=dict)
    released: set[Slot] = field(default_factory=set)
    acquired: set[int] = field(default_factory=set)
    child_uses: set[Slot] = field(default_factory=set)
    overwrites: dict[Overwrite, None] = field(default_factory=dict)
    recloses: dict[Reclose, None] = field(default_factory=dict)
    misdoings: dict[Misdoing, None] = field(default_factory=dict)
    taken_out: dict[tuple[int, int, int], Place] = field(default_factory=dict)  # what let go: by origin's id and slot
    too_early: set[tuple[int, Place]] = field(default_factory=set)  # resets of a field that then is to be closed
    kept: dict[Slot, set[Home]] = field(default_factory=dict)  # the fields in which it was stored
    stored: dict[Slot, object] = field(default_factory=dict)  # where it was stored there first
    elsewhere: set[Slot] = field(default_factory=set)  # closed, or handed to somebody who is no field
    names: dict[Slot, str] = field(default_factory=dict)
    made: set[Slot] = field(default_factory=set)
    inheritable: set[int] = field(default_factory=set)  # calls that receive what the next exec hands to a child
    guarded: set[Slot] = field(default_factory=set)  # what the next exec closes, on some path
    closed: set[Slot] = field(default_factory=set)
    truths: dict[Truthiness, None] = field(default_factory=dict)
    beyond_zero: set[Slot] = field(default_factory=set)  # what cannot be 0, or is known to be a copy of a stream
    answers: dict[int, set[bool]] = field(default_factory=dict)  # to tests of what others may change
    _numbers: dict[tuple[int, str], int] = field(default_factory=dict)

    def site(self, origin: object, api: str, received: bool, statement: int) -> int:
        """The number of an acquiring call; the copies of a cleanup share it."""
        return self.adopt(Site(origin, api, received, statement, self.function))

    def explain(self, number: int, inner: Site | None) -> None:
        """Remembers where the callee of an acquiring call acquired what it returned."""
        if inner is not None and self.sites[number].inner is None:
            self.sites[number] = replace(self.sites[number], inner=inner)

    def adopt(self, site: Site) -> int:
        """The number of an acquiring call that a callee made."""
        key = id(bare(site.origin)), site.api
        if key not in self._numbers:
            self._numbers[key] = len(self.sites)
            self.sites.append(site)
        return self._numbers[key]

    def name(self, state: State, value: Value, target: str) -> None:
        """Remembers how the source calls what a place has just been given: ``pair[1]`` of a tuple kept whole."""
        if isinstance(value, Seq) and value.exact:
            for index, item in enumerate(value.items):
                if isinstance(item, Fd):
                    self.names.setdefault((item.descriptor.site, item.descriptor.slot), f"{target}[{index}]")
        for fd in state.reachable([value]):
            self.names.setdefault((fd.site, fd.slot), target)

    def lose(self, state: State, fd: Descriptor, death: Death, origin: object) -> None:
        """The last reference to an open descriptor is gone: notes it and forgets the descriptor."""
        resource = state.resources.pop(fd, None)
        if resource is not None:
            self.note(state, fd, resource, death, origin)

    def note(self, state: State, fd: Descriptor, resource: Resource, death: Death, origin: object) -> None:
        """Notes a loss; the first path to show it is the one that is told."""
        rest = self.sites[fd.site].received and fd.slot > 0  # `recv_fds(…)[1][0]` drops all but the first
        if Event.BOUND not in resource.marks and not rest and death is not Death.EXCEPTION:
            death = Death.DISCARDED
        loss = Loss(death, *(event in resource.marks for event in (Event.SENT, Event.SPAWNED, Event.FORKED)))
        pending = Pending((fd.site, fd.slot), loss, origin, state.story, state.widened)
        if state.role is not Role.CHILD:
            self._commit(pending)
        elif Event.FORKED not in resource.marks and death is not Death.EXCEPTION:
            # What the child of a fork inherited goes with it, and so does all it has if it ends in exec or exit.
            state.pending = state.pending | {pending}

    def leave(self, state: State) -> None:
        """The function is left, so the child of a fork goes on living: what it lost counts."""
        for pending in state.pending:
            assert isinstance(pending, Pending)
            self._commit(pending)

    def _commit(self, pending: Pending) -> None:
        losses = self.doubtful if pending.widened else self.losses
        losses.setdefault(pending.slot, {}).setdefault(pending.loss, (pending.origin, pending.story))

    def is_stranger(self, fd: Descriptor) -> bool:
        """Whether it was only met here."""
        return fd.site >= 0 and self.sites[fd.site].met

    def is_lot(self, fd: Descriptor) -> bool:
        """Whether it stands for several: all that came in but the first."""
        return fd.site >= 0 and fd.slot > 0 and self.sites[fd.site].received

    def follows(self, site: int) -> bool:
        """Whether what a site acquires is followed."""
        self.acquired.add(site)
        return self.only is None or self.sites[site].origin is self.only

    def settle_doubts(self) -> None:
        """A doubtful loss of what no path releases is none, and neither is one that is certain elsewhere."""
        for slot, losses in list(self.doubtful.items()):
            known = self.losses.get(slot, {})
            if slot not in self.released:
                self.losses[slot] = {**losses, **known}
            if slot not in self.released or all(loss in known for loss in losses):
                del self.doubtful[slot]

    def leave_out(self, sites: set[int]) -> None:
        """Forgets what became of some acquiring calls, which are followed apart."""
        self.losses = {slot: losses for slot, losses in self.losses.items() if slot[0] not in sites}
