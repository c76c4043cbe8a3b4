"""What a function does to its names in the functions inside it: captures, rebinds, closes, hands over."""

from __future__ import annotations

from collections.abc import Iterable

from fdlint.catalog import Catalog
from fdlint.dataflow.derivation import closed_always, let_go
from fdlint.ir import Graph, Place, Store


def record_nested(graph: Graph, nested: Iterable[Graph], catalog: Catalog, outliving: frozenset[str]) -> None:
    """Records the functions inside another in its graph. ``outliving``: the names of those that stay after the function
    ends; they keep what they capture."""
    for inner in nested:
        assert inner.name is not None
        graph.captures[inner.name] = inner.free
        graph.shared |= (_stored_to(inner) | inner.shared) & inner.free
        graph.closers[inner.name] = closed_always(inner, catalog)
        deeper = frozenset().union(*inner.sinks.values())
        kept = inner.free if inner.name in outliving else let_go(inner, catalog)
        graph.sinks[inner.name] = (kept | deeper) & inner.free


def _stored_to(graph: Graph) -> frozenset[Place]:
    """Returns the names that outlive a function and that it binds."""
    return frozenset(one.target for one in graph.effects() if isinstance(one, Store) and one.target is not None)
