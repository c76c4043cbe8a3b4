"""The ends of the pipes of a process: who holds the other one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fdlint.runtime.doctor.kinds import Kind
from fdlint.runtime.doctor.model import Descriptor, Holder, Process, Snapshot

_MOST = 100  # a pipe that more processes hold was inherited, and tells nothing of one of them


@dataclass(frozen=True, slots=True)
class Pipe:
    """A pipe of which a process holds an end. ``others``: the other processes that hold one, ``is_cut``: only the first
    of very many."""

    link: str
    own: Holder
    others: tuple[Holder, ...]
    is_cut: bool = False

    @property
    def has_both_ends(self) -> bool:
        """Whether the process itself can read and write it."""
        return bool(self.own.reads and self.own.writes)

    @property
    def has_no_other_end(self) -> bool:
        """Whether no visible process can write it, or none can read it. False if an access is unknown."""
        if self.is_cut:
            return False
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
        holders = snapshot.holders.get(link, ())
        others = tuple(one for one in holders[:_MOST] if one.pid != pid)
        yield Pipe(link, Holder(pid, tuple(own)), others, len(holders) > _MOST)


def numbers_of(found: Sequence[Pipe]) -> tuple[int, ...]:
    """Returns the numbers of all descriptors of some pipes."""
    return tuple(sorted(number for pipe in found for number in pipe.numbers))
