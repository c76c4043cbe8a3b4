"""Writing files that are there either as they were or as they are to be, never in between."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path

_ANYBODY = 0o666  # less what the umask takes away
_NO_ROOM_BESIDE = (errno.EACCES, errno.EPERM, errno.EBUSY)


def write_file(path: Path, data: bytes) -> None:
    """Writes what the user asked for. What is no regular file (a pipe, a device, a link) is written as it is, and so is
    a file whose directory takes no other. Raises ``OSError``."""
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        replace_file(path, data, _ANYBODY)
        return
    if stat.S_ISREG(mode):
        try:
            replace_file(path, data, _ANYBODY, like=stat.S_IMODE(mode))
            return
        except OSError as error:
            if error.errno not in _NO_ROOM_BESIDE:
                raise
    path.write_bytes(data)


def replace_file(path: Path, data: bytes, mode: int, *, like: int | None = None) -> None:
    """Puts a new file in the place of what is called ``path``, or makes it. Its permissions are ``like``, or else
    ``mode`` less the umask. Raises ``OSError``."""
    scratch = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    number = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    try:
        with open(number, "wb") as file:
            file.write(data)
        if like is not None:
            os.chmod(scratch, like)
        os.replace(scratch, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(scratch)
        raise
