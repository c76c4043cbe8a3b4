"""The changelog: one line a change, below what kind of change it is and the area that it is about."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

LINES = (Path(__file__).parent.parent / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
KINDS = ["In short", "Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
AREAS = ["Rules", "Accuracy", "Command line", "Configuration", "Reports", "Go", "Integrations", "Safety", "Speed"]
AREAS += ["Documentation"]


def headings(mark: str) -> list[list[str]]:
    """The headings of one level, grouped by the heading of the level above."""
    found: list[list[str]] = []
    for line in LINES:
        if line.startswith(f"{mark[1:]} "):
            found.append([])
        elif line.startswith(f"{mark} "):
            found[-1].append(line.removeprefix(f"{mark} "))
    return [one for one in found if one]


def test_the_headings_are_known_and_in_order() -> None:
    for known, found in ((KINDS, headings("###")), (AREAS, headings("####"))):
        assert found
        for one in found:
            assert one == [name for name in known if name in one]


def test_versions() -> None:
    versions = [line for line in LINES if line.startswith("## ")]
    assert versions[0] == "## [Unreleased]"
    assert all(re.fullmatch(r"## \[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", line) for line in versions[1:])


def test_every_change_is_one_line_in_an_area() -> None:
    body = LINES[LINES.index("## [Unreleased]") :]
    changes = [line for line in body if line and not line.startswith("#")]
    assert len(changes) > 50
    for line in changes:
        assert re.fullmatch(r"- (?:[A-Z0-9\[`]|fdlint\b).*\.", line), line
        assert len(line) <= 120
    assert len(changes) == len(set(changes))
    for before, after in itertools.pairwise(body):
        if after.startswith("- "):
            assert before.startswith("- ") or before == ""


def test_no_heading_is_empty() -> None:
    filled = [line for line in LINES if line]
    assert not [one for one, other in itertools.pairwise(filled) if one[:5] == "#### " and other[0] == "#"]
