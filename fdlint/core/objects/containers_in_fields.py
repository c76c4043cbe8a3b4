"""Finds the attributes that may hold a list, dict or set.

If an attribute holds anything else, an argument of one of its methods goes to an unknown object, not into the
attribute.
"""

from __future__ import annotations

from collections.abc import Iterable

from fdlint.catalog.model import Api, Borrowed, ForkPid, Fresh, Instance, NoneResult, Nothing, Number
from fdlint.core.dataflow.derivation import apis_of, assignments, destinations
from fdlint.core.engine.call_resolution import CallResolver
from fdlint.core.ir import AccessPath, Assign, Build, Call, Field, Graph, Place, Store
from fdlint.program.units import Function

_SCALAR = (Nothing, NoneResult, Fresh, Instance, Number, ForkPid, Borrowed)
_NO_CONTAINERS = frozenset({"kept", "text", "format", "str"})


def with_containers(functions: Iterable[tuple[Function, Place]], callees: CallResolver) -> frozenset[Field]:
    """Returns the attributes of an object that some of its functions may fill with a container. ``functions``: each
    function with its name for the object."""
    fields: set[Field] = set()
    given: set[str] = set()  # methods of the object that may receive a container
    every = [(function.graph, root, _made(function, root, callees)) for function, root in functions]
    before = -1
    while before != len(fields) + len(given):
        before = len(fields) + len(given)
        for graph, root, made in every:
            held = destinations(_known(graph, root, fields, given) | made, assignments(graph))
            for effect in graph.effects():
                match effect:
                    case Store(AccessPath() as target, value) if value in held:
                        fields.update({field} if (field := target.field_of(root)) is not None else ())
                    case Call(_, callee) if callee.receiver == root or callee.constructs:
                        constructor = graph.language.methods.constructor
                        if held.intersection(effect.given):
                            given.add(constructor if callee.constructs else callee.name)
    return frozenset(fields)


def _known(graph: Graph, root: Place, fields: set[Field], given: set[str]) -> set[Place]:
    """Returns the places where a function may find a container from other functions."""
    found = {field.on(root) for field in fields} | (graph.free - {root})
    if (graph.name or "").rpartition(".")[2] in given:
        found.update(graph.parameters)
    return found - {root}


def _made(function: Function, root: Place, callees: CallResolver) -> set[Place]:
    """Returns the places where a function may find a container that it creates itself or gets from a call."""
    graph, inside = function.graph, CallResolver(callees.context, function.file)
    found: set[Place] = set()
    for effect in graph.effects():
        match effect:
            case Assign(target, Build(kind)) if kind not in _NO_CONTAINERS:
                found.add(target)
            case Call(result, callee) if callee.receiver == root and not callee.constructs:
                found.add(result)
            case Call(result) if _may_give_container(inside, graph, effect):
                found.add(result)
    return found


def _may_give_container(callees: CallResolver, graph: Graph, call: Call) -> bool:
    callee = call.callee
    if callee.constructs:
        return False
    apis = apis_of(callees.renamed(graph, call), callees.context.catalog)
    if apis:
        return any(_is_container(api) for api in apis)
    known = callees.context.program.target(callees.file, graph, callee, thorough=False)
    makes = known is not None and (known.graph.name or "").endswith(f".{graph.language.methods.constructor}")
    return callee.variable is not None or (known is not None and not makes)


def _is_container(api: Api) -> bool:
    return api.container is not None or not isinstance(api.returns, _SCALAR)
