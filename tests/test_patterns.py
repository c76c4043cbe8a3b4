"""The handbook keeps its word: bad blocks get the code they name, good ones nothing, and the checklist runs."""

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

HANDBOOK = (Path(__file__).parent.parent / "docs" / "patterns.md").read_text(encoding="utf-8")
KNOWN = {loaded.rule.code for loaded in all_rules()}
PEDANTIC = Options(levels=Levels(Persona.PEDANTIC))
BLOCKS = [
    pytest.param(block, id=f"line-{block.line}-{block.rule or 'good'}")
    for block in marked_blocks(HANDBOOK)
    if block.rule is None or block.rule in KNOWN
]


@pytest.mark.parametrize("block", BLOCKS)
def test_block(block: Block) -> None:
    report = scan_source(block.text.encode(), "pattern.py", PEDANTIC)
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
        re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^##+ (.+)$", HANDBOOK, re.M)
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", HANDBOOK)) <= anchors


ABOUT_ALL = {"Who owns a descriptor", "On a running system", "Checklist", "In an emergency", "Rust's OwnedFd"}
SECTIONS = re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", HANDBOOK, re.MULTILINE | re.DOTALL)
PATTERNS = [(title, text) for title, text in SECTIONS if title not in ABOUT_ALL]


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


(CHECKLIST,) = re.findall(r"^<!-- checklist: .*? -->\n```sh\n(.*?)^```$", HANDBOOK, re.MULTILINE | re.DOTALL)


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
