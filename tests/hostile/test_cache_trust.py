"""A cache decides what is reported: only one that this user has written counts."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import loaded
import pytest

from fdlint.scan.cache import UntrustedCacheError, open_cache, place

LOSES = "import os\n\n\ndef lose(path):\n    os.open(path, 0)\n"
SILENT = "import os\n\n\ndef lost(path):\n    os.close(os.open(path, 0))\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CACHE_HOME")
    return home


@pytest.fixture
def tree(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree whose files are old enough to be kept."""
    tree = tmp_path / "tree"
    (tree / ".git").mkdir(parents=True)
    (tree / "a.py").write_text(LOSES)
    time.sleep(0.05)
    monkeypatch.chdir(tree)
    return tree


def scan(tree: Path, *arguments: str, **environment: str) -> tuple[str, str]:
    """What is on standard output and standard error."""
    command = [sys.executable, "-m", "fdlint", "scan", "-q", "--exit-zero", "--output-format", "concise", *arguments]
    everything: Mapping[str, str] = {**os.environ, **environment}
    done = loaded.run(command, cwd=tree, text=True, check=True, env=everything)
    return done.stdout, done.stderr


def kept(directory: Path) -> Path:
    (found,) = directory.glob("**/*.results")
    return found


def modes(directory: Path) -> set[int]:
    return {one.stat().st_mode & 0o077 for one in (directory, *directory.rglob("*"))}


class TestByDefault:
    def test_nothing_of_the_tree_is_read_or_written(self, tree: Path, home: Path) -> None:
        scan(tree)
        shutil.copytree(kept(home).parent, tree / ".fdlint_cache")
        before = sorted(tree.rglob("*"))
        assert "FD107" in scan(tree)[0]
        assert sorted(tree.rglob("*")) == before

    def test_nobody_else_can_read_or_write_it(self, tree: Path, home: Path) -> None:
        mask = os.umask(0)
        try:
            scan(tree)
        finally:
            os.umask(mask)
        assert kept(home).parent.parent == home / ".cache" / "fdlint"
        assert modes(home / ".cache" / "fdlint") == {0}

    @pytest.mark.parametrize("home_is", ["relative", "/dev/null"])
    def test_without_a_home_there_is_none(self, tree: Path, home_is: str) -> None:
        before = sorted(tree.rglob("*"))
        output, errors = scan(tree, HOME=home_is)
        assert "FD107" in output
        assert errors == ""
        assert sorted(tree.rglob("*")) == before

    def test_a_home_that_cannot_be_written(self, tree: Path, home: Path) -> None:
        (home / ".cache").write_text("in the way")
        output, errors = scan(tree)
        assert "FD107" in output
        assert errors == ""

    def test_what_others_can_write_is_not_used(self, tree: Path, home: Path) -> None:
        scan(tree)
        for one in (kept(home), kept(home).parent, home / ".cache" / "fdlint", home / ".cache" / "fdlint" / "key"):
            one.chmod(one.stat().st_mode | 0o020)
            cache = open_cache()
            assert cache is None or not cache._contents.entries
            one.chmod(one.stat().st_mode & ~0o020)
        cache = open_cache()
        assert cache is not None
        assert cache._contents.files

    def test_links_and_pipes_are_not_followed(self, tree: Path, home: Path) -> None:
        scan(tree)
        results = kept(home)
        results.rename(results.with_name("elsewhere"))
        results.symlink_to("elsewhere")
        assert open_cache()._contents.files == {}  # type: ignore[union-attr]
        results.unlink()
        os.mkfifo(results, 0o600)
        assert "FD107" in scan(tree)[0]

    def test_a_cache_directory_in_the_tree_could_come_with_it(self, tree: Path, home: Path) -> None:
        brought = tree / ".cache"
        scan(tree, XDG_CACHE_HOME=str(brought))
        (tree / "below").mkdir()
        scan(tree / "below", XDG_CACHE_HOME=str(brought))
        assert not brought.exists()

    def test_a_home_in_version_control_is_no_foreign_tree(self, tree: Path, home: Path) -> None:
        (home / ".git").mkdir()
        (home / "a.py").write_text(LOSES)
        time.sleep(0.05)
        scan(home)
        assert kept(home)

    def test_what_has_not_been_used_for_long_is_removed(self, tree: Path, home: Path) -> None:
        user = home / ".cache" / "fdlint"
        scan(tree)
        own, other, foreign = kept(home).parent, user / "other-0123", user / "foreign"
        shutil.copytree(own, other)
        foreign.mkdir()
        for one in (own, other, foreign):
            os.utime(one, (0, time.time() - 31 * 86_400))
        scan(tree)
        assert sorted(one.name for one in user.iterdir()) == sorted(["foreign", "key", own.name])


class TestNamed:
    def test_a_file_that_came_with_the_tree_is_not_read(self, tree: Path, home: Path, tmp_path: Path) -> None:
        """It is signed with another secret, whoever owns it."""
        (tree / "a.py").write_text(SILENT)
        time.sleep(0.05)
        scan(tree, "--cache-dir", ".fdlint_cache", HOME=str(tmp_path / "attacker"))
        assert open_cache(tree / ".fdlint_cache")._contents.files == {}  # type: ignore[union-attr]
        shutil.rmtree(tree / ".fdlint_cache")
        scan(tree, "--cache-dir", ".fdlint_cache")
        assert open_cache(tree / ".fdlint_cache")._contents.files  # type: ignore[union-attr]

    def test_on_another_machine_it_needs_the_secret(
        self, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        scan(tree, "--cache-dir", ".fdlint_cache", FDLINT_CACHE_KEY="secret", HOME="")
        monkeypatch.setenv("HOME", str(tmp_path / "another"))
        for key, known in (("secret", True), ("other", False)):
            monkeypatch.setenv("FDLINT_CACHE_KEY", key)
            cache = open_cache(tree / ".fdlint_cache")
            assert cache is not None
            assert bool(cache._contents.files) is known

    @pytest.mark.parametrize("wrong", ["link", "writable"])
    def test_a_directory_that_is_not_the_users_own(self, tree: Path, wrong: str) -> None:
        (tree / "elsewhere").mkdir(mode=0o700)
        if wrong == "link":
            (tree / "named").symlink_to("elsewhere")
        else:
            (tree / "named").mkdir()
            (tree / "named").chmod(0o777)
        output, errors = scan(tree, "--cache-dir", "named")
        assert "FD107" in output
        why = {"link": "it is a link", "writable": "other users can write to it"}[wrong]
        assert errors == f"fdlint: the cache named is not used: {why}\n"
        assert not list((tree / "named").iterdir())

    @pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners")
    def test_a_directory_of_another_user(self, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tree / "named").mkdir(mode=0o700)
        monkeypatch.setattr(place.os, "geteuid", lambda: (tree / "named").stat().st_uid + 1)
        with pytest.raises(UntrustedCacheError, match="belongs to another user"):
            open_cache(tree / "named")
