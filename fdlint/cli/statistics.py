"""``--statistics`` prints the number of findings of each rule instead of the findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from fdlint.cli.formats import TEXT
from fdlint.report.documents import as_json

if TYPE_CHECKING:
    from fdlint.core.finding import Finding
    from fdlint.report.findings.finding import Report

JSON = "json"


def check(form: str) -> None:
    """Raises ``UsageError`` for a format without a place for numbers."""
    if form not in (TEXT, JSON):
        raise click.UsageError(f"--statistics goes with the formats {TEXT} and {JSON}, not {form}")


def statistics(report: Report, form: str) -> str:
    """Returns the numbers, the most frequent rule first, as ruff does."""
    counted = Counter((one.code, one.name) for one in report.findings)
    rows = sorted(counted.items(), key=lambda row: (-row[1], row[0]))
    if form == JSON:
        return as_json([{"code": code, "name": name, "count": number} for (code, name), number in rows])
    width = len(f"{rows[0][1]:,}") if rows else 0
    return "\n".join(
        f"{number:>{width},}  {code}  {name}{_files(report.findings, code)}" for (code, name), number in rows
    )


def _files(findings: Sequence[Finding], code: str) -> str:
    number = len({one.span.path for one in findings if one.code == code})
    return f"  in {number:,} file{'' if number == 1 else 's'}"
