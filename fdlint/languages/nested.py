"""What a function does to its names in the functions inside it: captures, rebinds, closes, hands over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from fdlint.catalog import Catalog
from fdlint.core.dataflow.derivation import apis_of, arguments, assignments, bound_places, destinations, let_go
from fdlint.core.dataflow.liveness import read_places
from fdlint.core.dataflow.nested_functions import name_captured
from fdlint.core.dataflow.reachability import reachable
from fdlint.core.ir import RETURN, AccessPath, Assign, Call, Closure, Graph, Place, Store


def record_nested(graph: Graph, nested: Sequence[Graph], catalog: Catalog, outliving: frozenset[str]) -> None:
    """Records the functions inside another in its graph. ``outliving``: the names of those that stay after the function
    ends; they keep what they capture."""
    of_children = _of_children(graph, catalog) if nested else set()
    for inner in nested:
        assert inner.name is not None
        given = {one: name for name, one in inner.signature.defaults.items() if isinstance(one, AccessPath)}
        graph.captures[inner.name] = inner.free | given.keys()
        graph.shared |= (_stored_to(inner) | inner.shared) & inner.free
        if inner.name in of_children:
            continue  # what it closes are the child's copies
        deeper = frozenset().union(*inner.sinks.values())
        kept = inner.free if inner.name in outliving or _is_endless(inner) else let_go(inner, catalog)
        holders = {place.root for place in kept if place.is_attribute and place.root != inner.receiver}
        ended = frozenset(one for one, name in given.items() if name in kept)
        graph.sinks[inner.name] = ((kept | deeper | holders) & inner.free) | ended
    name_captured(graph)
    once = _bound_once(graph) if nested and not graph.module else frozenset()
    for inner in nested:
        inner.fixed = inner.free & once
        for known, there in ((graph.types, inner.types), (graph.classes, inner.classes)):
            there.update({place: known[place] for place in inner.fixed & known.keys()})


def _bound_once(graph: Graph) -> frozenset[Place]:
    """Returns the names of a function that have the same value in all the functions inside it."""
    times = Counter(place for place in bound_places(graph) if place.is_named)
    return frozenset(place for place, number in times.items() if number == 1) - graph.shared


def _of_children(graph: Graph, catalog: Catalog) -> set[str]:
    """Returns the nested functions that only child processes run."""
    given: set[Place] = set()
    used: set[Place] = set()
    for effect in graph.effects():
        if isinstance(effect, Call) and any(api.child is not None for api in apis_of(effect, catalog)):
            given |= arguments(effect)
        elif not (isinstance(effect, Assign) and isinstance(effect.value, AccessPath)):
            used.update(read_places(effect))
    copies = list(assignments(graph)) if given else []
    made = [effect for effect in graph.effects() if isinstance(effect, Assign)] if given else []
    found = {one.value.name: destinations({one.target}, copies) for one in made if isinstance(one.value, Closure)}
    return {name for name, holders in found.items() if holders & given and not holders & used}


def _is_endless(graph: Graph) -> bool:
    """Whether a function never returns: as long as it runs, in a thread or a goroutine, it keeps what it captures."""
    return RETURN not in reachable(graph, graph.entry)


def _stored_to(graph: Graph) -> frozenset[Place]:
    """Returns the names that outlive a function and that it binds."""
    return frozenset(one.target for one in graph.effects() if isinstance(one, Store) and one.target is not None)
