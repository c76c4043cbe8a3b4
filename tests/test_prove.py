"""``fdlint prove``: the written test, and its verdict on code with and without the defect."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import loaded
import pytest

from fdlint.cli import main
from fdlint.runtime.proof.machinery.descriptors import beginning

LEAK = """\
import os


def size(path):
    fd = os.open(path, os.O_RDONLY)
    if os.fstat(fd).st_size == 0:
        return 0
    os.fsync(fd)
    os.close(fd)
    return 1
"""
OWNER = """\
import os


class Log:
    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_WRONLY)

    def reopen(self, path: str) -> None:
        self._fd = os.open(path, os.O_WRONLY)

    def close(self) -> None:
        os.close(self._fd)
"""
TWICE = """\
import os


def copy(path):
    fd = os.open(path, os.O_RDONLY)
    try:
        os.read(fd, 1)
        os.close(fd)
    finally:
        os.close(fd)
"""
RECEIVES = """\
import socket


def receive(sock):
    _, fds, _, _ = socket.recv_fds(sock, 16, 4)
    return fds[0]
"""
ZERO = """\
import os


def copy(fd):
    fd = os.dup(fd)
    if fd:
        os.close(fd)
"""
WATCHED = """\
import os
import selectors

loop = selectors.DefaultSelector()


def forget():
    reading, writing = os.pipe()
    loop.register(reading, selectors.EVENT_READ)
    os.close(writing)
    os.close(reading)
"""
GIVEN_LOOP = """\
import os


def stop(loop):
    reading, writing = os.pipe()
    loop.add_reader(reading, print)
    os.close(writing)
    os.close(reading)
"""
OUTLIVED = """\
import socket


def number(kind: int):
    sock = socket.socket()
    return sock.fileno()
"""
POOLS = """\
from multiprocessing import Pool


def work(jobs):
    for job in jobs:
        pool = Pool(1)
        pool.map(str, job)
"""
LOADERS = """\
from torch.utils.data import DataLoader


def train(images):
    while True:
        loader = DataLoader(images.get(), num_workers=4)
        for batch in loader:
            print(batch)
"""
OPENED = """\
import os


def opened(path):
    os.open(path, os.O_RDONLY)
"""
NOISY = """\
import os
import pathlib

pathlib.Path("ran").write_text("")


def lost():
    os.dup(0)
"""


@pytest.fixture(autouse=True)
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def verdicts(capsys: pytest.CaptureFixture[str], code: str, line: int) -> list[dict[str, object]]:
    Path("spam.py").write_text(code)
    main(["prove", f"spam.py:{line}", "--run", "--output-format", "json", "--isolated"])
    return list(json.loads(capsys.readouterr().out)["proofs"])


@pytest.mark.parametrize(
    ("code", "line", "rule"),
    [
        pytest.param(LEAK, 5, "FD102", id="a branch"),
        pytest.param(OWNER, 9, "FD105", id="an attribute"),
        pytest.param(TWICE, 10, "FD201", id="a second close"),
        pytest.param(RECEIVES, 5, "FD109", id="received"),
        pytest.param(RECEIVES, 5, "FD301", id="inheritable"),
        pytest.param(NOISY, 8, "FD107", id="discarded"),
        pytest.param(ZERO, 6, "FD205", id="a test of the number"),
        pytest.param(WATCHED, 11, "FD206", id="a selector"),
        pytest.param(GIVEN_LOOP, 8, "FD206", id="a loop that is given"),
        pytest.param(OUTLIVED, 6, "FD207", id="a number that outlives its socket"),
        pytest.param(POOLS, 6, "FD401", id="pools"),
        pytest.param(LOADERS, 6, "FD401", id="loaders"),
    ],
)
def test_a_defect_is_proved(capsys: pytest.CaptureFixture[str], code: str, line: int, rule: str) -> None:
    (found,) = (one for one in verdicts(capsys, code, line) if one["code"] == rule)
    assert found["verdict"] == "proved"
    assert found["command"] == f"fdlint prove --run spam.py:{line}"


def test_an_exception_is_made_and_named(capsys: pytest.CaptureFixture[str]) -> None:
    code = LEAK.replace("    if os.fstat(fd).st_size == 0:\n        return 0\n", "")
    (found,) = verdicts(capsys, code, 5)
    assert (found["code"], found["verdict"]) == ("FD103", "proved")
    assert found["premises"] == ["`fsync` raises an OSError on line 6"]


@pytest.mark.parametrize("most", [1_024, 4_096, 1_048_576])
def test_no_process_has_a_number_under_test_as_its_id(most: int) -> None:
    """``tempfile`` keeps the id, so something would seem to hold the descriptor: one proof in thousands failed."""
    for process in range(1, 5_000):
        first = beginning(most, process)
        assert 100 < first <= most - 300
        assert not set(range(first, first + 300)) & set(range(process - 1, process + 100))


def test_what_is_not_installed_is_stood_in_for(capsys: pytest.CaptureFixture[str]) -> None:
    code = "import os\nfrom nowhere import flag\n\n\ndef lost(path):\n    os.open(path, flag)\n"
    (found,) = verdicts(capsys, code, 6)
    assert found["verdict"] == "proved"
    assert found["premises"] == ["`nowhere` is not installed, and a stand-in takes its place"]


def report_of(code: str) -> dict[str, object]:
    """A report whose finding is not in this code."""
    Path("spam.py").write_text(LEAK)
    main(["scan", "spam.py", "--isolated", "--output-format", "json", "--output", "report.json", "--no-cache"])
    Path("spam.py").write_text(code)
    found: dict[str, object] = json.loads(Path("report.json").read_text())
    return found


def test_a_wrong_finding_is_refuted(capsys: pytest.CaptureFixture[str]) -> None:
    report_of(LEAK.replace("        return 0\n", "        os.close(fd); return 0\n"))
    assert main(["prove", "--all", "report.json", "--run"]) == 0
    out = capsys.readouterr().out
    assert "refuted" in out
    assert "Please report it to fdlint" in out


def test_what_a_stand_in_gets_is_no_proof(capsys: pytest.CaptureFixture[str]) -> None:
    report_of(LEAK.replace("def size(path)", "def size(path, keeper)").replace("return 0", "keeper(fd); return 0"))
    assert main(["prove", "--all", "report.json", "--run"]) == 0
    assert "not reached: a stand-in gets the descriptor" in capsys.readouterr().out


def test_nothing_is_executed_unless_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    Path("spam.py").write_text(NOISY)
    assert main(["prove", "spam.py:8", "-o", "test_proof.py"]) == 0
    assert not Path("ran").exists()
    assert main(["prove", "spam.py:8", "--run"]) == 1
    assert not Path("ran").exists()  # it ran in the copy
    assert "EXECUTES code of this project" in capsys.readouterr().err


def test_the_written_test_fails_until_the_repair(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("spam.py").write_text(LEAK)
    main(["prove", "spam.py:5", "-o", "test_proof.py"])
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # it starts in a fifth of the time
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_proof.py"]
    assert "1 failed" in loaded.run(command, text=True).stdout
    Path("spam.py").write_text(LEAK.replace("        return 0\n", "        os.close(fd); return 0\n"))
    assert "1 passed" in loaded.run(command, text=True).stdout


def test_it_needs_python_alone(capsys: pytest.CaptureFixture[str]) -> None:
    Path("spam.py").write_text(LEAK)
    main(["prove", "spam.py:5"])
    text = capsys.readouterr().out
    assert "import fdlint" not in text
    assert "from fdlint" not in text
    compile(text, "test_proof.py", "exec")


def test_a_hostile_text_stays_a_text(capsys: pytest.CaptureFixture[str]) -> None:
    code = 'import os\n\n\ndef lost():\n    os.open("""\\""", "\'\'\'\\\\", 0)  # \x1b[1m\n'
    Path("spam.py").write_text(code.replace('""", "', '\\"\\"\\"'))
    main(["prove", "--all", "spam.py", "--isolated"])
    text = capsys.readouterr().out
    compile(text, "test_proof.py", "exec")
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["spam.py:1"], "there is no finding at spam.py:1"),
        (["spam.py"], "name the line as PATH:LINE"),
        (["--all", "nowhere"], "nowhere"),
    ],
)
def test_wrong_command_lines(arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("spam.py").write_text(LEAK)
    assert main(["prove", *arguments]) == 2
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize(
    ("code", "line", "rule"),
    [
        pytest.param(ZERO.replace("if fd:", "if fd is not None:"), 6, "FD205", id="a test of the number"),
        pytest.param(
            WATCHED.replace("    os.close(writing)", "    loop.unregister(reading)\n    os.close(writing)"),
            11, "FD206", id="a selector",
        ),
        pytest.param(OUTLIVED.replace("sock.fileno()", "sock.detach()"), 6, "FD207", id="a number"),
        pytest.param(f"{POOLS}        pool.close()\n", 6, "FD401", id="pools"),
        pytest.param(POOLS.replace("pool = Pool(1)", "with Pool(1) as pool: pool"), 6, "FD401", id="a with"),
        pytest.param(POOLS.replace("pool.map(str, job)", "job.keep(pool)"), 6, "FD401", id="one that a stand-in gets"),
        pytest.param(
            LOADERS.replace("from", "import gc; from") + "        del loader; gc.collect()\n", 6, "FD401", id="ended"
        ),
        pytest.param(OPENED.replace("os.open(path, os.O_RDONLY)", "return os.fdopen(os.open(path, os.O_RDONLY))"),
                     5, "FD107", id="an open file has it"),
    ],
)  # fmt: skip
def test_a_wrong_claim_is_not_proved(code: str, line: int, rule: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = {"FD205": ZERO, "FD206": WATCHED, "FD207": OUTLIVED, "FD107": OPENED}.get(rule, POOLS)
    Path("spam.py").write_text(before)
    main(
        ["scan", "spam.py", "--isolated", "--select", rule, "-q", "--output", "report.json", "--output-format", "json"]
    )
    Path("spam.py").write_text(code)
    (finding,) = json.loads(Path("report.json").read_text())["findings"]
    assert (finding["code"], finding["line"]) == (rule, line)
    assert main(["prove", "--all", "report.json", "--run"]) == 0
    assert "proved" not in capsys.readouterr().out


def test_go_has_no_test(capsys: pytest.CaptureFixture[str]) -> None:
    code = 'package a\n\nimport "os"\n\nfunc lost() {\n\tos.Create("a")\n}\n'
    Path("a.go").write_text(code)
    assert main(["prove", "a.go:6", "--run", "--isolated"]) == 0
    assert "FD107 discarded: no test: a test can call Python only" in capsys.readouterr().out
