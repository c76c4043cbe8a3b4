"""Tests whose answer is foregone, and that ask nevertheless: ``while self.running: …; if not self.running: break``.

Who asks about an attribute that a test has just shown to be true expects that somebody else has changed it meanwhile:
another thread, a callback, a method that was called. So does who waits for a variable that a nested function sets.
"""

from __future__ import annotations

from collections.abc import Mapping

from fdlint.ir import AccessPath, Branch, Compare, Graph, Jump, Lit, Place, Truth


def foregone(graph: Graph, answers: Mapping[int, set[bool]]) -> frozenset[int]:
    """The origins of the tests that have had one answer only, whatever way led to them; an ``assert`` of what is known
    asks nothing."""
    return frozenset(
        id(branch.origin)
        for branch in graph.branches()
        if len(given := answers.get(id(branch.origin), set())) == 1
        and not _fails(graph, branch.if_false if True in given else branch.if_true)
    )


def _fails(graph: Graph, index: int) -> bool:
    """Whether a block is where an ``assert`` ends that has failed."""
    block = graph.blocks[index]
    return isinstance(block.end, Jump) and not block.end.targets and not block.steps


def changeable_place(graph: Graph, branch: Branch) -> Place | None:
    """The place that a test asks about, if others may change it: an attribute, a variable that a nested function
    rebinds."""
    question = branch.test.question
    match question:
        case Truth(AccessPath() as place) | Compare(_, AccessPath() as place, Lit()):
            return place if not place.is_temporary and (place.is_attribute or place in graph.shared) else None
    return None
