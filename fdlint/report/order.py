"""Sorts findings for readers."""

from __future__ import annotations

from collections.abc import Iterable

from fdlint.core.finding import Cost, Finding, Severity


def costliest_first(findings: Iterable[Finding]) -> list[Finding]:
    """Returns the findings by their impact, then errors before warnings, otherwise in the same order."""
    costs, severities = list(Cost), list(Severity)
    return sorted(findings, key=lambda one: (costs.index(one.impact.cost), severities.index(one.severity)))
