"""Says why a finding has its confidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from fdlint.core.checks import by_code
from fdlint.core.domain.facts import Fact, Lifetime
from fdlint.core.finding import Confidence, Event, Finding

_CERTAIN = "nothing on the path is assumed"
_ONCE = "a process makes the call at most once, so nothing adds up"
_LAST = "each caller ends the program then"
_RARE = "it needs an exception that hardly ever comes"


def with_reasons(finding: Finding, facts: Iterable[Fact]) -> tuple[Finding, tuple[str, ...]]:
    """Returns a finding with the most detailed trace that the facts have, and the reasons for its confidence."""
    at = finding.span.line, finding.span.column
    near = (fact for fact in facts if (fact.span.line, fact.span.column) == at)
    short = {_key(one): one for one in finding.trace}
    assumed = [one.message for one in finding.assumptions]
    most = by_code(finding.code).rule.at_most
    if most is not Confidence.HIGH:
        assumed.append(f"few labelled findings of this rule are known, so it is {most.value} at most")
    for trace, reasons in (way for fact in near for way in _ways(fact)):
        keys = [_key(one) for one in trace]
        if short and keys and keys[-1] == _key(finding.trace[-1]) and short.keys() <= set(keys):
            told = tuple(short.get(key, one) for key, one in zip(keys, trace, strict=True))
            return replace(finding, trace=told), (*reasons, *assumed) or (_CERTAIN,)
    return finding, tuple(assumed) or (_CERTAIN,)


def _key(event: Event) -> tuple[object, int, int]:
    return event.kind, event.span.line, event.span.column


def _ways(fact: Fact) -> Iterator[tuple[Sequence[Event], list[str]]]:
    """Yields the traces of a fact, each with what makes it unlikely, or harmless."""
    if not isinstance(fact, Lifetime):
        yield getattr(fact, "trace", ()), [_RARE] if getattr(fact, "rare", False) else []
        return
    once = [_ONCE] if fact.once else []
    for ending in fact.endings:
        yield ending.trace, [*once, *([_LAST] if ending.last else []), *([_RARE] if ending.rare else [])]
    if fact.kept is not None:
        yield fact.kept.trace, once
