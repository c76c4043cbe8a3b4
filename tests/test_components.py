"""Strongly connected parts and reversed edges of a graph."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fdlint.core.dataflow.reachability import closure
from fdlint.program.components import reversed_edges, strongly_connected

Edges = dict[str, str]
nodes = st.integers(0, 7)
graphs = st.dictionaries(nodes, st.lists(nodes, max_size=4), max_size=8)


def parts(edges: Edges, start: str) -> list[str]:
    found = strongly_connected(start, lambda node: edges.get(node, ""))
    return ["".join(sorted(part)) for part in found]


def test_callees_come_first() -> None:
    assert parts({"a": "bc", "b": "d", "c": "d"}, "a") == ["d", "b", "c", "a"]


def test_a_circle_is_one_part() -> None:
    assert parts({"a": "b", "b": "cd", "c": "a", "d": "e", "e": "d"}, "a") == ["de", "abc"]


def test_a_second_circle_through_a_later_edge() -> None:
    assert parts({"a": "b", "b": "c", "c": "bd", "d": "a"}, "a") == ["abcd"]


def test_a_part_that_was_left_does_not_come_back() -> None:
    assert parts({"a": "b", "c": "ab"}, "ac") == ["b", "a", "c"]


def test_a_long_chain_needs_no_recursion() -> None:
    found = list(strongly_connected((0,), lambda node: (node + 1,) if node < 20_000 else (0,)))
    assert [len(part) for part in found] == [20_001]


@given(graphs)
def test_two_nodes_share_a_part_if_they_reach_each_other(edges: dict[int, list[int]]) -> None:
    def successors(node: int) -> list[int]:
        return edges.get(node, [])

    reach = {node: set(closure((node,), successors)) for node in range(8)}
    found = list(strongly_connected(range(8), successors))
    assert sorted(node for part in found for node in part) == list(range(8))
    for number, part in enumerate(found):
        for node in part:
            assert set(part) == {other for other in reach[node] if node in reach[other]}
            assert reach[node] <= {other for before in found[: number + 1] for other in before}


def test_reversed_edges() -> None:
    edges = {"a": "bb", "b": "c", "c": "b"}
    assert reversed_edges("abc", lambda node: edges[node]) == {"b": ("a", "c"), "c": ("b",)}
