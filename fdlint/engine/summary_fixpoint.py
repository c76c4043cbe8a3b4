"""Summaries remembered, and those of functions that call themselves worked out to a fixpoint.

A function that is met again while it is being followed, called with the same kind of things, is first believed never to
return; what then comes out of it is believed in the next round, until nothing new comes out. That is the least
fixpoint: only what some number of calls can do is in it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from fdlint.engine.context import Knowledge
from fdlint.engine.summary import Summary

_MAX_DEPTH = 5
_MAX_ROUNDS = 4
_MAX_VISITS = 10_000  # blocks, for one function that calls itself
_SMALL = 40  # blocks: a function of no more may be met again with other things
_MAX_AGAIN = 4
_NEVER_RETURNS = Summary(())


def remembered(
    knowledge: Knowledge, function: Hashable, key: Hashable, size: int, work_out: Callable[[], Summary | None]
) -> Summary | None:
    """The summary for a key, which says all that it depends on; ``size`` is the function's, in blocks.

    One that depth has cut short holds for this chain of calls only; one that leans on what is believed of a caller only
    as long as that is believed.
    """
    chain = key, tuple(knowledge.active)
    belief = key, knowledge.beliefs
    for known in (key, chain, belief):
        if known in knowledge.summaries:
            knowledge.cut = knowledge.cut or known is not key
            knowledge.budget.look_up(known)
            return knowledge.summaries[known]
    if key in knowledge.active:
        knowledge.leaning.add(key)
        return knowledge.believed.get(key, _NEVER_RETURNS)
    if _is_too_deep(knowledge, function, size):
        knowledge.cut = True
        return None
    before, knowledge.cut = knowledge.cut, False
    knowledge.active.append(key)
    knowledge.functions.append(function)
    knowledge.budget.begin()
    try:
        found = _to_fixpoint(knowledge, key, work_out)
    finally:  # an error ends one file, not what is known of the others
        knowledge.functions.pop()
        knowledge.active.pop()
    name = belief if knowledge.leaning else chain if knowledge.cut else key
    knowledge.budget.end(name)
    knowledge.summaries[name] = found
    knowledge.cut = knowledge.cut or before
    return found


def _is_too_deep(knowledge: Knowledge, function: Hashable, size: int) -> bool:
    most = _MAX_AGAIN if size <= _SMALL else 1
    too_deep = len(knowledge.active) >= _MAX_DEPTH or knowledge.functions.count(function) >= most
    return too_deep or knowledge.budget.exhausted


def _to_fixpoint(knowledge: Knowledge, key: Hashable, work_out: Callable[[], Summary | None]) -> Summary | None:
    start = knowledge.budget.visits
    found = work_out()
    for _ in range(_MAX_ROUNDS):
        if key not in knowledge.leaning or found is None or _same(found, knowledge.believed.get(key)):
            break
        if knowledge.budget.visits - start > _MAX_VISITS:
            found = None
            break
        knowledge.believed[key] = found
        knowledge.beliefs += 1
        found = work_out()
    else:
        found = None
    if key in knowledge.leaning:
        knowledge.leaning.discard(key)
        knowledge.believed.pop(key, None)
        knowledge.beliefs += 1
    return found


def _same(one: Summary, other: Summary | None) -> bool:
    return other is not None and set(one.outcomes) == set(other.outcomes)
