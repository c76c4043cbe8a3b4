"""Builds one function's graph: blocks, the stack of loops, handlers and cleanups, and the targets of exceptions.

A cleanup (``finally``, leaving a ``with``) is laid once per way of leaving, as CPython's compiler does.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import libcst as cst

from fdlint.frontend.python.exceptions import ANY, Caught, catches
from fdlint.frontend.python.language import PYTHON
from fdlint.frontend.python.trees import Origin, Origins
from fdlint.ir import (
    RAISE,
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


@dataclass(frozen=True, slots=True, eq=False)
class LoopFrame:
    """A loop: the targets of ``break`` and ``continue``."""

    on_break: int
    on_continue: int


@dataclass(frozen=True, slots=True)
class Handler:
    """An ``except`` clause: the classes it names (None: all), its first block, and the kinds of exception that reach
    it."""

    types: tuple[str, ...] | None
    block: int
    kinds: set[str] = field(default_factory=set)

    def raised_again(self) -> list[str]:
        """Returns the kinds that a bare ``raise`` in the handler raises again."""
        found: set[str] = set()
        for kind in self.kinds:
            known = catches(self.types, kind) is Caught.YES or self.types is None
            found.update({kind} if known else (one if one != "?" else ANY for one in self.types or ()))
        return sorted(found)


@dataclass(frozen=True, slots=True, eq=False)
class TryFrame:
    """The active handlers of a ``try`` body."""

    handlers: tuple[Handler, ...]


@dataclass(frozen=True, slots=True, eq=False)
class CleanupFrame:
    """Code to lay on every way out. ``landings`` remembers the copy for each kind of exception."""

    lay: Callable[[], None]
    landings: dict[str, int] = field(default_factory=dict)


Frame: TypeAlias = LoopFrame | TryFrame | CleanupFrame
Spoken: TypeAlias = cst.CSTNode | Origin
Outer: TypeAlias = tuple[int, list[Place]]
"""The number and the temporaries of the enclosing statement."""

Frames: TypeAlias = tuple[Frame, ...]

MAX_BLOCKS = 20_000
MAX_FRAMES = 100  # Python itself allows 20 nested blocks
_COPIES = 500  # repeated steps that any function may have
_COPIES_OF_EACH = 10  # additional repeated steps per node: nested cleanups repeat for each way out

_MAX_KINDS = 6  # exceptions that are told apart where a call may raise anything


class TooLargeError(Exception):
    """The graph of a function exceeds its bound, which depends on the length of the function."""


_NO_PADS: Mapping[str, tuple[int, ...]] = {}


class Builder:
    """A graph under construction. ``current`` is the block of the next step."""

    def __init__(self, name: str | None, origins: Origins) -> None:
        self._origins = origins
        self.graph = Graph(name, PYTHON, blocks=[Block(), Block(), Block()])
        self.current = 2
        self._frames: Frames = ()
        self.statement = 0
        self.expecting = False  # the code that is being laid should fail
        self._statements: dict[Origin, int] = {}
        self._temporaries = 0
        self._held = 0
        self._fresh: list[Place] = []
        self._laid: dict[Origin, int] = {}  # the origin of a step, and its number
        self._copies = 0  # steps of nodes that were laid before

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
        self.current, self.frames, self._copies = 2, (), 0

    def _lay(self, origin: Spoken) -> Origin:
        """Counts nodes that are lowered more than once. Returns the origin of the node."""
        spoken = self._origins.of(origin)
        if spoken in self._laid:
            self._copies += 1
            if self._copies > _COPIES + _COPIES_OF_EACH * len(self._laid):
                raise TooLargeError(self.graph.name)
        self._laid.setdefault(spoken, len(self._laid) + 1)
        return spoken

    @property
    def frames(self) -> Frames:
        """The active loops, handlers and cleanups, innermost last."""
        return self._frames

    @frames.setter
    def frames(self, frames: Frames) -> None:
        if len(frames) > MAX_FRAMES:
            raise TooLargeError(self.graph.name)
        self._frames = frames

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

    def emit(self, effect: Effect, origin: Spoken, *raises: str) -> None:
        """Adds a step; ``raises`` names its possible exceptions."""
        spoken = self._lay(origin)
        pads = self.pads(*raises) if raises else _NO_PADS
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

    def advance(self, iterator: Place, item: Place, origin: Spoken, body: int, done: int, *raises: str) -> None:
        """Ends the block with a jump to the loop's body with the next item, or to the code after the loop."""
        pads = self.pads(*raises) if raises else _NO_PADS
        self.end(Advance(iterator, item, self._lay(origin), self.statement, body, done, pads))

    def note_loop(
        self, head: int, bound: Bound, origin: Spoken, over: Operand | None = None, done: int | None = None
    ) -> None:
        """Notes the first block of each iteration of a loop, and for a ``while`` the block after its test."""
        self.graph.loops.append(Loop(head, bound, self._origins.of(origin), over, done))

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
            step = Step(Drop(tuple(self._fresh)), self._origins.of(origin), self.statement)
            self.graph.blocks[also].steps.append(step)
        self.drop_temporaries(origin)
        self.statement, self._fresh = outer

    def drop_temporaries(self, origin: Spoken, keep: Place | None = None) -> None:
        """Ends the lifetime of the temporaries so far, except for one."""
        dying = tuple(place for place in self._fresh if place != keep)
        if dying:
            self.emit(Drop(dying), origin)
        self._fresh = [keep] if keep is not None and keep in self._fresh else []

    # -- leaving

    def leave_to(self, depth: int) -> None:
        """Lays the cleanups of all frames above ``depth``, innermost first."""
        frames = self.frames
        for index in range(len(frames) - 1, depth - 1, -1):
            frame = frames[index]
            if isinstance(frame, CleanupFrame):
                self.frames = frames[:index]
                frame.lay()
        self.frames = frames

    def innermost_loop(self) -> int | None:
        """The depth of the innermost loop frame."""
        for index in range(len(self.frames) - 1, -1, -1):
            if isinstance(self.frames[index], LoopFrame):
                return index
        return None

    # -- exceptions

    def pads(self, *raised: str) -> Mapping[str, tuple[int, ...]]:
        """Returns the landing blocks for exceptions of these kinds."""
        return {kind: self._pads(len(self.frames), kind) for kind in raised}

    def handled(self) -> list[str]:
        """Returns the exceptions that the active handlers name."""
        frames = [frame for frame in self.frames if isinstance(frame, TryFrame)]
        named = {kind for frame in frames for handler in frame.handlers for kind in handler.types or ()}
        return sorted(named - {"?"})[:_MAX_KINDS]

    def _pads(self, depth: int, raised: str) -> tuple[int, ...]:
        targets: list[int] = []
        passed: set[str] = set()  # exceptions that an inner handler catches do not reach an outer one
        for index in range(depth - 1, -1, -1):
            frame = self.frames[index]
            if isinstance(frame, CleanupFrame):
                return (*targets, self._cleanup_pad(frame, index, raised))
            for handler in frame.handlers if isinstance(frame, TryFrame) else ():
                answer = catches(handler.types, raised)
                if answer is Caught.NO or passed.issuperset(handler.types or (ANY,)):
                    continue
                targets.append(handler.block)
                handler.kinds.add(raised)
                passed.update(handler.types or ())
                if answer is Caught.YES:
                    return tuple(targets)
        return (*targets, RAISE)

    def _cleanup_pad(self, frame: CleanupFrame, index: int, raised: str) -> int:
        if not any(isinstance(outer, TryFrame) for outer in self.frames[:index]):
            raised = ANY  # no outer handler tells exceptions apart, so one copy serves all
        if raised not in frame.landings:
            here, frames, fresh = self.current, self.frames, self._fresh
            landing = frame.landings[raised] = self.new_block()
            self.current, self.frames, self._fresh = landing, frames[:index], []
            frame.lay()
            self.graph.blocks[self.current].end = Jump(self._pads(index, raised))
            self.current, self.frames, self._fresh = here, frames, fresh
        return frame.landings[raised]
