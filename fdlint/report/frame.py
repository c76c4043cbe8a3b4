"""Renders the code frame of a finding: the lines around it with their numbers, and a mark under the finding."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rich.cells import cell_len

from fdlint.core.finding import Span
from fdlint.languages.registry import MAIN
from fdlint.report.line import Line, line
from fdlint.report.printable import spelled

BEFORE = 2
AFTER = 1
WIDTH = 140
"""The shown characters of a line outside a terminal."""
TAB = 4
_NARROW = 20  # cells; a narrower terminal has no room for code and breaks lines


def frame(
    span: Span, source: Sequence[str], *, colour: bool, width: int | None = None, language: str = MAIN.key
) -> Iterator[Line]:
    """Yields the lines of the frame; none if ``source`` has no such line. ``width``: the cells of a terminal's line.
    The terminal would break a longer line, and the marks would be in the wrong place."""
    if not 1 <= span.line <= len(source):
        return
    first = max(1, span.line - BEFORE)
    last = min(len(source), span.line + AFTER)
    gutter = len(str(last))
    room = WIDTH if width is None else max(_NARROW, width - gutter - len(" | "))
    size: Callable[[str], int] = cell_len if width is not None else _one
    marked = _expanded(source[span.line - 1])
    left, right = _marked(span, source[span.line - 1])
    start = _window(marked, left, room, size)
    shown = ["".join(_fitting(_expanded(code)[start:], room, size)) for code in source[first - 1 : last]]
    for number, code in zip(range(first, last + 1), _coloured(shown, language, colour=colour), strict=True):
        yield Line(((f"{number:>{gutter}} | ", "dim"), *code.pieces))
        if number == span.line:
            before = cell_len("".join(marked[start:left]))
            under = cell_len("".join(_fitting(marked[start:], room, size)[left - start : right - start]))
            mark = " " * before + "^" * max(1, under)
            yield line((f"{'':>{gutter}} | ", "dim"), (mark, "bold red"))


def visible(line: str) -> str:
    """Returns a line of source with unsafe characters escaped."""
    return "".join(_expanded(line))


def _one(_character: str) -> int:
    return 1


def _window(line: Sequence[str], place: int, room: int, size: Callable[[str], int]) -> int:
    """Returns the start of the visible part of a long line, so that a place in it is visible."""
    if sum(map(size, line[:place])) < room * 3 // 4:
        return 0
    start, before = place, 0
    while start and (before := before + size(line[start - 1])) <= room // 2:
        start -= 1
    return start


def _fitting(line: Sequence[str], room: int, size: Callable[[str], int]) -> Sequence[str]:
    """Returns the beginning of a line that fits."""
    for number, character in enumerate(line):
        room -= size(character)
        if room < 0:
            return line[:number]
    return line


def _marked(span: Span, line: str) -> tuple[int, int]:
    """Returns the start and end of the span in its first line, after tabs are expanded."""
    end = span.end_column - 1 if span.end_line == span.line else len(line.rstrip())
    left = len(line[: span.column - 1].expandtabs(TAB))
    return left, max(left + 1, len(line[:end].expandtabs(TAB)))


def _expanded(line: str) -> Sequence[str]:
    """Returns each character of a line as it is shown. Their number is the same as before escaping."""
    return spelled(line.rstrip("\r\n").expandtabs(TAB))


def _coloured(lines: Sequence[str], language: str, *, colour: bool) -> Iterator[Line]:
    if not colour:
        return map(line, lines)
    from fdlint.report.highlight import highlighted

    return highlighted(lines, language)
