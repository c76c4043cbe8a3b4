"""Merges findings with the same cause: what one exception leaves open is one finding."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from fdlint.core.finding import Event, EventKind, Finding, Span

_MAX_COMPARED = 60  # the findings of one function: the work grows with their square
_BEGINNINGS = frozenset({EventKind.ACQUIRED, EventKind.RECEIVED})


def merged(
    findings: Sequence[Finding], hidden: Iterable[Finding], codes: Collection[str]
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """Returns the findings, one for each exception and function, and those that became a part of another.

    The finding whose exception leaves the most open stands for all that are not more certain and cost no more.
    ``hidden``: findings that
    comments silence. If one of them would stand for others, these are silenced with it. ``codes``: the rules whose
    findings are merged.
    """
    silenced = set(hidden)
    by_function: dict[str | None, list[Finding]] = defaultdict(list)
    for one in sorted((*findings, *silenced), key=lambda one: one.span):
        if one.code in codes:
            by_function[one.function].append(one)
    together: dict[Finding, list[Finding]] = {}
    for group in by_function.values():
        together |= _groups(group)
    absorbed = {one: None for others in together.values() for one in others if one not in silenced}
    kept = [one for one in findings if one not in absorbed]
    return tuple(_together(one, [x for x in together.get(one, ()) if x in absorbed]) for one in kept), tuple(absorbed)


def _groups(findings: Sequence[Finding]) -> dict[Finding, list[Finding]]:
    """Returns the findings of one function that stand for others, each with these."""
    left = list(findings) if len(findings) <= _MAX_COMPARED else []
    found: dict[Finding, list[Finding]] = {}
    while len(left) > 1:
        parts = {one: [other for other in left if _is_part(other, one)] for one in left}
        first = max(parts, key=lambda one: len(parts[one]))
        if not parts[first]:
            break
        found[first] = parts[first]
        left = [one for one in left if one is not first and one not in parts[first]]
    return found


def _is_part(other: Finding, one: Finding) -> bool:
    """Whether the exception at the end of a finding's trace has the effect that another finding tells of."""
    cause = _exception(one)
    same = cause is not None and (cause in other.causes or cause == _exception(other))
    above = one.confidence.reaches(other.confidence) and one.impact.cost.reaches(other.impact.cost)
    return same and other != one and above


def _exception(finding: Finding) -> Span | None:
    """Returns the place of the exception that a trace ends with; None if there is none."""
    return next((event.span for event in reversed(finding.trace) if event.kind is EventKind.RAISED), None)


def _together(finding: Finding, others: Sequence[Finding]) -> Finding:
    """Returns the finding with the acquisitions of others, which have the same end."""
    if not others:
        return finding
    more = f"{len(others)} more call{'s' if len(others) > 1 else ''}"
    message = f"{finding.message} (what {more} opened leaks with it)"
    own = next((number for number, event in enumerate(finding.trace) if event.kind not in _BEGINNINGS), 0)
    acquired = sorted(_acquired(others), key=lambda event: event.span)
    return replace(finding, message=message, trace=(*finding.trace[:own], *acquired, *finding.trace[own:]))


def _acquired(findings: Iterable[Finding]) -> Iterable[Event]:
    for one in findings:
        own = next((event for event in one.trace if event.span == one.span), one.trace[0])
        yield replace(own, message=f"{own.message}: this one too")
