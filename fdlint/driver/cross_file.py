"""Moves findings to their files: the analysis of one file may find a loop that recreates objects of another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from fdlint.findings.finding import Abroad, FileResult, Finding, Span


def brought_home(results: Mapping[str, FileResult]) -> dict[str, FileResult]:
    """Returns the results with every finding at its own file. Drops findings in files that are not scanned."""
    found = dict(results)
    visitors: dict[str, list[Abroad]] = {}
    for _, result in sorted(results.items()):
        for abroad in result.abroad:
            visitors.setdefault(abroad.path, []).append(abroad)
    for path, arrived in visitors.items():
        if path in found:
            found[path] = _joined(found[path], arrived)
    return found


def _joined(home: FileResult, arrived: list[Abroad]) -> FileResult:
    """Joins the findings of several files about one: each once, with its shortest trace."""
    best: dict[tuple[str, Span], Finding] = {(one.code, one.span): one for one in home.findings}
    for one in (one for abroad in arrived for one in abroad.findings):
        before = best.setdefault((one.code, one.span), one)
        if len(one.trace) < len(before.trace):
            best[one.code, one.span] = one
    findings = sorted(best.values(), key=lambda finding: (finding.span, finding.code))
    return replace(home, findings=tuple(findings), text=home.text or arrived[0].text)
