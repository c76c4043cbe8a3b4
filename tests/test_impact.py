"""What findings cost: small projects of several files, and how often the code of each finding runs (see
``impact/README.md``)."""

from __future__ import annotations

from pathlib import Path

import pytest

from fdlint.core.finding import Finding
from fdlint.report.findings.finding import Report
from fdlint.report.findings.persona import Levels, Persona
from fdlint.scan.files.discover import discover
from fdlint.scan.options import Options
from fdlint.scan.scan import scan

EVERYTHING = Options(levels=Levels(Persona.AUDITOR), jobs=1)


def levels(report: Report) -> list[str]:
    """``PATH LINE CODE level`` of every finding: the form of a case's ``expect``."""
    return [f"{one.span.path} {one.span.line} {one.code} {one.impact.cost.value}" for one in report.findings]


def reasons(report: Report) -> str:
    """The form of a case's ``report``."""
    return "".join(f"{_place(one)}: {one.impact.reason}\n" for one in report.findings)


def _place(finding: Finding) -> str:
    return f"{finding.span.path}:{finding.span.line}"


@pytest.mark.golden_test("impact/*.yml")
def test_case(golden, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in golden["files"].items():
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    report = scan(discover(["."]).files, EVERYTHING)
    assert not report.skipped
    assert levels(report) == golden["expect"]
    assert reasons(report) == golden.out["report"]
