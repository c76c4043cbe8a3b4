"""How a function uses a place before it reaches a statement."""

from __future__ import annotations

from collections.abc import Callable

from fdlint.catalog import Catalog
from fdlint.core.dataflow.reachability import blocks_of, reachable
from fdlint.core.domain.event import Event
from fdlint.core.engine.heap import asked_about
from fdlint.core.engine.log import bare
from fdlint.core.ir import Block, Branch, Call, Graph, Place

_ENDS = frozenset({Event.CLOSED, Event.TRANSFERRED})


def asks_before(graph: Graph, place: Place, origin: object) -> bool:
    """Whether a function tests a place before it reaches a statement."""
    return _meets(graph, origin, lambda block: isinstance(block.end, Branch) and place in asked_about(block.end))


def uses_before(graph: Graph, catalog: Catalog, place: Place, origin: object) -> bool:
    """Whether a function passes the value of a place to a call that needs an open descriptor, before it reaches a
    statement."""
    return _meets(
        graph,
        origin,
        lambda block: any(isinstance(step.effect, Call) and _uses(catalog, step.effect, place) for step in block.steps),
    )


def _uses(catalog: Catalog, call: Call, place: Place) -> bool:
    dotted = call.callee.dotted
    apis = catalog.lookup(dotted) if dotted is not None and any(arg.value == place for arg in call.args) else ()
    actions = {action for api in apis for action in api.actions.values()}
    return Event.USED in actions and not actions & _ENDS


def _meets(graph: Graph, origin: object, wanted: Callable[[Block], bool]) -> bool:
    before = reachable(graph, graph.entry, without=blocks_of(graph, bare(origin)))
    return any(wanted(graph.blocks[index]) for index in before)
