"""Sorts findings for readers: production code before tests."""

from __future__ import annotations

from collections.abc import Iterable

from fdlint.core.finding import Finding


def production_first(findings: Iterable[Finding]) -> list[Finding]:
    """Returns the findings with those in tests last, otherwise in the same order."""
    return sorted(findings, key=lambda one: one.in_tests)
