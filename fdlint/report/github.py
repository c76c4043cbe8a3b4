"""Workflow commands of GitHub Actions: each finding becomes an annotation on its line.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands#setting-an-error-message
"""

from __future__ import annotations

from fdlint.findings.finding import Finding, Report, Severity
from fdlint.report.printable import printable
from fdlint.report.rulebook import Rulebook

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning"}


def render(report: Report, _rules: Rulebook) -> str:
    """Returns one command per line. A file that was not analysed becomes a notice."""
    skipped = (f"::notice file={_property(one.path)},title=fdlint::{_data(one.reason)}" for one in report.skipped)
    return "\n".join([*map(_annotation, report.findings), *skipped])


def _annotation(finding: Finding) -> str:
    span = finding.span
    where = f"file={_property(span.path)},line={span.line},endLine={span.end_line},col={span.column}"
    end = f",endColumn={span.end_column}" if span.end_line == span.line else ""
    title = _property(f"{finding.code} {finding.name}")
    steps = [f"line {event.span.line}: {event.message}" for event in finding.trace]
    message = "%0A".join(map(_data, [finding.message, *steps]))
    return f"::{_COMMANDS[finding.severity]} {where}{end},title={title}::{message}"


def _data(text: str) -> str:
    return printable(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
