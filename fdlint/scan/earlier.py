"""What of an earlier analysis of a file still holds after an edit, and where it is then.

An edit changes some lines. What stands behind them moves, and so do the positions in its results.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar, cast

from fdlint.core.domain.facts import Fact
from fdlint.core.finding import Span
from fdlint.report.findings.closings import Closing

T = TypeVar("T")


@dataclass(slots=True)
class UnitResults:
    """The results of one piece of a file. ``notes``: facts about attributes that it overwrites. ``guarded``: the calls
    whose results it makes close-on-exec. ``closings``: the closes in it, if fixes need them. ``skipped``: its parts
    that were not followed. ``reads``: the inputs that they depend on, as bits."""

    facts: list[Fact] = field(default_factory=list)
    notes: list[Fact] = field(default_factory=list)
    guarded: frozenset[Span] = frozenset()
    closings: list[Closing] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    reads: int = 0


@dataclass(slots=True)
class ClassResults:
    """The results of the objects of one class. ``doubts``: what was not followed."""

    facts: list[Fact] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    reads: int = 0


class MovedError(Exception):
    """A result is about a line that has changed."""


@dataclass(frozen=True, slots=True)
class Moves:
    """The lines from ``start`` up to ``end`` have changed; those behind are ``by`` lines further down. Lines count
    from 1."""

    path: str
    start: int
    end: int
    by: int

    @classmethod
    def of(cls, path: str, before: Sequence[str], after: Sequence[str]) -> Moves:
        """Compares two texts."""
        short = min(len(before), len(after))
        top = next((number for number in range(short) if before[number] != after[number]), short)
        tail = next((number for number in range(short - top) if before[-1 - number] != after[-1 - number]), short - top)
        return cls(path, top + 1, len(before) - tail + 1, len(after) - len(before))

    def line(self, line: int) -> int:
        """Returns the new number of a line."""
        if self.start <= line < self.end:
            raise MovedError
        return line if line < self.start else line + self.by

    def of_value(self, value: T) -> T:
        """Returns a value with all positions in this file moved."""
        if isinstance(value, Span):
            if value.path != self.path:
                return value
            return cast(T, replace(value, line=self.line(value.line), end_line=self.line(value.end_line)))
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return cast(T, type(value)(*map(self.of_value, value)))
        if isinstance(value, (tuple, list, frozenset)):
            return cast(T, type(value)(self.of_value(one) for one in value))
        if not dataclasses.is_dataclass(value) or isinstance(value, type):
            return value
        found = {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
        moved = {name: self.of_value(one) for name, one in found.items()}
        return replace(value, **{name: one for name, one in moved.items() if one is not found[name]})
