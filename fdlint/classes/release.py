"""Whether any code of a file closes or hands over what an attribute holds, of whatever object.

This asks for the slightest evidence: it is what keeps a class from being told that it never closes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from fdlint.catalog import Catalog
from fdlint.catalog.naming import takes_over
from fdlint.graph import Call, Graph
from fdlint.lower.captures import let_go
from fdlint.program import File

_SLOTS = re.compile(r"__slots__\s*=\s*[\[({].*?[\])}]", re.DOTALL)
_LENDING = "fileno"


@dataclass(slots=True)
class Releases:
    """What one file does to attributes, by their names alone."""

    file: File
    catalog: Catalog
    _names: frozenset[str] | None = field(default=None)
    _text: str | None = field(default=None)

    def mention(self, path: str) -> bool:
        """Whether some part of an attribute's path (``.files.reader``) is closed or handed over somewhere."""
        words = path.strip(".").split(".")
        return any(word in self._released() or self._by_text(word) for word in words)

    def _released(self) -> frozenset[str]:
        if self._names is None:
            self._names = frozenset(name for graph in self.file.lowered.graphs for name in self._in(graph))
        return self._names

    def _in(self, graph: Graph) -> Iterator[str]:
        lends = (graph.name or "").rpartition(".")[2] == _LENDING
        for place in let_go(graph, self.catalog, lends):
            yield from place.split(".")[1:]
        for block in graph.blocks:
            for step in block.steps:
                match step.effect:
                    case Call(_, callee) if isinstance(callee.receiver, str) and takes_over(callee.name):
                        yield from callee.receiver.split(".")[1:]

    def _by_text(self, word: str) -> bool:
        """Named in a string (for ``getattr``), or closed on an object that has no name."""
        if self._text is None:
            self._text = _SLOTS.sub("", self.file.source.module.code)
        return bool(re.search(rf"[\"']{re.escape(word)}[\"']|close\w*\(.*\.{re.escape(word)}\b", self._text))
