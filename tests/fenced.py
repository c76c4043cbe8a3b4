"""Finds bad and good code blocks in Markdown, for the tests that run them.

There are two kinds of marks: a heading ``## Bad: an early return`` / ``## Good`` (rule pages, about one rule), and
a line ``Bad, FD104:`` / ``Good:`` right before the block (the handbook, which is about many rules).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

FENCED = re.compile(r"^```(?P<language>python|go)\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^##+ (?P<title>.+)$", re.MULTILINE)
MARK = re.compile(r"^(?P<mark>Bad|Good)(?:, (?P<rule>FD\d{3})[^\n]*)?:\n\n\Z", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block. ``rule`` is the due code of a bad one, or None for a good one."""

    text: str
    line: int
    rule: str | None
    language: str


def page_blocks(page: str, rule: str) -> list[Block]:
    """Returns the blocks under the headings ``Bad`` and ``Good`` of a rule's page, with or without a name."""
    blocks = []
    for match in FENCED.finditer(page):
        titles = [heading["title"] for heading in HEADING.finditer(page, 0, match.start())]
        blocks.append(
            Block(match["code"], _line(page, match), _wanted(titles[-1].partition(":")[0], rule), match["language"])
        )
    return blocks


def marked_blocks(page: str) -> list[Block]:
    """Returns the blocks with a mark right before them, of a page about many rules. Other blocks are illustrations."""
    blocks = []
    for match in FENCED.finditer(page):
        mark = MARK.search(page, 0, match.start())
        if mark:
            blocks.append(
                Block(match["code"], _line(page, match), _wanted(mark["mark"], mark["rule"]), match["language"])
            )
    return blocks


def _wanted(mark: str, rule: str | None) -> str | None:
    wanted = {"Bad": rule, "Good": None}[mark]
    if mark == "Bad" and wanted is None:
        raise ValueError("a bad block must say which rule it breaks")
    return wanted


def _line(page: str, match: re.Match[str]) -> int:
    return page.count("\n", 0, match.start()) + 2
