"""The grouped format: one line per finding, under the names of the files, for going through one file after another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from fdlint.findings.finding import Finding, Report
from fdlint.report.order import production_first
from fdlint.report.printable import printable
from fdlint.report.rulebook import Rulebook
from fdlint.report.summary import fixable, marked, silenced, skipped, summary


def render(report: Report, _rules: Rulebook) -> str:
    """Returns the files with findings, those of tests last; then the skipped files, and the summary."""
    parts = [
        "\n".join(_file(path, list(found), report)) for path, found in groupby(production_first(report.findings), _path)
    ]
    ending = [*skipped(report)]
    if ending:
        parts.append("\n".join(ending))
    parts.append("\n".join(filter(None, [summary(report), fixable(report), silenced(report)])))
    return "\n\n".join(parts)


def _path(finding: Finding) -> str:
    return finding.span.path


def _file(path: str, findings: Sequence[Finding], report: Report) -> Iterator[str]:
    yield printable(path)
    places = [f"{one.span.line}:{one.span.column}" for one in findings]
    width = max(map(len, places))
    for place, one in zip(places, findings, strict=True):
        yield f"  {place:>{width}}  {one.code}{marked(one, report)}  {printable(one.message)}"
