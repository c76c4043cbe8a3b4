from __future__ import annotations

import dataclasses
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import sample
from rich.cells import cell_len, set_cell_size

from fdlint import scan_paths
from fdlint.cli.output import emit_lines, shows_links
from fdlint.core.finding import Event, EventKind, Severity, Span
from fdlint.report import jsonv1
from fdlint.report.findings.finding import Report, Skipped, Summary
from fdlint.report.frame import WIDTH, frame
from fdlint.report.line import line
from fdlint.report.printable import printable
from fdlint.report.text import render
from fdlint.report.wrapping import wrapped
from fdlint.scan.scan import scan_source


def lines(report: Report, **options: bool) -> list[str]:
    return [line.plain for line in render(report, **options)]


def test_a_finding_with_its_code_and_its_story() -> None:
    assert lines(sample.report(sample.finding())) == [
        "pkg/mod.py:4:7: FD102 not-closed-on-path  `fd` from os.open() is not closed on every path",
        "  2 | ",
        "  3 | def copy(path):",
        "  4 |     fd = os.open(path, os.O_RDONLY)",
        "    |          ^^^^^^^^^^^^^^^^^^^^^^^^^^",
        "  5 |     if not path:",
        "   1. line 4: `fd` is opened here",
        "   2. line 5: taken when `not path`",
        "      if not path:",
        "   3. line 6: returns with `fd` open",
        "      return None",
        "      medium impact: its callers are outside this project",
        "",
        "37 of 1,102 files use descriptors, 1 finding (1 error) in 0.8 s",
    ]


def test_colour_changes_no_character() -> None:
    report = sample.report(sample.finding())
    assert [line.rstrip() for line in lines(report, colour=True)] == [line.rstrip() for line in lines(report)]


def test_a_step_in_another_file_says_so() -> None:
    event = Event(EventKind.CLOSED, sample.span(3, 1, 2, path="other.py"), "closed by the callee")
    text = lines(sample.report(sample.finding(trace=(event,))))
    assert "   1. other.py:3: closed by the callee" in text


def test_the_summary_counts() -> None:
    warning = sample.finding(severity=Severity.WARNING)
    findings = (sample.finding(), sample.finding(), warning)
    assert lines(sample.report(*findings))[-1] == (
        "37 of 1,102 files use descriptors, 3 findings (2 errors, 1 warning) in 0.8 s"
    )
    nothing = Report((), (), Summary(files=1, files_analysed=1, lines=3, seconds=0))
    assert lines(Report((), (), Summary(0, 0, 0, 0))) == ["0 files, 0 findings in 0.0 s"]
    assert lines(nothing) == ["1 of 1 file uses descriptors, 0 findings in 0.0 s"]


def test_quiet_leaves_the_summary_out_but_not_what_was_skipped() -> None:
    assert lines(sample.report(), quiet=True) == []
    skipped = (Skipped("a.py", "cannot be parsed"),)
    assert lines(sample.report(skipped=skipped), quiet=True) == ["skipped a.py: cannot be parsed", ""]


def test_a_file_is_not_skipped_for_one_of_its_functions() -> None:
    skipped = (
        Skipped.part("a.py", "f: too much work"),
        Skipped.part("a.py", "g: too much work"),
        Skipped("b.py", "why"),
    )
    text = lines(sample.report(skipped=skipped))
    assert text[0] == "a.py: not analysed in full: f: too much work"
    assert text[-1] == "37 of 1,102 files use descriptors, 0 findings, 1 skipped, 1 not in full in 0.8 s"


def test_many_skipped_files_are_counted() -> None:
    skipped = tuple(Skipped(f"{number}.py", "why") for number in range(2023))
    text = lines(sample.report(skipped=skipped))
    assert text[20:] == [
        "2,003 more were not analysed in full; --output-format json lists them all",
        "",
        "37 of 1,102 files use descriptors, 0 findings, 2,023 skipped in 0.8 s",
    ]


def test_nothing_that_is_shown_can_act_on_the_terminal() -> None:
    evil = "\x1b[31m[bold]\r\n\x9b\u202e\udcff\x7f"
    span = Span(f"{evil}.py", 1, 1, 1, 9)
    event = Event(EventKind.LEAKED, dataclasses.replace(span, path="x" + evil), evil)
    found = sample.finding(span=span, message=evil, trace=(event,))
    sources = {span.path: (f"x = '{evil}'",), event.span.path: (evil,)}
    report = dataclasses.replace(sample.report(found, skipped=(Skipped(evil, evil),)), sources=sources)
    for colour in (False, True):
        text = "\n".join(lines(report, colour=colour))
        assert text.replace("\n", " ").isprintable()
        assert "[bold]" in text
        text.encode()


def test_escapes_stand_for_what_a_terminal_acts_upon() -> None:
    assert printable("a\tb\x00\x1b\x7f\x85\u202e\ud800ü漢\\") == r"a\tb\x00\x1b\x7f\x85\u202e\ud800ü漢" + "\\"


def test_production_comes_before_tests() -> None:
    paths = ["a/test/x.py", "conftest.py", "lib/test_a.py", "pkg/b_test.go", "pkg/c.py", "testing.py", "tests/x.py"]
    report = sample.report(*(sample.finding(span=sample.span(1, 1, 2, path)) for path in paths))
    heads = [line.partition(":")[0] for line in lines(report) if ": FD102" in line]
    assert heads == [
        "pkg/c.py",
        "testing.py",
        "a/test/x.py",
        "conftest.py",
        "lib/test_a.py",
        "pkg/b_test.go",
        "tests/x.py",
    ]
    assert [one["path"] for one in json.loads(jsonv1.render(report))["findings"]] == paths


def test_no_step_says_a_word_twice() -> None:
    report = scan_source(b"import os\nfd = os.dup(0)\nf(fd)\nfd = os.dup(1)\n", "a.py")
    steps = [line for line in lines(report) if re.match(r"\s+\d\. ", line)]
    assert steps
    assert not [line for line in steps if re.search(r"\b(\w+)\W+\1\b", line)]
    assert "   1. line 2: acquired by os.dup()" in steps


def test_a_hint_at_what_can_be_fixed(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1  # fdlint: ignore[FD101]\ny = 2  # fdlint: ignroe\n")
    hint = "1 finding can be fixed with --fix"
    report = scan_paths([tmp_path], isolated=True)
    assert hint in lines(report)
    assert hint not in lines(report, quiet=True)
    assert hint not in lines(dataclasses.replace(report, findings=()))
    assert hint not in lines(scan_source(b"x = 1  # fdlint: ignore[FD101]\n", "a.py"))


class TestLinks:
    def text(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], home: str) -> str:
        monkeypatch.setattr("fdlint.links.HOME", home)
        emit_lines([*render(sample.report(sample.finding()), colour=True, links=True)], colour=True)
        return capsys.readouterr().out

    def test_codes_lead_to_their_pages(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        text = self.text(monkeypatch, capsys, "https://example.org/fdlint")
        assert re.search(r"\x1b\]8;[^;]*;https://example\.org/fdlint/[\w/]*FD102\.md\x1b\\", text)
        assert text.count("\x1b]8;;\x1b\\") == 1

    def test_there_are_none_without_a_home(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert "]8;" not in self.text(monkeypatch, capsys, "https://github.com/OWNER/fdlint")

    @pytest.mark.parametrize(
        ("environment", "shown"),
        [
            ({}, False),
            ({"TERM_PROGRAM": "vscode"}, True),
            ({"TERM_PROGRAM": "Apple_Terminal"}, False),
            ({"VTE_VERSION": "6003"}, True),
            ({"VTE_VERSION": "4999"}, False),
            ({"TERM": "xterm-kitty"}, True),
            ({"TERM": "dumb", "WT_SESSION": "1"}, False),
        ],
    )
    def test_only_terminals_that_show_them_get_them(
        self, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], shown: bool
    ) -> None:
        for name in list(os.environ):
            monkeypatch.delenv(name)
        for name, value in {"TERM": "xterm-256color", **environment}.items():
            monkeypatch.setenv(name, value)
        assert not shows_links()
        monkeypatch.setattr("fdlint.cli.output.is_terminal", lambda _: True)
        assert shows_links() is shown


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pty")
def test_lines_of_code_fit_into_the_terminal(tmp_path: Path) -> None:
    import fcntl
    import pty
    import struct
    import termios

    (tmp_path / "a.py").write_text(f"import os\nx = '{'漢' * 90}'; fd = os.dup(0); y = '{'漢' * 90}'\n" * 2)
    ours, theirs = pty.openpty()
    try:
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
        environment = {**os.environ, "TERM": "xterm", "NO_COLOR": "1"}
        environment.pop("COLUMNS", None)
        command = [sys.executable, "-m", "fdlint", "scan", "--no-cache", "--isolated", "a.py"]
        subprocess.run(command, cwd=tmp_path, env=environment, stdout=theirs, stderr=subprocess.DEVNULL, check=False)
        text = os.read(ours, 100_000).decode()
    finally:
        os.close(ours)
        os.close(theirs)
    code = [line for line in text.replace("\r", "").split("\n") if re.match(r"\s+\d? \| |      ", line)]
    assert code
    assert max(map(cell_len, code)) <= 60
    assert any("^^^" in line for line in code)


class TestFrame:
    def shown(self, source: str, column: int, end_column: int, line: int = 1, width: int | None = None) -> list[str]:
        span = Span("x.py", line, column, line, end_column)
        return [text.plain for text in frame(span, source.split("\n"), colour=False, width=width)]

    @pytest.mark.parametrize("filler", ["x", "漢", "\x1b", "\t"])
    @pytest.mark.parametrize("before", [0, 3, 30, 300])
    @pytest.mark.parametrize("width", [10, 40, 80, 200])
    def test_marks_point_at_the_code_in_any_width(self, filler: str, before: int, width: int) -> None:
        start = filler * before
        line = f"{start}leak(); {filler * 100}"
        code, mark = self.shown(line, before + 1, before + 7, width=width)
        assert max(cell_len(code), cell_len(mark)) <= max(width, 24)
        column = mark.index("^")
        assert mark.strip("| ") == "^^^^^^"
        assert code[len(set_cell_size(code, column).rstrip("\0")) :].startswith("leak()")

    def test_marks_stand_under_wide_characters_and_tabs(self) -> None:
        assert self.shown("\t漢 = f(1)", 6, 10) == ["1 |     漢 = f(1)", "  |          ^^^^"]

    def test_marks_stand_under_what_comes_after_escapes(self) -> None:
        assert self.shown("##[x] \x1b f(1)", 9, 13) == [r"1 | #\x23[x] \x1b f(1)", "  |               ^^^^"]

    def test_a_span_over_several_lines_is_marked_on_its_first(self) -> None:
        span = Span("x.py", 1, 5, 3, 2)
        text = [line.plain for line in frame(span, ["x = f(", "  1,", ")"], colour=False)]
        assert text == ["1 | x = f(", "  |     ^^", "2 |   1,"]

    def test_a_long_line_is_shown_in_part(self) -> None:
        code, mark = self.shown("x = 1; " * 3000 + "leak()", 21001, 21007)
        place = mark.index("^")
        assert code[place : place + 6] == "leak()"
        assert len(code) <= WIDTH + 4

    def test_positions_outside_the_source(self) -> None:
        assert self.shown("x", 1, 2, line=7) == []
        assert self.shown("", 1, 1) == ["1 | ", "  | ^"]
        assert self.shown("ab", 9, 4)[1].strip("| ") == "^"


class TestWrapping:
    """A terminal would break lines in the middle of words."""

    def wrapped(self, text: str, width: int | None) -> list[str]:
        whole = line(("one", "bold"), text.removeprefix("one"))
        return [part.plain for part in wrapped(whole, width, "  ")]

    def test_breaks_are_between_words(self) -> None:
        assert self.wrapped("one two three four", 9) == ["one two", "  three", "  four"]
        assert self.wrapped("one two three four", 18) == ["one two three four"]
        assert self.wrapped("one two three four", None) == ["one two three four"]

    def test_a_long_word_stays_whole(self) -> None:
        assert self.wrapped("one a/very/long/path.py two", 9) == ["one", "  a/very/long/path.py", "  two"]

    def test_cells_count(self) -> None:
        assert self.wrapped("one 漢字 漢字", 9) == ["one 漢字", "  漢字"]

    def test_styles_stay(self) -> None:
        parts = [*wrapped(line("a ", ("red red", "red"), " b"), 5, " ")]
        assert [part.pieces for part in parts] == [
            (("a ", ""), ("red", "red")),
            ((" ", ""), ("red", "red")),
            ((" ", ""), ("b", "")),
        ]

    @pytest.mark.parametrize("width", [30, 46, 80, 120])
    def test_a_report_keeps_its_words(self, width: int) -> None:
        report = sample.report(sample.finding(), skipped=(Skipped("pkg/other.py", "cannot be parsed " * 9),))
        narrow = [part.plain for part in render(report, width=width)]
        assert max(map(cell_len, narrow)) <= width
        for part in (*sample.finding().message.split(), "descriptors,", "skipped"):
            assert any(part in text.split() for text in narrow)
