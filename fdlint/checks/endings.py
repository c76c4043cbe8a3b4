"""Which of an acquisition's endings a rule is about, and which of those tells the story best."""

from __future__ import annotations

from collections.abc import Collection

from fdlint.domain.facts import Death, Ending, Lifetime

LEFT_OPEN = frozenset({Death.RETURN, Death.RAISE, Death.NEXT_ROUND, Death.DROPPED})
"""The owner went on, or out, on a path it spells out, and nothing had closed the descriptor."""

FORGOTTEN = frozenset({Death.REBOUND, Death.DELETED})
"""The owner let go of the number itself."""

PASSING = frozenset({Death.RERAISE, Death.EXCEPTION, Death.ABANDONED})
"""An exception out of something the function called went through it, or out of a constructor with its object."""

NORMAL = (LEFT_OPEN | FORGOTTEN) - {Death.RAISE}
"""No exception took part, neither one that was raised here nor one that passed through."""

_CLEAREST_FIRST = (
    Death.RETURN,
    Death.RAISE,
    Death.NEXT_ROUND,
    Death.REBOUND,
    Death.DELETED,
    Death.DROPPED,
    Death.DISCARDED,
    Death.ABANDONED,
    Death.RERAISE,
    Death.EXCEPTION,
)


def clearest(endings: Collection[Ending]) -> Ending | None:
    """The ending that is easiest to follow: a mistake before all, a plain way out before an odd one, then the shortest
    trace."""
    return min(endings, key=_effort, default=None)


def spelled_out(lifetime: Lifetime) -> list[Ending]:
    """Every ending that the function's own text shows, so all but exceptions out of what it calls."""
    return [ending for ending in lifetime.endings if ending.death not in PASSING]


def dying_by(lifetime: Lifetime, deaths: Collection[Death]) -> list[Ending]:
    """The endings with one of these deaths."""
    return [ending for ending in lifetime.endings if ending.death in deaths]


def _effort(ending: Ending) -> tuple[bool, int, int]:
    return ending.mistake is None, _CLEAREST_FIRST.index(ending.death), len(ending.trace)
