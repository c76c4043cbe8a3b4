"""Colours code with rich."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.syntax import Syntax

from fdlint.report.line import Line


def highlighted(lines: Sequence[str], language: str) -> Iterator[Line]:
    """Yields lines of code with the colours of their language, ``python`` or ``go``."""
    console = Console(file=io.StringIO())
    texts = Syntax("", language, theme="ansi_dark").highlight("\n".join(lines)).split("\n", allow_blank=True)
    for text in texts[: len(lines)]:
        yield Line(tuple((piece.text, piece.style or "") for piece in text.render(console)))
