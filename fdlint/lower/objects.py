"""The class of an object where that is plain to see: ``closer = Closer()``, ``self.closer = Closer()``."""

from __future__ import annotations

from collections.abc import Iterable

from fdlint.graph import Assign, Call, Graph, Operand, Place, Store


def class_seen(place: Operand, graph: Graph, methods: Iterable[Graph]) -> str | None:
    """The one class of the file of which a local variable, or an attribute that ``methods`` store, is made."""
    if not isinstance(place, str) or place in graph.parameters:
        return None
    is_attribute = "." in place
    found = {name for one in (methods if is_attribute else (graph,)) for name in _made_of(place, one)}
    return found.pop() if len(found) == 1 else None


def _made_of(place: Place, graph: Graph) -> set[str | None]:
    """What a function binds a place to: the names of classes, None for anything else."""
    effects = [step.effect for block in graph.blocks for step in block.steps]
    made = {one.result: one.callee.name for one in effects if isinstance(one, Call) and one.callee.constructs}
    bound = {one.value for one in effects if isinstance(one, (Assign, Store)) and one.target == place}
    return {made.get(value) if isinstance(value, str) else None for value in bound}
