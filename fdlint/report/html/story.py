"""The path of a finding drawn over its code: the lines that matter, and which step happens on which."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

from fdlint.finding import Event, Finding, Span
from fdlint.report.printable import printable

_AROUND = 2  # lines shown before and after one on which something happens
_WIDTH = 400  # a longer line is cut


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the path; numbers count from 1."""

    number: int
    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line of code. ``points``: it is the one that the finding points at; ``gap``: lines before it are left out."""

    number: int
    code: Markup
    steps: tuple[Step, ...]
    points: bool
    gap: bool


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What is shown of one file; without ``lines``, the ``steps`` are all that is known."""

    path: str
    lines: tuple[Line, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """The files that a finding's path goes through, its own first."""

    excerpts: tuple[Excerpt, ...]


def story(finding: Finding, sources: Mapping[str, Sequence[str]]) -> Story:
    """What to show of a finding; ``sources`` has the lines of its file, and perhaps of others."""
    steps: dict[str, list[tuple[Span, Step]]] = defaultdict(list)
    steps[finding.span.path] = []
    for number, event in enumerate(finding.trace, start=1):
        steps[event.span.path].append((event.span, _step(number, event)))
    return Story(tuple(_excerpt(path, found, finding, tuple(sources.get(path, ()))) for path, found in steps.items()))


def _step(number: int, event: Event) -> Step:
    return Step(number, event.kind.value, printable(event.message))


def _excerpt(path: str, found: list[tuple[Span, Step]], finding: Finding, source: tuple[str, ...]) -> Excerpt:
    own = path == finding.span.path
    by_line: dict[int, list[Step]] = defaultdict(list)
    for span, step in found:
        by_line[span.line].append(step)
    wanted = {*by_line, finding.span.line} if own else set(by_line)
    lines = tuple(_lines(source, by_line, wanted, finding.span.line if own else 0, finding.language))
    return Excerpt(printable(path), lines, () if lines else tuple(step for _, step in found))


def _lines(
    source: tuple[str, ...], by_line: Mapping[int, list[Step]], wanted: set[int], points: int, language: str
) -> Iterator[Line]:
    shown = sorted(
        number
        for number in {one + offset for one in wanted for offset in range(-_AROUND, _AROUND + 1)}
        if 1 <= number <= len(source)
    )
    if not shown:
        return
    code = _highlighted(source, language)
    before = shown[0] - 1
    for number in shown:
        steps = tuple(by_line.get(number, ()))
        yield Line(number, code[number - 1], steps, number == points, number != before + 1)
        before = number


@lru_cache(maxsize=4)
def _highlighted(source: tuple[str, ...], language: str) -> tuple[Markup, ...]:
    """Every line of a file in colours; a span never goes on into the next line."""
    safe = [printable(line.expandtabs(4))[:_WIDTH] for line in source]
    lexer = get_lexer_by_name(language, stripnl=False, ensurenl=True)
    marked = highlight("\n".join(safe) + "\n", lexer, HtmlFormatter(nowrap=True))
    lines = marked.split("\n")[: len(safe)]
    return tuple(Markup(line) for line in lines)
