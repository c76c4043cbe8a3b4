"""Finds out whether entering a context manager of the project can raise."""

from __future__ import annotations

from dataclasses import replace

from fdlint.catalog import Catalog
from fdlint.core.dataflow.makers import binding_steps, makers
from fdlint.core.domain.owner import OwnerClass
from fdlint.core.domain.values import Typed, Value
from fdlint.core.engine.summary import Callees
from fdlint.core.ir import NOWHERE, AccessPath, Call, Callee, Enter, Graph


def never_raises(
    graph: Graph, catalog: Catalog, callees: Callees | None, manager: Value, owner: OwnerClass | None, enter: Enter
) -> bool:
    """Whether entering a context manager cannot raise: a lock or an exit stack in a variable, or an object of the
    project whose method that enters it calls nothing that can raise. ``owner``: its class, if it owns a descriptor;
    otherwise the function must create it."""
    apis = catalog.lookup(manager.type) if isinstance(manager, Typed) else ()
    if apis or callees is None:
        return bool(apis) and apis[0].nothrow_enter
    if owner is not None and owner.listed:
        return False
    made = _creating(graph, enter) if owner is None else None
    for name in graph.language.methods.managers:
        if owner is not None:
            entering = Callee(name, own=True, function=callees.method_of(owner, name))
        elif made is not None:
            entering = _method(made, name)
        else:
            return False
        exits = callees.exits(graph, Call(NOWHERE, entering, ()), thorough=True)
        if exits is not None:
            return not exits[1]
    return False


def _creating(graph: Graph, enter: Enter) -> Callee | None:
    """Returns the only class whose object a manager is; None if it is not known."""
    made = makers(binding_steps(graph), enter.manager) if isinstance(enter.manager, AccessPath) else ()
    found = {call.callee for _, call, _ in made}
    return found.pop() if len(found) == 1 else None


def _method(made: Callee, name: str) -> Callee:
    """Returns a method of the class that a call names."""
    dotted = f"{made.dotted}.{name}" if made.dotted is not None else None
    owner = (made.owner or made.name) if made.constructs else None
    return replace(made, name=name, dotted=dotted, owner=owner, constructs=False)
