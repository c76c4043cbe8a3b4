"""What a finding costs, as far as its own path tells: the rest is how often the code runs."""

from __future__ import annotations

from collections.abc import Iterable

from fdlint.core.checks.endings import is_shown
from fdlint.core.checks.rule import Rule, Verdict
from fdlint.core.domain.event import Event
from fdlint.core.domain.facts import FAILING, PASSING, Death, Ending, Fact, Happened, Lifetime, Overwriting
from fdlint.core.finding import UNKNOWN_CALLERS, AssumptionKind, Cost, Impact

_LEAVING = PASSING | {Death.RETURN, Death.FAILED, Death.RAISE}
RARELY = Impact(Cost.LOW, "only if a call fails that hardly ever does")
LOCK = Impact(Cost.HIGH, "the lock on it is held until the last copy is closed")
"""In a program that ends soon it is not: the end of the process frees the lock."""
ON_ITSELF = Impact(Cost.MEDIUM, "only if a system call on what the function has open fails")
IN_DOUBT = Impact(Cost.MEDIUM, "only if a call raises that fdlint does not know")
SELDOM = (ON_ITSELF, IN_DOUBT)
"""Each is low if no code is known to repeat it. In code that is, it counts like any other."""
FAILURE = Impact(Cost.MEDIUM, "only if something fails, in code that is not known to repeat")
"""The same, but it counts in code that other projects may call, too."""


def cost_of(rule: Rule, fact: Fact, verdict: Verdict) -> Impact:
    """Returns the impact of a finding; that of unknown callers if only they decide."""
    if _is_rare(fact, verdict):
        return RARELY
    if verdict.harmless:
        return Impact(Cost.LOW, verdict.harmless)
    if rule.waits:
        return Impact(Cost.HIGH, rule.waits, awaited=True)
    if _is_locked(fact, verdict):
        return LOCK
    if verdict.ending is None or not isinstance(fact, Lifetime):
        return UNKNOWN_CALLERS
    return _by_failure(verdict.ending, (one for one in fact.endings if is_shown(one)))


def _by_failure(ending: Ending, others: Iterable[Ending]) -> Impact:
    """Returns the impact of what only a failure leaves open; that of unknown callers for any other end."""
    if ending.own:
        return ON_ITSELF
    doubtful = any(one.kind is AssumptionKind.CALL_RAISES for one in ending.assumptions)
    if ending.death in PASSING and doubtful:
        return IN_DOUBT
    fails = ending.mistake is None and all(one.death in FAILING for one in (ending, *others))
    return FAILURE if fails else UNKNOWN_CALLERS


def _is_locked(fact: Fact, verdict: Verdict) -> bool:
    """Whether a lock is held by what stays open."""
    if verdict.ending is not None:
        return Event.LOCKED in verdict.ending.marks
    return isinstance(fact, Lifetime) and fact.kept is not None and Event.LOCKED in fact.events


def _is_rare(fact: Fact, verdict: Verdict) -> bool:
    """Whether a call must fail that hardly ever does."""
    match fact:
        case Lifetime():
            return verdict.ending is not None and verdict.ending.rare
        case Happened() | Overwriting():
            return fact.rare
    return False


def until_return(verdict: Verdict) -> bool:
    """Whether what stays open is closed when the function returns."""
    return verdict.ending is not None and verdict.ending.death is Death.DEFERRED


def leaves(fact: Fact, verdict: Verdict) -> bool:
    """Whether the function ends with the defect on each path, so that its own loops do not repeat it."""
    if not isinstance(fact, Lifetime) or verdict.ending is None:
        return False
    return all(one.death in _LEAVING for one in (verdict.ending, *fact.endings))
