"""Confidence follows from what is assumed."""

from __future__ import annotations

import re
from pathlib import Path

from fdlint.core.checks.confidence import LEVELS, confidence_of
from fdlint.core.domain.assumption import SENTENCES
from fdlint.core.finding import Assumption, AssumptionKind, Confidence, Span


def test_the_page_lists_each_assumption_with_its_level() -> None:
    page = (Path(__file__).parent.parent / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \| (high|medium|low) \| ", page, re.MULTILINE)
    assert dict(rows) == {kind.value: level.value for kind, level in LEVELS.items()}


def test_each_kind_has_a_level_and_a_sentence() -> None:
    assert LEVELS.keys() == SENTENCES.keys() == set(AssumptionKind)


def test_the_lowest_level_counts_and_no_assumption_is_high() -> None:
    span = Span("case.py", 1, 1, 1, 2)
    medium, low = (Assumption(kind, "", span) for kind in (AssumptionKind.CONDITION, AssumptionKind.ONLY_USES))
    assert confidence_of([]) is Confidence.HIGH
    assert confidence_of([medium]) is Confidence.MEDIUM
    assert confidence_of([medium, low]) is Confidence.LOW
