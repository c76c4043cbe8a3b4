"""Finds the class of an object: that of the method it is called on, or the class that just created it."""

from __future__ import annotations

from fdlint.core.dataflow.classes import bindings
from fdlint.core.ir import NESTED, Graph, Place


def class_of(graph: Graph, root: Place) -> str | None:
    """Returns the class of an object that a function stores into: its own, or one that it has just called under any
    name."""
    if root == graph.receiver:
        return graph.owner or _enclosing(graph.name)
    (found, *others) = bindings(graph).get(root, {None})
    return found if not others else None


def made_by(graph: Graph) -> frozenset[str]:
    """Returns the classes of the file that a function instantiates."""
    return frozenset(one.callee.owner or one.callee.name for one in graph.calls() if one.callee.constructs)


def bound_to_globals(body: Graph) -> frozenset[str]:
    """Returns the classes that a module's body instantiates and binds to a name: the object lives as long as the
    process."""
    return frozenset(
        name for place, names in bindings(body).items() if not place.is_attribute for name in names if name
    )


def _enclosing(name: str | None) -> str | None:
    """Returns the class of a function that is nested in a method."""
    return (name or "").partition(NESTED)[0].rpartition(".")[0] or None
