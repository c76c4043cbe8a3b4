"""Replaces files in one step: a reader, or an interrupt, finds either the old or the new file."""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import re
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

_PREFIX = ".fdlint-"
_OWN = re.compile(re.escape(_PREFIX) + "[a-z0-9_]{8}")  # as ``tempfile`` names files
_LEFT = 60  # seconds without a change, after which nobody is writing a file any more
_NO_ROOM_BESIDE = (errno.EACCES, errno.EPERM, errno.EBUSY)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Yields a new file beside ``path``. It replaces ``path`` at the end, and is removed on an exception. Removes such
    files that killed processes left in the directory. Raises ``OSError``."""
    _clean(os.path.abspath(path.parent))
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=_PREFIX, delete=False) as file:
        try:
            yield file
            file.close()
            os.replace(file.name, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(file.name)
            raise


def write_file(path: Path, data: bytes) -> None:
    """Writes an output that the user requested, in one step where possible. It writes directly to a pipe, a device or a
    link, and in a directory that takes no new file. Raises ``OSError``."""
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        mode = stat.S_IFREG | (0o666 & ~_umask())
    if not stat.S_ISREG(mode):
        path.write_bytes(data)
        return
    try:
        with replacing(path) as file:
            file.write(data)
            os.chmod(file.name, stat.S_IMODE(mode))
    except OSError as error:
        if error.errno not in _NO_ROOM_BESIDE:
            raise
        path.write_bytes(data)


@functools.lru_cache(maxsize=10_000)  # once in each directory
def _clean(directory: str) -> None:
    """Removes files of this user that have the name of an unfinished one and that nobody is writing."""
    with contextlib.suppress(OSError), os.scandir(directory) as entries:
        for entry in entries:
            if _OWN.fullmatch(entry.name) and _is_left(entry.stat(follow_symlinks=False)):
                os.unlink(entry.path)


def _is_left(status: os.stat_result) -> bool:
    own = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
    regular = stat.S_ISREG(status.st_mode) and status.st_nlink == 1
    return own and regular and status.st_mtime < time.time() - _LEFT


def _umask() -> int:
    """Returns the umask. The system returns it only when a process sets it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
