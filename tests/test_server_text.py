"""Positions and bytes of a text in an editor."""

from __future__ import annotations

import pytest
from pygls.workspace import PositionCodec

from fdlint.core.finding import Span
from fdlint.editor.text import Text
from fdlint.languages.python.text import encoded

LINES = 'a = 1\r\nb = "é😀" + x\r\nc = 2'


@pytest.mark.parametrize(("encoding", "columns"), [("utf-8", (13, 14)), ("utf-16", (9 + 1, 11)), ("utf-32", (9, 10))])
def test_a_range_counts_in_the_units_of_the_client(encoding: str, columns: tuple[int, int]) -> None:
    column = LINES.split("\r\n")[1].index("+") + 1
    found = Text.of(LINES, PositionCodec(encoding)).range(Span("a.py", 2, column, 2, column + 1))
    assert (found.start.line, found.start.character, found.end.character) == (1, *columns)


def test_edits_keep_the_ends_of_lines() -> None:
    text = Text.of(LINES, PositionCodec("utf-16"))
    changed, gone = text.edits([text.lines[0].replace("1", "3"), "", text.lines[2]])
    assert (changed.new_text, changed.range.end.character) == ("a = 3", 5)
    assert (gone.new_text, gone.range.start.line, gone.range.end.line) == ("", 1, 2)


def test_a_place_past_the_text_is_no_error() -> None:
    assert Text.of("", PositionCodec("utf-8")).range(Span("a.py", 9, 3, 9, 4)).start.character == 2
    assert Text.of("\ud800", PositionCodec("utf-16")).end_of(0).character == 1


def test_a_declared_encoding_counts() -> None:
    assert encoded("# coding: latin-1\né").endswith(b"\xe9")
    for text in ("é", "# coding: ascii\né", "# coding: nonsense\né"):
        assert encoded(text).endswith("é".encode())
