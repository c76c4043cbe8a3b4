"""Parses Go with tree-sitter, and finds the positions and texts of nodes."""

from __future__ import annotations

import functools
import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import tree_sitter
import tree_sitter_go

from fdlint.core.finding import Span
from fdlint.core.ir.source import shortened
from fdlint.languages.go.lowering.constraints import is_for_others
from fdlint.languages.go.lowering.errors import parsed, reasons, unparsed
from fdlint.languages.go.lowering.stretches import LARGEST, Stretch, stretches

_LINE_ENDS = re.compile(rb"\n")
_KEPT = 1_000_000  # bytes of text whose trees are kept: the trees take a hundred times as much


class Origin(NamedTuple):
    """A node: the number of its file in the package, and its first and last byte."""

    file: int
    start: int
    end: int


class GoFile:
    """One file of a package: its place, its path in reports, and its contents. It is parsed when something asks for its
    nodes."""

    def __init__(self, place: Path, path: str, data: bytes) -> None:
        self.place = place
        self.path = path
        self.data = data
        self._broken: dict[Stretch, bool] = {}  # those parsed so far: whether something in it does not parse

    @functools.cached_property
    def root(self) -> tree_sitter.Node:
        """The syntax tree of the whole file. It stays in memory."""
        return parsed(_parser().parse, self.data)

    @functools.cached_property
    def _stretches(self) -> list[Stretch]:
        return stretches(self.data)

    def _parsed(self, stretch: Stretch) -> tree_sitter.Node | None:
        """Returns the tree of a stretch, None if it is too long. Nodes have their places in the file."""
        if stretch.end - stretch.start > LARGEST:
            return None
        found = _TREES.get((self, stretch))
        if found is None:
            found = parsed(functools.partial(self._parse, stretch), self.data)
            self._broken[stretch] = found.has_error
            _TREES.add((self, stretch), found)
        return found

    def _parse(self, stretch: Stretch, text: bytes) -> tree_sitter.Tree:
        first, last = (tree_sitter.Point(self.position(one)[0] - 1, 0) for one in stretch)
        parser = _parser()
        parser.included_ranges = [tree_sitter.Range(first, last, stretch.start, stretch.end)]
        try:
            return parser.parse(text)
        finally:
            del parser.included_ranges

    def declarations(self) -> Iterator[tree_sitter.Node]:
        """Yields the declarations and the comments between them. Keep none: each keeps the tree around it."""
        for stretch in self._stretches:
            root = self._parsed(stretch)
            yield from root.named_children if root is not None else ()

    def troubles(self) -> Iterator[str]:
        """Yields a message for each part that was not parsed, or does not parse."""
        broken = [one for one in self._stretches if self._broken.get(one, True)]
        for start, end in broken:
            if end - start > LARGEST:
                line = self.position(start)[0]
                yield f"line {line}: too large: {end - start:,} bytes, the limit is {LARGEST:,}"
        roots = (root for one in broken if (root := self._parsed(one)) is not None)
        yield from reasons(node for root in roots for node in unparsed(root))

    @functools.cached_property
    def for_others(self) -> bool:
        """Whether the file is for systems other than Linux, by its name or its build tags."""
        return is_for_others(self.place.name, self.data)

    @functools.cached_property
    def _lines(self) -> array[int]:
        """The offsets of the lines."""
        return array("I", (0, *(one.end() for one in _LINE_ENDS.finditer(self.data)), len(self.data) + 1))

    def node(self, start: int, end: int) -> tree_sitter.Node | None:
        """Returns the smallest node around a range of bytes. To ask the root would visit all declarations before it."""
        stretch = self._stretches[bisect_right(self._stretches, start, key=lambda one: one.start) - 1]
        root = self._parsed(stretch)
        if root is None:
            return None
        declared = root.children
        number = bisect_right(declared, start, key=lambda one: one.start_byte) - 1
        top = declared[number] if number >= 0 else root
        return top.descendant_for_byte_range(start, end) or root.descendant_for_byte_range(start, end)

    def position(self, offset: int) -> tuple[int, int]:
        """Returns the line and the column, both from 1, of a byte."""
        line = bisect_right(self._lines, offset, hi=len(self._lines) - 1)
        return line, len(self.data[self._lines[line - 1] : offset].decode("utf-8", "replace")) + 1


class GoSource:
    """The files of a package. ``homes``: the number of the file of each function, by its qualified name."""

    def __init__(self, files: Sequence[GoFile], homes: Mapping[str, int]) -> None:
        self.files = files
        self.homes = homes
        self.path = files[0].path
        self.data = b""
        self.encoding = "utf-8"
        self.parsed = sum(len(one.data) for one in files)
        self.refused: str | None = None

    @functools.cached_property
    def code(self) -> str:
        """The text of all files."""
        return "\n".join(one.data.decode("utf-8", "replace") for one in self.files)

    def span(self, origin: object) -> Span:
        """Returns the position of an origin, or the first character of the package if it has none."""
        if not isinstance(origin, Origin):
            return Span(self.path, 1, 1, 1, 1)
        file = self.files[origin.file]
        return Span(file.path, *file.position(origin.start), *file.position(origin.end))

    def text(self, origin: object) -> str:
        """Returns the source of an origin, on one line and not too long."""
        if not isinstance(origin, Origin):
            return ""
        return shortened(self.files[origin.file].data[origin.start : origin.end].decode("utf-8", "replace"))


@functools.cache
def _parser() -> tree_sitter.Parser:
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_go.language()))


class _Trees:
    """The trees of the stretches that were asked for last."""

    def __init__(self) -> None:
        self._known: dict[tuple[GoFile, Stretch], tree_sitter.Node] = {}
        self._bytes = 0

    def get(self, key: tuple[GoFile, Stretch]) -> tree_sitter.Node | None:
        """Returns a tree, None if it is not known any more."""
        found = self._known.pop(key, None)
        if found is not None:
            self._known[key] = found  # the last in order
        return found

    def add(self, key: tuple[GoFile, Stretch], root: tree_sitter.Node) -> None:
        """Keeps a tree, and drops the oldest if there are too many."""
        self._known[key] = root
        self._bytes += key[1].end - key[1].start
        while self._bytes > _KEPT and len(self._known) > 1:
            _, oldest = one = next(iter(self._known))
            del self._known[one]
            self._bytes -= oldest.end - oldest.start


_TREES = _Trees()
