"""The analysis of an earlier text of a file, and what of it still holds after an edit.

An edit changes one range of lines. What stands behind it moves, and so do the positions in its results.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar, cast

from fdlint.core.domain.facts import Fact
from fdlint.core.finding import Span
from fdlint.languages.index.outline import Sketch
from fdlint.program.units import File
from fdlint.report.findings.closings import Closing
from fdlint.report.findings.effects import Effect
from fdlint.scan.edited import Parts, affected
from fdlint.scan.reading.lines import split

T = TypeVar("T")


@dataclass(slots=True)
class UnitResults:
    """The results of one piece of a file. ``notes``: facts about attributes that it overwrites. ``guarded``: the calls
    whose results it makes close-on-exec. ``closings``: the closes in it, if fixes need them. ``skipped``: its parts
    that were not followed."""

    facts: list[Fact] = field(default_factory=list)
    notes: list[Fact] = field(default_factory=list)
    guarded: frozenset[Span] = frozenset()
    closings: list[Closing] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Results:
    """The results of a file by its parts. The module as a whole has an empty name among the classes. ``giving``: the
    functions that give their callers descriptors. ``doubts``: what of each class was not followed."""

    by_unit: Mapping[str, UnitResults]
    by_class: Mapping[str, list[Fact]]
    giving: Sequence[str]
    doubts: Mapping[str, list[str]]


@dataclass(frozen=True, slots=True)
class Analysed:
    """A text and its complete analysis. ``lines``: those of the text."""

    text: Sketch
    lines: Sequence[str]
    results: Results
    effects: tuple[Effect, ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """What of an earlier analysis still holds. ``parts``: those that must be analysed again, and are not in it."""

    results: Results
    effects: tuple[Effect, ...]
    parts: Parts


class MovedError(Exception):
    """A result is about a line that has changed."""


@dataclass(frozen=True, slots=True)
class Moves:
    """The lines from ``start`` up to ``end`` have changed; those behind are ``by`` lines further down. Lines count
    from 1. ``strict``: what is around the changed lines has changed, too."""

    path: str
    start: int
    end: int
    by: int
    strict: bool = False

    @classmethod
    def of(cls, path: str, before: Sequence[str], after: Sequence[str], *, strict: bool = False) -> Moves:
        """Compares two texts."""
        short = min(len(before), len(after))
        top = next((number for number in range(short) if before[number] != after[number]), short)
        tail = next((number for number in range(short - top) if before[-1 - number] != after[-1 - number]), short - top)
        return cls(path, top + 1, len(before) - tail + 1, len(after) - len(before), strict)

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
            if self.strict and value.line < self.start and self.end <= value.end_line:
                raise MovedError
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


def moved(earlier: Analysed, moves: Moves, lines: Sequence[str], text: Sketch | None) -> Analysed:
    """Returns an analysis after an edit that changed no code. ``text``: the new one, if it is known. Raises
    ``MovedError``."""
    old = earlier.results
    by_unit = {name: moves.of_value(one) for name, one in old.by_unit.items()}
    by_class = {name: moves.of_value(one) for name, one in old.by_class.items()}
    results = replace(old, by_unit=by_unit, by_class=by_class)
    effects = tuple(replace(one, line=moves.line(one.line)) for one in earlier.effects)
    return replace(earlier, text=text or earlier.text, lines=lines, results=results, effects=effects)


def kept_of(earlier: Analysed, file: File) -> Kept | None:
    """Returns what of an earlier analysis holds for a later text; None if nothing does."""
    if file.outline is None:
        return None
    parts = affected(earlier.text, file.outline, file)
    if parts is None:
        return None
    moves = Moves.of(file.source.path, earlier.lines, split(file.source.code))
    results = earlier.results
    try:
        by_unit = {name: moves.of_value(one) for name, one in results.by_unit.items() if name not in parts.units}
        by_class = {name: moves.of_value(one) for name, one in results.by_class.items() if not parts.has(name)}
        doubts = {name: one for name, one in results.doubts.items() if not parts.has(name)}
        giving = [name for name in results.giving if name not in parts.units]
        effects = tuple(
            replace(one, line=moves.line(one.line)) for one in earlier.effects if one.name not in parts.units
        )
    except MovedError:
        return None
    return Kept(Results(by_unit, by_class, giving, doubts), effects, parts)
