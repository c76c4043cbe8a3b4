"""The report for people: each finding with its code and the steps of its path, then the summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import set_cell_size

from fdlint.core.finding import Event, EventKind, Finding, Severity, Span
from fdlint.links import rule_page
from fdlint.report.findings.finding import Report, Trend
from fdlint.report.frame import frame, visible
from fdlint.report.line import Line, line
from fdlint.report.printable import printable
from fdlint.report.steps import cost
from fdlint.report.summary import fixable, fixed, hidden, new, rated, silenced, skipped, summary, trend
from fdlint.report.wrapping import wrapped

STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow"}
_STEPS = {EventKind.ACQUIRED: "cyan", EventKind.RECEIVED: "cyan", EventKind.LEAKED: "red"}
_CODE_WIDTH = 100
_MARGIN = " " * 6
"""Precedes the rest of a text that is too long for the terminal."""


def render(
    report: Report, *, colour: bool = False, quiet: bool = False, width: int | None = None, links: bool = False
) -> Iterator[Line]:
    """Yields the lines of the report. ``quiet`` leaves the summary out. ``width``: that of the terminal, None for other
    outputs. ``links``: the terminal can show links, so codes link to the pages of their rules."""
    for finding in sorted(report.findings, key=lambda one: one.in_tests):  # production code first
        yield from _finding(finding, report, colour=colour, width=width, links=links)
        yield line()
    for whole in _conclusion(report, quiet=quiet):
        yield from wrapped(whole, width, _MARGIN)


def _conclusion(report: Report, *, quiet: bool) -> Iterator[Line]:
    """Yields the skipped files and the summary."""
    for text in skipped(report):
        word, _, rest = text.partition(" ")
        yield line((word, "yellow"), f" {rest}")
    if report.skipped:
        yield line()
    if report.trend is not None:
        yield from _trend(report.trend)
    if not quiet:
        yield line((summary(report), "bold"))
        yield from (line(text) for text in (fixable(report), silenced(report), hidden(report)) if text)


def _trend(found: Trend) -> Iterator[Line]:
    """Yields the new and fixed findings, one per line, and their numbers."""
    for texts, style in ((new(found), "red"), (fixed(found), "green")):
        for text in texts:
            yield line((text[:6], style), text[6:])
    yield line((trend(found), "bold"))


def _finding(finding: Finding, report: Report, *, colour: bool, width: int | None, links: bool) -> Iterator[Line]:
    span = finding.span
    style = STYLES[finding.severity]
    page = rule_page(finding.code) if links else None
    head = line(
        (f"{printable(span.path)}:{span.line}:{span.column}:", "bold"),
        " ",
        (finding.code, style if page is None else f"{style} link {page}"),
        f" {finding.name}  {printable(finding.message)}",
        (f" ({note})" if (note := rated(finding)) else "", "dim"),
    )
    yield from wrapped(head, width, _MARGIN)
    yield from details(finding, report, colour=colour, width=width)


def details(finding: Finding, report: Report, *, colour: bool = False, width: int | None = None) -> Iterator[Line]:
    """Yields the code around a finding, the steps of its path, and what it costs."""
    inner = width - 2 if width is not None else None
    source = report.sources.get(finding.span.path, ())
    for shown in frame(finding.span, source, colour=colour, width=inner, language=finding.language):
        yield shown.indented("  ")
    quoted = finding.span
    for number, event in enumerate(finding.trace, start=1):
        yield from _step(number, event, finding, report, width, quoted)
        quoted = event.span
    for one in finding.assumptions:
        place = _place(one.span, finding)
        yield from wrapped(line((f"   -  {place}: ", "dim"), (printable(one.message), "")), width, _MARGIN)
    yield from wrapped(line(("      ", ""), (printable(cost(finding)), "dim")), width, _MARGIN)


def _step(
    number: int, event: Event, finding: Finding, report: Report, width: int | None, quoted: Span
) -> Iterator[Line]:
    """Yields one numbered step of the trace, with its line of code unless the frame or the step before shows it."""
    place = _place(event.span, finding)
    message = (printable(event.message), _STEPS.get(event.kind, ""))
    yield from wrapped(line((f"  {number:>2}. {place}: ", "dim"), message), width, _MARGIN)
    code = _code(event, report.sources.get(event.span.path, ()), width)
    shown = {(one.path, one.line) for one in (finding.span, quoted)}
    if code and (event.span.path, event.span.line) not in shown:
        yield line((f"      {code}", "dim"))


def _place(span: Span, finding: Finding) -> str:
    own = span.path == finding.span.path
    return f"line {span.line}" if own else f"{printable(span.path)}:{span.line}"


def _code(event: Event, source: Sequence[str], width: int | None) -> str:
    if not 1 <= event.span.line <= len(source):
        return ""
    code = visible(source[event.span.line - 1]).strip()
    code = code if len(code) <= _CODE_WIDTH else code[: _CODE_WIDTH - 3] + "..."
    return code if width is None else set_cell_size(code, max(1, width - 6)).rstrip()
