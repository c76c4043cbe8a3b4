"""Descriptors that know which opening they are: a number of a file that is closed is not that of the next file."""

from __future__ import annotations

import os
import weakref
from typing import Any

from fdlint.runtime.recording.acquisitions import Frames

_status = os.fstat


class Opening:
    """One life of a number. ``ended``: the frames of the close; None while it is open. ``owner``: the object that will
    close it. ``reported``: it has been in a report, and is in no other."""

    __slots__ = ("__weakref__", "_identity", "_owner", "api", "ended", "made", "number", "reported")

    def __init__(self, number: int, api: str, made: Frames) -> None:
        self.number, self.api, self.made = number, api, made
        self.ended: Frames | None = None
        self.reported = False
        self._owner: weakref.ref[Any] | None = None
        self._identity: tuple[int, int] | None = None

    def give(self, owner: Any) -> None:
        """Remembers the object that closes it from now on."""
        try:
            self._owner = weakref.ref(owner)
        except TypeError:  # it cannot be watched, so nothing is known of it
            self._owner = None
        self._identity = identity(self.number)

    def take_back(self, owner: object) -> bool:
        """Whether an object had it, and has it no longer."""
        if self._owner is None or self._owner() is not owner:
            return False
        self._owner = None
        return True

    @property
    def owner(self) -> object | None:
        """The living object that owns it."""
        owner = self._owner() if self._owner is not None else None
        return owner if owner is not None and _is_closed(owner) is False else None

    @property
    def is_over(self) -> bool:
        """Whether it was closed for certain. An object that is gone can have given its descriptor away before."""
        if self.ended is not None:
            return True
        if self._owner is None:
            return False
        owner = self._owner()
        return identity(self.number) != self._identity if owner is None else _is_closed(owner) is True


class TaggedNumber(int):
    """The number of a descriptor, and its opening. It is like the number in everything else: a copy, a pickle and the
    result of arithmetic are numbers without an opening."""

    opening: Opening

    def __reduce__(self) -> Any:
        return int, (int(self),)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return int, (int(self),)


def tagged(number: int, opening: Opening) -> TaggedNumber:
    """Returns the number of an opening."""
    made = TaggedNumber(number)
    made.opening = opening
    return made


def identity(number: int) -> tuple[int, int] | None:
    """Returns the device and the inode of what is open at a number; None if nothing is."""
    try:
        status = _status(number)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _is_closed(owner: Any) -> bool | None:
    """Whether a file or a socket is closed. None: a file that has given its buffer away does not tell."""
    try:
        closed = getattr(owner, "closed", None)
    except ValueError:
        return None
    return closed if isinstance(closed, bool) else bool(getattr(owner, "_closed", False))
