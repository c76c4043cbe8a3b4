"""Shows a report on standard output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fdlint.cli.formats import TEXT, rendered, shows_skipped
from fdlint.cli.output import emit, emit_lines, say, shows_links, terminal_width

if TYPE_CHECKING:
    from fdlint.report.findings.finding import Report


def show(report: Report, form: str, *, colour: bool, quiet: bool, strict: bool) -> None:
    """Writes a report in a format. If the format has no place for skipped files, for what the tree silences and for
    the comparison with an older report, these go to standard error; with ``quiet`` only if ``strict`` makes skipped
    files matter."""
    if form == TEXT:
        show_text(report, colour=colour, quiet=quiet)
        return
    document = rendered(form, report)
    if document:
        emit(document)
    if (strict or not quiet) and not shows_skipped(form):
        say_skipped(report)


def say_skipped(report: Report) -> None:
    """Writes the files that were not fully analysed to standard error, the findings that the tree silences, the
    comparison with an older report, and the numbers of hidden findings."""
    from fdlint.report.summary import hidden, silenced, skipped, trend

    compared = trend(report.trend) if report.trend is not None else ""
    for line in filter(None, [*skipped(report), silenced(report), compared, hidden(report)]):
        say(line)


def show_text(report: Report, *, colour: bool, quiet: bool) -> None:
    """Writes a report for people."""
    if not (report.findings or report.skipped or report.trend or colour):
        from fdlint.report.summary import hidden, silenced, summary

        if not quiet:
            emit("\n".join(filter(None, [summary(report), silenced(report), hidden(report)])))
        return
    from fdlint.report import text

    shown = text.render(report, colour=colour, quiet=quiet, width=terminal_width(), links=colour and shows_links())
    emit_lines(list(shown), colour=colour)
