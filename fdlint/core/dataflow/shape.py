"""Finds the blocks of a graph that do nothing, and those that only one other block leads to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from fdlint.core.ir import RAISE, RETURN, Graph, Jump


def passing(graph: Graph, blocks: Iterable[int]) -> dict[int, int]:
    """Returns the blocks among ``blocks`` that only jump to another one, each with its target. Leaves out those that
    lead into an endless cycle of such blocks."""
    found: dict[int, int] = {}
    for index in blocks:
        block = graph.blocks[index]
        if not block.steps and isinstance(block.end, Jump) and len(block.end.targets) == 1:
            found[index] = block.end.targets[0]
    for exit_block in (RETURN, RAISE):
        found.pop(exit_block, None)
    return {index: target for index, target in found.items() if not _is_endless(index, found)}


def lone(graph: Graph, blocks: Iterable[int]) -> frozenset[int]:
    """Returns the blocks that exactly one of ``blocks`` leads to, except the exits and the entry."""
    ways = Counter(target for index in blocks for target in graph.successors(index))
    return frozenset(target for target, number in ways.items() if number == 1) - {RETURN, RAISE, graph.entry}


def _is_endless(start: int, following: dict[int, int]) -> bool:
    seen: set[int] = set()
    at: int | None = start
    while at is not None and at not in seen:
        seen.add(at)
        at = following.get(at)
    return at is not None
