"""A worklist that carries sets of states through a graph; it knows neither descriptors nor syntax.

The lattice at a node is the powerset of states ordered by inclusion, and join is union: commutative, associative and
idempotent whatever the states are. What keeps it finite is ``coarsen``, which maps a state to one that covers it and
of which there are fewer: past ``soft`` states at a node, arriving states are coarsened, and past ``budget`` visits the
run stops and says so. States must be hashable by ``key``.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a run goes.

    ``soft``: states at a node before they are coarsened; ``hard``: before more are turned away; ``budget``: visits
    before the run is given up; ``size``: of all states that are remembered together, before more are turned away.
    """

    soft: int = 64
    hard: int = 2_000
    budget: int = 15_000
    size: int = 1_500_000  # values, some 200 bytes each


@dataclass(frozen=True, slots=True)
class Flow(Generic[S]):
    """What the solver has to be told about a problem.

    ``step(node, state)`` yields successors with their states; ``key(node, state)`` identifies a state;
    ``coarsen(state)`` covers a state by one of fewer; ``order`` ranks nodes (reverse postorder makes it quick);
    ``exits`` are nodes that lead nowhere, at which states cost nothing; ``size(state)`` is what it takes to remember
    one.
    """

    step: Callable[[int, S], Iterable[tuple[int, S]]]
    key: Callable[[int, S], Hashable]
    coarsen: Callable[[S], S]
    order: Mapping[int, int]
    exits: frozenset[int] = frozenset()
    size: Callable[[S], int] = lambda _: 1


@dataclass(slots=True)
class Solution:
    """How a run went: ``complete`` is False when the budget ran out."""

    visits: int = 0
    complete: bool = True


def solve(
    flow: Flow[S],
    entry: int,
    initial: Iterable[S],
    limits: Limits = Limits(),
    watch: Callable[[int, S], None] | None = None,
) -> Solution:
    """Explores every reachable (node, state) pair once, nodes in the given order. ``watch`` is told of each of them;
    they are not kept: a large function has tens of thousands."""
    solution = Solution()
    known: dict[int, set[Hashable]] = {}
    heap: list[tuple[int, int, int, S]] = []
    ticket = size = 0

    def arrive(node: int, state: S) -> None:
        nonlocal ticket, size
        seen = known.setdefault(node, set())
        key = flow.key(node, state)
        if key in seen:
            return
        if len(seen) >= limits.soft and node not in flow.exits:
            state = flow.coarsen(state)
            key = flow.key(node, state)
            if key in seen:
                return
            if len(seen) >= limits.hard:
                solution.complete = False
                return
        size += flow.size(state)
        if size > limits.size:
            solution.complete = False
            return
        seen.add(key)
        if watch is not None:
            watch(node, state)
        ticket += 1
        heapq.heappush(heap, (flow.order.get(node, 0), ticket, node, state))

    for state in initial:
        arrive(entry, state)
    while heap:
        solution.visits += 1
        if solution.visits > limits.budget:
            solution.complete = False
            break
        _, _, node, state = heapq.heappop(heap)
        for target, following in flow.step(node, state):
            arrive(target, following)
    return solution


def postorder(entry: int, successors: Callable[[int], Iterable[int]]) -> dict[int, int]:
    """Reverse-postorder rank of every node that ``entry`` reaches, without recursion."""
    done: list[int] = []
    seen = {entry}
    stack = [(entry, iter(successors(entry)))]
    while stack:
        node, following = stack[-1]
        for target in following:
            if target not in seen:
                seen.add(target)
                stack.append((target, iter(successors(target))))
                break
        else:
            stack.pop()
            done.append(node)
    return {node: rank for rank, node in enumerate(reversed(done))}
