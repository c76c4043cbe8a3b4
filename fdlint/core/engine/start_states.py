"""The states in which a function is followed for its callers: what it never reads is dropped, and weaker ones are
tried first where a function is large.

A large function is often too much to follow, and then so for dozens of kinds of arguments. Each would be followed up to
the limit. So a start that knows less decides: if that is too much, all starts that only know more are given up.
"""

from __future__ import annotations

from collections.abc import Iterator

from fdlint.core.domain.state import State
from fdlint.core.engine.explore import entry_state, prepared
from fdlint.core.ir import Graph, LiveAt

_LARGE = 250  # blocks: twelve visits of each use up the budget of a summary


def forget_unread(start: State, graph: Graph) -> None:
    """Drops the parameters that a function never reads from the state in which it starts, unless they lead to
    descriptors."""
    unread = prepared(graph).unread
    if not unread.isdisjoint(start.env):
        start.forget(LiveAt(frozenset(start.env) - unread, frozenset()))


def weaker_starts(start: State, graph: Graph) -> Iterator[State]:
    """Yields the starts of a large function that know less than the given one: nothing, and only the descriptors with
    what leads to them. What they depend on is the function and the descriptors, never what was asked before."""
    if len(graph.blocks) <= _LARGE:
        return
    ignorant = entry_state(graph)
    forget_unread(ignorant, graph)
    yield ignorant
    if start.resources:
        yield _with_descriptors(ignorant, start)


def _with_descriptors(ignorant: State, start: State) -> State:
    """Returns the start that only knows what leads to descriptors."""
    found = ignorant.copy()
    found.env |= {place: value for place, value in start.env.items() if start.leads_anywhere(value)}
    found.resources = start.resources.copy()
    kept = start.containers(found.env.values())
    found.heap = {container: contents for container, contents in start.heap.items() if container in kept}
    return found
