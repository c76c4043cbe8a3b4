"""The comparison with an older report, as all formats tell it: the state of each finding, and those that are gone."""

from __future__ import annotations

from collections.abc import Mapping

from fdlint.core.finding import Finding
from fdlint.report.findings.finding import Report

NEW, UNCHANGED = "new", "unchanged"


def states(report: Report) -> Mapping[Finding, str]:
    """Returns the state of each finding; nothing if the report is not compared."""
    found = report.trend
    if found is None:
        return {}
    return {**dict.fromkeys(found.unchanged, UNCHANGED), **dict.fromkeys(found.new, NEW)}


def gone(report: Report) -> tuple[Finding, ...]:
    """Returns the findings of the older report that are fixed."""
    return report.trend.fixed if report.trend is not None else ()


def noted(message: str, *notes: str | None) -> str:
    """Returns a message with notes in parentheses, for formats that have no other place for them."""
    given = ", ".join(filter(None, notes))
    return f"{message} ({given})" if given else message
