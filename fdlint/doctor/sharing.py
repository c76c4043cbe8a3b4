"""The same open file in several processes: sent, or inherited."""

from __future__ import annotations

from collections.abc import Iterator

from fdlint.doctor.kinds import Kind
from fdlint.doctor.model import Descriptor, Details, Process, Snapshot

_CLOSE_ON_EXEC = 0o2000000  # each descriptor has its own flag
_ONE_FILE = frozenset({Kind.SOCKET})
"""Kinds whose inode has one open file: a second descriptor of it is a duplicate."""
_COMPARED = frozenset({Kind.FILE, Kind.DELETED})

Shared = tuple[str, bool, int, tuple[int, ...]]
"""A kind, whether the sharing is certain, the number of descriptors, and the other processes."""


def shared_with(snapshot: Snapshot, process: Process) -> Iterator[Shared]:
    """Yields what a process shares. A socket has one open file, so sharing is certain. An end of a pipe can be opened
    again through ``/proc``. Files are compared among the examined processes only: the same inode, access and offset,
    other than 0, suggest one open file."""
    found: dict[tuple[str, bool, tuple[int, ...]], int] = {}
    for one in process.open:
        pids = _holders(snapshot, process, one)
        if pids:
            key = (one.kind.value, one.kind in _ONE_FILE, pids)
            found[key] = found.get(key, 0) + 1
    for (kind, certain, pids), number in sorted(found.items()):
        yield kind, certain, number, pids


def _holders(snapshot: Snapshot, process: Process, one: Descriptor) -> tuple[int, ...]:
    own = process.entry.pid
    if one.kind is Kind.SOCKET:
        return tuple(sorted({holder.pid for holder in snapshot.holders.get(one.link, ()) if holder.pid != own}))
    if one.kind is Kind.PIPE:
        return tuple(
            sorted(
                holder.pid
                for holder in snapshot.holders.get(one.link, ())
                if holder.pid != own and any(_same_end(one, other) for other in holder.descriptors)
            )
        )
    if one.kind not in _COMPARED or one.details is None or not one.details.position:
        return ()
    others = (other for other in snapshot.processes if other.entry.pid != own)
    return tuple(sorted(other.entry.pid for other in others if any(_same_file(one, each) for each in other.open)))


def _same_end(one: Descriptor, other: Descriptor) -> bool:
    left, right = one.details, other.details
    return left is not None and right is not None and (left.reads, left.writes) == (right.reads, right.writes)


def _same_file(one: Descriptor, other: Descriptor) -> bool:
    left, right = one.details, other.details
    if left is None or right is None or one.link != other.link:
        return False
    return _identity(left) == _identity(right)


def _identity(details: Details) -> tuple[int | None, int | None, int]:
    return details.inode, details.position, details.flags & ~_CLOSE_ON_EXEC
