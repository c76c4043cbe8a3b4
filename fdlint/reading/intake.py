"""The only place where bytes of a scanned tree come in: regular files alone, and no more than a limit of each.

A name in a tree that somebody else wrote may be a pipe, a device or a socket, a link to one, or a file of many
gigabytes. None of them may stop a scan or fill its memory.
"""

from __future__ import annotations

import os
import stat
from typing import BinaryIO

SOURCE = 8_000_000
"""Bytes of a source file: a larger one is data in the form of code."""
DEPENDENCY = 1_000_000
"""Bytes of a file that is read only because another imports a name from it."""
LIST = 1_000_000
"""Bytes of a file of git's, such as .gitignore: 20,000 lines are far more than people write."""
CONFIGURATION = 1_000_000
"""Bytes of a TOML file that people write."""
BASELINE = 100_000_000
"""Bytes of a baseline: 200,000 findings."""
STORE = 500_000_000
"""Bytes of a cache or of a report in JSON, which fdlint itself has written, of the largest projects."""

_AT_ONCE = 1 << 20
# A pipe without a writer must not block, a terminal must not become the one that controls this process. Windows has
# neither, but translates newlines.
_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY"))


class RefusedError(OSError):
    """A file that is there and is not read. The message is the reason."""


def read(path: str | os.PathLike[str], limit: int) -> bytes:
    """A file's contents, at most ``limit`` bytes. Raises ``RefusedError`` for what is no regular file or is larger,
    without having read it, and ``OSError``."""
    number, size = _opened(path)
    try:
        if size > limit:
            raise too_large(size, limit)
        return _up_to(number, size, limit)
    finally:
        os.close(number)


def content(path: str | os.PathLike[str], limit: int) -> bytes | None:
    """The same; None for what cannot be read, whatever the reason."""
    try:
        return read(path, limit)
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return None


def read_start(path: str | os.PathLike[str], length: int) -> bytes:
    """The first bytes of a file of any size. Raises ``RefusedError`` for what is no regular file, and ``OSError``."""
    number, _ = _opened(path)
    try:
        return os.read(number, length)
    finally:
        os.close(number)


def read_stream(stream: BinaryIO, limit: int) -> bytes:
    """What comes out of a stream, at most ``limit`` bytes. Raises ``RefusedError`` when there is more."""
    data = stream.read(limit + 1)
    if len(data) > limit:
        raise RefusedError(f"too large: more than {limit:,} bytes")
    return data


def too_large(size: int, limit: int) -> RefusedError:
    """The refusal of so many bytes."""
    return RefusedError(f"too large: {size:,} bytes, the limit is {limit:,}")


def why(error: OSError) -> str:
    """The reason why a file was not read, for a report."""
    return str(error) if isinstance(error, RefusedError) else f"cannot be read: {error.strerror or error}"


def _opened(path: str | os.PathLike[str]) -> tuple[int, int]:
    """The descriptor and the size of a regular file. A device is not even opened: that alone can set it in motion."""
    _check(os.stat(path))
    number = os.open(path, _FLAGS)
    try:
        status = os.fstat(number)  # the name may have changed hands
        _check(status)
    except BaseException:
        os.close(number)
        raise
    return number, status.st_size


def _check(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise RefusedError("not a regular file")


def _up_to(number: int, size: int, limit: int) -> bytes:
    """The size is only a hint: a file can grow, and those of /proc have none."""
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
