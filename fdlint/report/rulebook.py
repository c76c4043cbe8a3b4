"""The rules as reports show them. Reports receive this, because they do not know the rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from fdlint.core.finding import Severity


@dataclass(frozen=True, slots=True)
class Entry:
    """One rule. ``summary`` and ``defect`` are sentences without their full stops; ``page`` is Markdown. ``cwe`` and
    ``precision`` are as in ``fdlint.core.checks.rule``. ``good``: by language, a short piece of code that it does not
    report."""

    code: str
    name: str
    severity: Severity
    summary: str
    page: str
    defect: str = ""
    cwe: int | None = None
    precision: str = "high"
    good: Mapping[str, str] = field(default_factory=dict)


Rulebook: TypeAlias = Mapping[str, Entry]
"""The entries by code."""
