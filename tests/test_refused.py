"""What is said of a text that is not Python: one short line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fdlint.languages.python.lowering.source import parse
from fdlint.languages.python.lowering.syntax_errors import refusal
from fdlint.report.findings.finding import Skipped

OLD = "; Python 2?"


def said(text: str) -> str:
    found = parse(f"import os\n{text}\n".encode(), "a.py")
    assert isinstance(found, Skipped)
    return found.reason


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('print "x", os.open', "2:7"),
        ("print fd", "2:7"),
        ("print >>log, 'x' 'y' z", "2:22"),
        ('exec "x" in y', "2:6"),
        ('raise IOError, "x"', "2:14"),
        ("x = `fd`", "2:5"),
        ("os.open(p, 0, 0777)", "2:15"),
        ("x = 10L", "2:5"),
        ("if fd <> 1: pass", "2:8"),
        ("x = ur'fd'", "2:7"),
        ("def f((a, b)):\n    pass", "2:7"),
    ],
)
def test_python_2(text: str, where: str) -> None:
    assert said(text) == f"invalid syntax at {where}{OLD}"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("x = = 1", "2:5"),
        ("def f(:\n    pass", "2:7"),
        ("os.open(p, 0)\n  indented()", "3:3"),
        ("x = 1 2  # print", "2:7"),
        ("print(1) 2", "2:10"),
    ],
)
def test_other_mistakes(text: str, where: str) -> None:
    assert said(text) == f"invalid syntax at {where}"


def test_what_is_not_closed_and_what_has_no_place() -> None:
    assert said("os.open(p, 0") == "invalid syntax at the end of the file: something is not closed"
    assert said("x = 'fd") == "invalid syntax: unterminated string literal"


@given(
    st.text(), st.integers(0, 9), st.integers(0, 40), st.sampled_from(["parser error: error at {}:{}: expected x", "?"])
)
def test_anything_is_answered_in_one_short_line(text: str, line: int, column: int, message: str) -> None:
    answer = refusal(message.format(line, column), text)
    assert answer.startswith("invalid syntax")
    assert len(answer) < 120
    assert "\n" not in answer


def test_a_hostile_line_takes_no_time() -> None:
    for line in ("(" * 100_000, "except " * 30_000, "def f(" + "(a" * 50_000, "`" * 100_000, "'" + "\\" * 100_000):
        assert refusal("parser error: error at 1:5: expected x", line).startswith("invalid syntax at 1:")
        assert refusal("tokenizer error: '`' is not a valid character", line).startswith("invalid syntax")
