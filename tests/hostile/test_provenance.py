"""The revision that a report names, of repositories that anybody may have made."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from fdlint.report.findings.audited import Revision
from fdlint.scan.git.head import revision
from fdlint.scan.git.repository import enclosing

COMMIT = "0123456789abcdef0123456789abcdef01234567"
ORIGIN = '[core]\n\tbare = false\n[remote "origin"]\n\turl = {}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n'


def provenance(place: Path) -> Revision | None:
    found = enclosing(str(place))
    return revision(found) if found is not None else None


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    git = tmp_path / ".git"
    for name in ("objects", "refs/heads"):
        (git / name).mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "refs/heads/main").write_text(f"{COMMIT}\n")
    (git / "config").write_text(ORIGIN.format("https://example.org/a/b.git"))
    return tmp_path


def test_a_branch(tree: Path) -> None:
    found = provenance(tree)
    assert found is not None
    assert found == Revision(os.path.realpath(tree), COMMIT, "main", "https://example.org/a/b.git")
    (tree / "sub").mkdir()
    assert provenance(tree / "sub") == found


def test_packed_and_detached(tree: Path) -> None:
    (tree / ".git/refs/heads/main").unlink()
    assert provenance(tree) is None
    other = COMMIT[::-1]
    (tree / ".git/packed-refs").write_text(
        f"# pack-refs\n{COMMIT} refs/heads/maine\n{other} refs/heads/main\n^{COMMIT}\n"
    )
    found = provenance(tree)
    assert found is not None
    assert found.commit == other
    (tree / ".git/HEAD").write_text(COMMIT)
    found = provenance(tree)
    assert found is not None
    assert (found.commit, found.branch) == (COMMIT, "")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://user:secret@example.org:8443/a.git", "https://example.org:8443/a.git"),
        ("https://token@example.org/a?key=secret#x", "https://example.org/a"),
        ("git@example.org:a/b.git", "ssh://example.org/a/b.git"),
        ("ssh://git@example.org/a", "ssh://example.org/a"),
        ("/home/somebody/a.git", ""),
        ("../a.git", ""),
        ("file:///home/somebody/a", ""),
        ("ext::sh -c touch% pwned", ""),
        ("javascript:alert(1)", ""),
        ("https://exa\x1bmple.org/a", ""),
        ("https://[::1/a", ""),
        ("https://example.org:port/a", ""),
        ("C:\\repository", ""),
    ],
)
def test_addresses(tree: Path, url: str, shown: str) -> None:
    (tree / ".git/config").write_text(ORIGIN.format(url))
    found = provenance(tree)
    assert found is not None
    assert found.repository == shown


@pytest.mark.parametrize(
    "head",
    ["ref: refs/heads/../../config", "ref: /etc/passwd", "ref: refs/heads/a\x1b[31m", "0" * 39, "", "\0", "ref:"],
)
def test_heads_that_are_none(tree: Path, head: str) -> None:
    (tree / ".git/HEAD").write_text(head)
    assert provenance(tree) is None


def test_files_that_are_none(tree: Path) -> None:
    for name in ("HEAD", "refs/heads/main"):
        file = tree / ".git" / name
        before = file.read_bytes()
        file.unlink()
        os.mkfifo(file)
        assert provenance(tree) is None
        file.unlink()
        file.write_bytes(before)
    assert provenance(tree) is not None


def test_no_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert provenance(tmp_path) is None


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_what_git_makes(tmp_path: Path) -> None:
    def git(*arguments: str, at: Path = tmp_path) -> str:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments]
        return subprocess.run(command, cwd=at, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "-q", "-b", "topic/one")
    git("remote", "add", "origin", "https://example.org/a")
    git("commit", "-q", "--allow-empty", "-m", "a")
    commit = git("rev-parse", "HEAD")
    for prepare in (lambda: None, lambda: git("pack-refs", "--all")):
        prepare()
        found = provenance(tmp_path)
        assert found is not None
        assert (found.repository, found.commit, found.branch) == ("https://example.org/a", commit, "topic/one")
    git("worktree", "add", "-q", "-b", "two", "tree")
    found = provenance(tmp_path / "tree")
    assert found is not None
    assert (found.commit, found.branch) == (commit, "two")
