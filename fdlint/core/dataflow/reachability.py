"""Searches graphs: the nodes that can be reached, over blocks or over anything with successors, and the blocks that do
nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from typing import TypeVar

from fdlint.core.ir import RAISE, RETURN, Graph, Jump, Step

N = TypeVar("N", bound=Hashable)


def closure(start: Iterable[N], successors: Callable[[N], Iterable[N]]) -> Iterator[N]:
    """Yields the start and all nodes that it reaches, each once, depth first. Computes a node's successors only when
    the next node is requested, so a caller can stop early."""
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
    """Yields the blocks that control may reach from ``start``, itself included, over any edge. Does not enter the
    blocks ``without``, and does not follow the edge ``cut``."""

    def successors(index: int) -> Iterator[int]:
        return (one for one in graph.successors(index) if one not in without and (index, one) != cut)

    return closure((start,) if start not in without else (), successors)


def blocks_of(graph: Graph, origin: object) -> set[int]:
    """Returns the blocks with a step from one piece of the source."""
    return {index for index, block in enumerate(graph.blocks) if any(step.origin is origin for step in block.steps)}


def empty_unreachable(graph: Graph) -> None:
    """Empties the blocks that control never reaches, such as those after a ``return``."""
    kept = {RETURN, RAISE, *reachable(graph, graph.entry)}
    for index, block in enumerate(graph.blocks):
        if index not in kept:
            block.steps, block.end = [], Jump(())


def passing(graph: Graph, blocks: Iterable[int]) -> dict[int, int]:
    """Returns the blocks among ``blocks`` that only jump to another one, each with the block where this ends. Leaves
    out those that lead into an endless cycle of such blocks."""
    found: dict[int, int] = {}
    for index in blocks:
        block = graph.blocks[index]
        if not block.steps and isinstance(block.end, Jump) and len(block.end.targets) == 1:
            found[index] = block.end.targets[0]
    for exit_block in (RETURN, RAISE):
        found.pop(exit_block, None)
    ends = ((index, _end(index, found)) for index in found)
    return {index: end for index, end in ends if end is not None}


def lone(graph: Graph, blocks: Iterable[int]) -> frozenset[int]:
    """Returns the blocks that exactly one of ``blocks`` leads to, except the exits and the entry."""
    ways = Counter(target for index in blocks for target in graph.successors(index))
    return frozenset(target for target, number in ways.items() if number == 1) - {RETURN, RAISE, graph.entry}


def _end(start: int, following: dict[int, int]) -> int | None:
    """Returns where a chain ends; None for a cycle."""
    seen, at = {start}, following[start]
    while at in following and at not in seen:
        seen.add(at)
        at = following[at]
    return at if at not in seen else None


def steps_beside(graph: Graph, steps: Iterable[Step], starts: Iterable[Step] = ()) -> frozenset[int]:
    """Returns the ids of the steps that a path may lead over together with one of some steps, in any order. A path
    begins with one of ``starts``, if there are any."""
    blocks, first = (_holding(graph, {id(one) for one in some}) for some in (steps, starts))
    before: dict[int, list[int]] = {}
    for index in range(len(graph.blocks)):
        for target in graph.successors(index):
            before.setdefault(target, []).append(index)
    later = closure(blocks, lambda index: [one for one in graph.successors(index) if one not in first])
    earlier = set(closure(blocks, lambda index: before.get(index, ()) if index not in first else ()))
    found = {id(one) for index in later for one in graph.blocks[index].steps}
    return frozenset(found.union(*(_steps_to(graph, index, earlier) for index in earlier)))


def _steps_to(graph: Graph, index: int, targets: set[int]) -> list[int]:
    """Returns the ids of the steps of a block after which a path may go to one of some blocks."""
    block = graph.blocks[index]
    if not targets.isdisjoint(graph.targets(block.end)):
        return [id(one) for one in block.steps]
    raising = [
        n for n, one in enumerate(block.steps) if any(not targets.isdisjoint(pads) for pads in one.pads.values())
    ]
    return [id(one) for one in block.steps[: max(raising, default=-1) + 1]]


def _holding(graph: Graph, steps: set[int]) -> set[int]:
    """Returns the blocks with one of some steps, which are given by their ids."""
    return {index for index, block in enumerate(graph.blocks) if any(id(one) in steps for one in block.steps)}


def steps_after(graph: Graph, step: Step) -> frozenset[int]:
    """Returns the ids of the steps that a path may lead over after a step."""
    found: set[int] = set()
    for index, block in enumerate(graph.blocks):
        position = next((n for n, one in enumerate(block.steps) if one is step), None)
        if position is not None:
            found.update(map(id, block.steps[position + 1 :]))
            following = closure(graph.successors(index), graph.successors)
            found.update(id(one) for other in following for one in graph.blocks[other].steps)
    return frozenset(found)
