"""What an author says about a function that nobody knows, by closing a descriptor only when the call fails.

``try: register(fd)``, ``except: os.close(fd); raise``, and not a word of ``fd`` after that: on success it is the
function's that was called. Not so of a parameter, which the caller may still hold.
"""

from __future__ import annotations

from fdlint.catalog import Catalog
from fdlint.dataflow.derivation import arguments, closed_by
from fdlint.dataflow.liveness import live_places, read_places
from fdlint.dataflow.reachability import closure
from fdlint.ir import RAISE, RETURN, Call, Graph, Live, Place, Step, Throw

Entrusted = dict[int, frozenset[Place]]
"""The calls, by ``id`` of the effect, with the variables that they take over when they succeed."""


def entrusted(graph: Graph, catalog: Catalog) -> Entrusted:
    """All calls of a function after which only their own failure is cleaned up."""
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
    """The variables that are closed, and the exception let go on, wherever one out of this step lands."""
    pads = step.pads.get(graph.language.exceptions.unknown, ()) if isinstance(step.effect, Call) else ()
    if not pads or RAISE in pads:
        return set()
    return set.intersection(*(_closed_before_raising(graph, catalog, pad) for pad in pads))


def _closed_before_raising(graph: Graph, catalog: Catalog, start: int) -> set[Place]:
    """What a handler closes that never ends but by raising; nothing for any other."""

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
    """The variables that are read on some path after a step has succeeded."""
    block = graph.blocks[index]
    rest = block.steps[position + 1 :]
    needed = {place for step in rest for place in read_places(step.effect)}
    landings = {pad for step in rest for pad in step.landings()}
    for target in landings | set(graph.targets(block.end)):
        needed |= live.at(target).places
    return needed
