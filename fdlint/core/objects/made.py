"""Finds the class of an object: that of the method it is called on, or the class that just created it."""

from __future__ import annotations

from fdlint.core.dataflow.classes import bindings
from fdlint.core.dataflow.derivation import copied_to
from fdlint.core.domain.values import ContainerSite, Maker
from fdlint.core.ir import NESTED, Assign, Build, Graph, Place


def class_of(graph: Graph, root: Place) -> str | None:
    """Returns the class of an object that a function stores into: its own, that of a parameter, or one that it has just
    called under any name."""
    if root == graph.receiver:
        return graph.owner or (graph.name or "").partition(NESTED)[0].rpartition(".")[0] or None
    if root in graph.parameters and root not in bindings(graph):
        return graph.classes.get(root)
    (found, *others) = bindings(graph).get(root, {None})
    return found if not others else None


def made_by(graph: Graph) -> frozenset[str]:
    """Returns the classes of the file that a function instantiates."""
    called = {one.callee.owner or one.callee.name for one in graph.calls() if one.callee.constructs}
    return frozenset(called | {record.type for record in records(graph).values()})


def records(graph: Graph) -> dict[Place, Build]:
    """Returns the literals of structs in a function, by the place that gets each first."""
    built = ((one.target, one.value) for one in graph.effects() if isinstance(one, Assign))
    return {target: value for target, value in built if isinstance(value, Build) and value.type}


def names_of(graph: Graph, root: Place) -> frozenset[Place]:
    """Returns the names of a function for the object in a place: that of a struct's literal has some of its own."""
    if root not in records(graph):
        return frozenset({root})
    return copied_to(graph, [root])


def sites_of(graph: Graph, root: Place) -> frozenset[ContainerSite]:
    """Returns what makes the structs that a function puts into a place."""
    made = (step.node for step in graph.steps() if isinstance(step.effect, Assign) and step.effect.target == root)
    return frozenset(ContainerSite(Maker.DISPLAY, node, 0, graph.name or "") for node in made)


def bound_to_globals(body: Graph) -> frozenset[str]:
    """Returns the classes that a module's body instantiates and binds to a name: the object lives as long as the
    process."""
    return frozenset(
        name for place, names in bindings(body).items() if not place.is_attribute for name in names if name
    )
