"""reviewdog's diagnostic format: https://github.com/reviewdog/reviewdog/tree/master/proto/rdf

Its columns count bytes of UTF-8. The end of a range is exclusive, as here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fdlint.core.finding import Event, Finding, Severity, Span
from fdlint.links import home, rule_page
from fdlint.report.documents import as_json, sound
from fdlint.report.findings.finding import Report
from fdlint.report.rulebook import Rulebook
from fdlint.report.states import noted, states

SHOWS_SKIPPED = False
_SEVERITIES = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING"}


def render(report: Report, _rules: Rulebook) -> str:
    """Returns one result with all findings. The steps of a path are its related locations."""
    page, state = home(), states(report)
    source = {"name": "fdlint", **({"url": page} if page is not None else {})}
    return as_json(
        {"source": source, "diagnostics": [_diagnostic(one, report, state.get(one)) for one in report.findings]}
    )


def _diagnostic(finding: Finding, report: Report, state: str | None) -> dict[str, Any]:
    page = rule_page(finding.code)
    return {
        "message": sound(noted(finding.message, state)),
        "location": _location(finding.span, report),
        "severity": _SEVERITIES[finding.severity],
        "code": {"value": finding.code, **({"url": page} if page is not None else {})},
        "relatedLocations": [_related(event, report) for event in finding.trace],
    }


def _related(event: Event, report: Report) -> dict[str, Any]:
    return {"message": sound(event.message), "location": _location(event.span, report)}


def _location(span: Span, report: Report) -> dict[str, Any]:
    source = report.sources.get(span.path, ())
    start = {"line": span.line, "column": _in_bytes(span.line, span.column, source)}
    end = {"line": span.end_line, "column": _in_bytes(span.end_line, span.end_column, source)}
    return {"path": sound(span.path), "range": {"start": start, "end": end}}


def _in_bytes(line: int, column: int, source: Sequence[str]) -> int:
    """Returns the column in bytes, or in characters if the line is unknown."""
    if not 1 <= line <= len(source):
        return column
    return len(source[line - 1][: column - 1].encode(errors="replace")) + 1
