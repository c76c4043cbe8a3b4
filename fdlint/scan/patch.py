"""Writes a unified diff of a file whose changed lines are known, so that it need not compare two texts."""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterable, Iterator, Sequence

_CONTEXT = 3  # lines before and after a change
_APART = 2 * _CONTEXT + 2  # changes nearer to each other than this share a hunk
_NO_NEWLINE = "\n\\ No newline at end of file\n"
_Pair = tuple[str, str]


def patch(name: str, before: Sequence[str], after: Sequence[str]) -> str:
    """Returns the diff of a file, empty if nothing changes. ``before``: its lines with their ends, an empty text for an
    added line. ``after``: the new form of each line, an empty text for a deleted one. ``name``: a printable path."""
    hunks = "".join(_hunks(list(_at_newlines(zip(before, after, strict=True)))))
    name = name.lstrip("/")
    old = f"a/{name}" if any(before) else "/dev/null"
    return f"--- {old}\n+++ b/{name}\n{hunks}" if hunks else ""


def _at_newlines(pairs: Iterable[_Pair]) -> Iterator[_Pair]:
    """Yields lines as a diff counts them: a lone ``\\r`` ends none."""
    old = new = ""
    for before, after in pairs:
        old, new = old + before, new + after
        if old.endswith("\n") and (not new or new.endswith("\n")):
            yield from _paired(old, new)
            old = new = ""
    yield from _paired(old, new)


def _paired(old: str, new: str) -> Iterable[_Pair]:
    return itertools.zip_longest(io.StringIO(old, newline="\n"), io.StringIO(new, newline="\n"), fillvalue="")


def _hunks(lines: Sequence[_Pair]) -> Iterator[str]:
    gone = added = 0
    for first, end in _stretches(lines):
        shown = lines[first:end]
        old, new = (sum(bool(pair[side]) for pair in shown) for side in (0, 1))
        yield f"@@ -{_range(first - added, old)} +{_range(first - gone, new)} @@\n"
        for same, run in itertools.groupby(shown, key=lambda pair: pair[0] == pair[1]):
            pairs = list(run)
            if same:
                yield from (_line(" ", before) for before, _ in pairs)
            else:
                yield from (_line("-", before) for before, _ in pairs if before)
                yield from (_line("+", after) for _, after in pairs if after)
        gone += len(shown) - new
        added += len(shown) - old


def _stretches(lines: Sequence[_Pair]) -> Iterator[tuple[int, int]]:
    """Yields the first line and the end of every hunk: changes and the lines around them."""
    changed = [number for number, (old, new) in enumerate(lines) if old != new]
    first = 0
    for number, following in itertools.pairwise([*changed, len(lines) + _APART]):
        if number == changed[0]:
            first = max(0, number - _CONTEXT)
        if following - number >= _APART:
            yield first, min(len(lines), number + _CONTEXT + 1)
            first = following - _CONTEXT


def _range(first: int, count: int) -> str:
    """Returns a range of lines in the header of a hunk. An empty one has the number of the line before it."""
    return f"{first + bool(count)},{count}"


def _line(mark: str, line: str) -> str:
    return mark + (line if line.endswith("\n") else line + _NO_NEWLINE)
