"""The ledger of mechanisms names what is there, and its page has a row for each."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "ledger.md").read_text(encoding="utf-8")
_SPEC = importlib.util.spec_from_file_location("mechanisms", ROOT / "benchmarks" / "mechanisms.py")
assert _SPEC is not None
assert _SPEC.loader is not None
mechanisms = importlib.util.module_from_spec(_SPEC)
sys.modules[_SPEC.name] = mechanisms
_SPEC.loader.exec_module(mechanisms)


@pytest.mark.parametrize("name", mechanisms.MECHANISMS)
def test_a_mechanism_exists_and_can_be_switched_off(name: str) -> None:
    for one in mechanisms.MECHANISMS[name]:
        assert one.find().__code__
        assert callable(one.off())


def test_the_page_has_a_row_for_each() -> None:
    assert re.findall(r"^\| `([^`]+)`", PAGE, re.MULTILINE) == list(mechanisms.MECHANISMS)


def test_what_went_is_not_there() -> None:
    gone = re.findall(r"^- `([^`]+)`", PAGE, re.MULTILINE)
    assert gone
    assert not mechanisms.MECHANISMS.keys() & set(gone)
