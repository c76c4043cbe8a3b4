"""Breaks lines of text between words, because a terminal breaks them anywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from rich.cells import cell_len

from fdlint.report.line import Line

_WORD = re.compile(r"\S+")


def wrapped(whole: Line, width: int | None, margin: str) -> Iterator[Line]:
    """Breaks a line so that no part has more cells than ``width``; None breaks nothing. ``margin`` precedes all parts
    except the first. A word that is too long, such as a path, stays whole."""
    text = whole.plain
    if width is None or cell_len(text) <= width:
        yield whole
        return
    starts, used, last = [0], 0, 0
    for found in _WORD.finditer(text):
        more, last = cell_len(text[last : found.end()]), found.end()
        if used and used + more > width:
            starts.append(found.start())
            used = cell_len(margin + found[0])
        else:
            used += more
    for number, (start, end) in enumerate(pairwise([*starts, len(text)])):
        part = _cut(whole, start, len(text[:end].rstrip()))
        yield part.indented(margin) if number else part


def _cut(whole: Line, start: int, end: int) -> Line:
    """Returns the characters from ``start`` to ``end``."""
    pieces, place = [], 0
    for text, style in whole.pieces:
        if kept := text[max(0, start - place) : max(0, end - place)]:
            pieces.append((kept, style))
        place += len(text)
    return Line(tuple(pieces))
