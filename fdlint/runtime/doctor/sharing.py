"""The same open file in several processes: sent, or inherited."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from fdlint.runtime.doctor.devices import is_exclusive, is_of_a_gpu
from fdlint.runtime.doctor.kinds import DMABUF, Kind
from fdlint.runtime.doctor.model import Descriptor, Process, Snapshot

_CLOSE_ON_EXEC = 0o2000000  # each descriptor has its own flag
_ONE_FILE = frozenset({Kind.SOCKET})
"""Kinds whose inode has one open file: a second descriptor of it is a duplicate."""
_COMPARED = frozenset({Kind.FILE, Kind.DELETED})

MOST = 100
"""How many other processes are named. Thousands can share one pipe, and each of them would name all."""


@dataclass(frozen=True, slots=True)
class Shared:
    """Open files of one kind that a process shares. ``certain``: whether they are the same for certain. ``number``: of
    its descriptors. ``holders``: all processes that have them, this one among them; one tuple for all of these."""

    kind: str
    certain: bool
    number: int
    holders: tuple[int, ...]

    def others(self, pid: int) -> list[int]:
        """Returns the first of the processes besides ``pid``."""
        return [one for one in self.holders[: MOST + 1] if one != pid][:MOST]


_Identity = tuple[str, int | None, int, int]
"""What two descriptors of one open file have in common."""
_End = tuple[str, int | None, int | None] | _Identity
"""A file, a socket, or one end of a pipe: its link, and whether it is open for reading and for writing."""


def shared_files(snapshot: Snapshot) -> dict[int, tuple[Shared, ...]]:
    """Returns what each process shares. A socket has one open file, so sharing is certain. An end of a pipe can be
    opened again through ``/proc``. Files are compared among the examined processes only: the same inode, access and
    offset, other than 0, suggest one open file."""
    files: dict[_Identity, set[int]] = {}
    for process in snapshot.processes:
        for one in process.open:
            if (identity := _identity(one)) is not None:
                files.setdefault(identity, set()).add(process.entry.pid)
    known = _Known(snapshot)
    for identity, pids in files.items():
        known.add(identity, tuple(sorted(pids)))
    return {process.entry.pid: tuple(_shared(process, known)) for process in snapshot.processes}


@dataclass(slots=True)
class _Known:
    """Who holds each file, each socket and each end of a pipe: worked out once for all that share it. Equal groups of
    processes are one tuple, which compares by identity."""

    snapshot: Snapshot
    groups: dict[_End, tuple[int, ...]] = field(default_factory=dict)
    same: dict[tuple[int, ...], tuple[int, ...]] = field(default_factory=dict)

    def add(self, end: _End, pids: tuple[int, ...]) -> tuple[int, ...]:
        group = self.groups[end] = self.same.setdefault(pids, pids)
        return group

    def of(self, one: Descriptor, end: _End) -> tuple[int, ...]:
        return self.groups[end] if end in self.groups else self.add(end, _holders(self.snapshot, one))


def _shared(process: Process, known: _Known) -> Iterator[Shared]:
    found: dict[tuple[str, bool, int], tuple[int, tuple[int, ...]]] = {}
    for one in process.open:
        end = _identity(one) or _end(one)
        if end is None:
            continue
        holders = known.of(one, end)
        if set(holders[:2]) - {process.entry.pid}:
            key = one.kind.value, one.kind in _ONE_FILE, id(holders)
            number, _ = found.get(key, (0, ()))
            found[key] = number + 1, holders
    rows = [Shared(kind, certain, number, holders) for (kind, certain, _), (number, holders) in found.items()]
    yield from sorted(rows, key=lambda row: (row.kind, row.certain, row.holders[:MOST]))


def _end(one: Descriptor) -> _End | None:
    """A socket, a device, a file without a name, or one end of a pipe; None for what nobody is asked about."""
    if one.kind is Kind.SOCKET:
        return one.link, None, None
    if (file := named_file(one)) is not None:
        return *file, None
    if one.kind is Kind.PIPE and one.details is not None:
        return one.link, one.details.reads, one.details.writes
    return None


def named_file(one: Descriptor) -> tuple[str, int | None] | None:
    """Returns what tells a device, memory or a deleted file from all others: its link and its inode; None for anything
    else."""
    if one.kind is Kind.DEVICE and (is_exclusive(one) or is_of_a_gpu(one)):
        return one.link, None
    if (one.kind is Kind.MEMFD or one.name == DMABUF or one.kind is Kind.DELETED) and one.inode is not None:
        return one.link, one.inode
    return None


def _holders(snapshot: Snapshot, one: Descriptor) -> tuple[int, ...]:
    """The processes that hold a socket, a device, the same file, or the same end of a pipe."""
    holders = snapshot.holders.get(one.link, ())
    if one.kind in (Kind.SOCKET, Kind.DEVICE):
        return tuple(sorted({holder.pid for holder in holders}))
    if one.kind is not Kind.PIPE:
        same = (holder for holder in holders if any(each.inode == one.inode for each in holder.descriptors))
        return tuple(sorted({holder.pid for holder in same}))
    return tuple(sorted(holder.pid for holder in holders if any(_same_end(one, other) for other in holder.descriptors)))


def _same_end(one: Descriptor, other: Descriptor) -> bool:
    left, right = one.details, other.details
    return left is not None and right is not None and (left.reads, left.writes) == (right.reads, right.writes)


def _identity(one: Descriptor) -> _Identity | None:
    """What suggests that a descriptor of a file is the same open file as another; None without an offset."""
    details = one.details
    if one.kind not in _COMPARED or details is None or not details.position:
        return None
    return one.link, details.inode, details.position, details.flags & ~_CLOSE_ON_EXEC
