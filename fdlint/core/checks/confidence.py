"""Rates findings: how certain the path is, and how certain it is that the function owns the descriptor."""

from __future__ import annotations

from fdlint.core.domain.event import Chance
from fdlint.core.domain.facts import PASSING, Ending, Excuse, Happened, Overwriting, Ownership, Staleness
from fdlint.core.finding import Confidence

_BY_CHANCE = {Chance.KNOWN: Confidence.HIGH, Chance.ASSUMED: Confidence.MEDIUM, Chance.RARE: Confidence.LOW}
_BY_OWNERSHIP = {
    Ownership.CERTAIN: Confidence.HIGH,
    Ownership.SHOWN: Confidence.MEDIUM,
    Ownership.UNNAMED: Confidence.MEDIUM,
    Ownership.GIVEN: Confidence.LOW,
}


def of_ending(ending: Ending) -> Confidence:
    """Rates a lost descriptor. The least certain part decides: the owner, the exception, or the path. Right before the
    end of the program it does no harm."""
    if ending.last:
        return Confidence.LOW
    path = Confidence.HIGH if ending.certain else Confidence.MEDIUM
    passing = ending.death in PASSING or ending.chance is Chance.RARE
    cause = _BY_CHANCE[ending.chance] if passing else Confidence.HIGH
    return lowest(_BY_OWNERSHIP[ending.ownership], cause, path)


def of_misuse(misuse: Happened) -> Confidence:
    """Rates a misuse of a number: it is less certain if a name suggests it, or if a callee does it on some paths. It is
    doubtful if a call must fail before that hardly ever does."""
    if Excuse.RARE in misuse.excuses:
        return Confidence.LOW
    return Confidence.MEDIUM if misuse.excuses & {Excuse.BY_NAME, Excuse.PERHAPS} else Confidence.HIGH


def of_overwriting(overwriting: Overwriting) -> Confidence:
    """Rates a lost attribute: in one call of a method it is certain; otherwise other code must call the methods in this
    order. It is doubtful if an exception must be caught that hardly ever comes."""
    if overwriting.rare:
        return Confidence.LOW
    return Confidence.HIGH if overwriting.certain or overwriting.within else Confidence.MEDIUM


def of_staleness(stale: Staleness) -> Confidence:
    """Rates a stale number: after an exception, other code must catch it and close the object again."""
    return Confidence.MEDIUM if stale.raised else Confidence.HIGH


def lowest(*levels: Confidence) -> Confidence:
    """Returns the lowest of some levels."""
    return max(levels, key=list(Confidence).index)
