"""Parses Go with tree-sitter, and finds the positions and texts of nodes."""

from __future__ import annotations

import functools
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import tree_sitter
import tree_sitter_go

from fdlint.core.finding import Span
from fdlint.core.ir.source import shortened
from fdlint.languages.go.lowering.errors import parsed, unparsed

_OTHER_SYSTEMS = (
    "windows|darwin|freebsd|openbsd|netbsd|dragonfly|solaris|illumos|aix|plan9|js|wasip1|android|ios|zos|wasm|appengine"
)
_FOR_OTHERS = re.compile(rf"_({_OTHER_SYSTEMS}|bsd|unsupported|nolinux|other|others|stub)(_\w+)?\.go$")
_BUILD = re.compile(rb"^//go:build\s+(.+)$|^// \+build\s+(.+)$", re.MULTILINE)
_SYSTEM = re.compile(rf"(?<!\w)(!?)(linux|unix|{_OTHER_SYSTEMS})\b")
_LINUX = frozenset({"linux", "unix"})


class Origin(NamedTuple):
    """A node: the number of its file in the package, and its first and last byte."""

    file: int
    start: int
    end: int


class GoFile:
    """One file of a package: its place, its path in reports, its contents, and its syntax tree. ``unparsed``: the
    declarations that do not parse."""

    def __init__(self, place: Path, path: str, data: bytes) -> None:
        self.place = place
        self.path = path
        self.data = data
        self.root = parsed(lambda text: _parser().parse(text).root_node, data)
        self.unparsed = unparsed(self.root)

    @functools.cached_property
    def for_others(self) -> bool:
        """Whether the file is for systems other than Linux, by its name or its build tags."""
        found = _BUILD.search(self.data[: self.data.find(b"\npackage ") + 1])
        tags = (found[1] or found[2]).decode("utf-8", "replace") if found else ""
        systems = _SYSTEM.findall(tags)
        wanted, unwanted = ({name for sign, name in systems if sign == one} for one in ("", "!"))
        others = bool(wanted) and wanted.isdisjoint(_LINUX)
        return others or bool(unwanted & _LINUX) or is_for_others(self.place.name)

    @functools.cached_property
    def _lines(self) -> list[int]:
        """The offsets of the lines."""
        starts = [0]
        for line in self.data.split(b"\n"):
            starts.append(starts[-1] + len(line) + 1)
        return starts

    @functools.cached_property
    def _declarations(self) -> list[tree_sitter.Node]:
        return self.root.children

    def node(self, start: int, end: int) -> tree_sitter.Node | None:
        """Returns the smallest node around a range of bytes. To ask the root would visit all declarations before it."""
        number = bisect_right(self._declarations, start, key=lambda one: one.start_byte) - 1
        top = self._declarations[number] if number >= 0 else self.root
        return top.descendant_for_byte_range(start, end) or self.root.descendant_for_byte_range(start, end)

    def position(self, offset: int) -> tuple[int, int]:
        """Returns the line and the column, both from 1, of a byte."""
        low, high = 0, len(self._lines) - 1
        while low + 1 < high:
            middle = (low + high) // 2
            low, high = (middle, high) if self._lines[middle] <= offset else (low, middle)
        return low + 1, len(self.data[self._lines[low] : offset].decode("utf-8", "replace")) + 1


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


def is_for_others(name: str) -> bool:
    """Whether a file is for systems other than Linux, by its name."""
    return _FOR_OTHERS.search(name) is not None


@functools.cache
def _parser() -> tree_sitter.Parser:
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_go.language()))
