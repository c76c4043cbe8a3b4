"""Golden cases: the rules' contract by example, one idea a file (see ``cases/README.md``)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from fdlint.core.finding import Confidence, Cost, Finding
from fdlint.report.findings.finding import Report
from fdlint.report.findings.persona import Levels, Persona
from fdlint.scan.options import Options
from fdlint.scan.scan import scan_source

CASES = Path(__file__).parent / "cases"
CASE_PATH = "case.py"
EVERYTHING = Options(levels=Levels(Persona.AUDITOR))
"""Nothing that is hidden by default gets lost."""


def expected_form(report: Report) -> list[str]:
    """``CODE LINE`` of every finding, by line and code, and ``low`` for those that are hidden by default: the form of
    a case's ``expect``."""
    found = sorted((one.span.line, one.code, _is_hidden(one)) for one in report.findings)
    return [f"{code} {line}{' low' if low else ''}" for line, code, low in found]


def _is_hidden(finding: Finding) -> bool:
    return finding.confidence is Confidence.LOW or finding.impact.cost is Cost.LOW


def short_form(report: Report) -> str:
    """``CODE LINE confidence`` of every finding (and whether it costs little), ``event LINE`` of every step of its
    trace, ``assumes KIND LINE`` of every assumption: the form of a case's ``report``. The wording has its own goldens:
    ``test_wording.py``."""
    return "".join(f"{line}\n" for finding in report.findings for line in _short_lines(finding))


def _short_lines(finding: Finding) -> list[str]:
    cheap = " of low impact" if finding.impact.cost is Cost.LOW else ""
    head = f"{finding.code} {finding.span.line} {finding.confidence.value}{cheap}"
    steps = (f"  {event.kind.value} {event.span.line}" for event in finding.trace)
    return [head, *steps, *(f"  assumes {one.kind.value} {one.span.line}" for one in finding.assumptions)]


@pytest.mark.golden_test("cases/*/*.yml")
def test_case(golden) -> None:
    report = scan_source(golden["code"].encode(), CASE_PATH, EVERYTHING)
    assert not report.skipped
    assert expected_form(report) == golden["expect"]
    assert short_form(report) == golden.out["report"]


def case_files() -> list[Path]:
    return sorted(CASES.rglob("*.yml"))


def test_names_are_unique() -> None:
    names = Counter(path.stem for path in case_files())
    assert [name for name, count in names.items() if count > 1] == []


def test_every_case_lies_in_a_topic() -> None:
    assert [path for path in case_files() if path.parent.parent != CASES] == []


def test_correct_code_is_at_least_half() -> None:
    texts = [path.read_text(encoding="utf-8") for path in case_files()]
    assert sum("\nexpect: []\n" in text for text in texts) * 2 >= len(texts)
