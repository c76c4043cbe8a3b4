"""What a judge gets, and what it returns."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fdlint.runtime.doctor.judging.patterns import Pattern
from fdlint.runtime.doctor.kinds import Kind
from fdlint.runtime.doctor.model import Descriptor, Process, Snapshot
from fdlint.runtime.doctor.watching import Growth


class Grade(enum.Enum):
    """A ``FINDING`` is a state that a program without a leak does not reach. A ``HINT`` can have a good reason."""

    FINDING = "finding"
    HINT = "hint"


@dataclass(frozen=True, slots=True)
class Case:
    """A process under judgement. ``looks``: all snapshots, the last one included. ``growth``: None without a watch."""

    process: Process
    looks: tuple[Snapshot, ...]
    growth: Growth | None = None

    @property
    def snapshot(self) -> Snapshot:
        """The last look."""
        return self.looks[-1]

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self.process.entry.pid

    def grown(self, place: tuple[Kind, str]) -> int:
        """Returns how many descriptors of a kind and name are new since the first look."""
        return self.growth.places[place] if self.growth is not None else 0

    def shows(
        self,
        pattern: Pattern,
        grade: Grade,
        title: str,
        evidence: Iterable[str],
        commands: tuple[str, ...],
        found: Sequence[Descriptor],
    ) -> Judgement:
        """Returns a judgement about descriptors of the process."""
        numbers = tuple(one.number for one in found)
        return Judgement(pattern, grade, self.pid, title, tuple(evidence), commands, numbers, places_of(found))


@dataclass(frozen=True, slots=True)
class Judgement:
    """A pattern that a process shows. ``evidence``: what was seen, one fact each. ``commands``: what to run next; they
    only read. ``descriptors``: the numbers that it is about, ``places``: their kinds and names, and how many each."""

    pattern: Pattern
    grade: Grade
    pid: int
    title: str
    evidence: tuple[str, ...]
    commands: tuple[str, ...]
    descriptors: tuple[int, ...] = ()
    places: tuple[tuple[Kind, str, int], ...] = ()


def places_of(descriptors: Iterable[Descriptor]) -> tuple[tuple[Kind, str, int], ...]:
    """Returns the kinds and names of descriptors with their numbers, the most frequent first."""
    found: dict[tuple[Kind, str], int] = {}
    for one in descriptors:
        found[one.place] = found.get(one.place, 0) + 1
    rows = sorted(found.items(), key=lambda row: (-row[1], row[0][0].value, row[0][1]))
    return tuple((kind, name, number) for (kind, name), number in rows)


def connections(case: Case) -> int:
    """Returns the number of requests that can be in progress, if each has a socket or a child. Each may hold any
    descriptor for a moment: only more than that is a leak for certain."""
    children = [one for one in case.snapshot.children(case.pid) if not one.is_zombie]
    return len(case.process.of(Kind.SOCKET)) + len(children)


def requests(case: Case) -> int:
    """Returns the number of requests that can be in progress, if each has a socket, a child or a thread."""
    return connections(case) + len(case.process.threads)
