"""The states in which a function is followed for its callers: a large one knows only the descriptors that it gets.

A large function takes long to follow, and callers would have it followed for dozens of kinds of other arguments, while
few of these change what it does to descriptors.
"""

from __future__ import annotations

from collections.abc import Iterator

from fdlint.core.domain.state import State
from fdlint.core.domain.values import Box
from fdlint.core.engine.explore import entry_state
from fdlint.core.ir import Graph

_LARGE = 180  # blocks: sixteen visits of each use up the budget of a summary


def starts(start: State, graph: Graph) -> Iterator[State]:
    """Yields the states in which a function is followed for a caller; the last one decides, unless one before is too
    much. A large function knows nothing at first, and then only the descriptors with what leads to them."""
    if len(graph.blocks) <= _LARGE:
        yield start
        return
    ignorant = entry_state(graph)
    ignorant.heap.clear()  # the dict of ``**`` comes from the caller, too
    ignorant.env = {place: value for place, value in ignorant.env.items() if not isinstance(value, Box)}
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
