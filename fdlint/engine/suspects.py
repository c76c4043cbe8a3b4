"""Which functions are worth following for misuse alone: where something comes to its end, and goes to a call after
that."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fdlint.callgraph.overrides import on_same_object
from fdlint.catalog import Catalog
from fdlint.dataflow.derivation import adopted_by, closed_by, derives
from fdlint.dataflow.reachability import closure
from fdlint.engine.parameter_effects import Ended
from fdlint.ir import (
    AccessPath,
    Advance,
    Assign,
    Build,
    Call,
    Enter,
    Graph,
    Item,
    Place,
    Slice,
    Unpack,
)
from fdlint.ir import (
    Iterator as IteratorOver,
)

Spot = tuple[int, int]
"""A block and the position of a step in it."""


def may_misuse(graph: Graph, catalog: Catalog, ends: Callable[[Call], Ended]) -> bool:
    """Whether a call may be given what another one has ended, under whatever name; no values are looked at."""
    calls = [
        ((index, position), step.effect)
        for index, block in enumerate(graph.blocks)
        for position, step in enumerate(block.steps)
        if isinstance(step.effect, Call) and (on_same_object(graph, step.effect) or step.effect.given)
    ]
    closing: dict[Spot, set[Place]] = {}
    taking: dict[Spot, set[Place]] = {}
    for spot, call in calls:
        ended = ends(call)
        closing[spot] = closed_by(call, catalog) | ended.closed
        taking[spot] = adopted_by(call, catalog) | ended.adopted
    if not any(closing.values()):
        return False
    names = _Names(graph, catalog)
    closed = {names.root(place) for places in closing.values() for place in places}
    given = [(spot, set(map(names.root, call.given))) for spot, call in calls]
    for spot, _ in calls:
        ended_here = {names.root(place) for place in closing[spot] | taking[spot]} & closed
        later = [other for other, roots in given if roots & ended_here]
        if ended_here and any(_comes_after(graph, spot, other) for other in later):
            return True
    return False


class _Names:
    """Places that may stand for the same descriptors, by a representative each."""

    def __init__(self, graph: Graph, catalog: Catalog) -> None:
        self._parents: dict[Place, Place] = {}
        for one, other in _pairs(graph, catalog):
            self._parents[self.root(one)] = self.root(other)

    def root(self, place: Place) -> Place:
        """The representative of a place."""
        while (parent := self._parents.get(place, place)) != place:
            place = parent
        return place


def _pairs(graph: Graph, catalog: Catalog) -> Iterator[tuple[Place, Place]]:
    for effect in graph.effects():
        match effect:
            case Call(target) as call if derives(call, catalog):
                yield from ((target, one) for one in call.given)
            case Assign(target, AccessPath() as value):
                yield target, value
            case Assign(target, Build(_, items)):
                yield from ((target, one) for one in items if isinstance(one, AccessPath))
            case Assign(
                target, Item(AccessPath() as base) | Slice(AccessPath() as base) | Unpack(AccessPath() as base)
            ):
                yield target, base
            case Assign(target, IteratorOver(AccessPath() as base)) | Enter(AccessPath() as base, target):
                yield target, base
    for block in graph.blocks:
        if isinstance(block.end, Advance):
            yield block.end.item, block.end.iterator


def _comes_after(graph: Graph, spot: Spot, other: Spot) -> bool:
    """Whether control may come from one step to another."""
    in_order = spot[0] == other[0] and spot[1] < other[1]
    return in_order or other[0] in closure(graph.successors(spot[0]), graph.successors)
