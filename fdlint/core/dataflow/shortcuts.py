"""Leads control past tests that are already answered: ``test = fd is None`` and then ``if test:`` become the graph of
``if fd is None:``, so that whatever reads a graph finds the same in both."""

from __future__ import annotations

from fdlint.core.ir import AccessPath, Assign, Block, Branch, Drop, Graph, Jump, Lit, Truth


def skip_answered(graph: Graph) -> None:
    """Lets each block that sets what the next one asks about jump to where the answer leads. The next block may only
    pass values on before it asks."""
    heads = {loop.head for loop in graph.loops}
    asking = {index for index, block in enumerate(graph.blocks) if index not in heads and _only_asks(block)}
    for block in graph.blocks if asking else ():
        match block.end:
            case Jump((index,)) if index in asking:
                asked = graph.blocks[index]
                answer = _answer(block, asked)
                if answer is not None and isinstance(asked.end, Branch):
                    block.steps += asked.steps
                    block.end = Jump((asked.end.if_true if answer else asked.end.if_false,))


def _only_asks(block: Block) -> bool:
    end = block.end
    if not isinstance(end, Branch) or not isinstance(end.test.question, Truth):
        return False
    return all(isinstance(step.effect, Assign | Drop) for step in block.steps)


def _answer(before: Block, asked: Block) -> bool | None:
    """Returns the answer that a block gives to the test of the next one; None if it gives none."""
    known: dict[object, Lit] = {}
    for step in (*before.steps, *asked.steps):
        match step.effect:
            case Assign(target, Lit() as value):
                known[target] = value
            case Assign(target, AccessPath() as value) if value in known:
                known[target] = known[value]
            case Assign(target):
                known.pop(target, None)
            case Drop():
                pass
            case _:
                known.clear()
    question = asked.end.test.question if isinstance(asked.end, Branch) else None
    answer = known.get(question.operand) if isinstance(question, Truth) else None
    return bool(answer.value) if answer is not None else None
