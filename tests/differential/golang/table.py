"""The virtual descriptor table of one run of a Go function."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ..shape import Place
from ..table import How, State


@dataclass(eq=False, slots=True)
class Descriptor:
    """One open descriptor. ``place``: of the call that acquired it. ``index``: which of its results. ``statement``: the
    position of the statement that acquired it. ``depth``: how many calls of own functions below the root."""

    place: Place
    index: int
    statement: int
    depth: int
    state: State = State.OPEN
    wrapped: bool = False  # an os.File has it
    sent: bool = False
    listed: bool = False  # it was in a slice
    captured: bool = False  # a function literal has it
    decided: tuple[int, int] = (0, 0)  # how many decisions the run had made before it was opened, and closed
    lost: How | None = None


@dataclass(eq=False, slots=True)
class Handle:
    """A number of a descriptor, as a value."""

    descriptor: Descriptor


@dataclass(eq=False, slots=True)
class OsFile:
    """An ``*os.File``."""

    descriptor: Descriptor


@dataclass(frozen=True, slots=True)
class Misdeed:
    """A use or close after the end: the code, and where."""

    code: str
    place: Place
    doubtful: bool


@dataclass(slots=True)
class Table:
    """Every descriptor of one run, and what was done to ended ones. ``call``: the root's call that runs.
    ``decided``: how many decisions the run has made."""

    descriptors: list[Descriptor] = field(default_factory=list)
    misdeeds: set[Misdeed] = field(default_factory=set)
    call: Place | None = None
    decided: int = 0

    def open(self, place: Place, index: int, statement: int, depth: int) -> Descriptor:
        """Returns a new descriptor."""
        self.descriptors.append(Descriptor(place, index, statement, depth, decided=(self.decided + 1, 0)))
        return self.descriptors[-1]

    def close(self, value: object, place: Place) -> None:
        """Closes by number, or by the object."""
        if isinstance(value, OsFile):
            self._closed(value.descriptor)
        elif isinstance(value, Handle):
            found = value.descriptor
            if found.wrapped:
                self._misused("FD203", found, place)
            elif found.state is State.CLOSED:
                self._misused("FD201", found, place)
            self._closed(found)

    def use(self, value: object, place: Place) -> None:
        """Uses a number in a call."""
        if isinstance(value, Handle) and value.descriptor.state is State.CLOSED:
            self._misused("FD202", value.descriptor, place)

    def hand_over(self, values: Iterable[object]) -> None:
        """Gives all that these values hold to somebody else."""
        for found in reachable(values):
            if found.state is State.OPEN:
                found.state = State.HANDED_OVER

    def lose(self, held: Iterable[object], *, statement: int, since: int | None, rebinds: bool) -> None:
        """Marks the descriptors that nothing holds any more, after a statement. ``since``: the number of descriptors
        before it, if it binds its results or drops them."""
        alive = set(reachable(held))
        for number, one in enumerate(self.descriptors):
            if one.state is State.OPEN and one.lost is None and one not in alive:
                if since is not None and number >= since:
                    one.lost = How.DISCARDED
                else:
                    one.lost = How.REBOUND if rebinds and one.statement != statement else How.LEFT

    def rise(self, results: Iterable[object], place: Place, statement: int) -> None:
        """Makes a call the place at which the descriptors in its results were acquired."""
        found = [one for one in reachable(results) if one.depth and one.state is State.OPEN]
        for index, one in enumerate(sorted(set(found), key=self.descriptors.index)):
            one.place, one.statement, one.depth, one.index = place, statement, 0, index

    def capture(self, literal: Holder) -> None:
        """Marks what a function literal names. The contract counts a literal that closes it as a new owner."""
        for one in reachable([literal]):
            one.captured = True

    def _closed(self, found: Descriptor) -> None:
        if found.state is not State.CLOSED:
            found.decided = found.decided[0], self.decided
        found.state = State.CLOSED

    def _misused(self, code: str, found: Descriptor, place: Place) -> None:
        """Records a misuse. It is doubtful if it needs particular results of decisions before the end and after it, or
        if the number was in a slice or a function literal."""
        if found.depth == 0:
            opened, ended = found.decided
            unrelated = opened < ended < self.decided
            self.misdeeds.add(Misdeed(code, self.call or place, found.listed or found.captured or unrelated))


def reachable(values: Iterable[object]) -> Iterator[Descriptor]:
    """Yields the descriptors that values hold, directly or in slices and function literals."""
    pending, seen = list(values), set()
    while pending:
        value = pending.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, Handle | OsFile):
            yield value.descriptor
        elif isinstance(value, list):
            pending.extend(value)
        elif isinstance(value, dict):
            pending.extend(value.values())
        elif isinstance(value, Holder):
            pending.extend(value.held())


class Holder:
    """A value that holds others."""

    def held(self) -> Iterator[object]:
        """Yields the values."""
        yield from ()
