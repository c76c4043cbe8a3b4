"""What a call calls in a world: the function that a variable holds takes the variable's place."""

from __future__ import annotations

from dataclasses import replace

from fdlint.graph import Call, Graph
from fdlint.ownership.evaluate import value_of
from fdlint.state.values import Fn
from fdlint.state.world import World


def as_called(world: World, graph: Graph, call: Call) -> Call:
    """The call as it would be written with the function's own name."""
    callee = call.callee
    held = value_of(world, graph, callee.variable) if callee.variable is not None else None
    if not isinstance(held, Fn):
        return call
    spelled = callee.name if held.callee.function is not None and callee.name else held.callee.name
    return replace(call, callee=replace(held.callee, name=spelled))
