"""Finds places in the text of a Go file: Semgrep itself returns only a range and a message."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fdlint.findings.finding import Span, Suppression
from fdlint.reading.lines import split_at_newlines

_FUNCTION = re.compile(r"^func\s+(?:\(\s*(?:\w+\s+)?\*?(?P<type>\w+)\b[^)]*\)\s*)?(?P<name>\w+)")
_NOLINT = re.compile(r"//\s*nolint(?::(?P<names>[\w,\s-]*))?(?=\s*(?://|$)|\W)")
_IGNORE = re.compile(r"\bfdlint:\s{0,9}ignore(?![\w-])(?:\s{0,9}\[(?P<names>[^\]]{0,200})\])?", re.IGNORECASE)
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
        """Returns the function, or ``Type.Method``, that contains a line."""
        start = self._start(line)
        found = _FUNCTION.match(self.lines[start - 1]) if start else None
        if found is None:
            return None
        return f"{found['type']}.{found['name']}" if found["type"] else found["name"]

    def _start(self, line: int) -> int:
        """Returns the line of the ``func`` that contains a line, or 0. gofmt puts it and its closing brace at the
        margin."""
        for number in range(min(line, len(self.lines)), 0, -1):
            text = self.lines[number - 1]
            if text.startswith("func"):
                return number
            if text.startswith("}") and number != line:
                return 0
        return 0

    def end(self, line: int) -> int:
        """Returns the last line of the function that contains a line."""
        for number in range(line, len(self.lines) + 1):
            if self.lines[number - 1].startswith("}"):
                return number
        return line

    def way_out(self, line: int) -> Span:
        """Returns the last statement of the function that contains a line if it returns, otherwise the function's
        brace."""
        last = self.end(line)
        returns = last - 1 > line and self.lines[last - 2].lstrip().startswith("return")
        return self.whole_line(last - 1 if returns else last)

    def branch(self, statement: Span) -> Span | None:
        """Returns the statement that opens the block around a statement, unless that is the function itself. It relies
        on gofmt's indentation."""
        indents = [len(line) - len(line.lstrip()) if line.strip() else 99 for line in self.lines]
        for number in range(statement.line - 1, 0, -1):
            if indents[number - 1] < indents[statement.line - 1]:
                return self.whole_line(number) if indents[number - 1] else None
        return None

    def last_close(self, within: Span) -> Span | None:
        """Returns the last line of a range that closes something."""
        for number in range(within.end_line, within.line - 1, -1):
            if _CLOSES.search(self.lines[number - 1]) or number == within.line:
                return self.whole_line(number) if number > within.line else None
        return None

    def before(self, line: int, call: str) -> Span | None:
        """Returns the nearest occurrence of a call at or above a line, in its function. A call can have any length."""
        start = self._start(line) or 1
        text = "\n".join(self.lines[start - 1 : line])
        found = text.rfind(call)
        return self._span(text, found, call, start) if found >= 0 else None

    def after(self, line: int, part: str) -> Span | None:
        """Returns the first occurrence of a piece of code at or below a line, in its function."""
        text = "\n".join(self.lines[line - 1 : self.end(line)])
        found = text.find(part)
        return self._span(text, found, part, line) if found >= 0 else None

    def whole_line(self, line: int) -> Span:
        """Returns the range of a line without the white space around it."""
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        start = len(text) - len(text.lstrip()) + 1
        return Span(self.path, line, start, line, max(start, len(text.rstrip()) + 1))

    def _span(self, text: str, offset: int, part: str, first: int) -> Span:
        def place(at: int) -> tuple[int, int]:
            return first + text.count("\n", 0, at), at - (text.rfind("\n", 0, at) + 1) + 1

        return Span(self.path, *place(offset), *place(offset + len(part)))


def suppressions(text: GoText) -> tuple[Suppression, ...]:
    """Returns ``//nolint``, ``//nolint:fdlint``, ``//nolint:FD101``, ``// fdlint: ignore[FD101]`` and ``// nosemgrep``,
    each for its own line."""
    found: list[Suppression] = []
    for number, line in enumerate(text.lines, start=1):
        codes = _codes_in(line) if "//" in line else None
        if codes is not None:
            span = Span(text.path, number, 1, number, len(line) + 1)
            found.append(Suppression(span, frozenset(codes), whole_file=False, own=False))
    return tuple(found)


def _codes_in(line: str) -> Sequence[str] | None:
    """Returns the codes that the comments of a line silence, an empty list for all of them; None if they silence
    nothing."""
    comment = line.find("//")
    nolint, ignore = _NOLINT.search(line), _IGNORE.search(line, comment) if comment >= 0 else None
    named = [_silenced(nolint)] if nolint is not None else []
    if ignore is not None:
        named.append([one.upper() for one in re.split(r"[,\s]+", (ignore["names"] or "").strip()) if one])
    if _NOSEMGREP.search(line):
        named.append(())
    known = [one for one in named if one is not None]
    return [] if () in map(tuple, known) else [code for one in known for code in one] if known else None


def _silenced(comment: re.Match[str]) -> Sequence[str] | None:
    """Returns the codes that a ``nolint`` silences, an empty list for all of them, or None if it addresses other
    tools."""
    if comment["names"] is None:
        return ()
    names = re.split(r"[,\s]+", comment["names"].strip())
    if _NAME in names or "all" in names:
        return ()
    return [name.upper() for name in names if _CODE.fullmatch(name)] or None
