"""Compares two texts of a file line by line: which line went where, and which lines a change replaces."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from fdlint.report.findings.fix import Edit, Fix
from fdlint.scan.reading.lines import with_ends

_MAX_COMPARED = 600  # lines between the first and the last change: the comparison takes quadratic time

_Block = tuple[int, int, int, int]


def aligned(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """Returns the new form of each old line, an empty text for a deleted one. Added lines stand with the line before
    them, or with the first line. Both texts are lines with their ends. A file without lines has no line to stand with.
    """
    new = list(before)
    for first, end, start, stop in _changes(before, after):
        text = "".join(after[start:stop])
        if first < end:
            new[first:end] = [text, *[""] * (end - first - 1)]
        elif first:
            new[first - 1] += text
        elif new:
            new[0] = text + new[0]
    return new


def edits(before: Sequence[str], after: Sequence[str]) -> tuple[Edit, ...]:
    """Returns the changes from one text to another."""
    return tuple(
        Edit(first + 1, end + 1, "".join(after[start:stop])) for first, end, start, stop in _changes(before, after)
    )


def applied(lines: Sequence[str], fix: Fix) -> list[str]:
    """Returns the new form of each line of a text after a fix of it, as ``aligned``."""
    after = list(lines)
    for one in reversed(fix.edits):
        after[one.line - 1 : one.end_line - 1] = [one.text]
    return aligned(lines, with_ends("".join(after)))


def origins(before: Sequence[str], after: Sequence[str]) -> Mapping[int, int]:
    """Returns the old number of each line of a new text that only moved or got another indentation, from 1. Lines that
    stand for as many old ones count, too. A line that is there again elsewhere does not."""
    found: dict[int, int] = {}
    old, new = [line.strip() for line in before], [line.strip() for line in after]
    changed = [one for one in _changes(old, new) if one[1] - one[0] == one[3] - one[2]]
    for first, end, start, _ in (*_equal(old, new), *changed):
        found.update((start + number + 1, first + number + 1) for number in range(end - first))
    return found


def _changes(before: Sequence[str], after: Sequence[str]) -> Iterator[_Block]:
    """Yields the ranges that differ: those of the old text and of the new one."""
    old = new = 0
    for first, end, start, stop in (*_equal(before, after), (len(before), len(before), len(after), len(after))):
        if old < first or new < start:
            yield old, first, new, start
        old, new = end, stop


def _equal(before: Sequence[str], after: Sequence[str]) -> Iterator[_Block]:
    """Yields ranges of lines that are equal in both texts, in order."""
    short = min(len(before), len(after))
    top = next((number for number in range(short) if before[number] != after[number]), short)
    rest = short - top
    tail = next((number for number in range(rest) if before[-1 - number] != after[-1 - number]), rest)
    if top:
        yield 0, top, 0, top
    old, new = before[top : len(before) - tail], after[top : len(after) - tail]
    for first, end, start, stop in _inside(old, new):
        yield top + first, top + end, top + start, top + stop
    if tail:
        yield len(before) - tail, len(before), len(after) - tail, len(after)


def _inside(old: Sequence[str], new: Sequence[str]) -> Iterator[_Block]:
    """Yields the equal ranges of two texts with different ends. Long ones are split at lines that each has once."""
    if not old or not new:
        return
    if max(len(old), len(new)) <= _MAX_COMPARED:
        for match in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
            if match.size:
                yield match.a, match.a + match.size, match.b, match.b + match.size
        return
    anchors = _anchors(old, new)
    done = (0, 0)
    for at, to in [*anchors, (len(old), len(new))] if anchors else ():
        first, start = done
        for block in _equal(old[first:at], new[start:to]):
            yield first + block[0], first + block[1], start + block[2], start + block[3]
        if at < len(old):
            yield at, at + 1, to, to + 1
        done = at + 1, to + 1


def _anchors(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Returns the longest row of lines, in the order of both texts, of which each stands once in each text."""
    times, times_new = Counter(old), Counter(new)
    places = {line: number for number, line in enumerate(new) if times_new[line] == 1}
    pairs = [(number, places[line]) for number, line in enumerate(old) if times[line] == 1 and line in places]
    ends: list[int] = []  # the least place of the last line of a row, by its length
    rows: list[int] = []  # the pairs of these lines
    before = [-1] * len(pairs)
    for number, (_, to) in enumerate(pairs):
        length = bisect_left(ends, to)
        before[number] = rows[length - 1] if length else -1
        ends[length : length + 1] = [to]
        rows[length : length + 1] = [number]
    found, at = [], rows[-1] if rows else -1
    while at >= 0:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]
