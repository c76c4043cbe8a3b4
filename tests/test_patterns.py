"""The patterns keep their word: bad blocks get the code they name, good ones nothing, and the checklist runs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fenced import Block, marked_blocks

from fdlint.core.checks import all_rules
from fdlint.report.findings.persona import Levels, Persona
from fdlint.scan.options import Options
from fdlint.scan.scan import scan_source

DOCS = Path(__file__).parent.parent / "docs"
OVERVIEW = (DOCS / "patterns.md").read_text(encoding="utf-8")
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in sorted((DOCS / "patterns").glob("*.md"))}
PATTERNS = {name: text for name, text in PAGES.items() if name != "running-system"}
KNOWN = {loaded.rule.code for loaded in all_rules()}
PEDANTIC = Options(levels=Levels(Persona.PEDANTIC))
BLOCKS = [
    pytest.param(block, id=f"{name}-line-{block.line}-{block.rule or 'good'}")
    for name, text in PATTERNS.items()
    for block in marked_blocks(text)
]


def rules_of(text: str) -> set[str | None]:
    return {block.rule for block in marked_blocks(text)} - {None}


@pytest.mark.parametrize("block", BLOCKS)
def test_block(block: Block) -> None:
    report = scan_source(block.text.encode(), "pattern.py", PEDANTIC)
    assert not report.skipped
    assert [finding.code for finding in report.findings] == ([block.rule] if block.rule else [])


def test_every_python_block_of_the_overview_is_in_a_page_of_its_own() -> None:
    assert "```python" not in OVERVIEW


@pytest.mark.parametrize("name", PATTERNS)
class TestPattern:
    def test_every_python_block_is_marked(self, name: str) -> None:
        assert len(marked_blocks(PATTERNS[name])) == PATTERNS[name].count("```python")

    def test_says_where_it_was_seen_and_how_it_looks(self, name: str) -> None:
        assert "**Seen in**" in PATTERNS[name]
        assert "**On a running system:**" in PATTERNS[name]

    def test_names_the_rules_that_find_it(self, name: str) -> None:
        (named,) = re.findall(r"\*\*Rules?:\*\*((?:,?\s\[FD\d{3}\]\(\.\./rules/FD\d{3}\.md\))+)\.", PATTERNS[name])
        assert set(re.findall(r"\[(FD\d{3})\]", named)) == rules_of(PATTERNS[name])

    def test_has_its_picture_with_words_for_those_who_do_not_see_it(self, name: str) -> None:
        shown = {file: words for words, file in re.findall(r"!\[([^\]]+)\]\(\.\./pictures/(.+)\)", PATTERNS[name])}
        assert len(shown[f"{name}.svg"].split()) > 8
        assert all((DOCS / "pictures" / file).is_file() for file in shown)

    def test_is_in_the_overview_with_its_rules(self, name: str) -> None:
        title = PATTERNS[name].split("\n", 1)[0].removeprefix("# ")
        (row,) = re.findall(rf"^\| \[{re.escape(title)}\]\(patterns/{name}\.md\) .*$", OVERVIEW, re.MULTILINE)
        assert set(re.findall(r"FD\d{3}(?=\])", row)) == rules_of(PATTERNS[name])


def test_every_rule_about_descriptors_has_its_pattern() -> None:
    assert set().union(*map(rules_of, PATTERNS.values())) == KNOWN - {"FD900"}


(CHECKLIST,) = re.findall(r"^<!-- checklist: .*? -->\n```sh\n(.*?)^```$", OVERVIEW, re.MULTILINE | re.DOTALL)


@pytest.mark.skipif(
    not sys.platform.startswith("linux") or not all(map(shutil.which, ("bash", "ps", "awk", "find", "mountpoint"))),
    reason="the checklist reads Linux's /proc with ps, awk, find and mountpoint",
)
def test_the_checklist_can_be_pasted_and_gives_five_signals() -> None:
    done = subprocess.run(
        ["bash"], input=CHECKLIST, env={**os.environ, "PAUSE": "0"}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert re.findall(r"^== (\d)\.", done.stdout, re.MULTILINE) == ["1", "2", "3", "4", "5"]
    assert re.search(r"^\d+ threads wait for a FUSE file system$", done.stdout, re.MULTILINE)
    assert re.search(r"^[1-9]\d* \d+ \d+ \S", done.stdout, re.MULTILINE), "no process with its open descriptors"


def test_pasting_the_checklist_only_reads() -> None:
    """What changes the system stands behind a comment sign, and comes last."""
    signals, emergency = CHECKLIST.split("# == The emergency", maxsplit=1)
    commands = ("/abort", "kubectl cordon", "delete pod", "echo 1 >")
    assert not any(word in signals for word in commands)
    assert all(word in emergency for word in commands)
    assert all(line.startswith("#") for line in emergency.splitlines()[1:])
