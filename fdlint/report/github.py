"""Workflow commands of GitHub Actions: each finding becomes an annotation on its line.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands#setting-an-error-message
"""

from __future__ import annotations

from fdlint.core.finding import Finding, Severity
from fdlint.report.findings.finding import Report
from fdlint.report.printable import printable
from fdlint.report.rulebook import Rulebook
from fdlint.report.states import noted, states
from fdlint.report.steps import steps
from fdlint.report.summary import silenced, trend

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning"}


def render(report: Report, _rules: Rulebook) -> str:
    """Returns one command per line. Notices: each file that was not analysed, what the tree silences, and the
    comparison with an older report."""
    state = states(report)
    annotations = [_annotation(one, state.get(one)) for one in report.findings]
    skipped = (f"::notice file={_property(one.path)},title=fdlint::{_data(one.reason)}" for one in report.skipped)
    said = filter(None, [silenced(report), trend(report.trend) if report.trend is not None else ""])
    return "\n".join([*annotations, *skipped, *(f"::notice title=fdlint::{_data(one)}" for one in said)])


def _annotation(finding: Finding, state: str | None) -> str:
    span = finding.span
    where = f"file={_property(span.path)},line={span.line},endLine={span.end_line},col={span.column}"
    end = f",endColumn={span.end_column}" if span.end_line == span.line else ""
    title = _property(noted(f"{finding.code} {finding.name}", state))
    message = "%0A".join(map(_data, [finding.message, *steps(finding)]))
    return f"::{_COMMANDS[finding.severity]} {where}{end},title={title}::{message}"


def _data(text: str) -> str:
    return printable(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
