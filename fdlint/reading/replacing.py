"""Replaces files in one step: a reader, or an interrupt, finds either the old or the new file."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

_NO_ROOM_BESIDE = (errno.EACCES, errno.EPERM, errno.EBUSY)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Yields a new file beside ``path``. It replaces ``path`` at the end, and is removed on an exception. Raises
    ``OSError``."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".fdlint-", delete=False) as file:
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


def _umask() -> int:
    """Returns the umask. The system returns it only when a process sets it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
