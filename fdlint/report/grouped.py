"""The grouped format: one line per finding, under the names of the files, for going through one file after another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from fdlint.core.finding import Finding
from fdlint.report.findings.finding import Report
from fdlint.report.order import production_first
from fdlint.report.printable import printable
from fdlint.report.rulebook import Rulebook
from fdlint.report.states import states
from fdlint.report.summary import fixable, fixed, marked, silenced, skipped, summary, trend


def render(report: Report, _rules: Rulebook) -> str:
    """Returns the files with findings, those of tests last; then the skipped files, what is fixed since an older
    report, and the summary."""
    state = states(report)
    parts = [
        "\n".join(_file(path, list(found), report, state))
        for path, found in groupby(production_first(report.findings), _path)
    ]
    if report.skipped:
        parts.append("\n".join(skipped(report)))
    if report.trend is not None:
        parts.append("\n".join([*fixed(report.trend), trend(report.trend)]))
    parts.append("\n".join(filter(None, [summary(report), fixable(report), silenced(report)])))
    return "\n\n".join(parts)


def _path(finding: Finding) -> str:
    return finding.span.path


def _file(path: str, findings: Sequence[Finding], report: Report, state: Mapping[Finding, str]) -> Iterator[str]:
    yield printable(path)
    places = [f"{one.span.line}:{one.span.column}" for one in findings]
    width = max(map(len, places))
    for place, one in zip(places, findings, strict=True):
        known = f" [{state[one]}]" if one in state else ""
        yield f"  {place:>{width}}  {one.code}{marked(one, report)}{known}  {printable(one.message)}"
