"""The searches of graphs: what is found, what is left out, and how little is asked."""

from __future__ import annotations

import pytest

from fdlint.core.dataflow.reachability import blocks_of, closure, empty_unreachable, reachable
from fdlint.core.ir import RAISE, RETURN, Block, Drop, Graph, Jump, Step
from fdlint.languages.python.lowering.language import PYTHON

EDGES = {"a": "bc", "b": "d", "c": "d", "d": "a", "e": "a"}


@pytest.mark.parametrize(
    ("start", "found"), [("a", "acdb"), ("d", "dacb"), ("be", "eacdb"), ("aa", "acdb"), ("x", "x"), ("", "")]
)
def test_closure_yields_each_node_once_depth_first(start: str, found: str) -> None:
    assert "".join(closure(start, lambda one: EDGES.get(one, ""))) == found


def test_closure_asks_no_more_than_it_is_asked() -> None:
    asked = []

    def successors(one: int) -> list[int]:
        asked.append(one)
        return [one + 1]

    assert 3 in closure([0], successors)
    assert asked == [0, 1, 2]


def graph() -> Graph:
    """2 -> 3 -> 4 -> RETURN; 3 jumps back to 2, its step may raise to 5; nothing leads to 6, which leads to 4."""
    blocks = [Block() for _ in range(7)]
    for index, targets in {2: (3,), 3: (2, 4), 4: (RETURN,), 5: (RAISE,), 6: (4,)}.items():
        blocks[index].end = Jump(targets)
    blocks[3].steps.append(Step(Drop(()), "here", 0, {"Exception": (5,)}))
    blocks[6].steps.append(Step(Drop(()), "there", 0))
    return Graph("f", PYTHON, blocks=blocks)


@pytest.mark.parametrize(
    ("start", "without", "cut", "found"),
    [
        (2, (), None, {2, 3, 4, 5, RETURN, RAISE}),
        (4, (), None, {4, RETURN}),
        (2, (3,), None, {2}),
        (2, (2,), None, set()),
        (2, (), (3, 4), {2, 3, 5, RAISE}),
        (2, (5,), (4, RETURN), {2, 3, 4}),
    ],
)
def test_reachable_goes_along_all_edges_but_those_left_out(
    start: int, without: tuple[int, ...], cut: tuple[int, int] | None, found: set[int]
) -> None:
    assert set(reachable(graph(), start, without, cut)) == found


def test_a_block_that_nothing_leads_to_is_emptied() -> None:
    one = graph()
    assert blocks_of(one, "there") == {6}
    empty_unreachable(one)
    assert one.blocks[6] == Block()
    assert [step.origin for step in one.steps()] == ["here"]
    assert blocks_of(one, "here") == {3}
    assert not blocks_of(one, "there")
