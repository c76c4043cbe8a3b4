"""A change of one file that ends a finding, for reports."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
    """New text for some lines. ``line``: the first of them, from 1. ``end_line``: the one after the last. If they are
    equal, the text is inserted before the line. ``text``: whole lines with their ends; empty to delete."""

    line: int
    end_line: int
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A fix. ``title`` says what it does. ``safe``: it is proved that the meaning stays the same apart from the
    finding, and that the function owns what is closed. ``edits``: in order, in the file of the finding."""

    title: str
    safe: bool
    edits: tuple[Edit, ...]

    @property
    def applicability(self) -> str:
        """``safe`` or ``unsafe``."""
        return "safe" if self.safe else "unsafe"
