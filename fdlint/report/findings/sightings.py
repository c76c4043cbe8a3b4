"""What a test run has seen leak, beside what a scan reports."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from fdlint.core.finding import Confidence, EventKind, Finding, Sighting, Span
from fdlint.report.findings.finding import Report, Unreported, Withheld
from fdlint.report.findings.silencing import DEFAULTS

_LEAKS = ("FD1", "FD4")
_ACQUIRING = (EventKind.ACQUIRED, EventKind.RECEIVED)


@dataclass(frozen=True, slots=True)
class SeenLeak:
    """One descriptor that a test left open. ``places``: the path and the line of each call of the project that led to
    the acquisition, the innermost first. ``function``: that of the innermost."""

    test: str
    kind: str
    function: str
    places: tuple[tuple[str, int], ...]


def confirmed(report: Report, leaks: Sequence[SeenLeak]) -> Report:
    """Returns the report with high confidence for the findings that a run has seen leak, and with the leaks in scanned
    files that no finding tells of. A finding that the defaults withheld for its low confidence is reported."""
    hidden = [one for one in report.withheld if _for_confidence(one)]
    known = [*report.findings, *(one.finding for one in report.withheld)]
    by_line = _by_line(known)
    seen: dict[Finding, Counter[str]] = {}
    missed: dict[tuple[str, int, str, str], Counter[str]] = {}
    scanned = frozenset(map(_relative, report.scanned))
    for leak in leaks:
        matching = next((found for place in leak.places if (found := by_line.get(place))), ())
        for finding in matching:
            seen.setdefault(finding, Counter())[leak.test] += 1
        if not matching and leak.places and leak.places[0][0] in scanned:
            missed.setdefault((*leak.places[0], leak.function, leak.kind), Counter())[leak.test] += 1
    raised = [one.finding for one in hidden if one.finding in seen]
    found = [_rated(one, seen) for one in (*report.findings, *raised)]
    return replace(
        report,
        findings=tuple(sorted(found, key=lambda one: (one.span, one.code))),
        withheld=tuple(one for one in report.withheld if one not in hidden or one.finding not in seen),
        unreported=tuple(Unreported(*place, _sightings(tests)) for place, tests in sorted(missed.items())),
    )


def _for_confidence(one: Withheld) -> bool:
    return one.by == DEFAULTS and one.finding.confidence is Confidence.LOW and not one.finding.in_tests


def _rated(finding: Finding, seen: dict[Finding, Counter[str]]) -> Finding:
    if finding not in seen:
        return finding
    return replace(finding, confidence=Confidence.HIGH, seen=_sightings(seen[finding]))


def _by_line(findings: Iterable[Finding]) -> dict[tuple[str, int], list[Finding]]:
    found: dict[tuple[str, int], list[Finding]] = {}
    for one in findings:
        if one.code.startswith(_LEAKS):
            for place in set(_acquisitions(one)):
                found.setdefault(place, []).append(one)
    return found


def _acquisitions(finding: Finding) -> Iterator[tuple[str, int]]:
    """The lines on which a finding acquires: those of its call, and of the steps that say so."""
    acquiring = [event.span for event in finding.trace if event.kind in _ACQUIRING]
    for span in acquiring or [finding.span]:
        yield from _lines(span)


def _lines(span: Span) -> Iterator[tuple[str, int]]:
    path = _relative(span.path)
    yield from ((path, line) for line in range(span.line, max(span.end_line, span.line) + 1))


def _sightings(tests: Counter[str]) -> tuple[Sighting, ...]:
    return tuple(Sighting(test, times) for test, times in sorted(tests.items(), key=lambda one: (-one[1], one[0])))


def _relative(path: str) -> str:
    """The path from the working directory, as a test run writes it."""
    if os.path.isabs(path):
        path = os.path.relpath(path)
    return os.path.normpath(path).replace(os.sep, "/")
