"""``--confidence`` and ``--tests``: what is reported of what is found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fdlint import api
from fdlint.cli import main
from fdlint.findings.finding import Confidence
from fdlint.findings.tests import USUAL_TEST_FILES, in_tests

CODE = """\
import os


def certain(path):
    fd = os.open(path, os.O_RDONLY)
    os.read(fd, 1)


def assumed(path, other):
    fd = os.open(path, os.O_RDONLY)
    other.work()
    os.close(fd)


def doubtful(path, library):
    fd = os.open(path, os.O_RDONLY)
    library.work(fd)
"""
HIGH, MEDIUM, LOW = "FD101 high", "FD103 medium", "FD101 low"
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "a.py").write_text(CODE)
    (tmp_path / "tests" / "b.py").write_text(CODE)
    return tmp_path


def scan(capsys: Captured, *arguments: str, status: int = 1) -> dict[str, list[str]]:
    """``CODE confidence`` of every finding, by its path."""
    assert main(["scan", "--output-format", "json", "-q", "--no-cache", *arguments]) == status
    found: dict[str, list[str]] = {}
    for one in json.loads(capsys.readouterr().out)["findings"]:
        assert one["in_tests"] is one["path"].startswith("tests/")
        found.setdefault(one["path"], []).append(f"{one['code']} {one['confidence']}")
    return found


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], {"a.py": [HIGH, MEDIUM], "tests/b.py": [HIGH]}),
        (["--confidence", "high"], {"a.py": [HIGH], "tests/b.py": [HIGH]}),
        (["--confidence", "low"], {"a.py": [HIGH, MEDIUM, LOW], "tests/b.py": [HIGH, LOW]}),
        (["--tests", "all"], {"a.py": [HIGH, MEDIUM], "tests/b.py": [HIGH, MEDIUM]}),
        (["--tests", "none"], {"a.py": [HIGH, MEDIUM]}),
    ],
)
def test_options(tree: Path, capsys: Captured, arguments: list[str], expected: dict[str, list[str]]) -> None:
    assert scan(capsys, *arguments) == expected


@pytest.mark.parametrize(
    ("text", "arguments", "expected"),
    [
        ("confidence = 'high'", [], {"a.py": [HIGH], "tests/b.py": [HIGH]}),
        ("confidence = 'high'", ["--confidence", "medium"], {"a.py": [HIGH, MEDIUM], "tests/b.py": [HIGH]}),
        ("confidence-by-rule.FD103 = 'high'", [], {"a.py": [HIGH], "tests/b.py": [HIGH]}),
        ("confidence-by-rule.never-closed = 'low'", [], {"a.py": [HIGH, MEDIUM, LOW], "tests/b.py": [HIGH, LOW]}),
        (
            "confidence-by-rule = {FD1 = 'low', FD103 = 'high'}",
            ["--tests", "all"],
            {"a.py": [HIGH, LOW], "tests/b.py": [HIGH, LOW]},
        ),
        (
            "confidence-by-rule.FD103 = 'high'",
            ["--confidence", "medium"],
            {"a.py": [HIGH, MEDIUM], "tests/b.py": [HIGH]},
        ),
        ("tests = 'none'", [], {"a.py": [HIGH, MEDIUM]}),
        ("tests = 'none'", ["--tests", "leaks"], {"a.py": [HIGH, MEDIUM], "tests/b.py": [HIGH]}),
    ],
)
def test_configuration(
    tree: Path, capsys: Captured, text: str, arguments: list[str], expected: dict[str, list[str]]
) -> None:
    (tree / "fdlint.toml").write_text(text)
    assert scan(capsys, *arguments) == expected


def test_other_test_files(tree: Path, capsys: Captured) -> None:
    (tree / "fdlint.toml").write_text("test-files = ['a.py']\ntests = 'none'")
    assert main(["scan", "--output-format", "json", "-q", "--no-cache"]) == 1
    assert {one["path"] for one in json.loads(capsys.readouterr().out)["findings"]} == {"tests/b.py"}


def test_an_unknown_code_is_an_error(tree: Path, capsys: Captured) -> None:
    (tree / "fdlint.toml").write_text("confidence-by-rule.FD999 = 'low'")
    assert main(["scan"]) == 2
    assert "`confidence-by-rule`: there is no rule FD999" in capsys.readouterr().err


def test_what_is_hidden_does_not_fail_the_scan(tree: Path, capsys: Captured) -> None:
    (tree / "a.py").write_text(CODE.replace("os.read(fd, 1)", "os.close(fd)"))
    assert scan(capsys, "a.py", "--confidence", "high", status=0) == {}


def test_a_comment_for_a_hidden_finding_is_used(tree: Path, capsys: Captured) -> None:
    marked = CODE.replace("os.O_RDONLY)\n    lib", "os.O_RDONLY)  # fdlint: ignore[FD101]\n    lib")
    marked = marked.replace("os.O_RDONLY)\n    other", "os.O_RDONLY)  # fdlint: ignore[FD103]\n    other")
    (tree / "tests" / "b.py").write_text(marked)
    assert scan(capsys, "tests") == {"tests/b.py": [HIGH]}
    assert scan(capsys, "tests", "--tests", "all", "--confidence", "low") == {"tests/b.py": [HIGH]}


def test_the_tree_is_told_to_hide(tree: Path, capsys: Captured) -> None:
    (tree / "fdlint.toml").write_text("confidence = 'high'\ntests = 'none'")
    main(["scan", "--output-format", "json", "-q", "--no-cache"])
    summary = json.loads(capsys.readouterr().out)["summary"]
    assert summary["silencing"]["findings"] == {"confidence": 1, "tests": 1}


def test_a_baseline_has_what_a_scan_reports(tree: Path, capsys: Captured) -> None:
    for arguments, number in (((), 2), (("--confidence", "low"), 3), (("--confidence", "high"), 1)):
        assert main(["baseline", "create", "a.py", "--baseline", f"{number}.json", *arguments]) == 0
        assert f"{number} finding" in capsys.readouterr().out


def test_the_library(tree: Path) -> None:
    levels = [one.confidence for one in api.scan_paths(["a.py"], confidence="low").findings]
    assert levels == [Confidence.HIGH, Confidence.MEDIUM, Confidence.LOW]
    assert [one.code for one in api.scan_source(CODE, "tests/a.py", tests="none").findings] == []
    assert [one.code for one in api.scan_source(CODE, "tests/a.py", tests="all").findings] == ["FD101", "FD103"]
    with pytest.raises(ValueError, match="certain"):
        api.scan_source(CODE, confidence="certain")


@pytest.mark.parametrize(
    "path", ["tests/a.py", "a/test/b.py", "testing/x/y.go", "test_a.py", "a/a_test.py", "a_test.go", "conftest.py"]
)
def test_the_usual_test_files(path: str) -> None:
    from fdlint.config.model import Patterns

    assert in_tests(path)
    assert Patterns("/project", USUAL_TEST_FILES).match(f"/project/{path}")


@pytest.mark.parametrize("path", ["a.py", "contest.py", "latest/a.py", "a_test/b.py", "testament.py"])
def test_other_files(path: str) -> None:
    from fdlint.config.model import Patterns

    assert not in_tests(path)
    assert not Patterns("/project", USUAL_TEST_FILES).match(f"/project/{path}")
