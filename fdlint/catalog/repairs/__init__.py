"""Names that decide whether a fix is safe, by language: those of functions are their last parts."""

from __future__ import annotations

import functools

from msgspec import Struct

from fdlint.catalog.decode import decoded
from fdlint.catalog.loader import table_of


class Flag(Struct, forbid_unknown_fields=True, frozen=True):
    """The argument of a call that takes the flag for close-on-exec, counted from 0, and the flag."""

    argument: int
    flag: str


class Repairs(Struct, forbid_unknown_fields=True, frozen=True):
    """``lasting``: functions whose effect lasts as long as the descriptor, or that make a second process run the rest
    of the code. ``starting``: functions and types that start a process. ``pairs``: functions that return a descriptor
    and a path. ``cloexec``: functions that take the flag for close-on-exec. ``renamed``: commands, and those that do
    the same close-on-exec. ``copying``: how the names of functions begin whose results keep nothing of what they get,
    unless they end as in ``wrapping``. ``texts``: how those begin that make a text of a number."""

    lasting: tuple[str, ...]
    starting: tuple[str, ...]
    pairs: tuple[str, ...] = ()
    cloexec: dict[str, Flag] = {}
    renamed: dict[str, str] = {}
    copying: tuple[str, ...] = ()
    wrapping: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


@functools.cache
def repairs_of(language: str) -> Repairs:
    """Returns the names of a language: ``python`` or ``go``."""
    return decoded(table_of(__name__, f"{language}.toml"), Repairs)
