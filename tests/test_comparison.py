"""The comparison with other tools: its cases are there, and the pages agree on what came out."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
PAGE, README = ((ROOT / name).read_text(encoding="utf-8") for name in ("docs/comparison.md", "README.md"))


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


@pytest.mark.parametrize("tool", ["ruff", "pylint", "flake8", "Semgrep"])
def test_both_pages_say_the_same(tool: str) -> None:
    (row,) = re.findall(rf"^\| {tool}[^|]*\| \d+ of (\d+) \| (\d+) \|", PAGE, re.MULTILINE)
    (short,) = re.findall(rf"^\| {tool}[^|]*\| (\d+) of (\d+) \|", README, re.MULTILINE)
    assert short == (row[1], row[0])
