"""Lets scans run Semgrep with one of the rules for Go, in half the time, for tests that are not about the rules."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from fdlint.go import scan
from fdlint.go.rulebook import directory


def use_only(rule: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``place``: an empty directory outside of the scanned tree."""
    place.mkdir()
    shutil.copy(directory() / "go" / f"{rule}.yaml", place)
    monkeypatch.setattr(scan, "sets", lambda *, audit: (place,))
