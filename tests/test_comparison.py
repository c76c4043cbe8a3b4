"""The comparison with other tools: its cases are there, and the pages agree on what came out."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
PAGE, ACCURACY = ((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("comparison.md", "accuracy.md"))


@pytest.fixture
def compare(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("compare")


def test_the_pairs_are_what_the_documentation_shows(compare: ModuleType, tmp_path: Path) -> None:
    pairs = list(compare._written(tmp_path))
    assert len({pair.name for pair in pairs}) == len(pairs) > 50
    assert {pair.language for pair in pairs} == {"python", "go"}
    for pair in pairs:
        assert (tmp_path / pair.bad).read_text("utf-8") != (tmp_path / pair.good).read_text("utf-8")


def test_both_pages_have_the_same_numbers() -> None:
    others = re.findall(r"^\| (?:ruff|pylint|flake8|Semgrep)[^|]*\| \d+ of \d+ \| (\d+) \|", PAGE, re.MULTILINE)
    assert len(others) == 4
    (own,) = re.findall(r"^\| fdlint [^|]*\| (\d+ of \d+) \|", PAGE, re.MULTILINE)
    text = " ".join(ACCURACY.split())
    assert f"fdlint distinguishes {own} pairs" in text
    assert f"distinguish at most {max(map(int, others))} by a rule about resources" in text
