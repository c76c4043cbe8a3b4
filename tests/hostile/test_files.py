"""Names in a scanned tree that are no regular files, or files of gigabytes: nothing hangs, nothing is read."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fdlint.scan.config import ConfigError, nearest
from fdlint.scan.files.discover import discover
from fdlint.scan.reading import intake
from hostile.running import LEAK, MEMORY, Run, run_all, scan, scan_each

pytestmark = pytest.mark.skipif(os.name != "posix", reason="these files are POSIX's")

HUGE = 3 << 30
IRREGULAR = "not a regular file"
TOO_LARGE = "too large: 3,221,225,472 bytes, the limit is "


def fifo(path: Path) -> None:
    os.mkfifo(path)


def bound(path: Path) -> None:
    """A socket; its name may not be long."""
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(path.parent)
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(path.name)
    finally:
        os.fchdir(here)
        os.close(here)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def directory(path: Path) -> None:
    path.mkdir()


def dangling(path: Path) -> None:
    path.symlink_to("nowhere")


def huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(HUGE)


Make = Callable[[Path], None]
IRREGULARS: list[Make] = [fifo, bound, device, directory]
ALL: list[Make] = [*IRREGULARS, dangling, huge]


Trees = dict[Make, Path]


@pytest.fixture
def trees(tmp_path: Path) -> Iterator[Trees]:
    """A tree with a leak for each kind of file. A process that scans all of them starts only once."""
    found = {make: tmp_path / "trees" / make.__name__ for make in ALL}
    for root in found.values():
        root.mkdir(parents=True)
        (root / "leak.py").write_text(LEAK)
    yield found
    for path in tmp_path.rglob("*"):  # pytest keeps what is here
        if path.is_file() and path.stat().st_size == HUGE:
            path.unlink()


@pytest.fixture
def tree(trees: Trees) -> Path:
    return trees[fifo]


def calm(run: Run) -> Run:
    """No traceback, and no more memory than for any other file."""
    assert "Traceback" not in run.errors
    assert run.peak < MEMORY
    return run


class TestReader:
    @pytest.mark.parametrize("make", IRREGULARS)
    def test_what_is_no_regular_file_is_refused(self, tree: Path, make: Make) -> None:
        make(tree / "one")
        for read in (lambda: intake.read(tree / "one", 100), lambda: intake.read_start(tree / "one", 100)):
            with pytest.raises(intake.RefusedError, match=IRREGULAR):
                read()

    def test_the_limit_is_exact(self, tree: Path) -> None:
        (tree / "one").write_bytes(b"x" * 100)
        assert intake.read(tree / "one", 100) == b"x" * 100
        with pytest.raises(intake.RefusedError, match="too large: 100 bytes, the limit is 99"):
            intake.read(tree / "one", 99)
        assert intake.read_start(tree / "one", 7) == b"x" * 7

    def test_an_empty_file(self, tree: Path) -> None:
        (tree / "one").touch()
        assert intake.read(tree / "one", 100) == b""

    def test_nothing_of_a_huge_file_is_read(self, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        huge(tree / "one")
        monkeypatch.setattr(intake.os, "read", lambda *_: pytest.fail("it was read"))
        with pytest.raises(intake.RefusedError, match=TOO_LARGE):
            intake.read(tree / "one", intake.SOURCE)

    @pytest.mark.parametrize("size", [0, 50])
    def test_a_file_that_grows_meanwhile(self, tree: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
        (tree / "one").write_bytes(b"x" * 5000)
        plain = intake._opened
        monkeypatch.setattr(intake, "_opened", lambda path: (plain(path)[0], size))
        assert intake.read(tree / "one", 5000) == b"x" * 5000
        with pytest.raises(intake.RefusedError, match="too large: more than 4,999 bytes"):
            intake.read(tree / "one", 4999)

    def test_a_name_that_becomes_a_pipe_after_the_look(self, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        fifo(tree / "one")
        regular = os.stat(tree / "leak.py")
        monkeypatch.setattr(intake.os, "stat", lambda _: regular)
        with pytest.raises(intake.RefusedError, match=IRREGULAR):
            intake.read(tree / "one", 100)

    def test_a_device_is_not_opened(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(intake.os, "open", lambda *_: pytest.fail("it was opened"))
        with pytest.raises(intake.RefusedError, match=IRREGULAR):
            intake.read("/dev/zero", 100)

    @pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="there is no /proc")
    def test_a_file_of_proc_has_no_size(self) -> None:
        assert b"Name:" in intake.read("/proc/self/status", 100_000)
        with pytest.raises(intake.RefusedError, match="too large: more than 10 bytes"):
            intake.read("/proc/self/status", 10)

    def test_no_descriptor_is_left(self, tree: Path) -> None:
        fifo(tree / "one")
        before = os.open(".", os.O_RDONLY)
        os.close(before)
        for _ in range(3):
            with pytest.raises(intake.RefusedError):
                intake.read(tree / "one", 100)
            with pytest.raises(intake.RefusedError):
                intake.read(tree / "leak.py", 1)
        after = os.open(".", os.O_RDONLY)
        os.close(after)
        assert after == before


def calm_scans(trees: Trees, *arguments: str) -> dict[Make, Run]:
    """Scans all trees with the same arguments."""
    return {make: calm(run) for make, run in zip(trees, scan_each([*trees.values()], *arguments), strict=True)}


class TestSources:
    def test_what_is_found(self, trees: Trees) -> None:
        for make, tree in trees.items():
            make(tree / "odd.py")
        for make, run in calm_scans(trees).items():
            assert run.found == ["leak.py"], make
            assert run.skipped.get("odd.py", "") == (f"{TOO_LARGE}8,000,000" if make is huge else ""), make

    @pytest.mark.parametrize("name", ["odd.py", "odd", "odd.go"])
    def test_what_is_named(self, trees: Trees, name: str) -> None:
        reasons = {fifo: IRREGULAR, bound: IRREGULAR, device: IRREGULAR, huge: f"{TOO_LARGE}8,000,000"}
        for make in reasons:
            make(trees[make] / name)
        for make, run in calm_scans({make: trees[make] for make in reasons}, name, "leak.py").items():
            assert run.found == ["leak.py"], make
            reason = reasons[make] if (make, name) != (huge, "odd") else "not a Python or Go file"
            assert run.skipped[name].startswith(reason), make

    def test_what_is_imported(self, trees: Trees) -> None:
        for make, tree in trees.items():
            make(tree / "odd.py")
            (tree / "user.py").write_text("from odd import *\nfrom odd import A, g\nimport os\ng(os.open('a', A))\n")
        for make, run in calm_scans(trees, "user.py", "leak.py").items():
            assert run.found[:1] == ["leak.py"], make

    def test_a_pipe_that_takes_the_place_of_a_file(self, tree: Path) -> None:
        from fdlint.scan.scan import scan_file
        from fdlint.scan.schedule import contents

        (file,) = discover([tree]).files
        (tree / "leak.py").unlink()
        fifo(tree / "leak.py")
        (skipped,) = scan_file(file).skipped
        assert skipped.reason == IRREGULAR
        assert contents(file) == b""

    def test_standard_input_has_a_limit(self, tree: Path) -> None:
        with open("/dev/zero", "rb") as zero:
            run = calm(scan(tree, "-", stdin=zero.fileno()))
        assert run.status == 2
        assert "standard input: too large: more than 8,000,000 bytes" in run.errors


class TestIgnoreFiles:
    def test_gitignore(self, trees: Trees) -> None:
        for make, tree in trees.items():
            make(tree / ".gitignore")
        reasons = {huge: f"{TOO_LARGE}1,000,000", dangling: "cannot be read: No such file or directory"}
        for make, run in calm_scans(trees).items():
            assert run.found == ["leak.py"], make
            assert run.skipped == {".gitignore": reasons.get(make, IRREGULAR)}, make

    def test_above_what_is_named(self, trees: Trees) -> None:
        for make, tree in trees.items():
            (tree / ".git").mkdir()
            make(tree / ".gitignore")
            (tree / "inner").mkdir()
            (tree / "inner" / "leak.py").write_text(LEAK)
        for make, run in calm_scans(trees, "inner").items():
            assert (run.found, [*run.skipped]) == (["inner/leak.py"], [".gitignore"]), make

    def test_git(self, trees: Trees) -> None:
        del trees[directory]
        for make, tree in trees.items():
            make(tree / ".git")
        for make, run in calm_scans(trees).items():
            assert (run.found, run.skipped) == (["leak.py"], {}), make

    def test_exclude(self, trees: Trees) -> None:
        for make, tree in trees.items():
            (tree / ".git" / "info").mkdir(parents=True)
            make(tree / ".git" / "info" / "exclude")
        for make, run in calm_scans(trees).items():
            assert (run.found, [*run.skipped]) == (["leak.py"], [".git/info/exclude"]), make

    def test_what_tells_a_virtual_environment(self, trees: Trees) -> None:
        for make, tree in trees.items():
            (tree / "env").mkdir()
            make(tree / "env" / "pyvenv.cfg")
        for make, run in calm_scans(trees).items():
            assert run.found == ["leak.py"], make


class TestConfigurations:
    @pytest.mark.parametrize("name", ["pyproject.toml", "fdlint.toml"])
    def test_what_is_no_file_configures_nothing_and_a_huge_one_is_refused(self, trees: Trees, name: str) -> None:
        for make, tree in trees.items():
            make(tree / name)
        runs = calm_scans(trees)
        refused = runs.pop(huge)
        assert refused.status == 2
        assert f"{name}: {TOO_LARGE}1,000,000" in refused.errors
        for make, run in runs.items():
            assert run.found == ["leak.py"], make

    def test_a_named_one(self, trees: Trees) -> None:
        for make, tree in trees.items():
            make(tree / "other.toml")
        assert {run.status for run in calm_scans(trees, "--config", "other.toml", ".").values()} == {2}

    @pytest.mark.parametrize("text", ["a = " + "[" * 100_000, "a = " + "9" * 100_000, "a." * 4000 + "a = 1\n" * 2])
    def test_what_toml_stumbles_over(self, tree: Path, text: str) -> None:
        (tree / "fdlint.toml").write_text(text)
        with pytest.raises(ConfigError, match=r"fdlint\.toml: "):
            nearest()(str(tree))

    def test_a_baseline(self, trees: Trees) -> None:
        for make, tree in trees.items():
            make(tree / "old.json")
            (tree / "fdlint.toml").write_text('baseline = "old.json"\n')
        reasons = {huge: f"{TOO_LARGE}100,000,000", dangling: "no such baseline"}
        for make, run in calm_scans(trees).items():
            assert run.status == 2, make
            assert reasons.get(make, IRREGULAR) in run.errors, make

    def test_a_baseline_that_is_nested_too_deeply(self, tree: Path) -> None:
        (tree / "old.json").write_text("[" * 200_000)
        run = calm(scan(tree, "--baseline", "old.json", "."))
        assert (run.status, "is not a baseline" in run.errors) == (2, True)


class TestCache:
    @pytest.mark.parametrize("make", ALL)
    def test_the_file(self, tree: Path, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
        from fdlint.scan.cache.place import Place
        from fdlint.scan.cache.store import Contents, read

        monkeypatch.setattr(intake, "STORE", 1 << 20)  # reading up to the real limit takes seconds
        make(tree / "engine.results")
        assert read(Place(tree, b"key"), "engine") == Contents()

    @pytest.mark.parametrize("make", ALL)
    def test_a_file_that_results_rest_on(self, tree: Path, make: Make) -> None:
        from fdlint.scan.cache.prints import Prints

        make(tree / "odd.py")
        assert Prints({}).print_of(str(tree / "odd.py")) == ""


class TestReports:
    def test_what_is_merged(self, trees: Trees) -> None:
        for make, tree in trees.items():
            make(tree / "one.json")
        runs = run_all([(tree, ["merge", "one.json"]) for tree in trees.values()])
        assert {calm(run).status for run in runs} == {2}
