"""CSV for spreadsheets: RFC 4180, but with a newline alone at the end of a line.

A spreadsheet takes a cell that begins with ``=`` and the like for a formula, which can send what is in other cells
somewhere: https://owasp.org/www-community/attacks/CSV_Injection. Such a cell gets an apostrophe before it.
"""

from __future__ import annotations

import csv
import io

from fdlint.findings.finding import Finding, Report
from fdlint.report.printable import printable
from fdlint.report.rulebook import Rulebook

SHOWS_SKIPPED = False
COLUMNS = (
    *("path", "line", "column", "code", "name", "severity", "language"),
    *("function", "api", "message", "fingerprint"),
)
_FORMULA = ("=", "+", "-", "@", "\N{FULLWIDTH EQUALS SIGN}", "\N{FULLWIDTH PLUS SIGN}", "\uff0d", "\uff20")


def render(report: Report, _rules: Rulebook) -> str:
    """A line with the names of the columns, and one for each finding."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(map(_row, report.findings))
    return text.getvalue().removesuffix("\n")


def _row(one: Finding) -> list[object]:
    told = [one.code, one.name, one.severity.value, one.language, one.function or "", one.api or "", one.message]
    return [_cell(one.span.path), one.span.line, one.span.column, *map(_cell, told), one.fingerprint]


def _cell(text: str) -> str:
    """What no spreadsheet computes and no terminal acts upon."""
    shown = printable(text)
    return f"'{shown}" if shown.lstrip().startswith(_FORMULA) else shown
