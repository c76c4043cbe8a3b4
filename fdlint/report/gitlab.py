"""GitLab's code quality report: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format"""

from __future__ import annotations

from fdlint.core.finding import Severity
from fdlint.report.documents import as_json, sound
from fdlint.report.findings.finding import Report
from fdlint.report.rulebook import Rulebook
from fdlint.report.states import noted, states
from fdlint.report.summary import costly, rated

SHOWS_SKIPPED = False
_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor"}


def render(report: Report, _rules: Rulebook) -> str:
    """Returns a JSON list, empty without findings."""
    state = states(report)
    entries = [
        {
            "description": sound(noted(f"{one.code} {one.message}", state.get(one), rated(one), costly(one))),
            "check_name": one.code,
            "fingerprint": one.fingerprint,
            "severity": _SEVERITIES[one.severity],
            "location": {
                "path": sound(one.span.path),
                "positions": {
                    "begin": {"line": one.span.line, "column": one.span.column},
                    "end": {"line": one.span.end_line, "column": one.span.end_column},
                },
            },
        }
        for one in report.findings
    ]
    return as_json(entries)
