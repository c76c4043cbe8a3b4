"""The generic worklist: what its docstring promises of join, of coarsening and of the budget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fdlint.core.dataflow.worklist import Flow, Limits, postorder, solve

Edges = Mapping[int, tuple[int, ...]]
NODES = 6
MANY = Limits(soft=10_000, budget=100_000)


@st.composite
def graphs(draw: st.DrawFn) -> dict[int, tuple[int, ...]]:
    """Every node's successors, with repetitions and loops."""
    nodes = st.integers(0, NODES - 1)
    return {node: tuple(draw(st.lists(nodes, max_size=3))) for node in range(NODES)}


def added(edges: Edges, modulus: int) -> Flow[int]:
    """States are numbers; going along the edge from ``a`` to ``b`` adds ``a + 2b`` modulo something."""

    def step(node: int, state: int) -> list[tuple[int, int]]:
        return [(target, (state + node + 2 * target) % modulus) for target in edges[node]]

    return Flow(step, lambda state: state, lambda state: state - state % 2, {})


def found(*problem: Any) -> dict[int, set[int]]:
    """The states that are found at each node."""
    return {node: set(states) for node, states in arrived(*problem).items()}


def arrived(*problem: Any) -> dict[int, list[Any]]:
    """The same, in the order in which they arrive."""
    states: dict[int, list[Any]] = {}
    solve(*problem, watch=lambda node, state: states.setdefault(node, []).append(state))
    return states


def closure(flow: Flow[int], entry: int, initial: Iterable[int]) -> dict[int, set[int]]:
    """The reachable pairs of node and state, found in the plainest way."""
    seen = {(entry, state) for state in initial}
    while True:
        more = {pair for node, state in seen for pair in flow.step(node, state)} - seen
        if not more:
            return {node: {s for n, s in seen if n == node} for node, _ in seen}
        seen |= more


@given(graphs(), st.lists(st.integers(0, 4), min_size=1), st.integers(1, 9))
def test_every_reachable_state_is_found_and_no_other(edges: Edges, initial: list[int], modulus: int) -> None:
    flow = added(edges, modulus)
    assert found(flow, 0, initial, MANY) == closure(flow, 0, initial)
    assert solve(flow, 0, initial, MANY).complete


@given(graphs(), st.lists(st.integers(0, 4), min_size=1), st.permutations(range(NODES)))
def test_join_does_not_mind_the_order_of_arrival(edges: Edges, initial: list[int], ranks: list[int]) -> None:
    plain = added(edges, 7)
    turned = {node: tuple(reversed(targets)) for node, targets in edges.items()}
    other = Flow(added(turned, 7).step, plain.key, plain.coarsen, dict(enumerate(ranks)))
    assert found(plain, 0, initial, MANY) == found(other, 0, reversed(initial), MANY)


@given(graphs(), st.lists(st.integers(0, 4), min_size=1))
def test_join_is_idempotent(edges: Edges, initial: list[int]) -> None:
    flow = added({node: targets * 2 for node, targets in edges.items()}, 7)
    twice, once = (flow, 0, initial * 2, MANY), (added(edges, 7), 0, initial, MANY)
    assert found(*twice) == found(*once)
    assert solve(*twice).visits == solve(*once).visits == sum(len(states) for states in found(*once).values())


@given(graphs(), st.sets(st.integers(0, 4)), st.sets(st.integers(0, 4)))
def test_the_solution_of_a_union_is_the_union_of_the_solutions(edges: Edges, one: set[int], other: set[int]) -> None:
    flow = added(edges, 7)
    parts = found(flow, 0, one, MANY), found(flow, 0, other, MANY)
    both = found(flow, 0, one | other, MANY)
    assert both == {node: parts[0].get(node, set()) | parts[1].get(node, set()) for node in both}


def counting(limit: int) -> Flow[int]:
    """A loop that counts: states without end, but for coarsening, which knows ``limit`` of them."""
    return Flow(lambda node, state: [(0, state + 1)], lambda state: state, lambda state: state % limit, {})


@given(st.integers(1, 20), st.integers(0, 20))
def test_coarsening_ends_what_would_never_end(limit: int, soft: int) -> None:
    problem = counting(limit), 0, [0], Limits(soft=soft, budget=10_000)
    assert solve(*problem).complete
    assert len(found(*problem)[0]) <= soft + limit


@given(graphs(), st.integers(0, 6))
def test_a_coarsened_solution_covers_the_exact_one(edges: Edges, soft: int) -> None:
    """Coarsening clears the last bit; ``step`` keeps that relation, so every exact state has its cover."""

    def step(node: int, state: int) -> list[tuple[int, int]]:
        return [(target, (state + 2 * target) % 16) for target in edges[node]]

    flow = Flow(step, lambda state: state, lambda state: state & ~1, {})
    exact = found(flow, 0, [0, 1], MANY)
    coarse = found(flow, 0, [0, 1], Limits(soft=soft, budget=100_000))
    assert exact.keys() == coarse.keys()
    assert all(states <= {s | bit for s in coarse[node] for bit in (0, 1)} for node, states in exact.items())


def test_nothing_is_coarsened_before_the_bound() -> None:
    states = set(range(5))
    flow: Flow[int] = Flow(lambda *_: [], lambda state: state, lambda _: -1, {})
    assert found(flow, 0, states, Limits(soft=5))[0] == states
    assert -1 in found(flow, 0, states, Limits(soft=4))[0]


def test_an_exhausted_budget_says_that_the_solution_is_not_complete() -> None:
    endless: Flow[int] = Flow(lambda _, state: [(0, state + 1)], lambda state: state, lambda state: state, {})
    problem = endless, 0, [0], Limits(soft=10, budget=100)
    assert not solve(*problem).complete
    assert found(*problem)[0] == set(range(101))


def test_a_budget_that_is_just_enough_is_complete() -> None:
    chain: Flow[int] = Flow(lambda node, _: [(node + 1, 0)] if node < 9 else [], lambda s: s, lambda s: s, {})
    assert solve(chain, 0, [0], Limits(budget=10)).complete
    assert not solve(chain, 0, [0], Limits(budget=9)).complete


def test_a_key_may_make_different_states_equal() -> None:
    """What a state carries beside its key (a story, say) is that of the first to arrive."""
    flow: Flow[tuple[int, str]] = Flow(lambda *_: [], lambda state: state[0], lambda state: state, {})
    assert arrived(flow, 0, [(1, "first"), (1, "second")])[0] == [(1, "first")]


def test_nodes_are_taken_in_the_order_given() -> None:
    """Both arms of a diamond come before what follows them, so that it is visited with all of their states at hand."""
    visited: list[int] = []
    edges = {0: (1, 2), 1: (3,), 2: (3,), 3: ()}

    def step(node: int, state: int) -> list[tuple[int, int]]:
        visited.append(node)
        return [(target, state * 3 + target) for target in edges[node]]

    solve(Flow(step, lambda s: s, lambda s: s, postorder(0, edges.__getitem__)), 0, [0])
    assert sorted(visited[:3]) == [0, 1, 2]
    assert visited[3:] == [3, 3]


@given(graphs())
def test_ranks_are_a_permutation_of_what_the_entry_reaches(edges: Edges) -> None:
    ranks = postorder(0, edges.__getitem__)
    reached = closure(Flow(lambda n, s: [(t, s) for t in edges[n]], lambda s: s, lambda s: s, {}), 0, [0])
    assert ranks.keys() == reached.keys()
    assert sorted(ranks.values()) == list(range(len(ranks)))
    assert ranks[0] == 0


@given(st.lists(st.tuples(st.integers(0, NODES), st.integers(0, NODES))))
def test_without_loops_every_edge_leads_to_a_higher_rank(pairs: list[tuple[int, int]]) -> None:
    edges = {node: [b for a, b in pairs if a == node and b > a] for node in range(NODES + 1)}
    ranks = postorder(0, edges.__getitem__)
    assert all(ranks[node] < ranks[target] for node in ranks for target in edges[node])


def test_a_long_chain_needs_no_recursion() -> None:
    assert len(postorder(0, lambda node: [node + 1] if node < 50_000 else [])) == 50_001
