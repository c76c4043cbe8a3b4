"""Graph searches: what can be reached from where, over blocks or over anything that has successors."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from typing import TypeVar

from fdlint.ir import RAISE, RETURN, Graph, Jump

N = TypeVar("N", bound=Hashable)


def closure(start: Iterable[N], successors: Callable[[N], Iterable[N]]) -> Iterator[N]:
    """Yields the start and all that ``successors`` lead to from there, each node once, depth first. Asks for a node's
    successors only when the next node is taken: who has seen enough stops."""
    pending = list(dict.fromkeys(start))
    seen = set(pending)
    while pending:
        node = pending.pop()
        yield node
        for following in successors(node):
            if following not in seen:
                seen.add(following)
                pending.append(following)


def reachable(
    graph: Graph, start: int, without: Collection[int] = (), cut: tuple[int, int] | None = None
) -> Iterator[int]:
    """Yields the blocks that control may come to from one, itself among them, by whatever edge; not through the blocks
    ``without``, and not along the edge ``cut``."""

    def successors(index: int) -> Iterator[int]:
        return (one for one in graph.successors(index) if one not in without and (index, one) != cut)

    return closure((start,) if start not in without else (), successors)


def blocks_of(graph: Graph, origin: object) -> set[int]:
    """The blocks that do something of one piece of the source."""
    return {index for index, block in enumerate(graph.blocks) if any(step.origin is origin for step in block.steps)}


def empty_unreachable(graph: Graph) -> None:
    """Empties the blocks that control never reaches, such as those after a ``return``."""
    kept = {RETURN, RAISE, *reachable(graph, graph.entry)}
    for index, block in enumerate(graph.blocks):
        if index not in kept:
            block.steps, block.end = [], Jump(())
