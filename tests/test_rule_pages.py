"""A rule's page keeps its word: each bad block gets this rule's code and no other, each good one none."""

from __future__ import annotations

import re

import pytest
from fenced import HEADING, Block, page_blocks

from fdlint.core.checks import LoadedRule, all_rules
from fdlint.report.findings.persona import Levels, Persona
from fdlint.scan.options import Options
from fdlint.scan.scan import scan_source

SECTIONS = ["What it does", "Why is this bad?", "Bad", "Good", "What to do", "What it does not report", "References"]
PEDANTIC = Options(levels=Levels(Persona.PEDANTIC))
_NAMES = {"python": "page.py", "go": "page.go"}
BLOCKS = [
    pytest.param(block, id=f"{loaded.rule.code}-line-{block.line}-{'bad' if block.rule else 'good'}")
    for loaded in all_rules()
    for block in page_blocks(loaded.page, loaded.rule.code)
]


@pytest.mark.parametrize("block", BLOCKS)
def test_block(block: Block) -> None:
    report = scan_source(block.text.encode(), _NAMES[block.language], PEDANTIC)
    assert not report.skipped
    assert [finding.code for finding in report.findings] == ([block.rule] if block.rule else [])


@pytest.mark.parametrize("loaded", all_rules(), ids=lambda loaded: loaded.rule.code)
class TestPage:
    def test_has_its_sections_in_order(self, loaded: LoadedRule) -> None:
        titles = [heading["title"].partition(":")[0] for heading in HEADING.finditer(loaded.page)]
        assert list(dict.fromkeys(titles)) == SECTIONS

    def test_names_its_examples_if_there_are_several(self, loaded: LoadedRule) -> None:
        """So the contents of the page tell which is which."""
        titles = [heading["title"] for heading in HEADING.finditer(loaded.page)]
        assert len(set(titles)) == len(titles)

    def test_shows_a_good_way_for_each_bad_one(self, loaded: LoadedRule) -> None:
        blocks = page_blocks(loaded.page, loaded.rule.code)
        for bad, after in zip(blocks, [*blocks[1:], None], strict=True):
            if bad.rule:
                assert after is not None
                assert after.rule is None

    def test_mentions_only_codes_that_look_like_codes(self, loaded: LoadedRule) -> None:
        for word in re.findall(r"\bFD\d+\b", loaded.page):
            assert re.fullmatch(r"FD[1-49]\d\d", word)
