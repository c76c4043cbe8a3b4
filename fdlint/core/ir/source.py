"""The source of a file or of a package, as the analyses use it."""

from __future__ import annotations

from typing import Protocol

from fdlint.core.finding import Span

MAX_TEXT = 60  # characters of a statement that a message quotes


def shortened(code: str) -> str:
    """Returns code on one line and not too long."""
    line = " ".join(code.split())
    return line if len(line) <= MAX_TEXT else line[: MAX_TEXT - 1] + "…"


class SourceCode(Protocol):
    """Some source code: its path in reports and its contents. ``parsed``: the size of what was parsed, in characters.
    ``refused``: why a part could not be parsed, None if all of it could be."""

    path: str
    data: bytes
    encoding: str
    parsed: int
    refused: str | None

    @property
    def code(self) -> str:
        """The whole text."""

    def span(self, origin: object) -> Span:
        """Returns the position of an origin, or the first character if it has none."""

    def text(self, origin: object) -> str:
        """Returns the source of an origin, on one line and not too long."""
