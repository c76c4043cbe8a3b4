"""Finds the functions of a Go file."""

from __future__ import annotations

from collections.abc import Iterator

from fdlint.languages.text import Extent


def units(data: bytes) -> tuple[Extent, ...]:
    """Returns the functions: gofmt puts ``func`` and its closing brace at the margin."""
    return tuple(_functions(data))


def _functions(data: bytes) -> Iterator[Extent]:
    first = 0
    for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), start=1):
        if line.startswith("func"):
            first = number
        if first and (line.startswith("}") or (number == first and line.rstrip().endswith("}"))):
            yield Extent(first, number, 0)
            first = 0
