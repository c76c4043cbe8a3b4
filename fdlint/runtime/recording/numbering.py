"""The numbers that the kernel gives next.

A descriptor is made and closed again. It must be one that is the recorder's own: when a process closes any descriptor
of a file, it loses all its POSIX locks on that file, so a duplicate of a descriptor of the program is none.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import chain, repeat, starmap

from fdlint.runtime.recording.failures import is_own

_close, _pipe = os.close, os.pipe
_eventfd = getattr(os, "eventfd", None)  # Linux


def next_numbers(count: int) -> tuple[int, ...]:
    """Returns the lowest free numbers, one or two; none if the table is full.

    A signal handler can run, and raise, after each call in this function. So the descriptors are in a list before the
    first call ends, and one call closes all of them.
    """
    found: list[int] = []
    closing = map(_close, found)
    try:
        try:
            found.extend(_made(count))
        finally:
            any(closing)
    except OSError as error:
        if not is_own(error):
            raise
        return ()
    return tuple(found[:count])


def _made(count: int) -> Iterator[int]:
    """Iterates in C: no code of Python runs between the descriptors."""
    if _eventfd is not None:
        return starmap(_eventfd, repeat((0,), count))
    return chain.from_iterable(starmap(_pipe, repeat((), 1)))
