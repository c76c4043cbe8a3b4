"""Builds the blocks of one function's graph, for any language."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterator, Mapping
from typing import Generic, TypeAlias, TypeVar

from fdlint.core.ir import (
    RETURN,
    Advance,
    Block,
    Bound,
    Branch,
    Drop,
    Effect,
    Graph,
    Jump,
    Loop,
    Operand,
    Place,
    Step,
    Temporary,
    Terminator,
    Test,
)
from fdlint.core.ir.language import Language

MAX_BLOCKS = 20_000
_COPIES = 500  # repeated steps that any function may have
_COPIES_OF_EACH = 10  # additional repeated steps per node: nested cleanups repeat for each way out

Pads: TypeAlias = "Mapping[str, tuple[int, ...]]"
NO_PADS: Pads = {}

Spoken = TypeVar("Spoken")
Outer: TypeAlias = "tuple[int, list[Place]]"
"""The number and the temporaries of the enclosing statement."""


class TooLargeError(Exception):
    """The graph of a function exceeds its bound, which depends on the length of the function."""


class Blocks(Generic[Spoken]):
    """A graph under construction. ``current`` is the block of the next step. ``Spoken``: the syntax nodes that steps
    come from."""

    def __init__(self, name: str | None, language: Language) -> None:
        self.graph = Graph(name, language, blocks=[Block(), Block(), Block()])
        self.current = 2
        self.statement = 0
        self.expecting = False  # the code that is being laid should fail
        self._statements: dict[Hashable, int] = {}
        self._temporaries = 0
        self._held = 0
        self._fresh: list[Place] = []
        self._laid: dict[Hashable, int] = {}  # the origin of a step, and its number
        self._copies = 0  # steps of nodes that were laid before

    def origin(self, spoken: Spoken) -> Hashable:
        """Returns the origin of a node: the same for the same node."""
        raise NotImplementedError

    # -- blocks and steps

    def new_block(self) -> int:
        """Returns an empty block without an edge to it."""
        if len(self.graph.blocks) >= MAX_BLOCKS:
            raise TooLargeError(self.graph.name)
        self.graph.blocks.append(Block())
        return len(self.graph.blocks) - 1

    @contextlib.contextmanager
    def bounded(self) -> Iterator[None]:
        """Empties the graph and marks it as too large if it exceeds its bound inside the ``with``."""
        try:
            yield
        except TooLargeError:
            self._give_up()

    def _give_up(self) -> None:
        self.graph.blocks = [Block(), Block(), Block(end=Jump((RETURN,)))]
        self.graph.too_large = True
        self.current, self._copies = 2, 0

    def _lay(self, origin: Spoken) -> Hashable:
        """Counts nodes that are lowered more than once. Returns the origin of the node."""
        spoken = self.origin(origin)
        if spoken in self._laid:
            self._copies += 1
            if self._copies > _COPIES + _COPIES_OF_EACH * len(self._laid):
                raise TooLargeError(self.graph.name)
        self._laid.setdefault(spoken, len(self._laid) + 1)
        return spoken

    def held(self) -> Place:
        """Returns a new place that lives until the end of a block, such as for a context manager."""
        self._held += 1
        return Temporary.of_block(self._held)

    def temporary(self) -> Place:
        """Returns a place that dies with the statement."""
        self._temporaries += 1
        place = Temporary.of_statement(self._temporaries)
        self._fresh.append(place)
        return place

    def add(self, effect: Effect, origin: Spoken, pads: Pads = NO_PADS) -> None:
        """Adds a step. ``pads``: where its exceptions land."""
        spoken = self._lay(origin)
        step = Step(effect, spoken, self.statement, pads, self.expecting, self._laid[spoken])
        self.graph.blocks[self.current].steps.append(step)

    def end(self, terminator: Terminator) -> None:
        """Ends the current block. Code after it is unreachable until ``go_on``."""
        self.graph.blocks[self.current].end = terminator
        self.current = self.new_block()

    def go_on(self, block: int) -> None:
        """Continues in another block without an edge to it."""
        self.current = block

    def fall_into(self, block: int) -> None:
        """Continues in another block with an edge to it."""
        self.graph.blocks[self.current].end = Jump((block,))
        self.current = block

    def jump(self, block: int) -> None:
        """Ends the block with a jump."""
        self.end(Jump((block,)))

    def branch(self, test: Test, origin: Spoken, if_true: int, if_false: int, negated: bool = False) -> None:
        """Ends the block with a branch on a test. ``negated``: the source tests the opposite."""
        self.end(Branch(test, self._lay(origin), if_true, if_false, negated))

    def go_round(
        self, iterator: Place, item: Place, origin: Spoken, body: int, done: int, pads: Pads = NO_PADS
    ) -> None:
        """Ends the block with a jump to the loop's body with the next item, or to the code after the loop."""
        self.end(Advance(iterator, item, self._lay(origin), self.statement, body, done, pads))

    def note_loop(
        self, head: int, bound: Bound, origin: Spoken, over: Operand | None = None, done: int | None = None
    ) -> None:
        """Notes the first block of each iteration of a loop, and for a ``while`` the block after its test."""
        self.graph.loops.append(Loop(head, bound, self.origin(origin), over, done))

    def undo_last_success(self) -> None:
        """Ends the path after the last step: only its exception continues."""
        self.end(Jump(()))

    # -- statements

    def begin_statement(self, origin: Spoken) -> Outer:
        """Begins a statement inside the current one. Pass the result to ``end_statement``.

        A statement keeps one number, however often it is laid.
        """
        spoken = self._lay(origin)
        outer = self.statement, self._fresh
        self.statement, self._fresh = self._statements.setdefault(spoken, len(self._statements) + 1), []
        return outer

    def end_statement(self, outer: Outer, origin: Spoken, also: int | None = None) -> None:
        """Ends the lifetime of the statement's temporaries, here and (after a test) in the block ``also``."""
        if also is not None and self._fresh:
            step = Step(Drop(tuple(self._fresh)), self.origin(origin), self.statement)
            self.graph.blocks[also].steps.append(step)
        self.drop_temporaries(origin)
        self.statement, self._fresh = outer

    def drop_temporaries(self, origin: Spoken, keep: Place | None = None) -> None:
        """Ends the lifetime of the temporaries so far, except for one."""
        dying = tuple(place for place in self._fresh if place != keep)
        if dying:
            self.add(Drop(dying), origin)
        self._fresh = [keep] if keep is not None and keep in self._fresh else []
