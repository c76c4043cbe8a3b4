"""The code frame under a finding: the lines round it with their numbers, and a mark under what it points at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.syntax import Syntax
from rich.text import Text

from fdlint.finding import Span
from fdlint.report.printable import spelled

BEFORE = 2
AFTER = 1
WIDTH = 140
TAB = 4


def frame(span: Span, source: Sequence[str], *, colour: bool) -> Iterator[Text]:
    """The lines of the frame; none when ``source`` has no such line."""
    if not 1 <= span.line <= len(source):
        return
    first = max(1, span.line - BEFORE)
    last = min(len(source), span.line + AFTER)
    start = _window(source[span.line - 1], span.column)
    gutter = len(str(last))
    shown = [_part(line, start, start + WIDTH) for line in source[first - 1 : last]]
    for number, code in zip(range(first, last + 1), _coloured(shown, colour=colour), strict=True):
        yield Text.assemble((f"{number:>{gutter}} | ", "dim"), code)
        if number == span.line:
            yield Text.assemble((f"{'':>{gutter}} | ", "dim"), (_mark(span, source[number - 1], start), "bold red"))


def visible(line: str) -> str:
    """A line of source as it can be shown."""
    return _part(line)


def _window(line: str, column: int) -> int:
    """Where to start a line that is too long to be shown whole."""
    place = len(line[: column - 1].expandtabs(TAB))
    return 0 if place < WIDTH * 3 // 4 else place - WIDTH // 2


def _mark(span: Span, line: str, start: int) -> str:
    """Carets under the span, as far as it lies on its first line."""
    end = span.end_column - 1 if span.end_line == span.line else len(line.rstrip())
    left = len(line[: span.column - 1].expandtabs(TAB))
    right = max(left + 1, len(line[:end].expandtabs(TAB)))
    before, marked = _part(line, start, left), _part(line, left, min(right, start + WIDTH))
    return " " * cell_len(before) + "^" * max(1, cell_len(marked))


def _part(line: str, start: int = 0, end: int | None = None) -> str:
    """Part of a line as it is shown; the places are counted after tabs are expanded and before anything is escaped."""
    return "".join(spelled(line.rstrip("\r\n").expandtabs(TAB))[start:end])


def _coloured(lines: Sequence[str], *, colour: bool) -> Iterator[Text]:
    if not colour:
        return map(Text, lines)
    highlighted = Syntax("", "python", theme="ansi_dark").highlight("\n".join(lines))
    return iter(highlighted.split("\n", allow_blank=True)[: len(lines)])
