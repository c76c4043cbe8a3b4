"""Memory that is free, given back to the system.

The C library's allocator keeps what was freed below something that is still in use. A tree that has come and gone
leaves most of its memory there: a scan of a million lines holds a third more than it uses.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

_AT_ONCE = 200_000  # characters: asking takes a millisecond or two


class Heap:
    """Counts what has been freed."""

    def __init__(self) -> None:
        self._freed = 0

    def note(self, characters: int) -> None:
        """The trees of so many characters have been given up."""
        self._freed += characters
        if self._freed > _AT_ONCE:
            self._freed = 0
            _trim()(0)


@functools.cache
def _trim() -> Callable[[int], object]:
    """``malloc_trim`` of glibc, see malloc_trim(3); elsewhere something that does nothing."""
    import ctypes

    try:
        trim: Callable[[int], object] = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return lambda _: None
    return trim
