"""A handmade report, for tests of presentation."""

from __future__ import annotations

from fdlint.core.finding import Confidence, Event, EventKind, Finding, Severity, Span
from fdlint.report.findings.finding import Report, Skipped, Summary
from fdlint.report.findings.tests import in_tests

SOURCE = (
    "import os",
    "",
    "def copy(path):",
    "\tfd = os.open(path, os.O_RDONLY)",
    "\tif not path:",
    "\t\treturn None",
    "\tos.close(fd)",
)


def span(line: int, column: int, end_column: int, path: str = "pkg/mod.py") -> Span:
    return Span(path, line, column, line, end_column)


def finding(**changes: object) -> Finding:
    fields: dict[str, object] = {
        "code": "FD102",
        "name": "not-closed-on-path",
        "severity": Severity.ERROR,
        "span": span(4, 7, 33),
        "message": "`fd` from os.open() is not closed on every path",
        "function": "copy",
        "api": "os.open",
        "confidence": Confidence.HIGH,
        "fingerprint": "0123456789abcdef",
        "language": "python",
        "trace": (
            Event(EventKind.ACQUIRED, span(4, 7, 33), "`fd` is opened here"),
            Event(EventKind.BRANCH, span(5, 2, 14), "taken when `not path`"),
            Event(EventKind.LEAKED, span(6, 3, 14), "returns with `fd` open"),
        ),
    }
    fields |= changes
    place = fields["span"]
    assert isinstance(place, Span)
    return Finding(**{"in_tests": in_tests(place.path), **fields})  # type: ignore[arg-type]


def report(*findings: Finding, skipped: tuple[Skipped, ...] = ()) -> Report:
    sources = {found.span.path: SOURCE for found in findings}
    return Report(findings, skipped, Summary(files=1102, files_analysed=37, lines=98765, seconds=0.8123), sources)
