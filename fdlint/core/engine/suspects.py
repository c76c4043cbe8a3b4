"""Finds the functions that are worth following for misuse alone: they close or give away something, and then pass it
to a call."""

from __future__ import annotations

from collections.abc import Callable

from fdlint.catalog import Catalog
from fdlint.core.dataflow.derivation import Aliases, adopted_by, arguments, closed_by
from fdlint.core.dataflow.reachability import closure
from fdlint.core.engine.summary import Ended
from fdlint.core.ir import Call, Graph, Place
from fdlint.program.components import strongly_connected

Spot = tuple[int, int]
"""A block and the position of a step in it."""


def may_misuse(graph: Graph, catalog: Catalog, ends: Callable[[Call], Ended]) -> bool:
    """Whether a call may get a descriptor that an earlier call has ended, under any name. No values are followed."""
    calls = [
        ((index, position), step.effect)
        for index, block in enumerate(graph.blocks)
        for position, step in enumerate(block.steps)
        if isinstance(step.effect, Call)
        and (graph.calls_own(step.effect) or arguments(step.effect) or step.effect.captured)
    ]
    closing: dict[Spot, set[Place]] = {}
    taking: dict[Spot, set[Place]] = {}
    for spot, call in calls:
        ended = ends(call)
        closing[spot] = closed_by(call, catalog) | ended.closed
        taking[spot] = adopted_by(call, catalog) | ended.adopted
    if not any(closing.values()):
        return False
    names = Aliases(graph, catalog)
    closed = {names.root(place) for places in closing.values() for place in places}
    given: dict[Place, list[Spot]] = {}
    for spot, call in calls:
        for root in {names.root(place) for place in (*arguments(call), *call.captured, *closing[spot])}:
            given.setdefault(root, []).append(spot)
    repeated = repeated_blocks(graph)
    for spot, _ in calls:
        ended_here = {names.root(place) for place in closing[spot] | taking[spot]} & closed
        later = (other for root in ended_here for other in given.get(root, ()))
        if any(_comes_after(graph, spot, other, repeated) for other in later):
            return True
    return False


def _comes_after(graph: Graph, spot: Spot, other: Spot, repeated: frozenset[int]) -> bool:
    """Whether control may come from one step to another. ``repeated``: the blocks that control may come back to."""
    if spot[0] == other[0]:
        return spot[1] < other[1] or spot[0] in repeated
    return other[0] in closure(graph.successors(spot[0]), graph.successors)


def repeated_blocks(graph: Graph) -> frozenset[int]:
    """Returns the blocks that control may come back to: those of loops."""
    parts = strongly_connected(range(len(graph.blocks)), graph.successors)
    return frozenset(index for part in parts for index in part if len(part) > 1 or index in graph.successors(index))
