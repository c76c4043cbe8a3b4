"""Computes the positions of a tree's nodes like libcst's own ``PositionProvider``, in a quarter of the time.

libcst walks through the tree a second time and creates a dozen objects for each node. This module writes the tree out
once, as libcst does for positions, and keeps pairs of numbers. It depends on how libcst's nodes write themselves; a
test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import libcst as cst
from libcst._nodes.internal import CodegenState

from fdlint.scan.reading.lines import normalised

Place: TypeAlias = tuple[int, int]
"""Line, counted from 1, and column, from 0."""
Range: TypeAlias = tuple[Place, Place]


def positions(module: cst.Module, line: int = 1) -> Mapping[cst.CSTNode, Range]:
    """Returns the start and end of every node, without insignificant whitespace around it. ``line``: the module's first
    line, if it is a piece of a file."""
    writing = _Writing(module.default_indent, module.default_newline)
    writing.begin(line)
    module._codegen(writing)
    return writing.found


class _Writing(CodegenState):
    """The state that libcst writes a tree to. libcst notifies it before and after every node."""

    found: dict[cst.CSTNode, Range]

    def begin(self, line: int) -> None:
        self.found = {}
        self.tokens = [""]  # not empty, because libcst writes an empty file with a newline
        self.line, self.column = line, 0
        self._starts: list[Place] = []

    def add_indent_tokens(self) -> None:
        for token in self.indent_tokens:
            self.add_token(token)

    def add_token(self, value: str) -> None:
        if "\n" in value or "\r" in value:
            lines = normalised(value).split("\n")
            self.line += len(lines) - 1
            self.column = len(lines[-1])
        else:
            self.column += len(value)

    def before_codegen(self, node: cst.CSTNode) -> None:
        self._starts.append((self.line, self.column))

    def after_codegen(self, node: cst.CSTNode) -> None:
        start = self._starts.pop()
        if node not in self.found:  # its syntax may have set the position already
            self.found[node] = start, (self.line, self.column)

    def record_syntactic_position(  # type: ignore[override]
        self, node: cst.CSTNode, *, start_node: cst.CSTNode | None = None, end_node: cst.CSTNode | None = None
    ) -> _Syntax:
        return _Syntax(self, node, start_node, end_node)


class _Syntax:
    """The range of a node's own syntax; with ``start_node`` or ``end_node`` it begins or ends at that child."""

    __slots__ = ("_end", "_node", "_start", "_start_node", "_writing")

    def __init__(
        self, writing: _Writing, node: cst.CSTNode, start: cst.CSTNode | None, end: cst.CSTNode | None
    ) -> None:
        self._writing, self._node, self._start_node, self._end = writing, node, start, end

    def __enter__(self) -> None:
        self._start = self._writing.line, self._writing.column

    def __exit__(self, *_: object) -> None:
        writing = self._writing
        start = writing.found[self._start_node][0] if self._start_node is not None else self._start
        end = writing.found[self._end][1] if self._end is not None else (writing.line, writing.column)
        writing.found[self._node] = start, end
