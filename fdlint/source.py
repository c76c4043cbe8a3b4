"""Bytes to a syntax tree, or to a reason why not; and nodes to positions, when somebody asks."""

from __future__ import annotations

import functools
from collections.abc import Mapping

import libcst as cst

from fdlint.finding import Skipped, Span
from fdlint.positions import Range, positions

MAX_TEXT = 60
MAX_BYTES = 8_000_000  # larger files are data in Python's clothes


class Source:
    """One parsed file. Positions are worked out when the first one is asked for: they cost more than the parse.
    ``data``: the file's bytes."""

    def __init__(self, path: str, module: cst.Module, data: bytes) -> None:
        self.path = path
        self.module = module
        self.data = data

    @functools.cached_property
    def _positions(self) -> Mapping[cst.CSTNode, Range]:
        return positions(self.module)

    @functools.cached_property
    def code(self) -> str:
        """The whole file."""
        return self.data.decode(self.module.encoding)

    def span(self, node: object) -> Span:
        """Where a node stands; the whole file's first character for anything that has no place."""
        found = self._positions.get(node) if isinstance(node, cst.CSTNode) else None
        if found is None:
            return Span(self.path, 1, 1, 1, 1)
        (line, column), (end_line, end_column) = found
        return Span(self.path, line, column + 1, end_line, end_column + 1)

    def text(self, node: object) -> str:
        """The node's own text, on one line and not too long."""
        if not isinstance(node, cst.CSTNode):
            return ""
        code = " ".join(self.module.code_for_node(node).split())
        return code if len(code) <= MAX_TEXT else code[: MAX_TEXT - 1] + "…"


def parse(data: bytes, path: str) -> Source | Skipped:
    """Decodes (PEP 263) and parses a file; what cannot be says why."""
    if len(data) > MAX_BYTES:
        return Skipped(path, f"too large: {len(data):,} bytes, the limit is {MAX_BYTES:,}")
    if b"\0" in data:
        return Skipped(path, "not Python: it contains null bytes")
    try:
        return Source(path, cst.parse_module(data), data)
    except cst.ParserSyntaxError as error:
        return Skipped(path, f"syntax error at line {error.raw_line}: {_first_line(error.message)}")
    except (UnicodeError, LookupError, SyntaxError) as error:
        return Skipped(path, f"cannot be decoded: {_first_line(str(error))}")
    except RecursionError:
        return Skipped(path, "nested too deeply to parse")


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]
