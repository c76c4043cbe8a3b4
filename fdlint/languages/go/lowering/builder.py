"""Builds the graph of one Go function."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import tree_sitter

from fdlint.core.ir import Assign, Operand, Place, Step
from fdlint.languages.blocks import Blocks
from fdlint.languages.go.lowering.language import GO
from fdlint.languages.go.lowering.source import Origin


@dataclass(frozen=True, slots=True)
class Frame:
    """A statement that ``break`` or ``continue`` may leave: the targets, and its label. A ``switch`` and a ``select``
    have no target for ``continue``."""

    on_break: int
    on_continue: int | None = None
    label: str | None = None


@dataclass(slots=True)
class Jumps:
    """The targets of jumps: the frames around the current statement, and the blocks of labels."""

    frames: list[Frame] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)

    def target(self, label: str | None, *, again: bool) -> int | None:
        """Returns the block where a ``break`` goes on or, with ``again``, a ``continue``."""
        for frame in reversed(self.frames):
            block = frame.on_continue if again else frame.on_break
            if block is not None and label in (None, frame.label):
                return block
        return None


Spoken: TypeAlias = tree_sitter.Node | Origin


class Builder(Blocks[Spoken]):
    """A graph of Go under construction."""

    def __init__(self, name: str, file: int) -> None:
        super().__init__(name, GO)
        self.file = file
        self.jumps = Jumps()

    def origin(self, spoken: Spoken) -> Origin:
        """Returns the origin of a node."""
        if isinstance(spoken, Origin):
            return spoken
        return Origin(self.file, spoken.start_byte, spoken.end_byte)

    def initialise(self, place: Place, value: Operand, node: tree_sitter.Node) -> None:
        """Binds a place at the entry of the function."""
        step = Step(Assign(place, value), self.origin(node), 0)
        self.graph.blocks[self.graph.entry].steps.insert(0, step)
