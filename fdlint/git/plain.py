"""Reads files of a repository or a tree that may be anything: pipes, devices, of any size."""

from __future__ import annotations

import os
import stat


def content(path: str, limit: int) -> bytes | None:
    """The bytes of a regular file; None if it is not one, cannot be read or has more than ``limit`` bytes."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None
        with open(path, "rb", opener=_open) as file:
            size = os.fstat(file.fileno()).st_size
            return file.read(size) if size <= limit else None
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return None


def _open(path: str, flags: int) -> int:
    # A pipe that has taken the file's place must not make fdlint wait.
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
