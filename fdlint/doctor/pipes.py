"""The ends of the pipes of a process: who holds the other one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fdlint.doctor.kinds import Kind
from fdlint.doctor.model import Descriptor, Holder, Process, Snapshot


@dataclass(frozen=True, slots=True)
class Pipe:
    """A pipe of which a process holds an end. ``others``: the other processes that hold one."""

    link: str
    own: Holder
    others: tuple[Holder, ...]

    @property
    def has_both_ends(self) -> bool:
        """Whether the process itself can read and write it."""
        return bool(self.own.reads and self.own.writes)

    @property
    def has_no_other_end(self) -> bool:
        """Whether no visible process can write it, or none can read it. False if an access is unknown."""
        everybody = (self.own, *self.others)
        return all(one.reads is False for one in everybody) or all(one.writes is False for one in everybody)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the process's own descriptors."""
        return tuple(one.number for one in self.own.descriptors)


def pipes(process: Process, snapshot: Snapshot) -> Iterator[Pipe]:
    """Yields the pipes of a process, in the order of their first descriptors."""
    ends: dict[str, list[Descriptor]] = {}
    for one in process.of(Kind.PIPE):
        ends.setdefault(one.link, []).append(one)
    for link, own in ends.items():
        pid = process.entry.pid
        others = tuple(one for one in snapshot.holders.get(link, ()) if one.pid != pid)
        yield Pipe(link, Holder(pid, tuple(own)), others)


def numbers_of(found: Sequence[Pipe]) -> tuple[int, ...]:
    """Returns the numbers of all descriptors of some pipes."""
    return tuple(sorted(number for pipe in found for number in pipe.numbers))
