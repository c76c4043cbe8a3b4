"""``fdlint graph --calls``: what is near a function in the call graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from fdlint.cli import main

HELPERS = """\
import os

def opened(path):
    return os.open(path, 0)

def even(fd, n):
    os.close(fd) if n == 0 else odd(fd, n - 1)

def odd(fd, n):
    even(fd, n - 1)

class Base:
    def close(self):
        self.note()

    def note(self):
        print("closed")
"""
BOXES = """\
from helpers import Base, opened

class Box(Base):
    def __init__(self, path):
        self.fd = opened(path)

    def close(self):
        super().close()
        os.close(self.fd)

def use(path, thing):
    box = Box(path)
    box.close()
    thing.close()
    thing.unheard_of()
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "helpers.py").write_text(HELPERS)
    (tmp_path / "boxes.py").write_text("import os\n" + BOXES)


def calls(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["graph", "--calls", *arguments]) == 0
    return capsys.readouterr().out


def test_a_function_that_acquires(capsys: pytest.CaptureFixture[str]) -> None:
    assert calls(capsys, "opened") == (
        "helpers.py:3 opened\n"
        "calls\n"
        "    line 4: os.open(path, 0) -> catalog: os.open, acquires\n"
        "is called by\n"
        "    boxes.py:5 Box.__init__, line 6\n"
        "is a candidate\n"
        "    acquires: directly\n"
    )


def test_a_method_of_a_hierarchy(capsys: pytest.CaptureFixture[str]) -> None:
    assert calls(capsys, "boxes.py::Box.close") == (
        "boxes.py:8 Box.close\n"
        "overrides\n"
        "    helpers.py:13 Base.close\n"
        "calls\n"
        "    line 9: super().close() -> helpers.py:13 Base.close\n"
        "    line 10: os.close(self.fd) -> catalog: os.close, closes\n"
        "is called by\n"
        "    boxes.py:12 use, line 14\n"
        "    boxes.py:12 use, line 15\n"
        "is a candidate\n"
        "    closes: directly\n"
    )


def test_a_method_that_another_file_overrides(capsys: pytest.CaptureFixture[str]) -> None:
    said = calls(capsys, "Base.close", ".")
    assert "is overridden by\n    boxes.py:8 Box.close\n" in said
    assert "is called by\n    boxes.py:8 Box.close, line 9\n" in said


def test_a_function_that_calls_one_that_gives(capsys: pytest.CaptureFixture[str]) -> None:
    said = calls(capsys, "Box.__init__")
    assert "-> helpers.py:3 opened\n" in said
    assert said.endswith("is a candidate\n    acquires: calls helpers.py:3 opened, which gives a descriptor\n")


def test_functions_that_call_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    said = calls(capsys, "helpers.py::odd")
    assert "calls itself through\n    helpers.py:6 even\n" in said
    assert "closes: calls helpers.py:6 even, which closes one\n" in said


def test_a_call_of_which_nothing_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert "line 16: thing.unheard_of() -> unknown\n" in calls(capsys, "use")


def test_the_body_of_a_module(capsys: pytest.CaptureFixture[str]) -> None:
    assert calls(capsys, "helpers.py::<module>").startswith("helpers.py <module>\n")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--calls", "none"], "no function none in 2 files"),
        (["--calls", "close"], "there is more than one close: boxes.py::Box.close, helpers.py::Base.close"),
        (["--calls", "helpers.py::none"], "no function none in helpers.py; it has opened, "),
        (["--calls", "gone.py::f"], "no such file: gone.py"),
        (["--calls", "opened", "gone.py"], "no such file or directory: gone.py"),
        (["helpers.py::opened", "boxes.py"], "PATH goes with --calls"),
        (["opened"], "name the function as FILE::FUNCTION"),
    ],
)
def test_what_cannot_be_shown(arguments: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", *arguments]) == 2
    assert why in capsys.readouterr().err
