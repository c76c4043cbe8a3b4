"""The README and the continuous integration say the same, and what they say is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fdlint.core.checks import all_rules

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_table_of_rules_is_complete() -> None:
    table = re.findall(r"^\| (FD\d+) \| ([\w-]+) \|", README, re.MULTILINE)
    assert table == [(loaded.rule.code, loaded.rule.name) for loaded in all_rules()]


def test_each_quick_start_is_one_command_between_its_marks() -> None:
    for name in ("scan", "test"):
        assert re.search(rf"^<!-- quick start: {name} -->\n```sh\npython3 .+\n```\n<!-- end -->$", README, re.MULTILINE)


def test_every_rule_is_in_the_changelog() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    for loaded in all_rules():
        assert loaded.rule.code in changelog


def test_the_readme_stays_short() -> None:
    assert len(README.splitlines()) <= 150


LINKED = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "examples/README.md", "rules/README.md"]


@pytest.mark.parametrize("name", LINKED)
def test_every_link_leads_to_a_file_and_a_heading(name: str) -> None:
    """MkDocs checks those of ``docs``; these pages are outside of it."""
    for target, anchor in re.findall(r"\]\((?!https?://)([^)#]*)(?:#([^)]*))?\)", (ROOT / name).read_text("utf-8")):
        page = (ROOT / name).parent / target if target else ROOT / name
        assert page.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in headings}, anchor
