"""A line of text with styles. It needs no rich, which takes longer to load than most reports take to write."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from rich.style import Style

Piece: TypeAlias = "tuple[str, str | Style]"
"""Some text and its style in rich's language; an empty style is none."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its pieces from left to right."""

    pieces: tuple[Piece, ...] = ()

    @property
    def plain(self) -> str:
        """The line without styles."""
        return "".join(text for text, _ in self.pieces)

    def indented(self, by: str) -> Line:
        """Returns the line after some text without a style."""
        return Line(((by, ""), *self.pieces))


def line(*parts: str | Piece) -> Line:
    """Returns a line made of parts; a part that is only text has no style."""
    return Line(tuple((part, "") if isinstance(part, str) else part for part in parts))
