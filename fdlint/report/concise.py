"""The concise format: one line per finding, for editors and grep."""

from __future__ import annotations

from fdlint.findings.finding import Report
from fdlint.report.printable import printable
from fdlint.report.rulebook import Rulebook

SHOWS_SKIPPED = False


def render(report: Report, _rules: Rulebook) -> str:
    """Returns ``path:line:column: CODE message`` for each finding, sorted; empty without findings."""
    lines = (
        f"{printable(one.span.path)}:{one.span.line}:{one.span.column}: {one.code} {printable(one.message)}"
        for one in report.findings
    )
    return "\n".join(lines)
