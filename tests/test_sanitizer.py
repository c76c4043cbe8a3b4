"""The sanitizer of descriptors: ``fdlint san`` and ``pytest --fd-san``."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import textwrap
from pathlib import Path

import leaky
import pytest

SEEDED = [
    pytest.param(
        """
        fd = os.open(os.devnull, os.O_RDONLY)
        os.close(fd)
        other = os.open(os.devnull, os.O_RDONLY)
        os.close(fd)
        """,
        "FD201: descriptor {n} is closed a second time, and the number belonged to another file by then",
        id="a stranger's close",
    ),
    pytest.param(
        """
        r, w = os.pipe()
        os.close(w)
        log = open(os.devnull, "w")
        os.write(w, b"x")
        """,
        "FD202: descriptor {n} is used after its close, and the number belongs to another file by now",
        id="used",
    ),
    pytest.param(
        """
        fd = os.dup(0)
        file = os.fdopen(fd)
        os.close(fd)
        """,
        "FD203: descriptor {n} is closed although an object owns it and will close it again (by TextIOWrapper)",
        id="owned by a file",
    ),
    pytest.param(
        """
        a, b = socket.socketpair()
        number = a.detach()
        os.close(number)
        later = os.dup(1)
        os.set_blocking(number, True)
        """,
        "FD202: descriptor {n} is used after its close",
        id="detached",
    ),
    pytest.param(
        """
        a, b = socket.socketpair()
        socket.send_fds(a, [b"x"], [0])
        _, fds, _, _ = socket.recv_fds(b, 1, 1)
        os.close(fds[0])
        file = os.open(os.devnull, os.O_RDONLY)
        os.close(fds[0])
        """,
        "FD201: descriptor {n} is closed a second time, and the number belonged to another file by then",
        id="received",
    ),
    pytest.param(
        """
        fd, path = tempfile.mkstemp()
        file = open(fd, "w")
        file.close()
        other = os.open(path, os.O_RDONLY)
        os.close(fd)
        """,
        "FD201: descriptor {n} is closed a second time, and the number belonged to another file by then",
        id="closed by its owner",
    ),
]
CORRECT = """
class Made:
    pipe = os.pipe

    def both(self):
        return self.pipe()


r, w = Made().both()
assert isinstance(r, int) and r == int(r) and repr(r) == str(int(r)), r
assert type(pickle.loads(pickle.dumps(r))) is int and type(r + 0) is int
os.close(r)
os.close(w)
fd = os.open(os.devnull, os.O_RDONLY)
saved = os.dup(fd)
os.close(fd)
os.dup2(saved, fd)
os.lseek(fd, 0, os.SEEK_SET)
os.close(fd)
os.close(saved)
a, b = socket.socketpair()
again = socket.socket(fileno=a.detach())
number = again.detach()
os.close(number)
fd, path = tempfile.mkstemp()
with open(fd, "w", closefd=False) as file:
    file.write("x")
os.close(fd)
fd = os.open(path, os.O_RDONLY)
raw = os.fdopen(fd, "rb").detach()
assert os.read(fd, 1) == b"x"
raw.close()
fd = os.open(path, os.O_RDONLY)
file = os.fdopen(fd)
buffer = file.detach()
os.close(fd)
child = subprocess.run(["true"], pass_fds=[0])
for number in range(100, 200):
    try:
        os.close(number)
    except OSError:
        pass
try:
    os.fstat(fd)  # it asks whether the number is closed
except OSError:
    pass
"""
IMPORTS = "import os, pickle, socket, subprocess, tempfile\n"


def run(tmp_path: Path, code: str) -> subprocess.CompletedProcess[str]:
    Path(tmp_path, "spam.py").write_text(IMPORTS + textwrap.dedent(code))
    command = [sys.executable, "-m", "fdlint", "san", "spam.py"]
    return subprocess.run(command, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("code", "report"), SEEDED)
def test_a_seeded_bug_is_reported(tmp_path: Path, code: str, report: str) -> None:
    done = run(tmp_path, code)
    before, _, after = report.partition("{n}")
    assert before in done.stderr
    assert after in done.stderr
    assert done.stderr.count("fdlint: FD") == 1
    assert "spam.py:" in done.stderr
    assert done.returncode == 66


def test_correct_code_has_no_report(tmp_path: Path) -> None:
    done = run(tmp_path, CORRECT)
    assert done.stderr == ""
    assert done.returncode == 0


def test_the_exit_status_and_the_arguments_are_those_of_the_program(tmp_path: Path) -> None:
    Path(tmp_path, "spam.py").write_text("import sys\nraise SystemExit(len(sys.argv))\n")
    command = [sys.executable, "-m", "fdlint", "san", "spam.py", "--fix", "-h"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == 3


def test_each_report_has_three_stacks(tmp_path: Path) -> None:
    code = """
    def opening():
        return os.open(os.devnull, os.O_RDONLY)

    def closing(fd):
        os.close(fd)

    fd = opening()
    closing(fd)
    other = opening()
    closing(fd)
    """
    lines = [line.strip() for line in run(tmp_path, code).stderr.split("\n")]
    assert lines[1:3] == ["os.close() here:", "spam.py:7 in closing"]
    for title in ("opened by os.open():", "closed:", "opened by os.open() since:"):
        assert title in lines


def pytest_run(tmp_path: Path, code: str, *options: str) -> str:
    Path(tmp_path, "test_spam.py").write_text(IMPORTS + textwrap.dedent(code))
    Path(tmp_path, "pytest.ini").write_text("[pytest]\n")
    return leaky.run(tmp_path, "-p", "xdist", *options).stdout


TEST = """
def test_it():
    fd = os.open(os.devnull, os.O_RDONLY)
    os.close(fd)
    other = os.open(os.devnull, os.O_RDONLY)
    os.close(fd)


def test_another():
    r, w = os.pipe()
    os.close(r)
    os.close(w)
"""


@pytest.mark.parametrize("options", [("-n", "0"), ("-n", "1"), ("-n", "0", "--fd-leaks=report")])
def test_a_test_fails_and_the_next_does_not(tmp_path: Path, options: tuple[str, ...]) -> None:
    out = pytest_run(tmp_path, TEST, "--fd-san", *options)
    assert "1 failed, 1 passed" in out
    assert "is closed a second time" in out
    assert "test_spam.py:7 in test_it" in out


def test_it_can_only_report(tmp_path: Path) -> None:
    out = pytest_run(tmp_path, TEST, "--fd-san=report", "-n", "0")
    assert "2 passed" in out
    assert "misused descriptors (fdlint)" in out


def test_an_unknown_mode(tmp_path: Path) -> None:
    Path(tmp_path, "test_spam.py").write_text("")
    done = leaky.run(tmp_path, "--fd-san=always")
    assert "--fd-san: 'always' is not one of error, report, off" in done.stderr


def test_it_is_gone_afterwards() -> None:
    from fdlint.runtime.sanitizer.placing import Placed
    from fdlint.runtime.sanitizer.sanitizer import Sanitizer

    before = os.open, open, os.close, os.fdopen
    placed = Placed(Sanitizer(print))
    placed.start()
    number = os.open(os.devnull, os.O_RDONLY)
    placed.stop()
    os.close(number)
    assert (os.open, open, os.close, os.fdopen) == before
    assert pickle.loads(pickle.dumps(number)) == number
