"""Finds the class of an object where it is easy to see: ``closer = Closer()``, ``self.closer = Closer()``,
``closer = Closer.of(fd)``, ``closer: Closer``, and ``self.closer = closer`` after these."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fdlint.core.ir import AccessPath, Assign, Build, Callee, Graph, Operand, Place, Store

Named = Callable[[str], str | None]
_OTHER = frozenset[str | None]((None,))


def class_seen(place: Operand, graph: Graph, methods: Iterable[Graph], named: Named) -> str | None:
    """Returns the class of the object in a local variable, or in an attribute or a global that ``methods`` bind; a
    dotted name if the file imports it. Returns None unless the place only gets objects of one class. ``named``: the
    class whose object a call of that name returns."""
    if not isinstance(place, AccessPath):
        return None
    if place in graph.parameters:
        return graph.classes.get(place) if place not in bindings(graph) else None
    inside = not place.is_attribute and place in bindings(graph)
    binding = (graph,) if inside else (one for one in methods if place.is_attribute or one.module)
    names = {name for one in binding for name in bindings(one).get(place, ())}
    found = {named(name) if name is not None else None for name in names}
    return found.pop() if len(found) == 1 else None


def bindings(graph: Graph) -> dict[Place, frozenset[str | None]]:
    """Returns what was called to make the objects that a function binds each place to: classes, and functions that may
    return an object. None among them stands for any other value."""
    if graph.bindings is None:
        called = {one.result: _class_made(one.callee) for one in graph.calls()}
        graph.bindings = {place: _one(name) for place, name in called.items()}
        for one in graph.effects():
            if isinstance(one, (Assign, Store)) and one.target is not None:
                value = one.value if isinstance(one.value, AccessPath) else AccessPath()
                before = graph.bindings.get(value) or _one(graph.classes.get(value))
                made = _one(one.value.type or None) if isinstance(one.value, Build) else before
                if made == _OTHER and graph.language.records:
                    made = _one(graph.classes.get(one.target))  # of which each variable is declared
                known = graph.bindings.get(one.target, made)
                graph.bindings[one.target] = made if known == made else known | made
    return graph.bindings


def _one(name: str | None) -> frozenset[str | None]:
    """Returns a set of one class; that of no known class, which most places have, is always the same object."""
    return frozenset((name,)) if name is not None else _OTHER


def _class_made(callee: Callee) -> str | None:
    """Returns the class whose object a call creates, or the name of what may be one, or of what may return one."""
    if callee.constructs or callee.dotted is not None:
        return (callee.owner or callee.name) if callee.constructs else callee.dotted
    if callee.owner is not None:
        return f"{callee.owner}.{callee.name}"
    return callee.name if callee.receiver is None and callee.variable is None else None
