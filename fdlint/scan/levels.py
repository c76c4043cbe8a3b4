"""Decides whether the levels that a reader asks for show a finding, and which options would."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import Any

from fdlint.core.finding import TEST_CODE, Finding, Severity
from fdlint.report.findings.hidden import Screen
from fdlint.report.findings.persona import BY_CONFIDENCE, BY_IMPACT, EVERYTHING, NO_LEVELS, Hiding, Levels, Persona
from fdlint.report.findings.tests import Tests


def hiding(levels: Levels, finding: Finding, severity: Severity, *, asked: bool = False) -> Hiding | None:
    """Returns why a finding is not shown; None if it is. ``severity``: that of the configuration. ``asked``: its rule
    is selected by its code; to one who asks for a pedantic rule it is shown as to a pedant."""
    if asked and levels.persona in (None, Persona.REGULAR) and _is_pedantic(finding.code):
        levels = replace(levels, persona=Persona.PEDANTIC)
    least = levels.thresholds()
    if not finding.confidence.reaches(least.confidence):
        return BY_CONFIDENCE[finding.confidence]
    by_tests = finding.in_tests and finding.impact == TEST_CODE and levels.min_impact is None
    if not by_tests and not finding.impact.cost.reaches(least.impact):  # ``--tests`` decides about test code
        return BY_IMPACT[finding.impact.cost]
    if not least.pedantic and _is_pedantic(finding.code):
        return Hiding.PEDANTIC_RULE
    if least.severity is Severity.ERROR and severity is not Severity.ERROR:
        return Hiding.WARNING
    if finding.in_tests and (least.tests is Tests.NONE or least.tests is _tests_for(finding.code)):
        return Hiding.TEST
    return None


def screen(mine: Levels, below: Levels, finding: Finding, severity: Severity, *, asked: bool = False) -> Screen | None:
    """Returns why a finding is not shown, and the options that show it; None if it is shown. ``mine``: the levels of
    the command line, ``below``: those of the configuration."""
    why = hiding(mine.over(below), finding, severity, asked=asked)
    if why is None:
        return None
    needed: dict[str, str] = {}
    wider = mine
    for name, value in _own_levels(finding, severity).items():
        given: dict[str, Any] = {name: getattr(mine, name)}
        if given[name] is not None and hiding(replace(EVERYTHING, **given), finding, severity) is not None:
            widened: dict[str, Any] = {name: value}
            wider = replace(wider, **widened)
            needed[f"--{name.replace('_', '-')}"] = value.value
    if hiding(wider.over(below), finding, severity, asked=asked) is None:
        return Screen(why, needed)
    personas = (replace(wider, persona=one) for one in Persona)
    least = next(one for one in personas if hiding(one, finding, severity, asked=asked) is None)
    return Screen(why, {**({"--persona": least.persona.value} if least.persona else {}), **needed})


def _own_levels(finding: Finding, severity: Severity) -> dict[str, Enum]:
    """Returns the values of the refinements that just show a finding."""
    tests = Tests.ALL if _tests_for(finding.code) is Tests.LEAKS else Tests.LEAKS
    return {
        "min_confidence": finding.confidence,
        "min_impact": finding.impact.cost,
        "min_severity": severity,
        "tests": tests,
    }


def narrowed(findings: tuple[Finding, ...], levels: Levels) -> tuple[tuple[Finding, ...], tuple[Screen, ...]]:
    """Returns the findings of a report that levels show, and what hides the others. What they leave open shows all."""
    if levels == NO_LEVELS:
        return findings, ()
    screens = {one: screen(levels, EVERYTHING, one, one.severity) for one in findings}
    shown = tuple(one for one in findings if screens[one] is None)
    return shown, tuple(found for one in findings if (found := screens[one]) is not None)


def _is_pedantic(code: str) -> bool:
    from fdlint.core.checks import by_code  # only if there are findings: it imports all rules

    return by_code(code).rule.pedantic


def _tests_for(code: str) -> Tests | None:
    """Returns the setting for tests that hides a rule although it shows others; None if there is none."""
    from fdlint.core.checks import by_code

    return None if by_code(code).rule.in_tests else Tests.LEAKS
