"""The JSON output, version 1: a contract with its readers. Keys may be added, never renamed or removed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fdlint.core.finding import Assumption, Event, Finding
from fdlint.report.documents import as_json, sound
from fdlint.report.excerpts import excerpts
from fdlint.report.findings.audited import Audited
from fdlint.report.findings.finding import Report, Trend
from fdlint.report.findings.fix import Fix
from fdlint.report.findings.hidden import Hidden
from fdlint.report.findings.silencing import Silencing
from fdlint.report.rulebook import Rulebook
from fdlint.report.states import gone, states

VERSION = 1


def render(report: Report, _rules: Rulebook | None = None) -> str:
    """Returns the whole report as one JSON object, with the lines around its findings."""
    code = excerpts(report.findings, report.sources)
    return as_json({**document(report), **({"code": code} if code else {})})


def document(report: Report) -> dict[str, Any]:
    """Returns the object."""
    state = states(report)
    return {
        "version": VERSION,
        "findings": [
            _finding(one, report.fixes.get(one), state.get(one), report.owners.get(one.span.path, ()))
            for one in report.findings
        ],
        "skipped": [{"path": sound(skipped.path), "reason": sound(skipped.reason)} for skipped in report.skipped],
        "summary": _summary(report),
        **({"gone": [_finding(one) for one in gone(report)]} if report.trend is not None else {}),
    }


def compared(found: Trend) -> dict[str, Any]:
    """Returns the numbers of the comparison with an older report."""
    return {
        "with": sound(found.older),
        "new": len(found.new),
        "unchanged": len(found.unchanged),
        "gone": len(found.fixed),
        "silenced": len(found.silenced),
        "unknown": len(found.unknown),
    }


def silencing(found: Silencing) -> dict[str, Any]:
    """Returns the findings that the scanned tree itself silences, by means."""
    return {
        "findings": {means.value: number for means, number in found.findings.items()},
        "paths": {means.value: number for means, number in found.paths.items()},
        "lowered": found.lowered,
        "rules": list(found.rules),
        "models": list(map(sound, found.models)),
        "configurations": list(map(sound, found.configurations)),
    }


def hidden(found: Hidden) -> dict[str, int]:
    """Returns the numbers of findings that are not shown, by the reason."""
    return {why.value: number for why, number in found.counts.items()}


def _finding(
    finding: Finding, fix: Fix | None = None, state: str | None = None, owners: Sequence[str] = ()
) -> dict[str, Any]:
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity.value,
        "language": finding.language,
        "path": sound(finding.span.path),
        "line": finding.span.line,
        "column": finding.span.column,
        "end_line": finding.span.end_line,
        "end_column": finding.span.end_column,
        "message": sound(finding.message),
        "function": finding.function,
        "api": finding.api,
        "fingerprint": finding.fingerprint,
        "confidence": finding.confidence.value,
        "impact": {"level": finding.impact.cost.value, "reason": sound(finding.impact.reason)},
        "assumptions": [_assumption(one) for one in finding.assumptions],
        "in_tests": finding.in_tests,
        "trace": [_event(event) for event in finding.trace],
        **({"owners": list(map(sound, owners))} if owners else {}),
        **({"state": state} if state is not None else {}),
        **({"fix": _fix(fix)} if fix is not None else {}),
    }


def _assumption(assumption: Assumption) -> dict[str, Any]:
    return {
        "kind": assumption.kind.value,
        "message": sound(assumption.message),
        "path": sound(assumption.span.path),
        "line": assumption.span.line,
    }


def _fix(fix: Fix) -> dict[str, Any]:
    return {
        "title": sound(fix.title),
        "applicability": fix.applicability,
        "edits": [{"line": one.line, "end_line": one.end_line, "text": sound(one.text)} for one in fix.edits],
    }


def _event(event: Event) -> dict[str, Any]:
    return {
        "event": event.kind.value,
        "path": sound(event.span.path),
        "line": event.span.line,
        "column": event.span.column,
        "message": sound(event.message),
    }


def _summary(report: Report) -> dict[str, Any]:
    summary = report.summary
    return {
        "files": summary.files,
        "files_analysed": summary.files_analysed,
        "lines": summary.lines,
        "seconds": round(summary.seconds, 3),
        "counts": report.counts(),
        "silenced": report.silenced,
        "baselined": report.baselined,
        "unchanged": report.unchanged,
        "silencing": silencing(report.silencing),
        "persona": report.persona.value if report.persona is not None else None,
        "hidden": hidden(report.hidden),
        "show_hidden": dict(report.hidden.options),
        **({"compared": compared(report.trend)} if report.trend is not None else {}),
        **({"shard": report.shard} if report.shard is not None else {}),
        **({"scans": [_scan(scan) for scan in report.scans]} if report.scans else {}),
    }


def _scan(scan: Audited) -> dict[str, Any]:
    """Returns the data of an audited scan, without unknown values."""
    known: dict[str, Any] = {
        "name": sound(scan.name),
        "directory": sound(scan.directory),
        "paths": list(map(sound, scan.paths)),
        "revisions": [
            {
                "directory": sound(one.directory),
                "commit": one.commit,
                "branch": sound(one.branch),
                **({"repository": one.repository} if one.repository else {}),
            }
            for one in scan.revisions
        ],
        "started": scan.started,
        "command": list(map(sound, scan.command)),
        "configurations": list(map(sound, scan.configurations)),
        "versions": dict(scan.versions),
    }
    return {key: value for key, value in known.items() if value}
