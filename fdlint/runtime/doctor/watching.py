"""Compares snapshots of one process: what has come, what has gone, and when the table is full at this rate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from fdlint.runtime.doctor.kinds import Kind
from fdlint.runtime.doctor.model import Descriptor, Process, Snapshot

LOOKS = 5
"""The number of snapshots of one watch."""
_SMALLEST = 5  # a smaller difference says nothing about a trend


@dataclass(frozen=True, slots=True)
class Growth:
    """The changes of one process. ``seconds``: between the first and the last look. ``counts``: open descriptors at
    each look. ``fresh``: opened after the first look and open at the last one. ``lost``: opened after the first look
    and closed before the last one, as far as the looks between show it. ``free``: how many more fit in the table."""

    seconds: float
    counts: tuple[int, ...]
    fresh: tuple[Descriptor, ...] = ()
    lost: int = 0
    free: int | None = None

    @property
    def rate(self) -> float:
        """New descriptors a second; negative if the number falls."""
        return (self.counts[-1] - self.counts[0]) / self.seconds if self.seconds > 0 else 0.0

    @property
    def is_steady(self) -> bool:
        """Whether the number rises and never falls."""
        rises = self.counts[-1] - self.counts[0] >= _SMALLEST
        return rises and all(left <= right for left, right in zip(self.counts, self.counts[1:], strict=False))

    @property
    def goes_on(self) -> bool:
        """Whether the number rises in the second half, too: a program that has only started its workers does not."""
        return self.counts[-1] > self.counts[len(self.counts) // 2]

    @property
    def seconds_left(self) -> float | None:
        """The seconds until the table is full; None if the number does not rise, or there is no limit."""
        return self.free / self.rate if self.is_steady and self.free is not None else None

    @property
    def places(self) -> Counter[tuple[Kind, str]]:
        """The kinds and names of the descriptors that are new, with their numbers."""
        return Counter(one.place for one in self.fresh)


def growth(snapshots: Sequence[Snapshot], pid: int) -> Growth | None:
    """Returns the changes of a process over snapshots; None if fewer than two of them have its descriptors. A process
    that took over the number of another one is a new process."""
    last = snapshots[-1].process(pid)
    if last is None:
        return None
    seen = [(one.seconds, found) for one in snapshots if (found := _same(one.process(pid), last)) is not None]
    if len(seen) < 2:
        return None
    tables = [_identities(process.open) for _, process in seen]
    before, after = tables[0], tables[-1]
    between = set().union(*tables[1:-1])
    soft = last.limit.soft if last.limit is not None else None
    return Growth(
        seen[-1][0] - seen[0][0],
        tuple(len(process.open) for _, process in seen),
        tuple(one for one in last.open if _identity(one) not in before),
        len(between - before.keys() - after.keys()),
        soft - len(last.open) if soft is not None else None,
    )


def rising(snapshots: Sequence[Snapshot], pid: int, kind: Kind) -> tuple[int, ...] | None:
    """Returns how many descriptors of one kind a process has at each look. None unless the number rises, in the second
    half, too, and none of them has gone. Other kinds do not count."""
    last = snapshots[-1].process(pid)
    seen = [found for one in snapshots if last and (found := _same(one.process(pid), last)) is not None]
    tables = [_identities(process.of(kind)).keys() for process in seen]
    counts = tuple(map(len, tables))
    if len(tables) < 2 or counts[-1] <= counts[len(counts) // 2]:
        return None
    stays = all(before <= after for before, after in pairwise(tables))
    return counts if stays else None


def persisting(snapshots: Sequence[Snapshot], pid: int, holds: Callable[[Process, Descriptor], bool]) -> int:
    """Returns the number of a process's descriptors for which something holds in all snapshots."""
    found = [one for snapshot in snapshots if (one := snapshot.process(pid)) is not None]
    each = [{_identity(one) for one in process.open if holds(process, one)} for process in found]
    return len(set.intersection(*each)) if len(each) > 1 else 0


def _same(one: Process | None, other: Process) -> Process | None:
    fits = one is not None and one.entry.started == other.entry.started and one.descriptors is not None
    return one if fits else None


def _identity(one: Descriptor) -> tuple[int, str, int | None]:
    return one.number, one.link, one.inode


def _identities(descriptors: Sequence[Descriptor]) -> dict[tuple[int, str, int | None], Descriptor]:
    return {_identity(one): one for one in descriptors}
