"""A text of an editor: its lines, and positions as the client counts them.

fdlint counts characters from 1. A client counts code units from 0: those of UTF-16, unless both sides agree on another
encoding. pygls converts between the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lsprotocol import types
from pygls.workspace import PositionCodec

from fdlint.core.finding import Span
from fdlint.scan.reading.lines import normalised, with_ends


@dataclass(frozen=True, slots=True)
class Text:
    """The lines of a text, each with its end, and how the client counts positions."""

    lines: Sequence[str]
    codec: PositionCodec

    @classmethod
    def of(cls, text: str, codec: PositionCodec) -> Text:
        """Returns the lines of a text."""
        return cls(with_ends(text), codec)

    def range(self, span: Span) -> types.Range:
        """Returns the client's range of a span."""
        return types.Range(self._position(span.line, span.column), self._position(span.end_line, span.end_column))

    def whole_line(self, number: int) -> types.Range:
        """Returns the range of a line without its end. ``number``: from 0."""
        return types.Range(types.Position(number, 0), self.end_of(number))

    def end_of(self, number: int) -> types.Position:
        """Returns the position after the last character of a line."""
        body = normalised(self.lines[number]).rstrip("\n") if number < len(self.lines) else ""
        return types.Position(number, self.codec.client_num_units(body))

    def _position(self, line: int, column: int) -> types.Position:
        before = self.lines[line - 1][: column - 1] if 0 < line <= len(self.lines) else " " * (column - 1)
        return types.Position(max(line - 1, 0), self.codec.client_num_units(before))

    def edits(self, after: Sequence[str]) -> list[types.TextEdit]:
        """Returns the edits that turn the text into other lines. ``after``: the new form of each line, an empty text
        for a deleted one."""
        found = []
        for number, (old, new) in enumerate(zip(self.lines, after, strict=True)):
            if old == new:
                continue
            if new:
                found.append(types.TextEdit(self.whole_line(number), normalised(new).rstrip("\n")))
            else:
                gone = types.Range(types.Position(number, 0), types.Position(number + 1, 0))
                found.append(types.TextEdit(gone, ""))
        return found
