"""Collects the code around the findings of a report: each line once, highlighted."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from pygments import lex
from pygments.lexers import get_lexer_by_name

from fdlint.core.finding import Finding
from fdlint.report.excerpts import AROUND
from fdlint.report.printable import printable

_WIDTH = 400  # characters; a longer line is cut
_CLASSES = {"Keyword": "k", "Operator.Word": "k", "Literal.String": "s", "Comment": "c"}

Line: TypeAlias = list[str]
"""The parts of a line. Each begins with a letter: ``k`` keyword, ``s`` string, ``c`` comment, a space for the rest."""


def code(findings: Iterable[Finding], sources: Mapping[str, Sequence[str]]) -> dict[str, dict[int, Line]]:
    """Returns the lines around each step, by path and number. ``sources`` has the lines of files."""
    wanted: dict[tuple[str, str], set[int]] = defaultdict(set)
    for finding in findings:
        for span in finding.spans:
            if span.path in sources:
                wanted[span.path, finding.language].update(range(span.line - AROUND, span.line + AROUND + 1))
    found: dict[str, dict[int, Line]] = {}
    for (path, language), numbers in wanted.items():
        source = sources[path]
        shown = sorted(number for number in numbers if 1 <= number <= len(source))
        if shown:
            lines = highlighted(source[: shown[-1]], language)
            found.setdefault(path, {}).update((number, lines[number - 1]) for number in shown)
    return found


def highlighted(source: Sequence[str], language: str) -> list[Line]:
    """Splits every line of a text into highlighted parts. A part never continues in the next line."""
    safe = [printable(line.expandtabs(4)[:_WIDTH]) for line in source]
    lexer = get_lexer_by_name(language, stripnl=False, ensurenl=True)
    lines: list[Line] = [[]]
    for kind, text in lex("\n".join(safe) + "\n", lexer):
        mark = _mark(kind)
        for number, part in enumerate(text.split("\n")):
            if number:
                lines.append([])
            if part and lines[-1] and lines[-1][-1].startswith(mark):
                lines[-1][-1] += part
            elif part:
                lines[-1].append(mark + part)
    return lines


@functools.cache
def _mark(kind: object) -> str:
    """Returns the letter of a token's kind."""
    return next((letter for family, letter in _CLASSES.items() if family in str(kind)), " ")
