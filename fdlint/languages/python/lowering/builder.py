"""Builds one function's graph: blocks, the stack of loops, handlers and cleanups, and the targets of exceptions.

A cleanup (``finally``, leaving a ``with``) is laid once per way of leaving, as CPython's compiler does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import libcst as cst

from fdlint.core.ir import RAISE, Effect, Jump, Place
from fdlint.languages.blocks import NO_PADS, Blocks, TooLargeError
from fdlint.languages.python.lowering.exceptions import ANY, Caught, catches
from fdlint.languages.python.lowering.language import PYTHON
from fdlint.languages.python.lowering.trees import Origin, Origins


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
Frames: TypeAlias = tuple[Frame, ...]

MAX_FRAMES = 100  # Python itself allows 20 nested blocks
_MAX_KINDS = 6  # exceptions that are told apart where a call may raise anything


class Builder(Blocks[Spoken]):
    """A graph of Python under construction: blocks, the stack of loops, handlers and cleanups."""

    def __init__(self, name: str | None, origins: Origins) -> None:
        super().__init__(name, PYTHON)
        self._origins = origins
        self._frames: Frames = ()

    def origin(self, spoken: Spoken) -> Origin:
        """Returns the origin of a node."""
        return self._origins.of(spoken)

    def _give_up(self) -> None:
        super()._give_up()
        self.frames = ()

    @property
    def frames(self) -> Frames:
        """The active loops, handlers and cleanups, innermost last."""
        return self._frames

    @frames.setter
    def frames(self, frames: Frames) -> None:
        if len(frames) > MAX_FRAMES:
            raise TooLargeError(self.graph.name)
        self._frames = frames

    def emit(self, effect: Effect, origin: Spoken, *raises: str) -> None:
        """Adds a step; ``raises`` names its possible exceptions."""
        self.add(effect, origin, self.pads(*raises) if raises else NO_PADS)

    def advance(self, iterator: Place, item: Place, origin: Spoken, body: int, done: int, *raises: str) -> None:
        """Ends the block with a jump to the loop's body with the next item, or to the code after the loop."""
        self.go_round(iterator, item, origin, body, done, self.pads(*raises) if raises else NO_PADS)

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
