"""Finds the methods that use or close the number in an attribute whatever has happened to the object before: they do so
right at the start, without asking anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from fdlint.catalog import Catalog
from fdlint.core.domain.owner import OwnerClass
from fdlint.core.engine.bind_arguments import given_by
from fdlint.core.engine.limits import MAX_CALLS
from fdlint.core.engine.match_api import bind
from fdlint.core.engine.misuse import WORKS_ON
from fdlint.core.ir import AccessPath, Assign, Call, Field, Graph, Jump, Operand, Place, Step, Store
from fdlint.core.objects.class_view import Members
from fdlint.program.units import Function


@dataclass(frozen=True, slots=True)
class Unguarded:
    """The methods that use the number, and those that close it, in any state of the object."""

    uses: frozenset[str]
    closes: frozenset[str]


Called: TypeAlias = Callable[[Function, Call], Function | None]
"""Returns the function of the project that a call in another function means, if it may close something."""


def unguarded(members: Members, catalog: Catalog, parts: Mapping[Field, OwnerClass], called: Called) -> Unguarded:
    """Returns the methods of a class that act on the number in an attribute in any state of the object. ``parts``: the
    classes of the objects in attributes that own a number."""
    asking = _Asking(members, catalog, parts, called)
    found = {name: _closes_first(asking, method, 0) for name, method in members.methods.items()}
    uses = frozenset(name for name, closes in found.items() if closes is False)
    return Unguarded(uses, frozenset(name for name, closes in found.items() if closes))


@dataclass(frozen=True, slots=True)
class _Asking:
    members: Members
    catalog: Catalog
    parts: Mapping[Field, OwnerClass]
    called: Called


def _closes_first(
    asking: _Asking, function: Function, depth: int, given: frozenset[Place] = frozenset()
) -> bool | None:
    """Whether a method closes the number before it does anything else; None if it does not begin with using it or
    closing it. ``given``: the parameters and variables that have the number."""
    graph = function.graph
    if depth > MAX_CALLS or not (graph.receiver or given) or graph.generator or graph.abstract:
        return None
    for step in _straight(graph):
        match step.effect:
            case Assign(target, AccessPath() as value) if _is_number(asking, graph, value, given):
                given |= {target}
            case Store():
                return None
            case Call(_, callee) as call:
                if callee.receiver is not None and callee.receiver == graph.receiver:
                    called = asking.members.methods.get(callee.name)
                    return _closes_first(asking, called, depth + 1) if called is not None else None
                part = _part(asking, graph, call)
                if part is not None:
                    return callee.name in part.again if callee.name in part.uses | part.again else None
                return _of_call(asking, function, call, depth, given)
    return None


def _straight(graph: Graph) -> Iterator[Step]:
    """Yields the steps from the start of a function to its first decision."""
    seen: set[int] = set()
    index = graph.entry
    while index not in seen and 0 <= index < len(graph.blocks):
        seen.add(index)
        block = graph.blocks[index]
        yield from block.steps
        if not isinstance(block.end, Jump) or len(block.end.targets) != 1:
            return
        index = block.end.targets[0]


def _part(asking: _Asking, graph: Graph, call: Call) -> OwnerClass | None:
    """Returns the class of the object in an attribute that a method is called on, if that owns a number."""
    receiver = call.callee.receiver
    field = receiver.field_of(graph.receiver) if isinstance(receiver, AccessPath) and graph.receiver else None
    return asking.parts.get(field) if field is not None else None


def _is_number(asking: _Asking, graph: Graph, value: Operand, given: frozenset[Place]) -> bool:
    """Whether an operand is the number in an attribute, or a copy of it."""
    field = value.field_of(graph.receiver) if isinstance(value, AccessPath) and graph.receiver else None
    return value in given or field in asking.members.fields


def _of_call(asking: _Asking, function: Function, call: Call, depth: int, given: frozenset[Place]) -> bool | None:
    """Whether a call closes the number in an attribute; None if it does not use it either."""
    graph = function.graph
    called = asking.called(function, call)
    if called is not None:
        taking = frozenset(
            parameter for parameter, value in given_by(called, call) if _is_number(asking, graph, value, given)
        )
        return _closes_first(asking, called, depth + 1, taking) if taking else None
    apis = asking.catalog.lookup(call.callee.dotted) if call.callee.dotted is not None else ()
    if len(apis) != 1 or apis[0].probes:
        return None
    for name, arg in bind(apis[0], call.args):
        closes = name in apis[0].closed
        if _is_number(asking, graph, arg.value, given) and (closes or apis[0].actions.get(name) in WORKS_ON):
            return closes
    return None
