"""Reads single files and links of a process. A process can end at any moment, and the kernel may refuse each of them.

Some files block: ``cmdline`` and ``maps`` wait for a lock that a stuck thread can hold. Following the link of a
descriptor asks its file system, which may be dead. Nothing here follows a link.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from fdlint.scan.reading import intake

LONGEST = 64_000_000
"""The limit of one file, in bytes. ``net/tcp`` has 150 bytes for each connection."""
_SHORT = 65_536


class GoneError(Exception):
    """The process, the thread or the descriptor has ended."""


class RefusedError(Exception):
    """This user may not read it."""


@dataclass(frozen=True, slots=True)
class Procfs:
    """The directories to read, and how to ask for a file's status. ``status`` follows links."""

    root: str = "/proc"
    fuse: str = "/sys/fs/fuse/connections"
    status: Callable[[str], os.stat_result] = os.stat

    def text(self, *parts: str | int, limit: int = _SHORT) -> str:
        """Returns the text of a file below the root. Raises ``GoneError`` and ``RefusedError``."""
        return _text(os.path.join(self.root, *map(str, parts)), limit)

    def link(self, *parts: str | int) -> str:
        """Returns the target of a link below the root. Raises ``GoneError`` and ``RefusedError``."""
        try:
            return os.readlink(os.path.join(self.root, *map(str, parts)))
        except PermissionError:
            raise RefusedError from None
        except OSError:
            raise GoneError from None

    def namespace(self, pid: int, kind: str) -> str | None:
        """Returns what identifies a namespace of a process; None if this user may not read it."""
        try:
            return self.link(pid, "ns", kind)
        except (GoneError, RefusedError):
            return None

    def numbers(self, *parts: str | int) -> list[int]:
        """Returns the names of a directory below the root that are numbers. Raises ``GoneError`` and
        ``RefusedError``."""
        return _numbers(os.path.join(self.root, *map(str, parts)))

    def connections(self) -> list[int]:
        """Returns the numbers of the FUSE connections. Raises ``GoneError`` and ``RefusedError``."""
        return _numbers(self.fuse)

    def waiting(self, connection: int) -> str:
        """Returns how many requests of a FUSE connection wait. Raises ``GoneError`` and ``RefusedError``."""
        return _text(os.path.join(self.fuse, str(connection), "waiting"), _SHORT)


def _text(path: str, limit: int) -> str:
    try:
        return intake.read(path, limit).decode("utf-8", "surrogateescape")
    except PermissionError:
        raise RefusedError from None
    except (OSError, ValueError):
        raise GoneError from None


def _numbers(path: str) -> list[int]:
    try:
        return sorted(int(name) for name in os.listdir(path) if name.isascii() and name.isdigit())
    except PermissionError:
        raise RefusedError from None
    except OSError:
        raise GoneError from None
