"""Golden cases of Go: what the engine reports in one file, one idea a case."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from file_results import file_results

from fdlint.core.finding import Confidence, Cost, Finding
from fdlint.scan.files.discover import discover

_PYTHON = re.compile(r"finally|os\.set_inheritable|\bNone\b|\bself\b|\braises?\b")
CASES = sorted((Path(__file__).parent / "go_cases").glob("*.yml"))


def _expected(finding: Finding) -> str:
    """Returns ``CODE LINE``, with ``low`` for what is hidden by default."""
    hidden = finding.confidence is Confidence.LOW or finding.impact.cost is Cost.LOW
    return f"{finding.code} {finding.span.line}{' low' if hidden else ''}"


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_case(case: Path, tmp_path: Path) -> None:
    said = yaml.safe_load(case.read_text(encoding="utf-8"))
    (tmp_path / "case.go").write_text(said["code"], encoding="utf-8")
    results = file_results(discover([tmp_path]).files)
    assert not [one for result in results.values() for one in result.skipped]
    found = [one for result in results.values() for one in result.findings]
    assert sorted(map(_expected, found)) == said["expect"]
    assert all(one.language == "go" and not _PYTHON.search(one.message) for one in found)
