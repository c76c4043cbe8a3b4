"""Finds the class of an object where it is easy to see: ``closer = Closer()``, ``self.closer = Closer()``."""

from __future__ import annotations

from collections.abc import Iterable

from fdlint.core.ir import AccessPath, Assign, Graph, Operand, Place, Store


def class_seen(place: Operand, graph: Graph, methods: Iterable[Graph]) -> str | None:
    """Returns the class of the object in a local variable, or in an attribute that ``methods`` store. Returns None
    unless the place only gets objects of one class of the file."""
    if not isinstance(place, AccessPath) or place in graph.parameters:
        return None
    found = {name for one in (methods if place.is_attribute else (graph,)) for name in bindings(one).get(place, ())}
    return found.pop() if len(found) == 1 else None


def bindings(graph: Graph) -> dict[Place, set[str | None]]:
    """Returns the classes of the objects that a function binds each place to. None among them stands for any other
    value."""
    if graph.bindings is None:
        made = {one.result: one.callee.owner or one.callee.name for one in graph.calls() if one.callee.constructs}
        graph.bindings = {}
        for one in graph.effects():
            if isinstance(one, (Assign, Store)) and one.target is not None:
                value = made.get(one.value) if isinstance(one.value, AccessPath) else None
                graph.bindings.setdefault(one.target, set()).add(value)
    return graph.bindings
