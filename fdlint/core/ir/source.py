"""The source of a file or of a package, as the analyses use it."""

from __future__ import annotations

from typing import Protocol

from fdlint.core.finding import Span


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
