"""One line a finding, as editors and grep like it."""

from __future__ import annotations

from fdlint.findings.finding import Report
from fdlint.report.printable import printable
from fdlint.report.rulebook import Rulebook

SHOWS_SKIPPED = False


def render(report: Report, _rules: Rulebook) -> str:
    """``path:line:column: CODE message``, sorted; nothing when there is nothing."""
    lines = (
        f"{printable(one.span.path)}:{one.span.line}:{one.span.column}: {one.code} {printable(one.message)}"
        for one in report.findings
    )
    return "\n".join(lines)
