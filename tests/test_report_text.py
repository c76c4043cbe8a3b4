from __future__ import annotations

import dataclasses

import sample

from fdlint.finding import Event, EventKind, Report, Severity, Skipped, Span, Summary
from fdlint.report.frame import WIDTH, frame
from fdlint.report.printable import printable
from fdlint.report.text import render


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
        "   1. line 4: acquired  `fd` is opened here",
        "   2. line 5: branch  taken when `not path`",
        "      if not path:",
        "   3. line 6: leaked  returns with `fd` open",
        "      return None",
        "",
        "1,102 files, 37 touch descriptors, 1 finding (1 error) in 0.8 s",
    ]


def test_colour_changes_no_character() -> None:
    report = sample.report(sample.finding())
    assert [line.rstrip() for line in lines(report, colour=True)] == [line.rstrip() for line in lines(report)]


def test_a_step_in_another_file_says_so() -> None:
    event = Event(EventKind.CLOSED, sample.span(3, 1, 2, path="other.py"), "closed by the callee")
    text = lines(sample.report(sample.finding(trace=(event,))))
    assert "   1. other.py:3: closed  closed by the callee" in text


def test_the_summary_counts() -> None:
    warning = sample.finding(severity=Severity.WARNING)
    findings = (sample.finding(), sample.finding(), warning)
    assert lines(sample.report(*findings))[-1] == (
        "1,102 files, 37 touch descriptors, 3 findings (2 errors, 1 warning) in 0.8 s"
    )
    nothing = Report((), (), Summary(files=1, files_analysed=1, lines=3, seconds=0))
    assert lines(nothing) == ["1 file, 1 touches descriptors, 0 findings in 0.0 s"]


def test_quiet_leaves_the_summary_out_but_not_what_was_skipped() -> None:
    assert lines(sample.report(), quiet=True) == []
    skipped = (Skipped("a.py", "cannot be parsed"),)
    assert lines(sample.report(skipped=skipped), quiet=True) == ["skipped a.py: cannot be parsed", ""]


def test_many_skipped_files_are_counted() -> None:
    skipped = tuple(Skipped(f"{number}.py", "why") for number in range(2023))
    text = lines(sample.report(skipped=skipped))
    assert text[20:] == [
        "skipped 2,003 more; --output-format json lists them all",
        "",
        "1,102 files, 37 touch descriptors, 0 findings, 2,023 skipped in 0.8 s",
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


class TestFrame:
    def shown(self, source: str, column: int, end_column: int, line: int = 1) -> list[str]:
        span = Span("x.py", line, column, line, end_column)
        return [text.plain for text in frame(span, source.split("\n"), colour=False)]

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
