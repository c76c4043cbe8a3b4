"""The open descriptors of this process, from ``/proc/self/fd`` on Linux and ``/dev/fd`` elsewhere."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from typing import TypeAlias

from fdlint.runtime.recording.failures import is_own

Identity: TypeAlias = tuple[int, int]
"""The device and the inode of an open file."""
Table: TypeAlias = Mapping[int, Identity]
"""The open descriptors by number, without the three standard streams."""

_DIRECTORIES = ("/proc/self/fd", "/dev/fd")
UNKNOWN = "unknown"
"""The target of a link that this system does not tell."""
_STANDARD = 2
_WORDS = ((stat.S_ISSOCK, "socket"), (stat.S_ISFIFO, "pipe"))


def directory() -> str | None:
    """Returns the directory that lists this process's descriptors; None if the system has none (Windows)."""
    return next((one for one in _DIRECTORIES if os.path.isdir(one)), None)


def count(listing: str) -> int:
    """Returns how many descriptors are open; 0 if the system tells only their list. Linux tells it since 6.2."""
    return os.stat(listing).st_size if listing == _DIRECTORIES[0] else 0


def numbers(listing: str) -> frozenset[str]:
    """Returns the names of the open descriptors. One of them can be that of the listing itself."""
    return frozenset(os.listdir(listing))


def table_of(names: frozenset[str]) -> dict[int, Identity]:
    """Returns the descriptors that are open now, of those with these names."""
    found = {}
    for number in map(int, names):
        if number > _STANDARD:
            try:
                status = os.fstat(number)
            except OSError as error:  # the listing itself, or another thread has closed it
                if not is_own(error):
                    raise
                continue
            found[number] = (status.st_dev, status.st_ino)
    return found


def link_of(listing: str, number: int) -> str:
    """Returns the target of a descriptor's link in the words of procfs, such as ``socket:[123]`` or a path. Empty: it
    is closed."""
    try:
        if listing == _DIRECTORIES[0]:
            return os.readlink(f"{listing}/{number}")
        return _told_by_status(number)
    except OSError as error:
        if not is_own(error):
            raise
        return ""


def _told_by_status(number: int) -> str:
    status = os.fstat(number)
    for matches, word in _WORDS:
        if matches(status.st_mode):
            return f"{word}:[{status.st_ino}]"
    import fcntl  # there is none on Windows

    asks = getattr(fcntl, "F_GETPATH", None)  # macOS
    if asks is None:
        return UNKNOWN
    try:
        return os.fsdecode(fcntl.fcntl(number, asks, bytes(1024)).rstrip(b"\0"))
    except OSError:  # it is open, as the status has shown, and has no path: a kqueue
        return UNKNOWN
