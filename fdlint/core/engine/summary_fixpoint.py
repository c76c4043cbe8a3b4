"""Remembers summaries, and computes those of recursive functions to a fixpoint.

A recursive call with the same kind of arguments is first assumed never to return. The result is the assumption of the
next round, until nothing new comes out. This is the least fixpoint: it contains only what some number of calls can do.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from fdlint.core.engine.context import AnalysisContext
from fdlint.core.engine.limits import MAX_CALLS, SMALL
from fdlint.core.engine.summary import Summary

_MAX_VISITS = 10_000  # blocks, for one function that calls itself
_MAX_AGAIN = 4  # attempts at a function that calls itself; for a small one, also inside itself for other arguments
_NEVER_RETURNS = Summary(())


def remembered(
    context: AnalysisContext, function: Hashable, key: Hashable, size: int, work_out: Callable[[], Summary | None]
) -> Summary | None:
    """Returns the summary for a key; None when it is too much to follow. The key names all that the summary depends on.
    ``size`` is the number of the function's blocks.

    A summary that the depth limit cut short holds for this chain of calls only. One that depends on an assumption about
    a caller holds only as long as that assumption.
    """
    chain = key, tuple(context.active)
    belief = key, context.beliefs
    for known in (key, chain, belief):
        if known in context.summaries:
            context.cut = context.cut or known is not key
            context.budget.look_up(known)
            return context.summaries[known]
    if key in context.active:
        context.leaning.add(key)
        return context.believed.get(key, _NEVER_RETURNS)
    if _is_too_deep(context, function, size):
        context.cut = True
        return None
    before, context.cut = context.cut, False
    context.active.append(key)
    context.functions.append(function)
    context.budget.begin()
    try:
        found = _to_fixpoint(context, key, work_out)
    finally:  # an error ends one file, not what is known of the others
        context.functions.pop()
        context.active.pop()
    name = belief if context.leaning else chain if context.cut else key
    context.budget.end(name)
    context.summaries[name] = found
    context.cut = context.cut or before
    return found


def _is_too_deep(context: AnalysisContext, function: Hashable, size: int) -> bool:
    most = _MAX_AGAIN if size <= SMALL else 1
    too_deep = len(context.active) >= MAX_CALLS or context.functions.count(function) >= most
    return too_deep or context.budget.exhausted


def _to_fixpoint(context: AnalysisContext, key: Hashable, work_out: Callable[[], Summary | None]) -> Summary | None:
    start = context.budget.visits
    found = work_out()
    for _ in range(_MAX_AGAIN):
        if key not in context.leaning or found is None or _same(found, context.believed.get(key)):
            break
        if context.budget.visits - start > _MAX_VISITS:
            found = None
            break
        context.believed[key] = found
        context.beliefs += 1
        found = work_out()
    else:
        found = None
    if key in context.leaning:
        context.leaning.discard(key)
        context.believed.pop(key, None)
        context.beliefs += 1
    return found


def _same(one: Summary, other: Summary | None) -> bool:
    return other is not None and set(one.outcomes) == set(other.outcomes)
