"""Splits a file into units: its functions and, outside of them, statements."""

from __future__ import annotations

from collections.abc import Sequence

from fdlint.languages.registry import language_of
from fdlint.languages.text import Extent, text_of


def units(path: str, data: bytes) -> tuple[Extent, ...]:
    """Returns the units of a file. A file that cannot be parsed is one unit."""
    return text_of(language_of(path)).units(data)


def innermost(found: Sequence[Extent], line: int) -> Extent:
    """Returns the smallest unit that contains a line, or the line itself."""
    return min(
        (unit for unit in found if unit.has(line)),
        key=lambda unit: unit.last - unit.first,
        default=Extent(line, line, 0),
    )
