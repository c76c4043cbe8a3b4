"""Finds edits that change only comments and empty lines. After such an edit, earlier results hold; positions move."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Sequence
from dataclasses import replace

from fdlint.core.finding import Finding
from fdlint.scan.earlier import MovedError, Moves

_STRING = re.compile(r"""["']""")
_RAISER = re.compile(r"(?<= on line )\d+(?= raises)")
_NAMED = re.compile(r"\blines? ((?:\d+(?:, | and )?)+)(?!\d| raises)")
_SILENCING = re.compile(r"fdlint|noqa|nolint|-\*-|coding[:=]")  # what changes a report, or how the file is read
_FIRST = 2  # the lines in which a comment can name the encoding of a file


class Layout:
    """The layout of one text of a file, and of the texts that edits of its comments make of it."""

    def __init__(self, path: str, lines: Sequence[str]) -> None:
        self.path, self._lines = path, lines
        self._strings: list[tuple[int, int]] | None = None  # the strings of several lines, as lines from 0

    @property
    def lines(self) -> Sequence[str]:
        """The lines of the present text."""
        return self._lines

    def moved_to(self, lines: Sequence[str]) -> Moves | None:
        """Returns how positions move if an edit to these lines changes no code, which makes them the present text.
        Otherwise returns None."""
        moves = Moves.of(self.path, self._lines, lines)
        first, last = moves.start - 1, moves.end - 1
        old, new = self._lines[first:last], lines[first : last + moves.by]
        code = [one for one in map(code_of, old) if one != ""]
        if None in code or code != [one for one in map(code_of, new) if one != ""]:
            return None
        if any(map(_SILENCING.search, (*old, *new))) or first < _FIRST:
            return None
        if self._lines[first - 1].endswith("\\") or self._is_in_string(first, last):
            return None
        self._lines = lines
        self._strings = [
            (start, end) if end < first else (start + moves.by, end + moves.by) for start, end in self._strings or ()
        ]
        return moves

    def _is_in_string(self, first: int, last: int) -> bool:
        """Whether a string of several lines touches the lines from ``first`` up to ``last``, or the text has none that
        Python can read."""
        if self._strings is None:
            self._strings = _strings(self._lines)
        if self._strings is None:
            return True
        return any(start <= last and first <= end for start, end in self._strings)


def renumbered(finding: Finding, moves: Moves) -> Finding:
    """Returns a finding whose message names the same lines after an edit. Raises ``MovedError`` if that is unclear."""
    numbers = (int(one) for found in _NAMED.findall(repr(finding)) for one in re.findall(r"\d+", found))
    if moves.by and any(one >= moves.start for one in numbers):
        raise MovedError
    own = re.compile(rf"(?<=\({re.escape(moves.path.rpartition('/')[2])}:)\d+")
    reason = own.sub(lambda found: str(moves.line(int(found[0]))), finding.impact.reason)
    message = _RAISER.sub(lambda found: str(moves.line(int(found[0]))), finding.message)
    return replace(finding, message=message, impact=replace(finding.impact, reason=reason))


def code_of(line: str) -> str | None:
    """Returns the code of a line without the comment and the space behind it; None if a string makes that unclear."""
    before, comment, _ = line.partition("#")
    if comment and _STRING.search(before):
        return None
    return before.rstrip(" \t")


def _strings(lines: Sequence[str]) -> list[tuple[int, int]] | None:
    """Returns the strings that go over several lines; None if Python cannot read the text."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO("\n".join(lines) + "\n").readline))
    except (SyntaxError, tokenize.TokenError, ValueError):
        return None
    starts: list[int] = []
    found = []
    for token in tokens:
        name = tokenize.tok_name[token.type]
        if name == "FSTRING_START":
            starts.append(token.start[0] - 1)
        elif name == "FSTRING_END" or (name == "STRING" and not starts):
            start = starts.pop() if name == "FSTRING_END" else token.start[0] - 1
            if start < token.end[0] - 1:
                found.append((start, token.end[0] - 1))
    return found
