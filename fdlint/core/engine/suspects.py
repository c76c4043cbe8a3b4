"""Finds the functions that are worth following for misuse alone: they close or give away something, and then pass it
to a call."""

from __future__ import annotations

from collections.abc import Callable

from fdlint.catalog import Catalog
from fdlint.core.dataflow.derivation import Aliases, adopted_by, arguments, closed_by
from fdlint.core.dataflow.reachability import closure
from fdlint.core.engine.parameter_effects import Ended
from fdlint.core.ir import Call, Graph, Place
from fdlint.program.overrides import on_same_object

Spot = tuple[int, int]
"""A block and the position of a step in it."""


def may_misuse(graph: Graph, catalog: Catalog, ends: Callable[[Call], Ended]) -> bool:
    """Whether a call may get a descriptor that an earlier call has ended, under any name. No values are followed."""
    calls = [
        ((index, position), step.effect)
        for index, block in enumerate(graph.blocks)
        for position, step in enumerate(block.steps)
        if isinstance(step.effect, Call) and (on_same_object(graph, step.effect) or arguments(step.effect))
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
    given = [(spot, {names.root(place) for place in arguments(call)}) for spot, call in calls]
    for spot, _ in calls:
        ended_here = {names.root(place) for place in closing[spot] | taking[spot]} & closed
        later = [other for other, roots in given if roots & ended_here]
        if ended_here and any(_comes_after(graph, spot, other) for other in later):
            return True
    return False


def _comes_after(graph: Graph, spot: Spot, other: Spot) -> bool:
    """Whether control may come from one step to another."""
    in_order = spot[0] == other[0] and spot[1] < other[1]
    return in_order or other[0] in closure(graph.successors(spot[0]), graph.successors)
