"""Whether any code of a file closes or hands over the descriptor in an attribute of a class's objects.

Weak evidence is enough to keep FD108 silent. It does not count if another class fills and closes an attribute of the
same name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from fdlint.callgraph.units import File
from fdlint.catalog import Catalog
from fdlint.catalog.naming import takes_over
from fdlint.dataflow.derivation import apis_of, let_go
from fdlint.engine.candidates import Candidates
from fdlint.ir import AccessPath, Field, Graph, Place

_SLOTS, _CLOSING = re.compile(r"__slots__\s*=\s*[\[({]"), re.compile(r"[\])}]")
_CALL = re.compile(r"\b(\w+)\(")
_ALL_AT_ONCE = re.compile(r"\b(vars|astuple|asdict)\(|__dict__")
_LENDING = "fileno"
_BY_NAME = re.compile(r"\b((get|set|has|del)attr|__setattr__)\(\s*[\w.]+\s*,\s*$")  # lowered as the attribute itself
_BEFORE = 200  # characters before a string in which such a call may begin
Owner: TypeAlias = str | None
Names: TypeAlias = frozenset[tuple[str, Owner]]
Others: TypeAlias = Callable[[str, str], bool]
"""Whether a class (first) has an attribute of a name (second) that is not the one in question."""


def nobody(owner: str, word: str) -> bool:
    """No class is known to have an attribute of its own."""
    return False


@dataclass(slots=True)
class Releases:
    """What one file does to attributes, by their names alone."""

    file: File
    catalog: Catalog
    prospects: Candidates
    _names: dict[int, Names] = field(default_factory=dict)
    _text: str | None = field(default=None)

    def mention(self, attribute: Field, others: Others = nobody) -> bool:
        """Whether any function closes or hands over an attribute, or an object through which it is reached. ``others``:
        which classes have nothing to do with it."""
        return self.outside(attribute, frozenset(), others)

    def given(self, attribute: Field) -> bool:
        """Whether it is an argument of any call that the catalog does not know."""
        word = attribute.names[-1]
        graphs = self.prospects.mentioning(self.file, [word])
        unknown = (one for graph in graphs for one in graph.calls() if not apis_of(one, self.catalog))
        return any(place.is_attribute and place.name == word for one in unknown for place in one.given)

    def looked_at(self, attribute: Field) -> bool:
        """Whether the attribute is read of any object but one's own."""
        word = re.escape(attribute.names[-1])
        return bool(re.search(rf"(?<!\bself)(?<!\bcls)\.{word}\b(?!\s*(=[^=]|:\s))", self._all_text()))

    def outside(self, attribute: Field, members: frozenset[str], others: Others = nobody) -> bool:
        """The same for the functions that are not among ``members``."""
        return any(self._released(word, members, others) or self.names(word) for word in attribute.names)

    def _released(self, word: str, but: frozenset[str], others: Others) -> bool:
        graphs = self.prospects.mentioning(self.file, [word])
        named = (self._names_in(graph) for graph in graphs if graph.name not in but)
        return any(
            one == word and (owner is None or not others(owner, word)) for found in named for one, owner in found
        )

    def _names_in(self, graph: Graph) -> Names:
        if id(graph) not in self._names:
            self._names[id(graph)] = frozenset((path.name, _owner(graph, path)) for path in self._in(graph))
        return self._names[id(graph)]

    def _in(self, graph: Graph) -> Iterator[Place]:
        lends = (graph.name or "").rpartition(".")[2] == _LENDING
        for place in let_go(graph, self.catalog, lends=lends, stows=True):
            if place.is_attribute:
                yield place
        for call in graph.calls():
            if isinstance(call.callee.receiver, AccessPath) and takes_over(call.callee.name):
                yield call.callee.receiver

    def names(self, word: str) -> bool:
        """Whether it may be meant by a string (for ``getattr``) or by all attributes at once, or is closed on an object
        that has no name."""
        text = self._all_text()
        if _ALL_AT_ONCE.search(text):
            return True
        name = re.escape(word)
        strings = re.finditer(rf"[\"']{name}[\"']", text)
        by_string = any(not _BY_NAME.search(text, max(0, one.start() - _BEFORE), one.start()) for one in strings)
        return by_string or _closes_nameless(name, text)

    def _all_text(self) -> str:
        if self._text is None:
            self._text = _without_slots(self.file.source.code)
        return self._text


def _owner(graph: Graph, place: Place) -> Owner:
    """The class of the object, if the place is an attribute of the object that the method is called on."""
    return graph.owner if place.depth == 1 and place.root == graph.receiver else None


def _without_slots(text: str) -> str:
    parts, at = [], 0
    while (slots := _SLOTS.search(text, at)) and (end := _CLOSING.search(text, slots.end())):
        parts.append(text[at : slots.start()])
        at = end.end()
    return "".join((*parts, text[at:]))


def _closes_nameless(name: str, text: str) -> bool:
    """Whether a line closes an attribute of what a call or an item gives. ``name``: the attribute's, escaped."""
    attribute = re.compile(rf"[\])]\.{name}\b")
    for line in text.split("\n") if attribute.search(text) else ():
        calls = (call for call in _CALL.finditer(line) if "close" in call[1])
        if (first := next(calls, None)) is not None and attribute.search(line, first.end()):
            return True
    return False
