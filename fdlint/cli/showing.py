"""A report on standard output, and the exit status that it comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fdlint.cli.formats import TEXT, WITHOUT_SKIPPED, rendered
from fdlint.cli.output import emit, emit_rich, say

if TYPE_CHECKING:
    from fdlint.finding import Report

FINDINGS, INCOMPLETE = 1, 2
_SKIPPED_SHOWN = 20


def show(report: Report, form: str, *, colour: bool, quiet: bool) -> None:
    """Writes a report in one of the forms."""
    if form == TEXT:
        show_text(report, colour=colour, quiet=quiet)
        return
    document = rendered(form, report)
    if document:
        emit(document)
    if form in WITHOUT_SKIPPED and not quiet:
        _say_skipped(report)


def _say_skipped(report: Report) -> None:
    for entry in report.skipped[:_SKIPPED_SHOWN]:
        say(f"skipped {entry.path}: {entry.reason}")
    if (rest := len(report.skipped) - _SKIPPED_SHOWN) > 0:
        say(f"skipped {rest:,} more; --output-format json lists them all")


def show_text(report: Report, *, colour: bool, quiet: bool, findings: bool = True) -> None:
    """Writes a report for people, with or without its findings."""
    if not (report.findings or report.skipped or report.trend or colour):
        from fdlint.report.summary import silenced, summary

        if not quiet:
            emit("\n".join(filter(None, [summary(report), silenced(report)])))
        return
    from fdlint.report import text

    lines = list(text.render(report, colour=colour, quiet=quiet) if findings else text.conclusion(report, quiet=quiet))
    if lines:
        emit_rich(lines, colour=colour)


def status(report: Report, *, exit_zero: bool, strict: bool) -> int:
    """What to exit with."""
    if report.ended is not None:
        return report.ended
    if strict and report.skipped:
        return INCOMPLETE
    return FINDINGS if report.findings and not exit_zero else 0
