"""Remembers summaries, and computes those of recursive functions to a fixpoint.

A recursive call with the same kind of arguments is first assumed never to return. The result is the assumption of the
next round, until nothing new comes out. This is the least fixpoint: it contains only what some number of calls can do.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Set

from fdlint.core.engine.context import AnalysisContext, Cut, Inside, Short
from fdlint.core.engine.limits import MAX_CALLS, SMALL
from fdlint.core.engine.summary import Summary
from fdlint.core.memo import Working

_MAX_VISITS = 10_000  # blocks, for one function that calls itself
_MAX_AGAIN = 4  # attempts at a function that calls itself; for a small one, also inside itself for other arguments
_NEVER_RETURNS = Summary(())
_NOTHING = Inside(frozenset(), Short.NOT)


def remembered(
    context: AnalysisContext, function: Hashable, key: Hashable, size: int, work_out: Callable[[], Summary | None]
) -> Summary | None:
    """Returns the summary for a key; None when it is too much to follow. The key names all that the summary depends on.
    ``size`` is the number of the function's blocks.

    A summary that a limit cut short holds for chains of calls that meet the same limits. One that depends on an
    assumption about a caller holds only as long as that assumption.
    """
    if function in context.functions:
        context.met.add(function)
    chain = key, tuple(context.active)
    belief = key, context.beliefs
    for known in (key, chain, belief, *_cut_alike(context, key)):
        if context.summaries.has(known):
            inside = context.met_in.get(known, _NOTHING)
            context.cut, context.met = max(context.cut, inside.short), context.met | inside.functions
            context.budget.look_up(known)
            return context.summaries[known]
    if key in context.active:
        context.leaning.add(key)
        context.summaries.use(key)
        return context.believed.get(key, _NEVER_RETURNS)
    short = _too_deep(context, function, size)
    if short is not Short.NOT:
        context.cut = max(context.cut, short)
        return None
    before, context.cut = context.cut, Short.NOT
    met, context.met = context.met, set()
    context.active.append(key)
    context.functions.append(function)
    context.budget.begin()
    with Working(context.summaries, key) as working:
        try:
            found = _to_fixpoint(context, key, work_out)
        finally:  # an error ends one file, not what is known of the others
            context.functions.pop()
            context.active.pop()
            again, context.met = frozenset(context.met), met | context.met
        name = working.name = belief if context.leaning else chain if context.cut else key
    context.budget.end(name)
    context.summaries[name] = found
    if name is not key:
        context.met_in[name] = Inside(again, Short.HERE if name is belief else context.cut)
    if name is chain and not context.budget.exhausted:  # otherwise the budget may have cut it short
        calls = len(context.active) if context.cut is Short.HERE else None
        context.cuts.setdefault(key, []).append(Cut(chain, calls, _calls_of(context, again)))
    context.cut = max(context.cut, before)
    return found


def _cut_alike(context: AnalysisContext, key: Hashable) -> Iterator[Hashable]:
    """Yields the names of summaries that the same limits would cut short here: in a chain of as many calls, if that
    matters, with the same calls of the functions that were met again. A call inside itself is for the fixpoint."""
    for one in context.cuts.get(key, ()) if key not in context.active else ():
        alike = one.calls is None or one.calls == len(context.active)
        if alike and one.again == _calls_of(context, context.met_in[one.name].functions):
            yield one.name


def _calls_of(context: AnalysisContext, functions: Set[Hashable]) -> tuple[Hashable, ...]:
    """Returns the calls of some functions in the present chain."""
    pairs = zip(context.active, context.functions, strict=True)
    return tuple(call for call, function in pairs if function in functions)


def _too_deep(context: AnalysisContext, function: Hashable, size: int) -> Short:
    """Returns which limit does not let a call be followed."""
    if len(context.active) >= MAX_CALLS or context.budget.exhausted:
        return Short.HERE
    most = _MAX_AGAIN if size <= SMALL else 1
    return Short.AGAIN if context.functions.count(function) >= most else Short.NOT


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
