"""Decides whether the two halves of a misuse may exclude each other by conditions that the analysis does not relate.

``if done: os.close(fd)`` … ``if not failed: os.close(fd)``: each close depends on a condition of its own. The author
may know that only one of the two is ever true. If one of the closes always runs, the closes cannot exclude each other.
"""

from __future__ import annotations

from collections.abc import Iterable

from fdlint.core.dataflow.reachability import closure
from fdlint.core.domain.event import ENDS, Event
from fdlint.core.domain.state import Story
from fdlint.core.engine.log import Occurrence, bare
from fdlint.core.engine.trace import chapters
from fdlint.core.finding import AssumptionKind
from fdlint.core.ir import Branch, Graph


class Correlations:
    """Knows the tests of one function, and which of its statements still run after each answer."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._questions: dict[int, list[Branch]] = {}
        self._done = {loop.done for loop in graph.loops}
        self._statements: dict[int, set[int]] = {}
        self._known: dict[tuple[int, int | None, int], bool] = {}
        for index, block in enumerate(graph.blocks):
            if isinstance(block.end, Branch):
                self._questions.setdefault(id(block.end.origin), []).append(block.end)
            for step in block.steps:
                self._statements.setdefault(id(step.origin), set()).add(index)

    def may_exclude_each_other(self, what: Occurrence) -> bool:
        """Whether both the end of a descriptor and its later misuse depend on answers that are not known."""
        before: list[Story] = []
        after: list[Story] = []
        end: Story | None = None
        for one in chapters(what.story):
            mine = one.descriptor is None or one.descriptor == what.descriptor
            if end is None and one.event in ENDS and one.descriptor == what.descriptor:
                end = one
            elif one.event is Event.ACQUIRED and one.descriptor == what.descriptor:
                break
            elif mine and one.event in (Event.TRUE, Event.FALSE, AssumptionKind.SOME_PATHS):
                (after if end is None else before).append(one)
        if end is None:
            return False
        first, second = id(bare(end.origin)), id(bare(what.origin))
        return any(self._decides(one, second, None) for one in after) and any(
            self._decides(one, first, second) for one in before
        )

    def _decides(self, answer: Story, target: int, instead: int | None) -> bool:
        """Whether the other answer would not lead to the statement ``target``.

        ``instead``: another statement that the other answer must be able to lead to.
        """
        if answer.event is AssumptionKind.SOME_PATHS:
            return True
        question = id(bare(answer.origin))
        for branch in self._questions.get(question, ()):
            truth = (answer.event is Event.TRUE) is not branch.negated
            ways = (branch.if_true, branch.if_false)
            taken, other = ways if truth else reversed(ways)
            if taken in self._done or self._leads_to(other, target, question):
                continue  # another round of a loop only delays its end
            if instead is not None:
                return self._leads_to(other, instead, question)
            return not (self._asks(other, question) and not self._asks(taken, question))  # an ``if`` with a ``break``
        return False

    def _asks(self, start: int, question: int) -> bool:
        """Whether control may come from a block to a question."""
        return self._leads_to(start, None, question)

    def _leads_to(self, start: int, target: int | None, question: int) -> bool:
        """Whether control may come from a block to a statement before a question is asked again.

        Without a statement: whether it may come to the question.
        """
        key = start, target, question
        if key not in self._known:
            self._known[key] = self._search(start, target, question)
        return self._known[key]

    def _search(self, start: int, target: int | None, question: int) -> bool:
        statements = self._statements.get(target, ()) if target is not None else ()
        blocks = self._graph.blocks

        def asks(index: int) -> bool:
            end = blocks[index].end
            return isinstance(end, Branch) and id(end.origin) == question

        def going_on(index: int) -> Iterable[int]:
            raised = (pad for step in blocks[index].steps for pad in step.landings())
            return raised if asks(index) else self._graph.successors(index)

        return any(one in statements or (target is None and asks(one)) for one in closure((start,), going_on))
