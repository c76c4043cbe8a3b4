"""Finds out whether entering a context manager of the project can raise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fdlint.core.engine.summary import Callees
from fdlint.core.ir import NOWHERE, AccessPath, Assign, Call, Callee, Enter, Graph


def never_raises(graph: Graph, callees: Callees | None, enter: Enter) -> bool:
    """Whether the function creates the manager as an object of a class of the project, whose method that enters it
    calls nothing that can raise."""
    made = _creating(graph, enter) if callees is not None else None
    if made is None or callees is None:
        return False
    for name in graph.language.methods.managers:
        exits = callees.exits(graph, Call(NOWHERE, _method(made, name), ()), thorough=True)
        if exits is not None:
            return not exits[1]
    return False


def _creating(graph: Graph, enter: Enter) -> Callee | None:
    """Returns the only class whose object a manager is; None if it is not known."""
    places, found = {enter.manager}, set[Callee]()
    for place, source in _copies(graph):
        if place in places:
            places.add(source)
    for effect in graph.effects():
        match effect:
            case Call(result, callee) if result in places:
                found.add(callee)
            case Assign(target, value) if target in places and not isinstance(value, AccessPath):
                return None
    return found.pop() if len(found) == 1 else None


def _copies(graph: Graph) -> Iterator[tuple[AccessPath, AccessPath]]:
    """Yields the copies of places, the last one first."""
    for effect in reversed(list(graph.effects())):
        if isinstance(effect, Assign) and isinstance(effect.value, AccessPath):
            yield effect.target, effect.value


def _method(made: Callee, name: str) -> Callee:
    """Returns a method of the class that a call names."""
    dotted = f"{made.dotted}.{name}" if made.dotted is not None else None
    owner = (made.owner or made.name) if made.constructs else None
    return replace(made, name=name, dotted=dotted, owner=owner, constructs=False)
