"""Lets a loop know whether its round is the last one, where its body asks for that: ``if i + 1 < len(items)``.

A pipeline of programs makes a pipe in each round but the last, and uses it in the next one. After the answer "not the
last", the loop surely has another round; after the other answer it has none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fdlint.core.ir import MIRRORED, Assign, Compare, Lit, Op, Place, Test, Truth
from fdlint.languages.blocks import Blocks, Spoken

_HOLDS = {Op.LT: False, Op.EQ: True, Op.GE: True}
"""Whether a comparison of the number of a round with that of the last one holds in the last round."""


@dataclass(frozen=True, slots=True)
class Rounds:
    """The rounds of a loop. ``pairs``: the texts whose comparison asks whether a round is the last, such as ``i`` and
    ``n - 1``. ``last``: the place that has the answer, as soon as the body has asked in this round; None before."""

    pairs: frozenset[tuple[str | None, str | None]]
    last: Place

    def hold(self, left: str | None, op: Op, right: str | None, positive: bool) -> bool | None:
        """Returns whether a comparison holds in the last round alone, or in all others; None if it is another one.
        ``positive``: it holds if the operator does."""
        if (right, left) in self.pairs:
            op = MIRRORED.get(op, op)
        elif (left, right) not in self.pairs:
            return None
        holds = _HOLDS.get(op)
        return holds is positive if holds is not None else None


def lay_head(
    blocks: Blocks[Spoken],
    rounds: Rounds,
    origin: Spoken,
    done: int,
    another: Callable[[], None],
    unknown: Callable[[], None],
) -> None:
    """Lays the head of a loop: it ends after the last round, lays ``another`` after a round that is not the last, and
    ``unknown`` after one that did not ask."""
    unasked, asked, more = (blocks.new_block() for _ in range(3))
    blocks.branch(_unasked(rounds), origin, unasked, asked)
    blocks.go_on(asked)
    blocks.branch(Test(Truth(rounds.last), None), origin, done, more)
    blocks.go_on(more)
    another()
    blocks.go_on(unasked)
    unknown()


def forget(blocks: Blocks[Spoken], rounds: Rounds, origin: Spoken) -> None:
    """Lays the begin of a round, or of the loop."""
    blocks.add(Assign(rounds.last, Lit(None)), origin)


def remember(
    blocks: Blocks[Spoken], rounds: Rounds, origin: Spoken, holds: bool, if_true: int, if_false: int
) -> tuple[int, int]:
    """Returns the targets of a comparison that asks whether a round is the last. It is only asked once in a round.
    ``holds``: it does in the last round."""
    ask, asked, yes, no = (blocks.new_block() for _ in range(4))
    blocks.branch(_unasked(rounds), origin, ask, asked)
    blocks.go_on(asked)
    blocks.branch(Test(Truth(rounds.last), None), origin, *((if_true, if_false) if holds else (if_false, if_true)))
    for block, target, answer in ((yes, if_true, holds), (no, if_false, not holds)):
        blocks.go_on(block)
        blocks.add(Assign(rounds.last, Lit(answer)), origin)
        blocks.jump(target)
    blocks.go_on(ask)
    return yes, no


def _unasked(rounds: Rounds) -> Test:
    return Test(Compare(Op.IS, rounds.last, Lit(None)), None)
