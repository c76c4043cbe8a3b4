"""Findings against changes: a finding counts if a function that its story goes through has changed."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fdlint.changes import git
from fdlint.changes.git import Change
from fdlint.changes.units import Unit, innermost, units
from fdlint.finding import Finding, Report, Span


def only_changed(report: Report, revision: str) -> Report:
    """The report without the findings in functions that have not changed since a revision. Raises ``GitError``."""
    paths = {span.path for one in report.findings for span in _places(one)} | {one.span.path for one in report.unused}
    changes = _changes(revision, paths)
    known = _Changed(changes, {path: units(path, _read(path)) for path, changed in changes.items() if changed})
    findings = tuple(one for one in report.findings if any(known.at(span) for span in _places(one)))
    unused = tuple(one for one in report.unused if known.at(one.span))
    left_out = len(report.findings) - len(findings)
    return replace(report, findings=findings, unused=unused, unchanged=left_out)


def _places(finding: Finding) -> list[Span]:
    return [finding.span, *(event.span for event in finding.trace)]


def _changes(revision: str, paths: set[str]) -> Mapping[str, Sequence[Change]]:
    """By path as it is shown."""
    real = {path: os.path.realpath(path) for path in paths}
    tops: dict[str, str] = {}
    by_top: dict[str, list[str]] = defaultdict(list)
    for path in real.values():
        directory = os.path.dirname(path)
        if directory not in tops:
            tops[directory] = git.top(directory)
        by_top[tops[directory]].append(path)
    found = {path: said for top, files in by_top.items() for path, said in git.changes(revision, top, files).items()}
    return {path: found.get(place, ()) for path, place in real.items()}


@dataclass(frozen=True, slots=True)
class _Changed:
    changes: Mapping[str, Sequence[Change]]
    units: Mapping[str, Sequence[Unit]]

    def at(self, span: Span) -> bool:
        """Whether the function that a place is in has changed."""
        if span.path not in self.units:
            return False
        unit = innermost(self.units[span.path], span.line)
        return any(_touches(change, unit) for change in self.changes[span.path])


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


def _touches(change: Change, unit: Unit) -> bool:
    if change.first <= change.last:
        return change.first <= unit.last and unit.first <= change.last
    inside = unit.first <= change.last < unit.last
    return inside or (change.last == unit.last and change.indent > unit.indent)
