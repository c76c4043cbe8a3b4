"""Names in a scanned tree that are no regular files, or files of gigabytes: nothing hangs, nothing is read."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fdlint.config import ConfigError, nearest
from fdlint.files.discover import discover
from fdlint.reading import intake
from hostile.running import LEAK, MEMORY, Run, scan

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


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Path]:
    root = tmp_path / "tree"
    root.mkdir()
    (root / "leak.py").write_text(LEAK)
    yield root
    for path in root.rglob("*"):  # pytest keeps what is here
        if path.is_file() and path.stat().st_size == HUGE:
            path.unlink()


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


class TestSources:
    @pytest.mark.parametrize("make", ALL)
    def test_what_is_found(self, tree: Path, make: Make) -> None:
        make(tree / "odd.py")
        run = calm(scan(tree))
        assert run.found == ["leak.py"]
        assert run.skipped.get("odd.py", "") == (f"{TOO_LARGE}8,000,000" if make is huge else "")

    @pytest.mark.parametrize(
        ("make", "reason"),
        [(fifo, IRREGULAR), (bound, IRREGULAR), (device, IRREGULAR), (huge, f"{TOO_LARGE}8,000,000")],
    )
    @pytest.mark.parametrize("name", ["odd.py", "odd", "odd.go"])
    def test_what_is_named(self, tree: Path, make: Make, reason: str, name: str) -> None:
        make(tree / name)
        run = calm(scan(tree, name, "leak.py"))
        assert run.found == ["leak.py"]
        assert run.skipped[name].startswith(reason if (make, name) != (huge, "odd") else "not a Python or Go file")

    @pytest.mark.parametrize("make", ALL)
    def test_what_is_imported(self, tree: Path, make: Make) -> None:
        make(tree / "odd.py")
        (tree / "user.py").write_text("from odd import *\nfrom odd import A, g\nimport os\ng(os.open('a', A))\n")
        assert calm(scan(tree, "user.py", "leak.py")).found[:1] == ["leak.py"]

    def test_a_pipe_that_takes_the_place_of_a_file(self, tree: Path) -> None:
        from fdlint.driver.scan import scan_file
        from fdlint.driver.schedule import contents

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
    @pytest.mark.parametrize("make", ALL)
    def test_gitignore(self, tree: Path, make: Make) -> None:
        make(tree / ".gitignore")
        reasons = {huge: f"{TOO_LARGE}1,000,000", dangling: "cannot be read: No such file or directory"}
        run = calm(scan(tree))
        assert run.found == ["leak.py"]
        assert run.skipped == {".gitignore": reasons.get(make, IRREGULAR)}

    @pytest.mark.parametrize("make", ALL)
    def test_above_what_is_named(self, tree: Path, make: Make) -> None:
        (tree / ".git").mkdir()
        make(tree / ".gitignore")
        (tree / "inner").mkdir()
        (tree / "inner" / "leak.py").write_text(LEAK)
        run = calm(scan(tree, "inner"))
        assert (run.found, [*run.skipped]) == (["inner/leak.py"], [".gitignore"])

    @pytest.mark.parametrize("make", [make for make in ALL if make is not directory])
    def test_git(self, tree: Path, make: Make) -> None:
        make(tree / ".git")
        run = calm(scan(tree))
        assert (run.found, run.skipped) == (["leak.py"], {})

    @pytest.mark.parametrize("make", ALL)
    def test_exclude(self, tree: Path, make: Make) -> None:
        (tree / ".git" / "info").mkdir(parents=True)
        make(tree / ".git" / "info" / "exclude")
        run = calm(scan(tree))
        assert (run.found, [*run.skipped]) == (["leak.py"], [".git/info/exclude"])

    @pytest.mark.parametrize("make", ALL)
    def test_what_tells_a_virtual_environment(self, tree: Path, make: Make) -> None:
        (tree / "env").mkdir()
        make(tree / "env" / "pyvenv.cfg")
        assert calm(scan(tree)).found == ["leak.py"]


class TestConfigurations:
    @pytest.mark.parametrize("name", ["pyproject.toml", "fdlint.toml"])
    @pytest.mark.parametrize("make", [*IRREGULARS, dangling])
    def test_what_is_no_file_configures_nothing(self, tree: Path, make: Make, name: str) -> None:
        make(tree / name)
        assert calm(scan(tree)).found == ["leak.py"]

    @pytest.mark.parametrize("name", ["pyproject.toml", "fdlint.toml"])
    def test_a_huge_one(self, tree: Path, name: str) -> None:
        huge(tree / name)
        run = calm(scan(tree))
        assert run.status == 2
        assert f"{name}: {TOO_LARGE}1,000,000" in run.errors

    @pytest.mark.parametrize("make", ALL)
    def test_a_named_one(self, tree: Path, make: Make) -> None:
        make(tree / "other.toml")
        assert calm(scan(tree, "--config", "other.toml", ".")).status == 2

    @pytest.mark.parametrize("text", ["a = " + "[" * 100_000, "a = " + "9" * 100_000, "a." * 4000 + "a = 1\n" * 2])
    def test_what_toml_stumbles_over(self, tree: Path, text: str) -> None:
        (tree / "fdlint.toml").write_text(text)
        with pytest.raises(ConfigError, match=r"fdlint\.toml: "):
            nearest()(str(tree))

    @pytest.mark.parametrize("make", ALL)
    def test_a_baseline(self, tree: Path, make: Make) -> None:
        make(tree / "old.json")
        (tree / "fdlint.toml").write_text('baseline = "old.json"\n')
        run = calm(scan(tree))
        reasons = {huge: f"{TOO_LARGE}100,000,000", dangling: "there is no such baseline"}
        assert run.status == 2
        assert reasons.get(make, IRREGULAR) in run.errors

    def test_a_baseline_that_is_nested_too_deeply(self, tree: Path) -> None:
        (tree / "old.json").write_text("[" * 200_000)
        run = calm(scan(tree, "--baseline", "old.json", "."))
        assert (run.status, "is not a baseline" in run.errors) == (2, True)


class TestCache:
    @pytest.mark.parametrize("make", ALL)
    def test_the_file(self, tree: Path, make: Make) -> None:
        from fdlint.driver.cache.place import Place
        from fdlint.driver.cache.store import Contents, read

        make(tree / "engine.results")
        assert read(Place(tree, b"key"), "engine") == Contents()

    @pytest.mark.parametrize("make", ALL)
    def test_a_file_that_results_rest_on(self, tree: Path, make: Make) -> None:
        from fdlint.driver.cache.prints import Prints

        make(tree / "odd.py")
        assert Prints({}).print_of(str(tree / "odd.py")) == ""


class TestReports:
    @pytest.mark.parametrize("make", ALL)
    def test_what_is_merged(self, tree: Path, make: Make) -> None:
        make(tree / "one.json")
        command = ["-m", "fdlint", "merge", "one.json"]
        done = subprocess.run([os.sys.executable, *command], cwd=tree, capture_output=True, timeout=60, check=False)
        assert done.returncode == 2
        assert b"Traceback" not in done.stderr
