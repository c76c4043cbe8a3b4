"""Gives freed memory back to the system.

The C library's allocator keeps freed memory below a block that is still in use. A dropped syntax tree leaves most of
its memory there: a scan of a million lines holds a third more than it uses.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

_AT_ONCE = 200_000  # characters: one call takes a millisecond or two


class Heap:
    """Counts the memory that was freed."""

    def __init__(self) -> None:
        self._freed = 0

    def note(self, characters: int) -> None:
        """Notes that the trees of so many characters were dropped."""
        self._freed += characters
        if self._freed > _AT_ONCE:
            self._freed = 0
            _trim()(0)


@functools.cache
def _trim() -> Callable[[int], object]:
    """Returns ``malloc_trim`` of glibc, see malloc_trim(3), or a function that does nothing."""
    import ctypes

    try:
        trim: Callable[[int], object] = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return lambda _: None
    return trim
