"""The same open file in several processes: sent, or inherited."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fdlint.doctor.kinds import Kind
from fdlint.doctor.model import Descriptor, Process, Snapshot

_CLOSE_ON_EXEC = 0o2000000  # each descriptor has its own flag
_ONE_FILE = frozenset({Kind.SOCKET})
"""Kinds whose inode has one open file: a second descriptor of it is a duplicate."""
_COMPARED = frozenset({Kind.FILE, Kind.DELETED})

Shared = tuple[str, bool, int, tuple[int, ...]]
"""A kind, whether the sharing is certain, the number of descriptors, and the other processes."""


_Identity = tuple[str, int | None, int, int]
"""What two descriptors of one open file have in common."""


def shared_files(snapshot: Snapshot) -> dict[int, tuple[Shared, ...]]:
    """Returns what each process shares. A socket has one open file, so sharing is certain. An end of a pipe can be
    opened again through ``/proc``. Files are compared among the examined processes only: the same inode, access and
    offset, other than 0, suggest one open file."""
    files: dict[_Identity, set[int]] = {}
    for process in snapshot.processes:
        for one in process.open:
            if (identity := _identity(one)) is not None:
                files.setdefault(identity, set()).add(process.entry.pid)
    return {process.entry.pid: tuple(_shared(snapshot, process, files)) for process in snapshot.processes}


def _shared(snapshot: Snapshot, process: Process, files: Mapping[_Identity, set[int]]) -> Iterator[Shared]:
    found: dict[tuple[str, bool, tuple[int, ...]], int] = {}
    for one in process.open:
        identity = _identity(one)
        holders = files[identity] if identity is not None else _holders(snapshot, one)
        pids = tuple(sorted(holders - {process.entry.pid}))
        if pids:
            key = (one.kind.value, one.kind in _ONE_FILE, pids)
            found[key] = found.get(key, 0) + 1
    for (kind, certain, pids), number in sorted(found.items()):
        yield kind, certain, number, pids


def _holders(snapshot: Snapshot, one: Descriptor) -> set[int]:
    """The processes that hold a socket, or the same end of a pipe."""
    holders = snapshot.holders.get(one.link, ())
    if one.kind is Kind.SOCKET:
        return {holder.pid for holder in holders}
    if one.kind is Kind.PIPE:
        return {holder.pid for holder in holders if any(_same_end(one, other) for other in holder.descriptors)}
    return set()


def _same_end(one: Descriptor, other: Descriptor) -> bool:
    left, right = one.details, other.details
    return left is not None and right is not None and (left.reads, left.writes) == (right.reads, right.writes)


def _identity(one: Descriptor) -> _Identity | None:
    """What suggests that a descriptor of a file is the same open file as another; None without an offset."""
    details = one.details
    if one.kind not in _COMPARED or details is None or not details.position:
        return None
    return one.link, details.inode, details.position, details.flags & ~_CLOSE_ON_EXEC
