"""``fdlint scan --watch``: the findings again after each change."""

from __future__ import annotations

import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from fdlint.cli import command, main

LEAK = "import os\n\n\ndef read(path):\n    fd = os.open(path, 0)\n    print(path)\n"
CLEAN = LEAK.replace("print(path)", "os.close(fd)")
INTERRUPTED, TERMINATED = 130, 143


class Watcher:
    """A running ``fdlint scan --watch``."""

    def __init__(self, root: Path) -> None:
        words = [sys.executable, "-m", "fdlint", "scan", "--watch", "--no-cache", "--output-format", "concise", "."]
        self.process = subprocess.Popen(words, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._lines.put(line)

    def wait_for(self, text: str) -> None:
        until = time.monotonic() + 20
        while text not in self._lines.get(timeout=until - time.monotonic()):
            pass

    def end(self, number: int) -> int:
        self.process.send_signal(number)
        return self.process.wait(10)


@pytest.fixture
def watcher(tmp_path: Path) -> Iterator[Watcher]:
    (tmp_path / "a.py").write_text(LEAK)
    found = Watcher(tmp_path)
    yield found
    found.process.kill()
    found.process.wait()


def test_it_scans_again_and_ends_with_a_signal(watcher: Watcher, tmp_path: Path) -> None:
    watcher.wait_for("a.py:5:10: FD101")
    (tmp_path / "b.py").write_text(LEAK)
    watcher.wait_for("b.py:5:10: FD101")
    (tmp_path / "fdlint.toml").write_text("nothing = 1\n")
    watcher.wait_for("unknown key `nothing`")
    (tmp_path / "fdlint.toml").unlink()
    watcher.wait_for("b.py:5:10: FD101")
    assert watcher.end(signal.SIGINT) == INTERRUPTED


def test_it_ends_when_it_is_terminated(watcher: Watcher) -> None:
    watcher.wait_for("a.py:5:10: FD101")
    assert watcher.end(signal.SIGTERM) == TERMINATED


@pytest.mark.parametrize("other", [["-"], ["--fix"], ["--add-ignores"], ["--compare", "old.json"]])
def test_what_it_excludes(other: list[str]) -> None:
    assert CliRunner().invoke(command, ["scan", "--watch", *other]).exit_code == 2


def test_without_the_extras(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(["scan", "--watch", "."]) == 2
    assert "pip install 'fdlint[watch]'" in capsys.readouterr().err
    assert main(["server"]) == 2
    assert "pip install 'fdlint[lsp]'" in capsys.readouterr().err
