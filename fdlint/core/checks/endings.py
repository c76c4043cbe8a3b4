"""Groups of endings for the rules, and the choice of the clearest one."""

from __future__ import annotations

from collections.abc import Collection

from fdlint.core.checks.confidence import confidence_of
from fdlint.core.checks.rule import Verdict
from fdlint.core.domain.facts import PASSING, Death, Ending, Lifetime
from fdlint.core.finding import Confidence

LEFT_OPEN = frozenset({Death.RETURN, Death.FAILED, Death.RAISE, Death.NEXT_ROUND, Death.DEFERRED, Death.DROPPED})
"""The owner continued, or left, on an explicit path without a close."""

FORGOTTEN = frozenset({Death.REBOUND, Death.DELETED})
"""The owner dropped the number itself."""

NORMAL = (LEFT_OPEN | FORGOTTEN) - {Death.RAISE}
"""No exception was involved, neither raised here nor passed through."""

_CLEAREST_FIRST = (
    Death.RETURN,
    Death.FAILED,
    Death.RAISE,
    Death.NEXT_ROUND,
    Death.DEFERRED,
    Death.REBOUND,
    Death.DELETED,
    Death.DROPPED,
    Death.DISCARDED,
    Death.ABANDONED,
    Death.NOT_ENTERED,
    Death.RERAISE,
    Death.EXCEPTION,
)

_LEVELS = list(Confidence)


def clearest(endings: Collection[Ending]) -> Ending | None:
    """Returns the ending that is easiest to follow: a mistake first, a certain one before a doubtful one, a plain path
    before an odd one, then the shortest trace."""
    return min(endings, key=_effort, default=None)


def of_ending(ending: Ending) -> Confidence:
    """Returns how sure an ending is."""
    return confidence_of(ending.assumptions)


def is_shown(ending: Ending) -> bool:
    """Whether an ending is certain and frequent enough to be reported by default."""
    return of_ending(ending) is not Confidence.LOW and not ending.rare


def verdict(ending: Ending, message: str) -> Verdict:
    """Returns the verdict that a rule holds because of an ending."""
    return Verdict(ending.trace, message, causes=ending.causes, assumptions=ending.assumptions, ending=ending)


def spelled_out(lifetime: Lifetime) -> list[Ending]:
    """Returns every ending that the function's own text shows: all except exceptions from its calls."""
    return [ending for ending in lifetime.endings if ending.death not in PASSING]


def dying_by(lifetime: Lifetime, deaths: Collection[Death]) -> list[Ending]:
    """Returns the endings with one of these deaths."""
    return [ending for ending in lifetime.endings if ending.death in deaths]


def _effort(ending: Ending) -> tuple[bool, bool, bool, int, int, int]:
    doubt = _LEVELS.index(of_ending(ending))
    order = _CLEAREST_FIRST.index(ending.death)
    return ending.mistake is None, not is_shown(ending), ending.own, doubt, order, len(ending.trace)
