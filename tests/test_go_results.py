"""What Semgrep says, recorded, and what becomes of it."""

from __future__ import annotations

from typing import Any

import pytest

from fdlint.checks.judge import judged
from fdlint.findings.finding import EventKind, Severity, Span
from fdlint.go.results import findings, skipped
from fdlint.go.text import GoText, suppressions

BROKER = b"""\
package broker

func (s *Server) handle(conn *net.UnixConn) error {
	fd, err := s.mount(
		conn,
	)
	if err != nil {
		return err
	}
	if err := util.SendMsg(conn, fd, nil); err != nil {
		return err
	}
	return nil
}

var answer = 42

func twice(fd int) {
	unix.Close(fd)
	unix.Close(fd)
}
"""
CALL = "s.mount(\n\t\tconn,\n\t)"


def result(code: str, name: str, start: tuple[int, int], end: tuple[int, int], **extra: Any) -> dict[str, Any]:
    metadata = {"fdlint": code, "name": name, **({"range": extra.pop("range")} if "range" in extra else {})}
    return {
        "check_id": f"rules.go.{name}",
        "path": "broker.go",
        "start": {"line": start[0], "col": start[1], "offset": 0},
        "end": {"line": end[0], "col": end[1], "offset": 0},
        "extra": {"message": f"`fd` from `{CALL}` is lost", "severity": "ERROR", "metadata": metadata, **extra},
    }


@pytest.fixture
def text() -> GoText:
    return GoText("pkg/broker.go", BROKER)


def test_sent_and_kept(text: GoText) -> None:
    (finding,) = findings([result("FD104", "kept-after-send", (4, 13), (6, 3))], text)
    assert (finding.code, finding.name, finding.severity) == ("FD104", "kept-after-send", Severity.ERROR)
    assert finding.span == Span("pkg/broker.go", 4, 13, 6, 3)
    assert (finding.function, finding.api, finding.language) == ("Server.handle", "s.mount", "go")
    assert finding.message == "`fd` from s.mount() is lost"
    assert [event.message for event in finding.trace] == [
        "acquired by s.mount()",
        "sent to another process, which gets a copy",
        "still open when the function returns",
    ]
    assert [(event.kind, event.span.line) for event in finding.trace] == [
        (EventKind.ACQUIRED, 4),
        (EventKind.SENT, 10),
        (EventKind.LEAKED, 13),
    ]


def test_found_at_the_return_it_points_at_the_call(text: GoText) -> None:
    found = result("FD102", "not-closed-on-path", (11, 3), (11, 13), range="return")
    (finding,) = findings([found], text)
    assert finding.span == Span("pkg/broker.go", 4, 13, 6, 3)
    assert [(event.kind.value, event.span.line) for event in finding.trace] == [
        ("acquired", 4),
        ("branch", 10),
        ("leaked", 11),
    ]


def test_two_ways_out_are_one_finding(text: GoText) -> None:
    ways = [((13, 2), (13, 12)), ((11, 3), (11, 13))]
    found = [result("FD102", "not-closed-on-path", start, end, range="return") for start, end in ways]
    (finding,) = findings(found, text)
    assert finding.trace[-1].span.line == 11


def test_a_misuse_points_at_its_end(text: GoText) -> None:
    found = result("FD201", "double-close", (19, 2), (20, 16), range="misuse", message="`fd` is closed twice")
    (finding,) = findings([found], text)
    assert finding.span == Span("pkg/broker.go", 20, 2, 20, 16)
    assert finding.function == "twice"
    assert [(event.kind, event.span.line) for event in finding.trace] == [(EventKind.CLOSED, 19)]


def test_info_is_a_warning(text: GoText) -> None:
    (finding,) = findings([result("FD104", "kept-after-send", (4, 13), (6, 3), severity="INFO")], text)
    assert finding.severity is Severity.WARNING


def test_one_leak_for_one_call(text: GoText) -> None:
    both = [
        result("FD101", "never-closed", (4, 13), (6, 3)),
        result("FD104", "kept-after-send", (4, 13), (6, 3)),
        result("FD301", "received-inheritable", (4, 13), (6, 3)),
    ]
    found = judged(findings(both, text), text.lines)
    assert [finding.code for finding in found] == ["FD104", "FD301"]
    assert all(len(finding.fingerprint) == 16 for finding in found)


def test_fingerprints_stay_when_lines_move(text: GoText) -> None:
    moved = GoText("pkg/broker.go", BROKER.replace(b"package broker\n", b"package broker\n\n\n"))
    before = judged(findings([result("FD101", "never-closed", (4, 13), (6, 3))], text), text.lines)
    after = judged(findings([result("FD101", "never-closed", (6, 13), (8, 3))], moved), moved.lines)
    assert before[0].fingerprint == after[0].fingerprint


@pytest.mark.parametrize(
    ("line", "function"), [(4, "Server.handle"), (13, "Server.handle"), (16, None), (19, "twice"), (1, None)]
)
def test_functions(text: GoText, line: int, function: str | None) -> None:
    assert text.function(line) == function


def test_errors_are_said_once_each() -> None:
    errors = [
        {"type": "Timeout", "path": "a.go", "rule_id": "rules.go.never-closed"},
        {"type": "Timeout", "path": "a.go", "rule_id": "rules.go.never-closed"},
        {"type": ["PartialParsing", []], "path": "a.go"},
    ]
    assert [one.reason for one in skipped(errors, "a.go")] == [
        "Semgrep: timed out in rule never-closed",
        "Semgrep: partial parsing",
    ]


@pytest.mark.parametrize(
    ("comment", "codes"),
    [
        ("//nolint", set()),
        ("//nolint:all", set()),
        ("// nolint:fdlint // held on purpose", set()),
        ("//nolint:gosec,fdlint", set()),
        ("//nolint:FD101,FD3", {"FD101", "FD3"}),
        ("// nosemgrep", set()),
        ("// nosemgrep: rules.go.never-closed", set()),
        ("//nolint:gosec", None),
        ("// no lint here", None),
        ("//nolinting is a word", None),
    ],
)
def test_comments(comment: str, codes: set[str] | None) -> None:
    found = suppressions(GoText("a.go", f"package a\n\nfd := open() {comment}\n".encode()))
    assert [set(one.codes) for one in found] == ([] if codes is None else [codes])
    assert all(one.span.line == 3 for one in found)
