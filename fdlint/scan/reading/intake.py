"""The only place that reads bytes of a scanned tree. It reads regular files only, up to a limit.

A name in an untrusted tree may be a pipe, a device or a socket, a link to one, or a file of many gigabytes. None of
them may stop a scan or fill its memory.
"""

from __future__ import annotations

import os
import stat
from typing import BinaryIO

SOURCE = 8_000_000
"""The limit of a source file, in bytes. A larger file is data in the form of code."""
DEPENDENCY = 1_000_000
"""The limit of a file that is read only because another file imports a name from it, in bytes."""
LIST = 1_000_000
"""The limit of a file of git, such as .gitignore, in bytes. People write far fewer than its 20,000 lines."""
CONFIGURATION = 1_000_000
"""The limit of a TOML file that people write, in bytes."""
BASELINE = 100_000_000
"""The limit of a baseline, in bytes: 200,000 findings."""
STORE = 500_000_000
"""The limit of files that fdlint itself writes for the largest projects, a cache or a report in JSON, in bytes."""

_AT_ONCE = 1 << 20
# A pipe without a writer must not block, and a terminal must not become the controlling one. Windows has neither, but
# translates newlines.
_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY"))


class RefusedError(OSError):
    """The file exists, but fdlint does not read it. The message is the reason."""


def read(path: str | os.PathLike[str], limit: int) -> bytes:
    """Returns a file's contents, at most ``limit`` bytes. Raises ``OSError``, and ``RefusedError`` for a larger file or
    one that is not regular, without reading it."""
    number, size = _opened(path)
    try:
        if size > limit:
            raise too_large(size, limit)
        return _up_to(number, size, limit)
    finally:
        os.close(number)


def content(path: str | os.PathLike[str], limit: int) -> bytes | None:
    """Like ``read``, but returns None for any file that cannot be read."""
    try:
        return read(path, limit)
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return None


def read_start(path: str | os.PathLike[str], length: int) -> bytes:
    """Returns the first bytes of a file of any size. Raises ``OSError``, and ``RefusedError`` for a file that is not
    regular."""
    number, _ = _opened(path)
    try:
        return os.read(number, length)
    finally:
        os.close(number)


def read_stream(stream: BinaryIO, limit: int) -> bytes:
    """Returns the contents of a stream. Raises ``RefusedError`` if they are longer than ``limit`` bytes."""
    data = stream.read(limit + 1)
    if len(data) > limit:
        raise RefusedError(f"too large: more than {limit:,} bytes")
    return data


def too_large(size: int, limit: int) -> RefusedError:
    """Returns the error for a file of ``size`` bytes."""
    return RefusedError(f"too large: {size:,} bytes, the limit is {limit:,}")


def why(error: OSError) -> str:
    """Returns the reason why a file was not read, for a report."""
    return str(error) if isinstance(error, RefusedError) else f"cannot be read: {error.strerror or error}"


def _opened(path: str | os.PathLike[str]) -> tuple[int, int]:
    """Opens a regular file and returns its descriptor and size. Never opens a device: opening alone can start it."""
    _check(os.stat(path))
    number = os.open(path, _FLAGS)
    try:
        status = os.fstat(number)  # another file may have taken the name
        _check(status)
    except BaseException:
        os.close(number)
        raise
    return number, status.st_size


def _check(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise RefusedError("not a regular file")


def _up_to(number: int, size: int, limit: int) -> bytes:
    """Reads a file to its end. Raises ``RefusedError`` past ``limit`` bytes. The size is only a hint: a file can grow,
    and files in /proc have none."""
    data = os.read(number, min(size, limit) + 1)
    if len(data) == size:
        return data
    parts, total = [data], len(data)
    while data and total <= limit:
        data = os.read(number, min(_AT_ONCE, limit + 1 - total))
        parts.append(data)
        total += len(data)
    if total > limit:
        raise RefusedError(f"too large: more than {limit:,} bytes")
    return b"".join(parts)
