"""CSV for spreadsheets: RFC 4180, except that a line ends in a newline alone.

A spreadsheet interprets a cell that begins with ``=`` or a similar character as a formula, which can send other cells
somewhere: https://owasp.org/www-community/attacks/CSV_Injection. An apostrophe precedes such a cell.
"""

from __future__ import annotations

import csv
import io

from fdlint.core.finding import Finding
from fdlint.report.findings.finding import Report
from fdlint.report.printable import printable
from fdlint.report.rulebook import Rulebook
from fdlint.report.states import states

SHOWS_SKIPPED = False
COLUMNS = (
    *("path", "line", "column", "code", "name", "severity", "language"),
    *("function", "api", "message", "fingerprint", "confidence", "in_tests", "state"),
)
_FORMULA = ("=", "+", "-", "@", "\N{FULLWIDTH EQUALS SIGN}", "\N{FULLWIDTH PLUS SIGN}", "\uff0d", "\uff20")


def render(report: Report, _rules: Rulebook) -> str:
    """Returns a line with the names of the columns, and one line per finding. The state is empty without
    ``--compare``."""
    state = states(report)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(_row(one, state.get(one, "")) for one in report.findings)
    return text.getvalue().removesuffix("\n")


def _row(one: Finding, state: str) -> list[object]:
    told = [one.code, one.name, one.severity.value, one.language, one.function or "", one.api or "", one.message]
    level = [one.confidence.value, str(one.in_tests).lower(), state]
    return [_cell(one.span.path), one.span.line, one.span.column, *map(_cell, told), one.fingerprint, *level]


def _cell(text: str) -> str:
    """Returns text that no spreadsheet computes and no terminal interprets."""
    shown = printable(text)
    return f"'{shown}" if shown.lstrip().startswith(_FORMULA) else shown
