"""Whether the two halves of a misuse may exclude each other by conditions that nobody here understands.

``if done: os.close(fd)`` … ``if not failed: os.close(fd)``: each hangs on an answer of its own, and the author may know
that only one of them is ever yes. Where one of the two comes in any case, there is nothing to know.
"""

from __future__ import annotations

from fdlint.graph import Branch, Graph
from fdlint.ownership.record import Misdoing, bare
from fdlint.ownership.story import chapters
from fdlint.state.world import Story

PERHAPS = "perhaps"
"""How a story says that a callee did something on some of its ways only."""
_ENDS = frozenset({"closed", "transferred"})


def may_exclude_each_other(graph: Graph, what: Misdoing) -> bool:
    """Whether both the end and what was done after it are bound to answers that are not known."""
    before: list[Story] = []
    after: list[Story] = []
    end: Story | None = None
    for one in chapters(what.story):
        mine = one.rid is None or one.rid == what.rid
        if end is None and one.happening in _ENDS and one.rid == what.rid:
            end = one
        elif one.happening == "acquired" and one.rid == what.rid:
            break
        elif mine and one.happening in ("true", "false", PERHAPS):
            (after if end is None else before).append(one)
    if end is None:
        return False
    first, second = id(bare(end.origin)), id(bare(what.origin))
    return any(_decides(graph, one, second, None) for one in after) and any(
        _decides(graph, one, first, second) for one in before
    )


def _decides(graph: Graph, answer: Story, target: int, instead: int | None) -> bool:
    """Whether with the other answer it would not come to a statement, but could ``instead`` to another one."""
    if answer.happening == PERHAPS:
        return True
    question = bare(answer.origin)
    for block in graph.blocks:
        if isinstance(block.end, Branch) and block.end.origin is question:
            truth = (answer.happening == "true") is not block.end.negated
            ways = (block.end.if_true, block.end.if_false)
            taken, other = ways if truth else reversed(ways)
            if _leads_to(graph, other, target, id(question)):
                continue
            if instead is not None:
                return _leads_to(graph, other, instead, id(question))
            return not (_asks(graph, other, question) and not _asks(graph, taken, question))  # every loop ends one day
    return False


def _asks(graph: Graph, start: int, question: object) -> bool:
    """Whether it may come to a question."""
    seen, pending = {start}, [start]
    while pending:
        block = graph.blocks[index := pending.pop()]
        if isinstance(block.end, Branch) and block.end.origin is question:
            return True
        fresh = [one for one in graph.successors(index) if one not in seen]
        seen.update(fresh)
        pending.extend(fresh)
    return False


def _leads_to(graph: Graph, start: int, target: int, question: int) -> bool:
    """Whether control may come from a block to a statement, without the question being asked again."""
    seen, pending = {start}, [start]
    while pending:
        block = graph.blocks[index := pending.pop()]
        if any(id(step.origin) == target for step in block.steps):
            return True
        if isinstance(block.end, Branch) and id(block.end.origin) == question:
            following = [pad for step in block.steps for pads in step.pads.values() for pad in pads]
        else:
            following = graph.successors(index)
        fresh = [one for one in dict.fromkeys(following) if one not in seen]
        seen.update(fresh)
        pending.extend(fresh)
    return False
