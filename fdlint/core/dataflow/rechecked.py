"""Finds tests with a foregone result: ``while self.running: …; if not self.running: break``.

If code tests an attribute that another test has just shown to be true, its author expects that other code changes it
meanwhile: another thread, a callback, a called method. The same is true of code that waits for a variable that a nested
function sets, and of code that calls a function again which it has just asked: it looks, takes a lock and looks again.
"""

from __future__ import annotations

from collections.abc import Mapping

from fdlint.core.ir import AccessPath, Branch, Compare, Graph, Jump, Lit, Place, Truth


def foregone(graph: Graph, answers: Mapping[int, set[bool]]) -> frozenset[int]:
    """Returns the origins of the tests that had only one result on all paths to them. Leaves out an ``assert`` that
    cannot fail. ``answers``: the results of each test, by the ``id`` of its origin."""
    return frozenset(
        id(branch.origin)
        for branch in graph.branches()
        if len(given := answers.get(id(branch.origin), set())) == 1
        and not _fails(graph, branch.if_false if True in given else branch.if_true)
    )


def _fails(graph: Graph, index: int) -> bool:
    """Whether control goes to this block after a failed ``assert``."""
    block = graph.blocks[index]
    return isinstance(block.end, Jump) and not block.end.targets and not block.steps


def changeable_place(graph: Graph, branch: Branch) -> Place | None:
    """Returns the place that a test reads if other code may change it: an attribute, or a variable that a nested
    function rebinds. Returns None for any other test."""
    question = branch.test.question
    match question:
        case Truth(AccessPath() as place) | Compare(_, AccessPath() as place, Lit()):
            return place if not place.is_temporary and (place.is_attribute or place in graph.shared) else None
    return None
