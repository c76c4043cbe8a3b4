"""Finds the strongly connected components of a graph, and reverses its edges."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from typing import TypeVar

N = TypeVar("N", bound=Hashable)


def strongly_connected(start: Iterable[N], successors: Callable[[N], Iterable[N]]) -> Iterator[tuple[N, ...]]:
    """Yields the strongly connected components of the nodes that ``start`` reaches. A component comes after all
    components that it leads to, so in a call graph the callees come first. This is Tarjan's algorithm with its own
    stack instead of recursion."""
    number: dict[N, int] = {}
    low: dict[N, int] = {}
    open_nodes: dict[N, None] = {}  # visited, but not in a component yet
    for root in start:
        path = [(root, iter(successors(root)))] if root not in number else []
        while path:
            node, following = path[-1]
            if node not in number:
                number[node] = low[node] = len(number)
                open_nodes[node] = None
            for other in following:
                if other not in number:
                    path.append((other, iter(successors(other))))
                    break
                if other in open_nodes:
                    low[node] = min(low[node], number[other])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == number[node]:
                    yield _taken(open_nodes, node)


def on_circles(nodes: Iterable[N], successors: Callable[[N], Collection[N]]) -> Iterator[N]:
    """Yields the nodes that a path leads back to: in a graph of blocks, those of loops."""
    for part in strongly_connected(nodes, successors):
        yield from part if len(part) > 1 or part[0] in successors(part[0]) else ()


def _taken(open_nodes: dict[N, None], first: N) -> tuple[N, ...]:
    """Removes the nodes from ``first`` on from the open nodes, and returns them."""
    part: list[N] = []
    while not part or part[-1] != first:
        part.append(open_nodes.popitem()[0])
    return tuple(reversed(part))


def reversed_edges(nodes: Iterable[N], successors: Callable[[N], Iterable[N]]) -> dict[N, tuple[N, ...]]:
    """Returns for each node its predecessors among ``nodes``, without repetition."""
    found: dict[N, dict[N, None]] = {}
    for node in nodes:
        for other in successors(node):
            found.setdefault(other, {})[node] = None
    return {node: tuple(sources) for node, sources in found.items()}
