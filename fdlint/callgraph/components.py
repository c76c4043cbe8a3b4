"""Strongly connected parts of a graph, and its edges the other way round."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

N = TypeVar("N", bound=Hashable)


def strongly_connected(start: Iterable[N], successors: Callable[[N], Iterable[N]]) -> Iterator[tuple[N, ...]]:
    """Yields the strongly connected parts of what can be reached from the start: a part after all those that it leads
    to, so of a call graph the callees first. Tarjan's algorithm, with a stack of its own instead of recursion."""
    number: dict[N, int] = {}
    low: dict[N, int] = {}
    open_nodes: dict[N, None] = {}  # met, and in no part yet
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


def _taken(open_nodes: dict[N, None], first: N) -> tuple[N, ...]:
    """Takes the nodes out that were met from ``first`` on."""
    part: list[N] = []
    while not part or part[-1] != first:
        part.append(open_nodes.popitem()[0])
    return tuple(reversed(part))


def part_of(node: N, successors: Callable[[N], Iterable[N]]) -> tuple[N, ...]:
    """The strongly connected part that a node is in; empty for a node that no path leads back to."""
    found = next(part for part in strongly_connected((node,), successors) if node in part)
    return found if len(found) > 1 or node in successors(node) else ()


def reversed_edges(nodes: Iterable[N], successors: Callable[[N], Iterable[N]]) -> dict[N, tuple[N, ...]]:
    """By node, the ones of ``nodes`` that lead to it, each once."""
    found: dict[N, dict[N, None]] = {}
    for node in nodes:
        for other in successors(node):
            found.setdefault(other, {})[node] = None
    return {node: tuple(sources) for node, sources in found.items()}
