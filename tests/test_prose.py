"""Plain English: what users read has no long sentences, no habits of ours, and nothing that proselint objects to.

Quotations of what a program prints belong in backticks or code blocks, which are left out.
"""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from prose import HABITS, objections, objections_to, sentences

from fdlint.cli import command

ROOT = Path(__file__).parent.parent
GENERATED_FROM_HELP = ROOT / "docs" / "reference" / "cli.md"  # the same sentences are tested as --help
PAGES = [
    *(ROOT / name for name in ("README.md", "SECURITY.md", "CONTRIBUTING.md", "examples/README.md", "rules/README.md")),
    *(path for path in sorted((ROOT / "docs").rglob("*.md")) if path != GENERATED_FROM_HELP),
]
STILL_THERE = {"CHANGELOG.md": 0, "--help": 0, "docs/reference/api.md": 0}
"""Objections that are still there in texts from before this test; these numbers may only fall."""


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_page(path: Path) -> None:
    name = path.relative_to(ROOT).as_posix()
    found = objections_to(path.read_text(encoding="utf-8"))
    assert len(found) <= STILL_THERE.get(name, 0), "\n".join(found)


def test_what_is_unreleased() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    found = objections_to(changelog.split("\n## [")[1])
    assert len(found) <= STILL_THERE["CHANGELOG.md"], "\n".join(found)


def help_texts(context: click.Context) -> list[str]:
    """The prose of a command's help, and of those below it."""
    one = context.command
    texts = [one.help or "", *(param.help or "" for param in one.params if isinstance(param, click.Option))]
    if isinstance(one, click.Group):
        for name in one.list_commands(context):
            below = one.get_command(context, name)
            assert below is not None
            texts += help_texts(click.Context(below, parent=context, info_name=name))
    return texts


def test_help() -> None:
    texts = help_texts(click.Context(command, info_name="fdlint"))
    found = objections_to("\n\n".join(dict.fromkeys(texts)))
    assert len(found) <= STILL_THERE["--help"], "\n".join(found)


class TestObjections:
    @pytest.mark.parametrize(
        "sentence",
        [
            "A comment that silences nothing is said.",
            "The pool is made anew in every round of the loop.",
            "Left out are caches and installed packages.",
            "Of the Go files nothing is known.",
            "What is not understood is an error.",
            "Whatever is closed stays closed.",
            "fdlint says so.",
            "It is no proof.",
            " ".join(["word"] * 36) + ".",
            "It is thusly closed, methinks.",
        ],
    )
    def test_there_is_one(self, sentence: str) -> None:
        assert objections(sentence)

    @pytest.mark.parametrize(
        "sentence",
        [
            "Unused suppressions are reported (FD900); `code` removes them.",
            "What does it cost?",
            "There is no cache, and no error.",
            "The number is no longer open.",
            " ".join(["word"] * 35) + ".",
        ],
    )
    def test_there_is_none(self, sentence: str) -> None:
        assert objections(sentence) == []

    def test_each_is_found_in_a_text(self) -> None:
        text = "It's fine.\n\nAll's \"well.\n\nIt is thusly closed.\n\nIt is made anew.\n"
        assert [one.partition(":")[0] for one in objections_to(text)] == ["line 5", "line 7"]

    def test_every_habit_can_be_matched(self) -> None:
        for habit in HABITS:
            re.compile(habit)


class TestSentences:
    def test_code_is_left_out(self) -> None:
        text = "One `anew` is code.\n\n```text\nmade anew\n```\n\n<!-- anew -->\nTwo.\n"
        assert [one.text for one in sentences(text)] == ["One `code` is code.", "Two."]

    def test_each_cell_heading_and_item_is_one_with_its_line(self) -> None:
        prose = "# A title\ntext that\ngoes on. fdlint follows.\n\n- an item\n  of two lines\n\n"
        text = f"{prose}| left cell | `a\\|b` right |\n|---|---|\n"
        assert [(one.line, one.text) for one in sentences(text)] == [
            (1, "A title"),
            (2, "text that goes on."),
            (2, "fdlint follows."),
            (5, "an item of two lines"),
            (8, "left cell"),
            (8, "`code` right"),
        ]

    def test_a_link_is_its_text(self) -> None:
        assert [one.text for one in sentences("See [the page](https://example.org/anew).")] == ["See the page."]
