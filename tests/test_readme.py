"""The README and the continuous integration say the same, and what they say is so."""

from __future__ import annotations

import re
from pathlib import Path

from fdlint.checks import all_rules

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
