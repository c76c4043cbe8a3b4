"""Bytes to a syntax tree, or to a reason why not; and nodes to positions, when somebody asks."""

from __future__ import annotations

import functools
from collections.abc import Mapping

import libcst as cst

from fdlint.finding import Skipped, Span
from fdlint.pieces import Sketch, sketch
from fdlint.positions import Range, positions

MAX_TEXT = 60
MAX_BYTES = 8_000_000  # larger files are data in Python's clothes


class Source:
    """One file, parsed whole or as far as somebody has asked. Positions are worked out when the first one is asked
    for: they cost half as much as the parse. ``data``: the file's bytes; ``parsed``: how many characters there are
    trees of."""

    def __init__(self, path: str, module: cst.Module, data: bytes, outline: Sketch | None = None) -> None:
        self.path = path
        self.module = module
        self.data = data
        self.encoding = outline.encoding if outline is not None else module.encoding
        self.parsed = len(data) - sum(len(one.text) for one in outline.pieces.values()) if outline else len(data)
        self.refused: str | None = None  # why some piece is Python to Python alone
        self._trees = [(module, 1)]
        self._positions: list[Mapping[cst.CSTNode, Range]] = []

    @functools.cached_property
    def code(self) -> str:
        """The whole file."""
        return self.data.decode(self.encoding)

    def parse_more(self, text: str, line: int) -> cst.Module | None:
        """Parses a piece of the file that begins at a line; None if it cannot be parsed."""
        try:
            module = cst.parse_module(text)
        except cst.ParserSyntaxError as error:
            self.refused = _refused(error, line - 1)
            return None
        self._trees.append((module, line))
        self.parsed += len(text)
        return module

    def span(self, node: object) -> Span:
        """Where a node stands; the whole file's first character for anything that has no place."""
        found = self._range(node) if isinstance(node, cst.CSTNode) else None
        if found is None:
            return Span(self.path, 1, 1, 1, 1)
        (line, column), (end_line, end_column) = found
        return Span(self.path, line, column + 1, end_line, end_column + 1)

    def _range(self, node: cst.CSTNode) -> Range | None:
        for known in self._positions:
            if node in known:
                return known[node]
        while self._trees:
            known = positions(*self._trees.pop())
            self._positions.append(known)
            if node in known:
                return known[node]
        return None

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
        return Skipped(path, _refused(error, 0))
    except (UnicodeError, LookupError, SyntaxError) as error:
        return Skipped(path, f"cannot be decoded: {_first_line(str(error))}")
    except RecursionError:
        return Skipped(path, "nested too deeply to parse")


def parse_sketch(data: bytes, path: str) -> tuple[Source, Sketch] | None:
    """The same for a file of which little will be asked: parses what cannot wait, and says what can; None if it cannot
    be cut up."""
    outline = sketch(data) if len(data) <= MAX_BYTES else None
    try:
        return (Source(path, cst.parse_module(outline.text), data, outline), outline) if outline else None
    except cst.ParserSyntaxError:
        return None


def _refused(error: cst.ParserSyntaxError, before: int) -> str:
    """Why a text cannot be parsed; ``before``: the lines of its file before it."""
    return f"syntax error at line {before + error.raw_line}: {_first_line(error.message)}"


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]
