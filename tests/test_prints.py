"""The print of a file: what changes it, and what does not."""

from __future__ import annotations

import pytest

from fdlint.languages.index import prints
from fdlint.languages.index.outline import Sketch, sketch
from fdlint.languages.index.prints import changed_words, overriding_words, parts_of, print_of
from fdlint.report.findings.grounds import REST, FilePrint

FILE = '''import os
from deep import *

LIMIT = os.getpid


def plain(a):
    text = """
# no comment
"""
    return text


class Base:
    def close(self):
        os.close(self.fd)


class Sub(Base):
    name = "x"

    def close(self):
        pass


if os.name == "nt":
    from nt import opened
'''


def outline(text: str) -> Sketch:
    found = sketch(text.encode())
    assert found is not None
    return found


def printed(text: str) -> FilePrint:
    return print_of(outline(text), "", "", {})


def changed(old: str, new: str, text: str = FILE) -> tuple[set[str], set[str]]:
    """The parts that an edit changes, and the words."""
    assert old in text
    edited = text.replace(old, new, 1)
    before, after = printed(text), printed(edited)
    names = before.parts.keys() | after.parts.keys()
    parts = {name for name in names if before.parts.get(name) != after.parts.get(name)}
    return parts, set(changed_words(before, after, outline(edited).skeleton))


def test_the_parts_are_the_definitions_and_the_rest() -> None:
    assert list(printed(FILE).parts) == [REST, "plain", "Base", "Sub"]
    assert "".join(text for _, text in parts_of(outline(FILE))).count("def ") == 3


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    return text", "    # now\n\n    return text  # it's done"),
        ("import os\n", "# at the top\nimport os\n"),
        ("\n\nclass Base", "\n\n\n# a class\nclass Base"),
    ],
)
def test_comments_and_empty_lines_change_nothing(old: str, new: str) -> None:
    assert changed(old, new) == (set(), set())


@pytest.mark.parametrize(
    ("old", "new", "parts", "words"),
    [
        ("# no comment", "# not one", {"plain"}, set()),
        ("        pass", "        os.close(1)", {"Sub"}, set()),
        ("LIMIT = os.getpid", "LIMIT = os.open", {REST}, {"LIMIT"}),
        ("import os", "import posix as os", {REST}, {"os", "LIMIT", "opened"}),
        ("\n\nclass Base", "\n\ndef new(a):\n    return a\n\n\nclass Base", {"new"}, {"new"}),
        ("def plain", "def other", {"plain", "other"}, {"plain", "other"}),
        ("class Sub(Base)", "class Sub", {REST}, {"Sub"}),
        ("close(self):\n        pass", "shut(self):\n        pass", {"Sub"}, {"Sub", "close", "shut"}),
        ("from nt import opened", "from nt import closed", {REST}, {"opened", "closed"}),
        ("from deep import *", "from more import *", {REST}, {"*"}),
        ('name = "x"', 'name = "y"', {REST}, set()),
    ],
)  # fmt: skip
def test_an_edit_changes_its_part_and_the_names_that_depend_on_it(
    old: str, new: str, parts: set[str], words: set[str]
) -> None:
    assert changed(old, new) == (parts, words)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("    def close(self):\n        pass", "    pass", {"close", "Base"}),
        ("class Sub(Base)", "class Sub", {"close", "Base"}),
        ("if os", "class More(Sub):\n    def __init__(self):\n        pass\n\n\nif os", {"__init__", "Sub", "Base"}),
        ("if os", "class More(Sub):\n    pass\n\n\nif os", set()),
        ("        pass", "        os.close(1)", set()),
    ],
)
def test_a_subclass_that_overrides_changes_the_calls_of_its_bases(old: str, new: str, words: set[str]) -> None:
    assert overriding_words(printed(FILE), printed(FILE.replace(old, new, 1))) == words


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a = 1  # one\n\n# two\nb = '#'\n", "a = 1\nb = '#'\n"),
        ('a = """\n# x\n\n"""\n', 'a = """\n# x\n\n"""\n'),
        ("a = '\\'# x'  # y\n", "a = '\\'# x'\n"),
        ('a = "\\\n# x"\n\n', 'a = "\\\n# x"\n'),
    ],
)
@pytest.mark.parametrize("nested", [True, False])
def test_comments_are_told_from_strings(text: str, left: str, nested: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prints, "_NESTED_QUOTES", nested)
    assert prints._without_comments(text) == left


def test_quotes_inside_quotes_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prints, "_NESTED_QUOTES", True)
    for text in ('a = f"{b["#"]}"\n\n', 'a = f"""{b["""\n# x\n"""]}"""\n\n'):
        assert prints._without_comments(text) == text
    assert prints._without_comments("a = f'{b}{{'  # c\n") == "a = f'{b}{{'\n"
