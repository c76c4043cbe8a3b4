"""The closes in a function's own text, and what they may find there: what the proof of a fix asks."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from fdlint.core.finding import Span


class Standing(enum.Enum):
    """What a close finds on some path, or a call that may keep a descriptor."""

    OPEN = "an open descriptor that only this function must close"
    CLOSED = "a descriptor that is certainly closed already"
    OWNED = "a descriptor that certainly belongs to an object which closes it"
    GIVEN = "a descriptor that something else has"
    PASSED = "a descriptor that a call got that is not known, and may have kept"
    SHARED = "a variable that a nested function has, too"
    PAIRED = "one end of a pair, of which the other is in use"
    PARTED = "one end of a pair, of which somebody else got the other on some path"
    FOREIGN = "a descriptor that the function did not open, or perhaps nothing"
    NOTHING = "a constant, such as None"
    UNCLEAR = "one of several descriptors, or paths that were not told apart"


@dataclass(frozen=True, slots=True)
class Closing:
    """A close. ``text``: its source. ``found``: what it finds, over all paths that reach it. With ``stale``, it is a
    call or a ``return`` that comes too late: it hands on what is closed, or uses one end of a pair whose other end the
    function has closed."""

    function: str | None
    text: str
    span: Span | None
    found: frozenset[Standing]
    stale: bool = False
