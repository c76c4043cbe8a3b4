"""Reads the connections of FUSE, the requests that wait in them, and their mount points."""

from __future__ import annotations

from collections.abc import Iterator

from fdlint.runtime.doctor.model import Connection
from fdlint.runtime.doctor.proc.descriptors import mounts
from fdlint.runtime.doctor.proc.files import GoneError, Procfs, RefusedError


def connections(procfs: Procfs, pids: Iterator[int]) -> tuple[Connection, ...]:
    """Returns the connections that are visible. ``pids``: processes whose mounts are searched for them. Raises
    ``GoneError`` if the control file system is not mounted, and ``RefusedError``."""
    numbers = procfs.connections()
    if not numbers:
        return ()
    places = _places(procfs, pids)
    return tuple(
        Connection(number, waiting, tuple(sorted(places.get(number, ()))))
        for number in numbers
        if (waiting := _waiting(procfs, number)) is not None
    )


def _waiting(procfs: Procfs, number: int) -> int | None:
    try:
        return int(procfs.waiting(number))
    except (GoneError, RefusedError, ValueError):
        return None


def _places(procfs: Procfs, pids: Iterator[int]) -> dict[int, set[str]]:
    """The mount points of each connection: its number is the minor number of the mount's device."""
    found: dict[int, set[str]] = {}
    seen: set[str] = set()
    for pid in pids:
        namespace = procfs.namespace(pid, "mnt")
        if namespace in seen:
            continue
        seen.update([namespace] if namespace is not None else [])
        try:
            text = procfs.text(pid, "mountinfo", limit=8_000_000)
        except (GoneError, RefusedError):
            continue
        for _, kind, minor, place in mounts(text):
            if kind.partition(".")[0] in ("fuse", "fuseblk"):
                found.setdefault(minor, set()).add(place)
    return found
