"""One line on a scan, in plain text: what is said when there is nothing else to say needs no rich."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from fdlint.finding import Finding, Report, Severity


def summary(report: Report) -> str:
    """What was looked at, and what came of it."""
    looked_at, findings = report.summary, report.findings
    touching = "touches" if looked_at.files_analysed == 1 else "touch"
    parts = [
        count(looked_at.files, "file"),
        f"{looked_at.files_analysed:,} {touching} descriptors",
        count(len(findings), "finding") + _by_severity(findings),
    ]
    if report.silenced:
        parts.append(f"{report.silenced:,} silenced by comments")
    if report.baselined:
        parts.append(f"{report.baselined:,} in the baseline")
    if report.unchanged:
        parts.append(f"{report.unchanged:,} in unchanged functions")
    if report.skipped:
        parts.append(f"{len(report.skipped):,} skipped")
    return f"{', '.join(parts)} in {looked_at.seconds:.1f} s"


def _by_severity(findings: Sequence[Finding]) -> str:
    numbers = Counter(finding.severity for finding in findings)
    kinds = [count(numbers[severity], severity.value) for severity in Severity if numbers[severity]]
    return f" ({', '.join(kinds)})" if kinds else ""


def count(number: int, noun: str) -> str:
    """``1 file``, ``2 files``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
