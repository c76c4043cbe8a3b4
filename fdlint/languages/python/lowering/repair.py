"""Takes the definitions that Python cannot parse out of a file, so that all others can be analysed.

A wrong function becomes one that may do anything with its arguments. Other wrong code becomes empty lines. The numbers
of all lines stay the same.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence

from fdlint.scan.reading.nesting import TooDeepError, check

_ATTEMPTS = 12  # each parses the whole file; a file with more wrong definitions is not Python 3
_DEFINITION = re.compile(r"(\s{0,100})(?:async\s{1,9})?def\s{1,9}(\w{1,200})\s{0,9}\(")
_INSIDE = "#", ")", "]", "}"  # a line that begins so begins no statement
_CLAUSES = "else", "elif", "except", "finally"
# Nobody knows what it does with its arguments, nor which attributes it closes.
_UNKNOWN = "{indent}def {name}(*given, **named): return unknown.adopt(*given, **named, rest=__dict__)"


def repaired(text: str) -> str | None:
    """Returns a text of as many lines that Python can parse; None if too much of the given text is wrong."""
    lines = text.split("\n")
    tried: set[tuple[int, int]] = set()
    for _ in range(_ATTEMPTS):
        wrong = _wrong_line("\n".join(lines))
        if wrong == 0:
            return "\n".join(lines) if tried and any(map(_DEFINITION.match, lines)) else None
        part = _wrong_part(lines, min(wrong, len(lines)) - 1, tried) if wrong is not None else None
        if part is None:
            return None
        tried.add(part)
        _replace(lines, *part)
    return None


def _wrong_line(text: str) -> int | None:
    """Returns the line that Python cannot parse, 0 if there is none, and None if the place is not known."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check(text)
            ast.parse(text)
    except SyntaxError as error:
        return error.lineno or None
    except TooDeepError as error:
        return error.line
    except (ValueError, RecursionError, MemoryError):
        return None
    return 0


def _wrong_part(lines: Sequence[str], wrong: int, tried: set[tuple[int, int]]) -> tuple[int, int] | None:
    """Returns the first line of the smallest part around a wrong line that has not been replaced yet, and the line
    after it. None if there is none."""
    while wrong > 0 and not lines[wrong].strip():
        wrong -= 1
    indent = _indent(lines[wrong]) + (_DEFINITION.match(lines[wrong]) is not None)
    for start in range(wrong, -1, -1):
        line = lines[start]
        if (
            not line.strip()
            or _indent(line) >= max(indent, 1)
            or line.lstrip().startswith(_INSIDE)
            or line.startswith(_CLAUSES)
        ):
            continue
        indent = _indent(line)
        part = start, _end(lines, start)
        is_part = _DEFINITION.match(line) is not None or indent == 0
        if is_part and part not in tried and part[1] > wrong:
            return part
    return None


def _end(lines: Sequence[str], start: int) -> int:
    """Returns the line after the part that begins at a line."""
    indent = _indent(lines[start])
    for number in range(start + 1, len(lines)):
        line = lines[number]
        outside = line.strip() and _indent(line) <= indent and not line.lstrip().startswith(_INSIDE)
        if outside and not _goes_on(line, indent, lines[start]):
            return number
    return len(lines)


def _goes_on(line: str, indent: int, first: str) -> bool:
    """Whether a line is the next clause of a statement, such as ``except``."""
    return _indent(line) == indent and line.lstrip().startswith(_CLAUSES) and not _DEFINITION.match(first)


def _replace(lines: list[str], start: int, end: int) -> None:
    definition = _DEFINITION.match(lines[start])
    lines[start:end] = [""] * (end - start)
    if definition is not None:
        lines[start] = _UNKNOWN.format(indent=definition[1], name=definition[2])
    else:
        while start and lines[start - 1].startswith("@"):
            start -= 1
            lines[start] = ""


def _indent(line: str) -> int:
    expanded = line.expandtabs()
    return len(expanded) - len(expanded.lstrip())
