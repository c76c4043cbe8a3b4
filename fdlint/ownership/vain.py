"""Calls that always raise, because they want a descriptor and are given what is none: ``os.close(None)``."""

from __future__ import annotations

from fdlint.catalog.model import Action
from fdlint.graph import Graph
from fdlint.lower.exceptions import OS_ERROR, TYPE_ERROR
from fdlint.ownership.evaluate import value_of
from fdlint.ownership.reading import Reading
from fdlint.state.values import Const, Value
from fdlint.state.world import World


def in_vain(world: World, graph: Graph, reading: Reading) -> str | None:
    """The exception that a call raises, whatever happens; None when it may succeed."""
    if reading.api is None or reading.applied is not None or reading.api.registers:
        return None
    for name, arg in reading.bound:
        if reading.action(name) is Action.CLOSE and not name.startswith("*"):
            kind = _refused(value_of(world, graph, arg.value))
            if kind is not None:
                return kind
    return None


def _refused(value: Value) -> str | None:
    if not isinstance(value, Const):
        return None
    if not isinstance(value.value, int):
        return TYPE_ERROR
    return OS_ERROR if value.value < 0 else None
