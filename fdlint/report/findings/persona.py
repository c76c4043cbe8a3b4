"""Personas: how much of what is found a reader wants to see, and what that hides."""

from __future__ import annotations

import enum
from dataclasses import dataclass, fields
from typing import Any

from fdlint.core.finding import Confidence, Cost, Severity
from fdlint.report.findings.tests import Tests


class Persona(enum.Enum):
    """Readers, each of whom sees all that the one before sees. ``REGULAR``: what a maintainer would fix. ``PEDANTIC``:
    all that is true. ``AUDITOR``: also what is doubtful, and all of tests."""

    REGULAR = "regular"
    PEDANTIC = "pedantic"
    AUDITOR = "auditor"


class Hiding(enum.Enum):
    """Why a finding is not shown, as the key of the JSON output. The first that holds counts."""

    LOW_CONFIDENCE = "low-confidence"
    MEDIUM_CONFIDENCE = "medium-confidence"
    LOW_IMPACT = "low-impact"
    MEDIUM_IMPACT = "medium-impact"
    PEDANTIC_RULE = "pedantic-rule"
    WARNING = "warning"
    TEST = "test"


BY_CONFIDENCE = {Confidence.LOW: Hiding.LOW_CONFIDENCE, Confidence.MEDIUM: Hiding.MEDIUM_CONFIDENCE}
BY_IMPACT = {Cost.LOW: Hiding.LOW_IMPACT, Cost.MEDIUM: Hiding.MEDIUM_IMPACT}


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What a finding must reach to be shown, and what is shown of tests. ``pedantic``: the rules that only a pedant
    wants to see are on."""

    confidence: Confidence
    impact: Cost
    severity: Severity
    tests: Tests
    pedantic: bool


_OF_PERSONAS = {
    Persona.REGULAR: Thresholds(Confidence.MEDIUM, Cost.MEDIUM, Severity.WARNING, Tests.LEAKS, pedantic=False),
    Persona.PEDANTIC: Thresholds(Confidence.MEDIUM, Cost.LOW, Severity.WARNING, Tests.LEAKS, pedantic=True),
    Persona.AUDITOR: Thresholds(Confidence.LOW, Cost.LOW, Severity.WARNING, Tests.ALL, pedantic=True),
}


@dataclass(frozen=True, slots=True)
class Levels:
    """A persona and what refines it, as far as somebody has said it. None: as the persona has it. Without a persona it
    is ``REGULAR``."""

    persona: Persona | None = None
    min_confidence: Confidence | None = None
    min_impact: Cost | None = None
    min_severity: Severity | None = None
    tests: Tests | None = None

    def over(self, others: Levels) -> Levels:
        """Returns these levels, and others for what they leave open. A persona leaves nothing open."""
        if self.persona is not None or others == NO_LEVELS:
            return self
        mine = {one.name: getattr(self, one.name) for one in fields(self)}
        theirs: dict[str, Any] = {name: getattr(others, name) for name in mine}
        return Levels(**{name: value if value is not None else theirs[name] for name, value in mine.items()})

    def thresholds(self) -> Thresholds:
        """Returns the values that follow."""
        own = _OF_PERSONAS[self.persona or Persona.REGULAR]
        return Thresholds(
            self.min_confidence or own.confidence,
            self.min_impact or own.impact,
            self.min_severity or own.severity,
            self.tests or own.tests,
            own.pedantic,
        )


NO_LEVELS = Levels()
EVERYTHING = Levels(Persona.AUDITOR)


def levels_of(
    persona: str | None = None,
    min_confidence: str | None = None,
    min_impact: str | None = None,
    min_severity: str | None = None,
    tests: str | None = None,
) -> Levels:
    """Returns the levels that words name, such as ``"pedantic"`` and ``"low"``. Raises ``ValueError``."""
    return Levels(
        Persona(persona) if persona is not None else None,
        Confidence(min_confidence) if min_confidence is not None else None,
        Cost(min_impact) if min_impact is not None else None,
        Severity(min_severity) if min_severity is not None else None,
        Tests(tests) if tests is not None else None,
    )
