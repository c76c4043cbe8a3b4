"""The handbook keeps its word, as far as the rules exist: bad blocks get the code they name, good ones nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fenced import Block, marked_blocks

from fdlint.checks import all_rules
from fdlint.project import scan_source

HANDBOOK = (Path(__file__).parent.parent / "docs" / "patterns.md").read_text(encoding="utf-8")
KNOWN = {loaded.rule.code for loaded in all_rules()}
BLOCKS = [
    pytest.param(block, id=f"line-{block.line}-{block.rule or 'good'}")
    for block in marked_blocks(HANDBOOK)
    if block.rule is None or block.rule in KNOWN
]


@pytest.mark.parametrize("block", BLOCKS)
def test_block(block: Block) -> None:
    report = scan_source(block.text.encode(), "pattern.py")
    assert not report.skipped
    assert [finding.code for finding in report.findings] == ([block.rule] if block.rule else [])


def test_what_is_to_come_is_said_to_come() -> None:
    promised = set(re.findall(r"^Bad, (FD\d{3}) \(to come\):$", HANDBOOK, re.MULTILINE))
    shown = {block.rule for block in marked_blocks(HANDBOOK)} - {None}
    assert promised == shown - KNOWN


def test_every_python_block_is_marked() -> None:
    assert len(marked_blocks(HANDBOOK)) == HANDBOOK.count("```python")


def test_every_link_of_the_contents_leads_somewhere() -> None:
    anchors = {
        re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^## (.+)$", HANDBOOK, re.M)
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", HANDBOOK)) <= anchors


PATTERNS = re.findall(r"^## (.+?)\n(.*?)(?=^## )", HANDBOOK, re.MULTILINE | re.DOTALL)[1:-2]


@pytest.mark.parametrize(("title", "text"), PATTERNS, ids=[title for title, _ in PATTERNS])
class TestPattern:
    def test_says_where_it_was_seen_and_how_it_looks(self, title: str, text: str) -> None:
        assert "**Seen in**" in text
        assert "**On a running system:**" in text

    def test_names_the_rules_that_find_it(self, title: str, text: str) -> None:
        (named,) = re.findall(r"\*\*Rules?:\*\*((?:,?\s\[FD\d{3}\]\(rules/FD\d{3}\.md\))+)\.", text)
        assert set(re.findall(r"\[(FD\d{3})\]", named)) == {block.rule for block in marked_blocks(text)} - {None}


def test_every_rule_about_descriptors_has_its_pattern() -> None:
    assert {block.rule for block in marked_blocks(HANDBOOK)} - {None} == KNOWN - {"FD900"}
