"""Finds the methods that are sure to misuse the number of an object that was closed before: they close it again, or use
it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TypeAlias

from fdlint.core.domain.state import State
from fdlint.core.domain.typestate import Mark, Violation
from fdlint.core.engine.summary import Outcome
from fdlint.program.units import Function

_MISUSES = (Violation.DOUBLE_CLOSE, Violation.USE_AFTER_CLOSE, Violation.PROBE_AFTER_CLOSE)

Outcomes: TypeAlias = Callable[[Function, State], tuple[Outcome, ...]]
"""Returns the ways out of a method that starts in a state of its object."""


def misuses_after(
    closed: Collection[State], methods: Mapping[str, Function], outcomes: Outcomes
) -> dict[str, Violation]:
    """Returns what each method does wrong in all states of a closed object, unless it raises. ``closed``: these
    states."""
    for state in closed:
        state.be_sure_of_closed()
    found: dict[str, Violation] = {}
    for name, method in methods.items():
        ways = [[_marks(one) for one in outcomes(method, state) if not one.raised] for state in closed]
        same = (one for one in _MISUSES if all(one in marks for some in ways for marks in some))
        if all(ways) and (misuse := next(same, None)) is not None:
            found[name] = misuse
    return found


def _marks(outcome: Outcome) -> frozenset[Mark]:
    return frozenset[Mark]().union(*(left.marks for _, left in outcome.came_in))
