"""Whether a function tests a place before it reaches a statement."""

from __future__ import annotations

from fdlint.core.dataflow.reachability import blocks_of, reachable
from fdlint.core.engine.heap import asked_about
from fdlint.core.engine.log import bare
from fdlint.core.ir import Branch, Graph, Place


def asks_before(graph: Graph, place: Place, origin: object) -> bool:
    """Whether a function tests a place before it reaches a statement."""
    before = reachable(graph, graph.entry, without=blocks_of(graph, bare(origin)))
    ends = (graph.blocks[index].end for index in before)
    return any(isinstance(end, Branch) and place in asked_about(end) for end in ends)
