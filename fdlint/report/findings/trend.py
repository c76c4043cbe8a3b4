"""Compares two reports of one project: new, fixed and unchanged findings."""

from __future__ import annotations

from collections.abc import Callable

from fdlint.core.finding import Finding
from fdlint.report.findings.finding import Report, Trend
from fdlint.report.findings.pairing import paired


def compare(newer: Report, older: Report, name: str, unseen: Callable[[str], bool]) -> Trend:
    """Compares findings by fingerprint, of which the path is a part. A finding that occurs twice needs two partners.
    ``unseen``: whether the newer scan passed over a file that its report does not list as skipped."""
    unchanged, new = paired(newer.findings, _mark, map(_mark, older.findings))
    _, gone = paired(older.findings, _mark, map(_mark, newer.findings))
    # A comment that silences a finding changes its line, and so its fingerprint.
    silenced, gone = paired(gone, _kind, (_kind(one.finding) for one in newer.withheld))
    skipped = {one.path for one in newer.skipped}
    unknown = tuple(one for one in gone if _is_below(one.span.path, skipped) or unseen(one.span.path))
    fixed = paired(gone, id, map(id, unknown))[1]
    return Trend(name, new, fixed, unchanged, silenced, unknown, older.scans)


def _mark(finding: Finding) -> str:
    return finding.fingerprint


def _kind(finding: Finding) -> tuple[str, str, str | None, str]:
    return finding.span.path, finding.code, finding.function, finding.message


def _is_below(path: str, skipped: set[str]) -> bool:
    """Whether a file, or a directory above it, was skipped."""
    while path:
        if path in skipped:
            return True
        path = path.rpartition("/")[0]
    return "." in skipped
