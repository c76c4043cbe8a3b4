"""CODEOWNERS by GitHub's rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from fdlint.scan.git.owners import PLACES, Codeowners, owners

# The examples of GitHub's own page, in other words.
EXAMPLE = """\
# a comment
*       @global1 @global2
*.js    @js-owner #This is an inline comment.
*.go docs@example.com
*.txt @octo-org/octocats
/build/logs/ @doctocat
docs/* docs@example.com
apps/ @octocat
/docs/ @doctocat
/scripts/ @doctocat @octocat
**/logs @octologs
/apps/ @octoapps
/apps/github
"""


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("a.py", ("@global1", "@global2")),
        ("x/y/a.js", ("@js-owner",)),
        ("a.go", ("docs@example.com",)),
        ("a.txt", ("@octo-org/octocats",)),
        ("build/a.py", ("@global1", "@global2")),
        ("x/build/logs/a.py", ("@octologs",)),
        ("docs/deep/a.py", ("@doctocat",)),
        ("x/apps/deep/a.py", ("@octocat",)),
        ("scripts/a.py", ("@doctocat", "@octocat")),
        ("deeply/nested/logs/a.py", ("@octologs",)),
        ("apps/a.py", ("@octoapps",)),
        ("apps/github/a.py", ()),
    ],
)
def test_the_last_line_that_matches_decides(path: str, names: tuple[str, ...]) -> None:
    assert Codeowners(EXAMPLE).of(path) == names


@pytest.mark.parametrize(
    ("text", "path", "names"),
    [
        ("docs/* @a", "docs/x.py", ("@a",)),
        ("docs/* @a", "docs/deep/x.py", ()),
        ("docs/** @a", "docs/deep/x.py", ("@a",)),
        ("/* @a", "x.py", ("@a",)),
        ("/* @a", "deep/x.py", ()),
        ("* @a", "deep/x.py", ("@a",)),
        ("with\\ space/ @a", "with space/x.py", ("@a",)),
        ("a.py @a\r\nb.py @b\r\n", "b.py", ("@b",)),
        ("\ufeffa.py @a", "a.py", ("@a",)),
        ("* @a\n!a.py @b", "a.py", ("@a",)),
        ("* @a\n[ab].py @b", "a.py", ("@a",)),
        ("* @a\na.py nobody", "a.py", ("@a",)),
        ("* @a\na.py @<img> \x1b[31m", "a.py", ("@a",)),
        ("* @a\n* " + "@b " * 60, "a.py", ("@b",) * 50),
        ("", "a.py", ()),
    ],
)
def test_lines(text: str, path: str, names: tuple[str, ...]) -> None:
    assert Codeowners(text).of(path) == names


class TestWhere:
    @pytest.fixture(autouse=True)
    def here(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)

    def put(self, name: str, text: str = "") -> None:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)

    def owners(self, *paths: str, named: tuple[str, ...] = (".",)) -> dict[str, tuple[str, ...]]:
        return owners(paths, named, lambda path, reason: pytest.fail(f"{path}: {reason}"))

    def test_the_first_place_counts(self) -> None:
        for number, place in reversed([*enumerate(PLACES)]):
            self.put(place, f"* @place{number}")
            assert self.owners("a.py") == {"a.py": (f"@place{number}",)}

    def test_patterns_begin_at_the_top_of_the_repository(self) -> None:
        for name in ("objects", "refs"):
            Path("repo/.git", name).mkdir(parents=True)
        self.put("repo/.git/HEAD", "ref: refs/heads/main\n")
        self.put("repo/CODEOWNERS", "/src/ @src")
        self.put("CODEOWNERS", "* @outside")
        self.put("repo/src/a.py")
        assert self.owners("repo/src/a.py", "repo/b.py", named=("repo/src",)) == {"repo/src/a.py": ("@src",)}

    def test_outside_of_a_repository_it_is_looked_for_in_the_named_directories(self) -> None:
        self.put("one/CODEOWNERS", "/src/ @one")
        self.put("two/.github/CODEOWNERS", "* @two")
        found = self.owners("one/src/a.py", "two/src/b.py", "three/c.py", named=("one", "two", "three"))
        assert found == {"one/src/a.py": ("@one",), "two/src/b.py": ("@two",)}
