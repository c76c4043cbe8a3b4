"""Says why a finding has its confidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from fdlint.core.domain.event import Chance
from fdlint.core.domain.facts import (
    PASSING,
    Ending,
    Excuse,
    Fact,
    Happened,
    Lifetime,
    Overwriting,
    Ownership,
    Staleness,
)
from fdlint.core.finding import Confidence, Event, Finding

_CERTAIN = {
    Confidence.HIGH: "nothing on the path is assumed",
    Confidence.MEDIUM: "it rests on one assumption about code that is not seen",
    Confidence.LOW: "it holds only if an unknown call does not take the descriptor, or if a rare failure happens",
}


def with_reasons(finding: Finding, facts: Iterable[Fact]) -> tuple[Finding, tuple[str, ...]]:
    """Returns a finding with the most detailed trace that the facts have, and the reasons for its confidence."""
    for fact in facts:
        if (fact.span.line, fact.span.column) != (finding.span.line, finding.span.column):
            continue
        for trace, reasons in _ways(fact):
            if _same(finding.trace, trace):
                return _detailed(finding, trace), tuple(reasons) or (_CERTAIN[finding.confidence],)
    return finding, (_CERTAIN[finding.confidence],)


def _ways(fact: Fact) -> Iterator[tuple[Sequence[Event], list[str]]]:
    """Yields the traces of a fact, each with what speaks for and against it."""
    match fact:
        case Lifetime():
            for ending in fact.endings:
                once = ["a process makes the call at most once, so nothing adds up"] if fact.once else []
                yield ending.trace, [*once, *_of_ending(ending)]
            if fact.kept is not None:
                yield fact.kept.trace, ["no code in the project is seen that closes the attribute or hands it over"]
        case Happened():
            yield fact.trace, list(_of_happened(fact))
        case Overwriting():
            yield fact.trace, list(_of_overwriting(fact))
        case Staleness():
            yield fact.trace, ["other code must catch the exception and close the object again"] if fact.raised else []


def _of_ending(ending: Ending) -> Iterator[str]:
    if ending.last:
        yield "each caller ends the program then"
    if ending.ownership is Ownership.CERTAIN:
        yield "the function owns the descriptor: nothing else can have taken it"
    else:
        yield f"the owner is in doubt: {ending.ownership.value}"
    if ending.death in PASSING or ending.chance is Chance.RARE:
        yield f"the exception: {ending.chance.value}"
    if not ending.certain:
        yield "the path is in doubt: conditions that fdlint does not understand may rule it out"
    elif ending.death not in PASSING:
        yield "the path was followed apart from all others"


def _of_happened(fact: Happened) -> Iterator[str]:
    doubts = {Excuse.BY_NAME, Excuse.PERHAPS, Excuse.RARE}
    for excuse in sorted(fact.excuses & doubts, key=lambda one: one.value):
        yield f"in doubt: {excuse.value}"


def _of_overwriting(fact: Overwriting) -> Iterator[str]:
    if fact.rare:
        yield "it needs an exception that hardly ever comes"
    elif fact.within:
        yield "one call of a method acquires it and loses it"
    elif not fact.certain:
        yield "other code must call the methods in this order"


def _key(event: Event) -> tuple[object, int, int]:
    return event.kind, event.span.line, event.span.column


def _same(short: Sequence[Event], long: Sequence[Event]) -> bool:
    """Whether a detailed trace tells the same story as a short one."""
    if not short or not long or _key(short[-1]) != _key(long[-1]):
        return False
    return set(map(_key, short)) <= set(map(_key, long))


def _detailed(finding: Finding, trace: Sequence[Event]) -> Finding:
    """Returns the finding with the steps that only the detailed trace has."""
    known = {_key(one): one for one in finding.trace}
    return replace(finding, trace=tuple(known.get(_key(one), one) for one in trace))
