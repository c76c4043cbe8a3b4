"""Analyses outside garbage collection (``fdlint.scan.process.stack``)."""

from __future__ import annotations

import gc

import pytest

from fdlint.scan.process import stack


def test_what_others_have_frozen_stays_frozen_and_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python counts frozen objects one by one: in a large process that takes longer than the analysis of a file."""
    counted: list[None] = []
    thawed: list[None] = []
    monkeypatch.setattr(stack._Alone, "frozen", False)
    monkeypatch.setattr(gc, "get_freeze_count", lambda: counted.append(None) or 1)
    monkeypatch.setattr(gc, "unfreeze", lambda: thawed.append(None))
    for _ in range(3):
        assert stack.call(lambda: 1) == 1
    assert (len(counted), thawed) == (1, [])
    assert gc.isenabled()
