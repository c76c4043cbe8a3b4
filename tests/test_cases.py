"""Golden cases: the rules' contract by example, one idea a file (see ``cases/README.md``)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from fdlint.core.finding import Confidence, Event, Finding
from fdlint.report.findings.finding import Report
from fdlint.report.findings.tests import Tests
from fdlint.scan.options import Options
from fdlint.scan.scan import scan_source

CASES = Path(__file__).parent / "cases"
CASE_PATH = "case.py"
EVERYTHING = Options(confidence=Confidence.LOW, tests=Tests.ALL)
"""Nothing that is hidden by default gets lost."""


def expected_form(report: Report) -> list[str]:
    """``CODE LINE`` of every finding, by line and code, and ``low`` for those that are hidden by default: the form of
    a case's ``expect``."""
    found = sorted((one.span.line, one.code, one.confidence is Confidence.LOW) for one in report.findings)
    return [f"{code} {line}{' low' if low else ''}" for line, code, low in found]


def render(report: Report) -> str:
    """Every finding with its trace, one line each: the form of a case's ``report``."""
    return "".join(f"{line}\n" for finding in report.findings for line in finding_lines(finding))


def finding_lines(finding: Finding) -> list[str]:
    where = f"{finding.span.line}:{finding.span.column}"
    head = f"{where} {finding.code} {finding.name} {finding.function or '<module>'} | {finding.message}"
    if finding.confidence is not Confidence.HIGH:
        head += f" ({finding.confidence.value} confidence)"
    return [head, *(event_line(event) for event in finding.trace)]


def event_line(event: Event) -> str:
    return f"  {event.kind.value} {event.span.line}: {event.message}"


@pytest.mark.golden_test("cases/*/*.yml")
def test_case(golden) -> None:
    report = scan_source(golden["code"].encode(), CASE_PATH, EVERYTHING)
    assert not report.skipped
    assert expected_form(report) == golden["expect"]
    assert render(report) == golden.out["report"]


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
