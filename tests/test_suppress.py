"""Comments that silence findings, and those that silence nothing."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from fdlint.cli import command
from fdlint.core.checks import all_rules
from fdlint.languages.python.comments import speaks_of_fdlint, suppressions, without
from fdlint.scan.reading.lines import with_ends
from fdlint.scan.scan import Options, scan_source
from fdlint.scan.suppress import silence

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
LEAK = "os.dup(0)"
OTHERS = "x = 1"
CODES = [loaded.rule.code for loaded in all_rules()]


def found(line: str, **options: object) -> list[str]:
    """The codes reported for one line below an import, with their lines when they are not on it."""
    report = scan_source(f"import os\n{line}\n".encode(), "a.py", Options(**options))  # type: ignore[arg-type]
    return [one.code if one.span.line == 2 else f"{one.code} {one.span.line}" for one in report.findings]


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa",
        "#noqa",
        "# NOQA",
        "# noqa: FD107",
        "# noqa:FD107,FD101  # type: ignore",
        "# noqa: E501 FD107",
        "# noqa: FD1",
        "# type: ignore  # noqa: FD107",
        "# fdlint: ignore",
        "# fdlint:ignore[FD107]",
        "# fdlint: ignore[FD107] held until the end",
        "# FDLINT: Ignore[fd107]",
    ],
)
def test_silences(comment: str) -> None:
    assert "FD107" not in found(f"{LEAK}  {comment}")


@pytest.mark.parametrize("comment", ["# noqa: E501", "# fdlint: ignore[FD101]", "# no qa", "# noqa: FD2", "# noqable"])
def test_does_not_silence(comment: str) -> None:
    assert "FD107" in found(f"{LEAK}  {comment}")


def test_a_string_is_no_comment() -> None:
    assert found('os.open("# noqa", 0)') == ["FD107"]


def test_counts_on_every_line_of_what_is_pointed_at() -> None:
    assert found("os.dup(\n    0,\n)  # noqa: FD107") == []


def test_above_or_below_is_not_on_the_line() -> None:
    assert found(f"# noqa: FD107\n{LEAK}\n# noqa: FD107") == ["FD900", "FD107 3", "FD900 4"]


@pytest.mark.parametrize(
    "comment", ["# fdlint: ignore-file", "# fdlint: ignore-file[FD107] a fixture", "# flake8: noqa"]
)
def test_a_whole_file(comment: str) -> None:
    assert found(f"{LEAK}\n\n{comment}\n") == []


class TestUnused:
    @pytest.mark.parametrize(
        "comment",
        [
            "# fdlint: ignore",
            "# fdlint: ignore[FD101]",
            "# noqa: FD107",
            "# fdlint: ignore[FD199]",
            "# fdlint: ignroe[FD101]",
            "# fdlint: ignore-file[FD101]",
        ],
    )
    def test_is_said(self, comment: str) -> None:
        assert found(f"{OTHERS}  {comment}") == ["FD900"]

    @pytest.mark.parametrize("comment", ["# noqa", "# noqa: E501", "# fdlint: ignore-file", "# about fdlint"])
    def test_may_be_meant_for_others(self, comment: str) -> None:
        assert found(f"{OTHERS}  {comment}") == []

    def test_is_not_said_of_a_rule_that_is_not_reported(self) -> None:
        assert found(f"{LEAK}  # noqa: FD107", ignore=("FD107",)) == []

    def test_does_not_depend_on_what_else_is_selected(self) -> None:
        assert found(f"{OTHERS}  # noqa: FD107\n{LEAK}  # noqa: FD107", select=("FD900",)) == ["FD900"]

    def test_is_not_said_of_a_rule_that_is_ignored(self) -> None:
        assert found(f"{OTHERS}  # noqa: FD107", ignore=("FD107",)) == []

    def test_is_not_said_when_it_is_not_wanted(self) -> None:
        assert found(f"{OTHERS}  # noqa: FD107", ignore=("FD9",)) == []

    def test_is_not_said_of_a_file_that_was_not_read_to_the_end(self) -> None:
        assert found(f"{LEAK}  # noqa: FD101\nx = = 2") == []

    def test_all_that_is_wrong_with_a_comment(self) -> None:
        report = scan_source(b"x = 1  # fdlint: ignore[FD101, FD199]\n", "a.py")
        message = "there is no rule FD199, and FD101 is not found here: remove the comment"
        assert [one.message for one in report.findings] == [message]

    def test_says_which_codes(self) -> None:
        report = scan_source(b"import os\nos.dup(0)  # fdlint: ignore[FD107, FD101] why\n", "a.py")
        assert [one.message for one in report.findings] == ["FD101 is not found here: remove this from the comment"]


class TestFix:
    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("x = 1  # fdlint: ignore", "x = 1"),
            ("x = 1  # fdlint: ignore[FD101]\t", "x = 1"),
            ("x = 1  # fdlint: ignore[FD101] a reason", "x = 1  # a reason"),
            ("x = 1  # noqa: FD101 - a reason", "x = 1  # a reason"),
            ("x = 1  # noqa: FD101: -1 is no descriptor", "x = 1  # -1 is no descriptor"),
            ("x = 1  # noqa: FD101 --", "x = 1"),
            ("x = 1  # noqa: FD101, see #12", "x = 1  # see #12"),
            ("x = 1  # noqa: FD101  # type: ignore", "x = 1  # type: ignore"),
            ("x = 1  # type: ignore  # noqa: FD101  # why", "x = 1  # type: ignore  # why"),
            ("x = 1  # a word # fdlint: ignore why", "x = 1  # a word # why"),
            ("x = 1  # noqa: FD101 # fdlint: ignore[FD102] why", "x = 1  # why"),
            ("x = 1  # noqa: FD101 noqa", "x = 1"),
            ("x = 1  # noqa: FD101 fdlint: ignore-file", "x = 1"),
            ("x = 1  # noqa: E501,FD101", "x = 1  # noqa: E501"),
            ("x = 1  # noqa: FD101, w291 FD102 why", "x = 1  # noqa: w291 why"),
            ("x = 1  # noqa: W291 FD101,E501", "x = 1  # noqa: W291,E501"),
            ("x = 1  # fdlint: ignore[FD199, FD101] why", "x = 1  # why"),
            ("os.dup(0)  # fdlint: ignore[FD101,FD107] why", "os.dup(0)  # fdlint: ignore[FD107] why"),
            ("os.dup(0)  # fdlint: ignore[ FD107 , banana ]", "os.dup(0)  # fdlint: ignore[FD107]"),
            ("x = 1", "x = 1"),
        ],
    )
    def test_a_line(self, before: str, after: str) -> None:
        text = f"import os\r\n{before}\r\n"
        report = scan_source(text.encode(), "a.py")
        assert without(with_ends(text), report.unused) == ["import os\r\n", f"{after}\r\n"]

    def test_a_comment_that_has_a_line_to_itself_takes_it_along(self) -> None:
        text = "x = 1\n    # noqa: FD101\n    # noqa: FD101 why\ny = 2\n"
        report = scan_source(text.encode(), "a.py")
        assert without(with_ends(text), report.unused) == ["x = 1\n", "", "    # why\n", "y = 2\n"]

    def test_no_comment_where_one_is_expected(self) -> None:
        report = scan_source(b"x = 1  # noqa: FD101\n", "a.py")
        for lines in (["x = 1\n"], [], ["x = 1  # noqa: FD101, FD102"]):
            with pytest.raises(ValueError, match="no comment at line 1, column 8"):
                without(lines, report.unused)

    def test_files_are_rewritten_and_the_rest_is_reported(self, tmp_path: Path) -> None:
        file = tmp_path / "a.py"
        file.write_bytes("# coding: latin-1\nimport os\nos.dup(0)  # noqa: FD101 \xe9\n".encode("latin-1"))
        result = CliRunner().invoke(command, ["scan", str(file), "--fix", "--output-format", "concise", "--isolated"])
        assert result.exit_code in (0, 1)
        assert "1 comment removed" in result.output
        assert "FD107" in result.output
        assert "FD900" not in result.output
        assert file.read_bytes() == b"# coding: latin-1\nimport os\nos.dup(0)  # \xe9\n"


def test_fix_of_fd900_alone(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(f"import os\n{OTHERS}  # fdlint: ignore[FD101]\n{LEAK}  # noqa: FD107\n")
    result = CliRunner().invoke(command, ["scan", str(file), "--fix", "--select", "FD900", "--isolated"])
    assert (result.exit_code, "1 comment removed" in result.output) == (0, True)
    assert file.read_text() == f"import os\n{OTHERS}\n{LEAK}  # noqa: FD107\n"


def test_what_cannot_be_tokenized_has_those_up_to_there() -> None:
    assert len(suppressions(b"x = 1  # noqa\ny = '''\n# noqa\n", "a.py")) == 1


def test_bytes_that_are_no_text() -> None:
    assert suppressions(b"\xff\xfe# noqa\n", "a.py") == ()


@given(st.lists(st.sampled_from(["# ", "noqa", "NoQA", ":", " ", "FD101", "fd1", "E501", ",", "\n", "fdlint:", "x"])))
def test_what_does_not_speak_of_fdlint_cannot_be_said_to_silence_nothing(pieces: list[str]) -> None:
    data = "".join(pieces).encode()
    unused = silence((), suppressions(data, "a.py"), CODES).unused
    assert speaks_of_fdlint(data) or not unused


@pytest.mark.skipif(shutil.which("ruff") is None, reason="ruff is not installed: pip install 'fdlint[dev]'")
def test_ruff_leaves_the_codes_to_fdlint(tmp_path: Path) -> None:
    external = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["ruff"]["lint"]["external"]
    assert external == ["FD"]
    file = tmp_path / "a.py"
    file.write_text(f"import os\n\n{LEAK}  # noqa: FD107\n")
    ruff = ["ruff", "check", "--isolated", "--no-cache", "--preview", "--select", "RUF100,RUF102", "--fix", str(file)]
    subprocess.run([*ruff, "--config", f"lint.external = {external}"], check=True, capture_output=True)
    assert "noqa" in file.read_text()
    subprocess.run(ruff, check=False, capture_output=True)
    assert "noqa" not in file.read_text()  # why the setting is needed
