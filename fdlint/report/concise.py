"""The concise format: one line per finding, for editors and grep."""

from __future__ import annotations

from fdlint.report.findings.finding import Report
from fdlint.report.printable import printable
from fdlint.report.rulebook import Rulebook
from fdlint.report.states import states

SHOWS_SKIPPED = False


def render(report: Report, _rules: Rulebook) -> str:
    """Returns ``path:line:column: CODE message`` for each finding, sorted; empty without findings. With ``--compare``
    the code is followed by ``[new]`` or ``[unchanged]``."""
    lines = []
    state = states(report)
    for one in report.findings:
        place = f"{printable(one.span.path)}:{one.span.line}:{one.span.column}"
        known = f" [{state[one]}]" if one in state else ""
        lines.append(f"{place}: {one.code}{known} {printable(one.message)}")
    return "\n".join(lines)
