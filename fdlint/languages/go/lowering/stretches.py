"""Divides a Go file between its declarations. A syntax tree needs a hundred times the memory of its text, so a large
file is parsed stretch by stretch.

Only comments, literals and brackets are read here. If they are wrong, so is the file, and a stretch may be too long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

LARGEST = 1_000_000
"""The limit of a stretch, in bytes. A longer declaration is data in the form of code; real tables have half as much."""
_ENOUGH = 16_000  # bytes: a longer stretch is one declaration
_TOKENS = re.compile(
    rb"//[^\n]*|/\*.*?(?:\*/|\Z)|`[^`]*`?|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'"
    rb"|[({})]|(?<=\n)(?=(?:func|type|var|const|import)\b)",
    re.DOTALL,
)
_DEEPER = {b"(": 1, b"{": 1, b")": -1, b"}": -1}


class Stretch(NamedTuple):
    """Some declarations of a file: their first and last byte."""

    start: int
    end: int


def stretches(data: bytes) -> list[Stretch]:
    """Returns the stretches of a file, in order. Together they are the whole file."""
    starts = [*_starts(data), len(data)] if len(data) > _ENOUGH else [len(data)]
    cuts = [0]
    for before, start in pairwise([0, *starts]):
        if start - cuts[-1] > _ENOUGH and before > cuts[-1]:
            cuts.append(before)
    return [Stretch(start, end) for start, end in pairwise([*cuts, len(data)])]


def _starts(data: bytes) -> Iterator[int]:
    """Yields where a declaration begins, if it begins a line."""
    depth = 0
    for token in _TOKENS.finditer(data):
        if token[0]:
            depth = max(0, depth + _DEEPER.get(token[0], 0))
        elif not depth:
            yield token.start()
