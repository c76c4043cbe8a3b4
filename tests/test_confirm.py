"""``fdlint scan --confirm``: findings that a test run has seen leak, and leaks that no rule reports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from fdlint.cli import command

CODE = """\
import os


def loses():
    number = os.dup(0)
    os.fstat(number)


def loses_in_a_call(work):
    number = os.dup(0)
    work(number)


def keeps(kept):
    kept.append(os.dup(0))


def silenced():
    number = os.dup(0)  # fdlint: ignore[FD101] on purpose
    os.fstat(number)
"""


def place(line: int, path: str = "code.py", function: str = "f") -> dict[str, Any]:
    return {"path": path, "line": line, "function": function}


def leak(*stack: dict[str, Any], test: str = "tests/test_x.py::test_y") -> dict[str, Any]:
    return {"test": test, "kind": "socket", "stack": list(stack), "site": stack[0] if stack else None}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "code.py").write_text(CODE, encoding="utf-8")
    return tmp_path


def scan(run: Any, *options: str) -> Result:
    text = run if isinstance(run, str) else json.dumps({"version": 1, "tool": "fdlint-pytest", "leaks": run})
    Path("run.json").write_text(text, encoding="utf-8")
    return CliRunner().invoke(
        command, ["scan", "--isolated", "--no-cache", "--confirm", "run.json", "code.py", *options]
    )


def findings(result: Result) -> dict[int, dict[str, Any]]:
    return {one["line"]: one for one in json.loads(result.stdout)["findings"]}


def test_a_finding_that_a_run_has_seen_has_high_confidence_and_a_note(tree: Path) -> None:
    run = [leak(place(5))] * 3 + [leak(place(5), test="tests/test_x.py::test_z")]
    found = findings(scan(run, "--output-format", "json"))[5]
    assert found["confidence"] == "high"
    assert found["seen_leaking"] == [
        {"test": "tests/test_x.py::test_y", "times": 3},
        {"test": "tests/test_x.py::test_z", "times": 1},
    ]
    text = scan(run)
    note = "a test run saw it leak: tests/test_x.py::test_y, 3 times, and 1 other test"
    assert f"  {note}\n" in text.stdout
    log = json.loads(scan(run, "--output-format", "sarif").stdout)["runs"][0]["results"][0]
    assert log["message"]["text"].endswith(f"; {note}")
    assert log["properties"]["seenLeaking"] == found["seen_leaking"]
    assert log["rank"] == 95.0


def test_a_finding_that_no_run_has_seen_stays_as_it_is(tree: Path) -> None:
    found = findings(scan([], "--output-format", "json"))
    assert found.keys() == {5}
    assert "seen_leaking" not in found[5]


def test_the_innermost_line_with_a_finding_is_the_one(tree: Path) -> None:
    found = scan([leak(place(900), place(5))], "--output-format", "json")
    assert findings(found)[5]["seen_leaking"]
    assert "seen_not_reported" not in json.loads(found.stdout)


def test_a_finding_of_low_confidence_is_reported_when_a_run_has_seen_it(tree: Path) -> None:
    assert 10 in findings(scan([leak(place(10))], "--output-format", "json"))


def test_leaks_that_no_rule_reports_are_listed_and_fail_nothing(tree: Path) -> None:
    run = [
        leak(place(15, function="keeps")),
        leak(place(15, function="keeps")),
        leak(place(19)),
        leak(),
        leak(place(1, "b.py")),
    ]
    result = scan(run, "--ignore", "FD101")
    assert result.exit_code == 0
    lines = [line for line in result.stdout.splitlines() if line.startswith("seen leaking")]
    assert lines == ["seen leaking, not reported: code.py:15 in keeps: socket, tests/test_x.py::test_y, 2 times"]
    (listed,) = json.loads(scan(run, "--output-format", "json").stdout)["seen_not_reported"]
    assert (listed["path"], listed["line"], listed["function"], listed["kind"]) == ("code.py", 15, "keeps", "socket")
    page = scan(run, "--output-format", "html").stdout
    assert "Seen leaking by a test run, not reported: 1 place" in page


def test_a_report_that_is_read_again_keeps_the_note(tree: Path) -> None:
    scan([leak(place(5))], "-o", "json=report.json")
    merged = CliRunner().invoke(command, ["merge", "report.json", "--output-format", "json"])
    assert findings(merged)[5]["seen_leaking"] == [{"test": "tests/test_x.py::test_y", "times": 1}]


def test_a_run_in_another_directory_is_told(tree: Path) -> None:
    assert "run pytest in this directory, too" in scan([leak(place(5, "src/code.py"))]).stderr


def test_names_from_the_file_are_made_printable(tree: Path) -> None:
    result = scan([leak(place(15, function="\x1b[2J"), test="::error::\x1b[2J")])
    assert "\x1b" not in result.stdout
    assert "\\x1b[2J" in result.stdout


@pytest.mark.parametrize(
    ("run", "why"),
    [
        ("", "truncated"),
        ("[" * 100_000, "Expected `object`"),
        ('{"version": 1, "tool": "fdlint-pytest", "leaks": [], "more": ' + "[" * 100_000, "nested too deeply"),
        ('{"version": 2, "tool": "fdlint-pytest", "leaks": []}', "version"),
        ('{"version": 1, "tool": "else", "leaks": []}', "tool"),
        ('{"version": 1, "tool": "fdlint-pytest", "leaks": {}}', "Expected `array`"),
        ([leak(place(0))], ">= 1"),
        ([leak(place(10**30))], "line"),
        ([leak(place(1, "/etc/passwd"))], "not a path inside"),
        ([leak(place(1, "a/../../b.py"))], "not a path inside"),
        ([leak(place(1, "C:/b.py"))], "not a path inside"),
        ([leak(place(1, "..\\b.py"))], "not a path inside"),
        ([leak(place(1, "a\0b"))], "not a path inside"),
        ([leak(place(1, "\ud800"))], "surrogate"),
        ([leak(place(1, "a" * 5000))], "length <= 4096"),
        ([leak(*[place(1)] * 101)], "length <= 100"),
    ],
)
def test_a_file_that_is_no_run_is_refused(tree: Path, run: Any, why: str) -> None:
    result = scan(run)
    assert result.exit_code == 2
    assert "run.json: this was not written by pytest --fd-leaks-json: " in result.stderr
    assert why in result.stderr.replace("\n", " ")


def test_a_file_that_cannot_be_read_is_told(tree: Path) -> None:
    result = CliRunner().invoke(command, ["scan", "--confirm", "none.json", "code.py"])
    assert result.exit_code == 2
    assert "none.json: cannot be read: No such file" in result.stderr
