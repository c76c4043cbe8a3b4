"""Patterns as in .gitignore, against git itself, and in linear time."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from fdlint.scan.config import ConfigError, nearest
from fdlint.scan.git import ignore as gitignore
from fdlint.scan.git.ignore import IgnoreFile, TooManyError
from fdlint.scan.reading import globs

NAMES = ["a", "b", "ab", "abc", "a.b", "b.py", "a.py", "aab", "a b", "#a", "!a", "[a]", "-", "a*b", "zz.txt"]
PARTS = [
    *("a", "b", "c", ".", "*", "?", "*", "[ab]", "[!a]", "[a-c]", "[^b]", "[]a]", "[[:alpha:]]", "[[:nope:]]", "[z-a]"),
    *("[a-]", "[\\]a]", "\\*", "\\#", "\\a", "[a", "-", " ", "py", ".py"),
]


def pattern(random: random.Random) -> str:
    """One as nobody would write it."""

    def segment() -> str:
        if random.random() < 0.45:
            return random.choice(NAMES)
        if random.random() < 0.25:
            return random.choice(["**", "*", "***"])
        return "".join(random.choice(PARTS) for _ in range(random.randint(1, 4)))

    text = "/".join(segment() for _ in range(random.choice([1, 1, 1, 2, 2, 3, 4])))
    for before, after, often in [("/", "", 0.2), ("", "/", 0.2), ("!", "", 0.2), ("", "  ", 0.05), ("", "\\", 0.03)]:
        text = f"{before}{text}{after}" if random.random() < often else text
    return text


def grow(random: random.Random, directory: Path, depth: int = 0) -> list[Path]:
    """A tree of files and directories, each before what is in it."""
    found = []
    for name in random.sample(NAMES, 5):
        path = directory / name
        found.append(path)
        if depth < 3 and random.random() < 0.5:
            path.mkdir()
            found += grow(random, path, depth + 1)
        else:
            path.touch()
    return found


def by_git(top: Path, paths: list[Path]) -> set[Path]:
    """What git ignores; a path is asked for by itself, so a directory above it need not be ignored."""
    command = ["git", "-C", str(top), "-c", "core.ignoreCase=false", "check-ignore", "--no-index", "-zvn", "--stdin"]
    asked = "\0".join(str(path) for path in paths)
    fields = subprocess.run(command, input=asked, text=True, capture_output=True, check=False).stdout.split("\0")
    rows = zip(*(fields[start::4] for start in range(4)), strict=False)
    return {Path(path) for file, _, line, path in rows if file and not line.startswith("!")}


def by_fdlint(rules: tuple[IgnoreFile, ...], paths: list[Path]) -> set[Path]:
    """What a walk from the top leaves out."""
    ignored: set[Path] = set()
    for path in paths:
        name = f"{path}/" if path.is_dir() else str(path)
        if path.parent in ignored or gitignore.is_ignored(rules, name):
            ignored.add(path)
    return ignored


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.parametrize("seed", range(8))
def test_as_git(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    top = tmp_path.resolve()
    subprocess.run(["git", "init", "-q", str(top)], check=True)
    paths = grow(chance, top)
    for _ in range(60):
        lines = [pattern(chance) for _ in range(chance.choice([1, 1, 2, 4]))]
        (top / ".gitignore").write_text("\n".join(lines) + "\n")
        rules = gitignore.own_rules(str(top), [".gitignore"], lambda *_: pytest.fail("it was refused"))
        assert by_fdlint(rules, paths) == by_git(top, paths), lines


@pytest.mark.parametrize(
    ("line", "yes", "no"),
    [
        ("?.py", "é.py", "ab.py"),  # a character; git counts bytes
        ("[é].py", "é.py", "e.py"),
        ("b**/c", "bx/c", "b/x/c"),  # as git documents it; git itself takes a name before ** for a prefix
        ("a\\ ", "a ", "a"),
        ("\\!a", "!a", "a"),
    ],
)
def test_one(line: str, yes: str, no: str) -> None:
    assert gitignore.matching("/base", (line,), f"/base/{yes}")
    assert not gitignore.matching("/base", (line,), f"/base/{no}")


def test_the_last_pattern_decides_whatever_its_kind() -> None:
    kinds = ["a.py", "/a.py", "*.py", "?.py", "/?.py", "**/a.py", "/**/[a].py"]
    for last in kinds:
        lines = (*(f"!{one}" for one in kinds if one != last), last)
        assert gitignore.matching("/base", lines, "/base/a.py"), last
        assert not gitignore.matching("/base", (*lines, f"!{last}"), "/base/a.py"), last


def test_what_is_in_a_directory_that_a_pattern_brings_back() -> None:
    assert gitignore.matching("/base", ("a/**", "!a/b"), "/base/a/c/x.py")
    assert not gitignore.matching("/base", ("a/**", "!a/b"), "/base/a/b/x.py")


def test_the_base_itself_is_never_meant() -> None:
    assert not gitignore.matching("/base", ("*",), "/base/")


@pytest.mark.parametrize(
    "line", ["", "#", "!", "/", "//", "a//b", "[a", "a\\", "[[:nope:]]", "x" * 1001, "a/" * 51 + "b"]
)
def test_nothing(line: str) -> None:
    assert globs.parse(line) is None


class TestWork:
    """Work is counted: how often a part of a pattern is compared with a name."""

    @pytest.mark.parametrize(
        "line",
        [
            "*a*a*a*a*a*a*a*a*b",
            "*" * 900 + "b",
            "?*" * 100 + "b",
            "*[ab]" * 100 + "b",
            "*a?" * 200 + "z",
            "a*" * 400 + "z",
        ],
    )
    def test_a_name(self, line: str) -> None:
        for size in (240, 100_000):
            assert not gitignore.matching("/base", (line,), f"/base/{'a' * size}c")

    @pytest.mark.parametrize("line", ["**/a/" * 20 + "b", "a/**/" * 20 + "b", "*/**/" * 20 + "b", "**/a*/" * 20 + "b"])
    def test_directories(self, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
        compared = 0
        plain = globs.is_meant

        def counting(part: globs.Part, name: str) -> bool:
            nonlocal compared
            compared += 1
            return plain(part, name)

        monkeypatch.setattr(globs, "is_meant", counting)
        glob = globs.parse(line)
        assert glob is not None
        rules = IgnoreFile("/base/", [glob])
        path = "/base/"
        for _ in range(500):
            path += "a/"
            assert not rules.verdict(path)
        assert compared <= 500 * 3 * len(glob.parts)  # not again from the top for each directory

    def test_many_that_are_looked_up(self) -> None:
        lines = [f"{form}{number}" for form in ("name", "/path/to", "*.suffix") for number in range(2_000)]
        rules = IgnoreFile("/base/", [glob for line in lines if (glob := globs.parse(line)) is not None])
        assert rules.verdict("/base/x/name1999")
        assert rules.verdict("/base/path/to7")
        assert rules.verdict("/base/x.suffix123")
        assert rules.verdict("/base/x/y.py") is None

    def test_many_that_have_to_be_tried(self) -> None:
        found = [globs.parse(f"a*{number}?") for number in range(1_001)]
        with pytest.raises(TooManyError, match="more than 1,000 patterns"):
            IgnoreFile("/base/", [glob for glob in found if glob is not None])

    def test_a_configuration_with_so_many_is_not_understood(self, tmp_path: Path) -> None:
        patterns = ", ".join(f'"a*{number}?"' for number in range(1_001))
        (tmp_path / "fdlint.toml").write_text(f"exclude = [{patterns}]\n")
        with pytest.raises(ConfigError, match="`exclude` has more than 1,000 patterns with wildcards"):
            nearest()(str(tmp_path))

    def test_they_are_refused_with_a_reason(self, tmp_path: Path) -> None:
        from fdlint.scan.files.discover import discover

        (tmp_path / ".gitignore").write_text("".join(f"a*{number}?\n" for number in range(1_001)))
        (tmp_path / "a.py").touch()
        (skipped,) = discover([tmp_path]).skipped
        assert os.path.basename(skipped.path) == ".gitignore"
        assert skipped.reason == "more than 1,000 patterns with wildcards"
