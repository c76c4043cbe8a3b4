"""The report for people: each finding with its code and the story of the path, then what was looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from fdlint.finding import Event, Finding, Report, Severity
from fdlint.report.frame import frame, visible
from fdlint.report.printable import printable
from fdlint.report.summary import silenced, skipped, summary

STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow"}


def render(report: Report, *, colour: bool = False, quiet: bool = False) -> Iterator[Text]:
    """The lines of the report; ``quiet`` leaves the summary out."""
    for finding in report.findings:
        yield from _finding(finding, report, colour=colour)
        yield Text()
    yield from conclusion(report, quiet=quiet)


def conclusion(report: Report, *, quiet: bool = False) -> Iterator[Text]:
    """What was not looked at, and what was."""
    for line in skipped(report):
        word, _, rest = line.partition(" ")
        yield Text.assemble((word, "yellow"), f" {rest}")
    if report.skipped:
        yield Text()
    if not quiet:
        yield Text(summary(report), style="bold")
        if line := silenced(report):
            yield Text(line)


def _finding(finding: Finding, report: Report, *, colour: bool) -> Iterator[Text]:
    span = finding.span
    yield Text.assemble(
        (f"{printable(span.path)}:{span.line}:{span.column}:", "bold"),
        " ",
        (finding.code, STYLES[finding.severity]),
        f" {finding.name}  {printable(finding.message)}",
    )
    for line in frame(span, report.sources.get(span.path, ()), colour=colour):
        yield Text("  ").append_text(line)
    for number, event in enumerate(finding.trace, start=1):
        yield from _step(number, event, finding, report)


def _step(number: int, event: Event, finding: Finding, report: Report) -> Iterator[Text]:
    """One numbered step of the trace, with its line of code unless that is what the frame points at."""
    place = f"line {event.span.line}"
    if event.span.path != finding.span.path:
        place = f"{printable(event.span.path)}:{event.span.line}"
    label = f"  {number:>2}. {place}: "
    yield Text.assemble((label, "dim"), (event.kind.value, "cyan"), f"  {printable(event.message)}")
    code = _code(event, report.sources.get(event.span.path, ()))
    if code and event.span.line != finding.span.line:
        yield Text(f"      {code}", style="dim")


def _code(event: Event, source: Sequence[str]) -> str:
    if not 1 <= event.span.line <= len(source):
        return ""
    code = visible(source[event.span.line - 1]).strip()
    return code if len(code) <= 100 else code[:97] + "..."
