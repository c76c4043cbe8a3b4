"""What a Go file's text says about a place in it: Semgrep itself gives a range and a message, no more."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fdlint.findings.finding import Span, Suppression
from fdlint.reading.lines import split_at_newlines

_FUNCTION = re.compile(r"^func\s+(?:\(\s*(?:\w+\s+)?\*?(?P<type>\w+)\b[^)]*\)\s*)?(?P<name>\w+)")
_NOLINT = re.compile(r"//\s*nolint(?::(?P<names>[\w,\s-]*))?(?=\s*(?://|$)|\W)")
_NOSEMGREP = re.compile(r"//\s*nosem(?:grep)?\b")
_CODE = re.compile(r"FD\d*", re.IGNORECASE)
_CLOSES = re.compile(r"\bClose\(|UnixRights\(")
_NAME = "fdlint"


class GoText:
    """The lines of one file, and questions about them. Lines count from 1."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self.lines = split_at_newlines(data.decode("utf-8", "replace"))

    def function(self, line: int) -> str | None:
        """The function, or ``Type.Method``, that a line stands in."""
        start = self._start(line)
        found = _FUNCTION.match(self.lines[start - 1]) if start else None
        if found is None:
            return None
        return f"{found['type']}.{found['name']}" if found["type"] else found["name"]

    def _start(self, line: int) -> int:
        """The line of the ``func`` that a line stands in, 0 if in none: gofmt puts it, and its brace, at the margin."""
        for number in range(min(line, len(self.lines)), 0, -1):
            text = self.lines[number - 1]
            if text.startswith("func"):
                return number
            if text.startswith("}") and number != line:
                return 0
        return 0

    def end(self, line: int) -> int:
        """The last line of the function that a line stands in."""
        for number in range(line, len(self.lines) + 1):
            if self.lines[number - 1].startswith("}"):
                return number
        return line

    def way_out(self, line: int) -> Span:
        """The last statement of the function that a line stands in, if it returns; else the function's brace."""
        last = self.end(line)
        returns = last - 1 > line and self.lines[last - 2].lstrip().startswith("return")
        return self.whole_line(last - 1 if returns else last)

    def branch(self, statement: Span) -> Span | None:
        """What opens the block that a statement stands in, unless that is the function itself: gofmt indents by it."""
        indents = [len(line) - len(line.lstrip()) if line.strip() else 99 for line in self.lines]
        for number in range(statement.line - 1, 0, -1):
            if indents[number - 1] < indents[statement.line - 1]:
                return self.whole_line(number) if indents[number - 1] else None
        return None

    def last_close(self, within: Span) -> Span | None:
        """The last line of a stretch that closes something."""
        for number in range(within.end_line, within.line - 1, -1):
            if _CLOSES.search(self.lines[number - 1]) or number == within.line:
                return self.whole_line(number) if number > within.line else None
        return None

    def before(self, line: int, call: str) -> Span | None:
        """The nearest place of a call at or above a line of its function; a call can be as long as it likes."""
        start = self._start(line) or 1
        text = "\n".join(self.lines[start - 1 : line])
        found = text.rfind(call)
        return self._span(text, found, call, start) if found >= 0 else None

    def after(self, line: int, part: str) -> Span | None:
        """The first place of a piece of code at or below a line of its function."""
        text = "\n".join(self.lines[line - 1 : self.end(line)])
        found = text.find(part)
        return self._span(text, found, part, line) if found >= 0 else None

    def whole_line(self, line: int) -> Span:
        """A line without the white space around it."""
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        start = len(text) - len(text.lstrip()) + 1
        return Span(self.path, line, start, line, max(start, len(text.rstrip()) + 1))

    def _span(self, text: str, offset: int, part: str, first: int) -> Span:
        def place(at: int) -> tuple[int, int]:
            return first + text.count("\n", 0, at), at - (text.rfind("\n", 0, at) + 1) + 1

        return Span(self.path, *place(offset), *place(offset + len(part)))


def suppressions(text: GoText) -> tuple[Suppression, ...]:
    """``//nolint``, ``//nolint:fdlint``, ``//nolint:FD101`` and ``// nosemgrep``, each for its own line."""
    found: list[Suppression] = []
    for number, line in enumerate(text.lines, start=1):
        if "//" not in line:
            continue
        span = Span(text.path, number, 1, number, len(line) + 1)
        nolint = _NOLINT.search(line)
        codes = _silenced(nolint) if nolint else None
        if codes is not None or _NOSEMGREP.search(line):
            found.append(Suppression(span, frozenset(codes or ()), whole_file=False, own=False))
    return tuple(found)


def _silenced(comment: re.Match[str]) -> Sequence[str] | None:
    """The codes that a ``nolint`` silences, none for all of them; None when it speaks to others only."""
    if comment["names"] is None:
        return ()
    names = re.split(r"[,\s]+", comment["names"].strip())
    if _NAME in names or "all" in names:
        return ()
    return [name.upper() for name in names if _CODE.fullmatch(name)] or None
