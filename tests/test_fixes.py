"""Fixes: golden cases before and after, the proof, and files that are written."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from fdlint.findings.finding import Confidence
from fdlint.fixes.proof import Looked, Prover
from fdlint.fixes.repairing import Repair

HERE = Path(__file__).parent
CASES = sorted((HERE / "fix_cases").glob("*.yml"))


def prover(directory: Path, name: str = "case.py") -> Prover:
    return Prover(directory / name, "utf-8")


def listed(repair: Repair, before: Looked) -> list[str]:
    """The findings and their fixes: the form of a case's ``fixes``."""
    found = []
    for one in before.shown:
        proved = repair.proved(before, one)
        state = "none" if proved is None else "safe" if proved.safe else "unsafe"
        low = " low" if one.confidence is Confidence.LOW else ""
        found.append(f"{one.code} {one.span.line}{low} {state}")
    return found


@pytest.mark.golden_test("fix_cases/*.yml")
def test_case(golden, tmp_path: Path) -> None:
    repair = Repair(prover(tmp_path, "case.go" if golden.get("language") == "go" else "case.py"))
    before = repair.look(golden["code"])
    assert listed(repair, before) == golden["fixes"]
    repaired = repair.repaired(golden["code"], before.shown, unsafe=bool(golden.get("unsafe")))
    assert repaired.text == golden.out["after"]
    again = Repair(repair.prover).repaired(repaired.text, repair.look(repaired.text).shown, unsafe=False)
    assert again.text == repaired.text
    assert not again.fixed
    if golden.get("language") != "go":
        ast.parse(repaired.text)
