"""Moves findings to their files: the analysis of one file may find a loop that recreates objects of another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from fdlint.core.finding import Finding, Span
from fdlint.report.findings.finding import CrossFileFindings, FileResult


def with_cross_file_findings(results: Mapping[str, FileResult]) -> dict[str, FileResult]:
    """Returns the results with every finding at its own file. Drops findings in files that are not scanned."""
    found = dict(results)
    visitors: dict[str, list[CrossFileFindings]] = {}
    for _, result in sorted(results.items()):
        for cross_file in result.cross_file:
            visitors.setdefault(cross_file.path, []).append(cross_file)
    for path, arrived in visitors.items():
        if path in found:
            found[path] = _joined(found[path], arrived)
    return found


def _joined(home: FileResult, arrived: list[CrossFileFindings]) -> FileResult:
    """Joins the findings of several files about one: each once, with its shortest trace."""
    best: dict[tuple[str, Span], Finding] = {(one.code, one.span): one for one in home.findings}
    for one in (one for cross_file in arrived for one in cross_file.findings):
        before = best.setdefault((one.code, one.span), one)
        if len(one.trace) < len(before.trace):
            best[one.code, one.span] = one
    findings = sorted(best.values(), key=lambda finding: (finding.span, finding.code))
    return replace(home, findings=tuple(findings), text=home.text or arrived[0].text)
