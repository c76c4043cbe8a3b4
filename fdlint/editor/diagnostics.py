"""Turns findings into diagnostics."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from lsprotocol import types
from pygls.uris import from_fs_path

from fdlint.core.checks.fd900_unused_suppression import RULE as UNUSED
from fdlint.core.finding import Confidence, Cost, Finding, Severity, Span
from fdlint.editor.text import Text
from fdlint.links import rule_page
from fdlint.report.findings.finding import Skipped

SOURCE = "fdlint"
_SYNTAX = re.compile(r"invalid syntax\b(?: at (?P<line>\d+):(?P<column>\d+))?")
Reader = Callable[[Path], Text]
"""Returns the present text of a file."""


def diagnostic(finding: Finding, text: Text, read: Reader) -> types.Diagnostic:
    """Returns the diagnostic of a finding. The steps of its path and its assumptions become related information."""
    page = rule_page(finding.code)
    steps = [types.DiagnosticRelatedInformation(_location(step.span, read), step.message)
             for step in finding.sentences]  # fmt: skip
    return types.Diagnostic(
        range=text.range(finding.span),
        message=finding.message,
        severity=severity(finding),
        code=finding.code,
        code_description=types.CodeDescription(page) if page is not None else None,
        source=SOURCE,
        tags=[types.DiagnosticTag.Unnecessary] if finding.code == UNUSED.code else None,
        related_information=steps or None,
        data={
            "fingerprint": finding.fingerprint,
            "name": finding.name,
            "confidence": finding.confidence.value,
            "impact": finding.impact.cost.value,
        },
    )


def syntax_error(skipped: Skipped, text: Text) -> types.Diagnostic | None:
    """Returns the diagnostic of a text that Python cannot read; None for another reason."""
    found = _SYNTAX.search(skipped.reason)
    if found is None:
        return None
    line = int(found["line"] or len(text.lines))
    column = int(found["column"] or 1)
    return types.Diagnostic(
        range=text.range(Span(skipped.path, line, column, line, column + 1)),
        message=f"{skipped.reason[found.start() :]}. fdlint checks only what it can read",
        severity=types.DiagnosticSeverity.Warning,
        code="invalid-syntax",
        source=SOURCE,
    )


def severity(finding: Finding) -> types.DiagnosticSeverity:
    """Returns the severity in an editor: a finding of low confidence or low impact is only information."""
    if finding.confidence is Confidence.LOW or finding.impact.cost is Cost.LOW:
        return types.DiagnosticSeverity.Information
    error = finding.severity is Severity.ERROR
    return types.DiagnosticSeverity.Error if error else types.DiagnosticSeverity.Warning


def _location(span: Span, read: Reader) -> types.Location:
    place = Path(span.path).absolute()
    return types.Location(from_fs_path(str(place)) or "", read(place).range(span))
