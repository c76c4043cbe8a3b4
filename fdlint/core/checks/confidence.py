"""Rates findings: confidence follows from the kinds of assumptions, by one table, and from nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fdlint.core.finding import Assumption, AssumptionKind, Confidence

LEVELS: Mapping[AssumptionKind, Confidence] = {
    AssumptionKind.CALLEE_BY_NAME: Confidence.MEDIUM,
    AssumptionKind.DECORATOR_CALLS: Confidence.MEDIUM,
    AssumptionKind.RECEIVER_GUESSED: Confidence.MEDIUM,
    AssumptionKind.HANDLER_CATCHES: Confidence.MEDIUM,
    AssumptionKind.CALL_RAISES: Confidence.MEDIUM,
    AssumptionKind.ONLY_USES: Confidence.LOW,
    AssumptionKind.NAME_TAKES_NOTHING: Confidence.MEDIUM,
    AssumptionKind.LEFT_BY_CALL: Confidence.MEDIUM,
    AssumptionKind.TAKES_BY_NAME: Confidence.MEDIUM,
    AssumptionKind.NO_OTHER_CLOSES: Confidence.MEDIUM,
    AssumptionKind.CONDITION: Confidence.MEDIUM,
    AssumptionKind.SOME_PATHS: Confidence.MEDIUM,
    AssumptionKind.IN_THIS_ORDER: Confidence.MEDIUM,
    AssumptionKind.PATHS_MERGED: Confidence.MEDIUM,
}
"""The highest level that each kind allows. None that was wrong in more than 5 of 100 labelled findings may be high; one
that was right in fewer than 80 of 100 must be low; one that was not measured is medium at most.
``benchmarks/accuracy.py --calibrate`` counts."""

_TOGETHER = Confidence.LOW  # two assumptions on one path: 8 of 12 labelled findings that need them are right


def confidence_of(assumptions: Iterable[Assumption]) -> Confidence:
    """Returns the confidence of a finding that assumes something: each guess makes it less sure."""
    levels = [LEVELS[one.kind] for one in assumptions]
    return lowest(Confidence.HIGH, *levels, *([_TOGETHER] if len(levels) > 1 else ()))


def lowest(*levels: Confidence) -> Confidence:
    """Returns the lowest of some levels."""
    return max(levels, key=list(Confidence).index)
