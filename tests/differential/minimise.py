"""Makes a program on which oracle and engine disagree as small as single deletions can."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from itertools import islice

from .compare import Comparison, Kind, compare
from .decisions import TooManyPaths
from .execute import InvalidProgram
from .mutate import deletions


def minimise(
    source: str,
    kind: Kind,
    compare: Callable[[str], Comparison] = compare,
    seconds: float = 15,
    smaller: Callable[[str], Iterable[str]] = deletions,
) -> str:
    """Returns the smallest program found in that time that still has a site with this expected and this reported code.
    ``smaller`` yields the programs with a part less."""
    at, changed, end = 0, False, time.monotonic() + seconds
    while time.monotonic() < end:
        for candidate in islice(smaller(source), at, None):
            if _shows(candidate, kind, compare):
                source, changed = candidate, True
                break
            at += 1
            if time.monotonic() > end:
                break
        else:
            if not changed:
                break
            at, changed = 0, False
    return source


def _shows(source: str, kind: Kind, compare: Callable[[str], Comparison]) -> bool:
    try:
        return any(difference.kind == kind for difference in compare(source).differences)
    except (InvalidProgram, TooManyPaths, SyntaxError, StopIteration):
        return False
