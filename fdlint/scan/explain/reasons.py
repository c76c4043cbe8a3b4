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
_DOUBTS = (Excuse.BY_NAME, Excuse.PERHAPS, Excuse.RARE)


def with_reasons(finding: Finding, facts: Iterable[Fact]) -> tuple[Finding, tuple[str, ...]]:
    """Returns a finding with the most detailed trace that the facts have, and the reasons for its confidence."""
    at = finding.span.line, finding.span.column
    near = (fact for fact in facts if (fact.span.line, fact.span.column) == at)
    short = {_key(one): one for one in finding.trace}
    for trace, reasons in (way for fact in near for way in _ways(fact)):
        keys = [_key(one) for one in trace]
        if short and keys and keys[-1] == _key(finding.trace[-1]) and short.keys() <= set(keys):
            told = tuple(short.get(key, one) for key, one in zip(keys, trace, strict=True))
            return replace(finding, trace=told), tuple(reasons) or (_CERTAIN[finding.confidence],)
    return finding, (_CERTAIN[finding.confidence],)


def _key(event: Event) -> tuple[object, int, int]:
    return event.kind, event.span.line, event.span.column


def _ways(fact: Fact) -> Iterator[tuple[Sequence[Event], list[str]]]:
    """Yields the traces of a fact, each with what speaks for and against it."""
    match fact:
        case Lifetime():
            yield from ((ending.trace, [*_of_ending(ending)]) for ending in fact.endings)
            if fact.kept is not None:
                yield fact.kept.trace, ["no code in the project is seen that closes the attribute or hands it over"]
        case Happened():
            yield fact.trace, [f"in doubt: {one.value}" for one in _DOUBTS if one in fact.excuses]
        case Overwriting(rare=True):
            yield fact.trace, ["it needs an exception that hardly ever comes"]
        case Overwriting(within=True):
            yield fact.trace, ["one call of a method acquires it and loses it"]
        case Overwriting():
            yield fact.trace, [] if fact.certain else ["other code must call the methods in this order"]
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
