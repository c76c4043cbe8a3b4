"""A worklist that carries sets of states through a graph. It does not depend on descriptors or syntax.

The lattice at a node is the powerset of states ordered by inclusion. Join is union: commutative, associative and
idempotent for any states. ``coarsen`` keeps the analysis finite: it maps a state to one that covers it, and there are
fewer such states. If a node has ``soft`` states, the solver coarsens arriving states. After ``budget`` visits the run
stops, and the solution is marked as incomplete. ``key`` must return a hashable identity for each state.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a run.

    ``apart``: with this many states at a node, states of one kin are merged. ``alike``: with this many, states that
    only differ in what can be left out are merged. ``soft``: with this many, arriving states are coarsened. ``hard``:
    with this many, new states are rejected. ``budget``: after this many visits the run stops. ``size``: if the total
    size of the remembered states would exceed this, new states are rejected.
    """

    apart: int = 1
    alike: int = 6
    soft: int = 64
    hard: int = 2_000
    budget: int = 15_000
    size: int = 1_500_000  # values, some 200 bytes each


@dataclass(frozen=True, slots=True)
class Flow(Generic[S]):
    """The description of a problem for the solver.

    ``step(node, state)`` yields successors with their states, and may consume the given state. ``key(state)``
    identifies a state. ``coarsen(state)`` returns one of fewer states that covers it. ``order`` ranks nodes (reverse
    postorder is fast). ``exits`` are nodes without successors, where the number of states does not matter.
    ``size(state)`` is the cost of remembering a state. ``passing`` maps nodes that only lead to another node to that
    node. ``lone`` are nodes that only one other node leads to: their states need no comparison if each visit of that
    node leads to one.

    ``kin(node, state)`` is equal for states that may be merged there, and None for a state that may not.
    ``essence(node, state)`` returns a state that covers all states of its kin. ``doubted(state)`` returns
    the state with the note that it may be on no real path, and a kin that more states share. ``merge(known, arriving)``
    returns a state that covers both; it returns ``known`` itself if that covers both. ``copy(state)`` returns a state
    that may be consumed. ``surer(state)`` returns a state that makes a visit with this one needless; None if there is
    none.
    """

    step: Callable[[int, S], Iterable[tuple[int, S]]]
    key: Callable[[S], Hashable]
    coarsen: Callable[[S], S]
    order: Mapping[int, int]
    exits: frozenset[int] = frozenset()
    size: Callable[[S], int] = lambda _: 1
    passing: Mapping[int, int] = field(default_factory=dict)
    lone: frozenset[int] = frozenset()
    kin: Callable[[int, S], Hashable] = lambda _, __: None
    essence: Callable[[int, S], S] = lambda _, state: state
    doubted: Callable[[S], tuple[S, Hashable]] | None = None
    merge: Callable[[S, S], S] = lambda known, _: known
    copy: Callable[[S], S] = lambda state: state
    surer: Callable[[S], S | None] = lambda _: None


@dataclass(slots=True)
class Solution:
    """The outcome of a run. ``complete``: False if a limit was exceeded."""

    visits: int = 0
    complete: bool = True


def solve(
    flow: Flow[S],
    entry: int,
    initial: Iterable[S],
    limits: Limits = Limits(),
    watch: Callable[[int, S], None] | None = None,
) -> Solution:
    """Explores every reachable (node, state) pair once, with the nodes in the given order. Calls ``watch`` for each
    pair, but does not keep the pairs: a large function has tens of thousands."""
    return _Solver(flow, limits, watch).solve(entry, initial)


@dataclass(slots=True)
class _Entry(Generic[S]):
    """A state at a node. ``merges``: others of its kin may be merged into it, even after its visit. ``doubted``: it may
    be on no real path. ``waits``: it still waits for a visit."""

    state: S
    merges: bool = False
    doubted: bool = False
    waits: bool = True


class _Solver(Generic[S]):
    def __init__(self, flow: Flow[S], limits: Limits, watch: Callable[[int, S], None] | None) -> None:
        self._flow = flow
        self._limits = limits
        self._watch = watch
        self._solution = Solution()
        self._known: dict[int, set[Hashable]] = {}
        self._kins: dict[tuple[int, Hashable], _Entry[S]] = {}
        self._heap: list[tuple[int, int, int, _Entry[S]]] = []
        self._ticket = self._size = 0

    def solve(self, entry: int, initial: Iterable[S]) -> Solution:
        """Explores until no state waits."""
        flow, solution, arrive = self._flow, self._solution, self._arrive
        for state in initial:
            arrive(entry, state)
        while self._heap:
            _, _, node, waiting = heapq.heappop(self._heap)
            if node in flow.passing:
                arrive(flow.passing[node], waiting.state)
                continue
            solution.visits += 1
            if solution.visits > self._limits.budget:
                solution.complete = False
                break
            waiting.waits = False
            state = flow.copy(waiting.state) if waiting.merges else waiting.state
            alone: dict[int, S] = {}
            for target, following in flow.step(node, state):
                if target in flow.lone and target not in alone:
                    alone[target] = following
                else:
                    arrive(target, following)
            for target, following in alone.items():
                self._go_on(target, following)
        return solution

    def _go_on(self, node: int, state: S) -> None:
        """Lets a state wait at a node that one other node leads to."""
        if node in self._known:
            self._arrive(node, state)
            return
        self._size += self._flow.size(state)
        self._push(node, _Entry(state))

    def _arrive(self, node: int, state: S) -> None:
        flow, limits = self._flow, self._limits
        if node in flow.passing:
            self._push(node, _Entry(state))
            return
        seen = self._known.get(node)
        if seen is None:
            seen = self._known[node] = set()
        kin = flow.kin(node, state) if len(seen) >= limits.apart and node not in flow.exits else None
        if kin in seen:
            self._merge(node, self._kins[node, kin], state)
            return
        key = flow.key(state)
        if key in seen:
            return
        surer = flow.surer(state) if seen else None
        if surer is not None and (flow.key(surer) in seen or (kin is not None and flow.kin(node, surer) in seen)):
            return
        doubted = len(seen) >= limits.alike and node not in flow.exits and flow.doubted is not None
        if flow.doubted is not None and doubted:
            state, kin = flow.doubted(state)
            if kin in seen:
                self._merge(node, self._kins[node, kin], state)
                return
            if surer is not None and flow.doubted(surer)[1] in seen:
                return
        if len(seen) >= limits.soft and node not in flow.exits:
            state, kin = flow.coarsen(state), None
            key = flow.key(state)
            if key in seen:
                return
            if len(seen) >= limits.hard:
                self._solution.complete = False
                return
        self._size += flow.size(state)
        if self._size > limits.size:
            self._solution.complete = False
            return
        seen.add(key if kin is None else kin)
        entry = _Entry(state, kin is not None, doubted)
        if kin is not None:
            self._kins[node, kin] = entry
        self._push(node, entry)

    def _merge(self, node: int, known: _Entry[S], state: S) -> None:
        merged = self._flow.merge(known.state, state)
        if merged is not known.state:
            known.state = merged
            if not known.waits:
                known.waits = True
                # one more visit is enough
                known.state = self._flow.coarsen(merged) if known.doubted else self._flow.essence(node, merged)
                self._push(node, known)

    def _push(self, node: int, entry: _Entry[S]) -> None:
        if self._watch is not None:
            self._watch(node, entry.state)
        self._ticket += 1
        heapq.heappush(self._heap, (self._flow.order.get(node, 0), self._ticket, node, entry))


def postorder(entry: int, successors: Callable[[int], Iterable[int]]) -> dict[int, int]:
    """Returns the reverse-postorder rank of every node that ``entry`` reaches. Uses no recursion."""
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
