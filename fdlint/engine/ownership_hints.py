"""Finds unknown functions that take over a descriptor: the code closes the descriptor only when the call fails.

``try: register(fd)``, ``except: os.close(fd); raise``, and no use of ``fd`` after that: on success, the function called
owns the descriptor. This does not hold for a parameter, because the caller may still hold it.
"""

from __future__ import annotations

from fdlint.catalog import Catalog
from fdlint.dataflow.derivation import arguments, closed_by
from fdlint.dataflow.liveness import live_places, read_places
from fdlint.dataflow.reachability import closure
from fdlint.ir import RAISE, RETURN, Call, Graph, Live, Place, Step, Throw

Entrusted = dict[int, frozenset[Place]]
"""Maps calls, by ``id`` of the effect, to the variables that they take over when they succeed."""


def entrusted(graph: Graph, catalog: Catalog) -> Entrusted:
    """Returns the calls of a function that have their arguments closed only when they fail."""
    found: Entrusted = {}
    live: Live | None = None
    for index, block in enumerate(graph.blocks):
        for position, step in enumerate(block.steps):
            closed = _closed_on_failure(graph, catalog, step)
            if closed and isinstance(step.effect, Call):
                live = live if live is not None else live_places(graph, frozenset())
                given = arguments(step.effect)
                later = _needed_later(graph, live, index, position)
                found[id(step.effect)] = frozenset(closed & given - later - set(graph.parameters))
    return found


def _closed_on_failure(graph: Graph, catalog: Catalog, step: Step) -> set[Place]:
    """Returns the variables that every handler of a step's exceptions closes before it raises again."""
    pads = step.pads.get(graph.language.exceptions.unknown, ()) if isinstance(step.effect, Call) else ()
    if not pads or RAISE in pads:
        return set()
    return set.intersection(*(_closed_before_raising(graph, catalog, pad) for pad in pads))


def _closed_before_raising(graph: Graph, catalog: Catalog, start: int) -> set[Place]:
    """Returns what a handler closes, if it always ends by raising; nothing otherwise."""

    def going_on(index: int) -> list[int]:
        raises = any(isinstance(step.effect, Throw) for step in graph.blocks[index].steps)
        return graph.successors(index) if not raises else []

    closed: set[Place] = set()
    for index in closure((start,), going_on):
        if index == RETURN:
            return set()
        for step in graph.blocks[index].steps:
            if isinstance(step.effect, Call):
                closed |= closed_by(step.effect, catalog)
    return closed


def _needed_later(graph: Graph, live: Live, index: int, position: int) -> set[Place]:
    """Returns the variables that are read on some path after a step has succeeded."""
    block = graph.blocks[index]
    rest = block.steps[position + 1 :]
    needed = {place for step in rest for place in read_places(step.effect)}
    landings = {pad for step in rest for pad in step.landings()}
    for target in landings | set(graph.targets(block.end)):
        needed |= live.at(target).places
    return needed
