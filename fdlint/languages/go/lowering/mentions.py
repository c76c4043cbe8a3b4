"""Finds where a package mentions a function or method by its name."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from fdlint.languages.go.lowering.constants import Node, text
from fdlint.languages.go.lowering.package import Package

FUNCTIONS = frozenset({"function_declaration", "method_declaration"})
_PROGRAM = "main"
_WORD = re.compile(rb"[\w\x80-\xff]+")
_MAX_MENTIONS = 100  # of one name; more say little about each


class Mentions:
    """The mentions of names in one package. ``is_program``: nothing else can import it."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self.is_program = _is_program(package)

    def are_all_here(self, name: str) -> bool:
        """Whether no other package can mention a function or method of this name."""
        return self.is_program or not name[:1].isupper()

    def of(self, name: str, *, method: bool) -> list[tuple[int, Node]]:
        """Returns the places that use what a name stands for, each with the number of its file; none if there are too
        many. Any method of the name may be meant."""
        found = list(self._of(name, "field_identifier" if method else "identifier"))
        return found if len(found) < _MAX_MENTIONS else []

    def _of(self, name: str, kind: str) -> Iterator[tuple[int, Node]]:
        count = 0
        word = name.encode()
        for number, start in self._places.get(word, ()):
            node = self._package.files[number].node(start, start + len(word))
            if node is None or node.type != kind or _is_declaration(node):
                continue
            count += 1
            yield number, _whole(node)
            if count == _MAX_MENTIONS:
                return

    @functools.cached_property
    def _places(self) -> dict[bytes, list[tuple[int, int]]]:
        """The words that are names of functions, with the number of the file and the offset of each place."""
        names = {name.rstrip("#").rpartition(".")[2].encode() for name in self._package.functions}
        found: dict[bytes, list[tuple[int, int]]] = {}
        for number, file in enumerate(self._package.files):
            for one in _WORD.finditer(file.data):
                if one[0] in names:
                    found.setdefault(one[0], []).append((number, one.start()))
        return found


def is_called(node: Node) -> bool:
    """Whether an expression is the function of a call."""
    parent = node.parent
    return parent is not None and parent.type == "call_expression" and parent.child_by_field_name("function") == node


def _whole(mention: Node) -> Node:
    """Returns ``x.name`` for the name of a method."""
    parent = mention.parent
    is_method = mention.type != "identifier" and parent is not None and parent.type == "selector_expression"
    return parent if is_method and parent is not None else mention


def _is_declaration(node: Node) -> bool:
    parent = node.parent
    return parent is not None and parent.type in FUNCTIONS and parent.child_by_field_name("name") == node


def _is_program(package: Package) -> bool:
    clause = next((one for one in package.files[0].declarations() if one.type == "package_clause"), None)
    return clause is not None and any(text(one) == _PROGRAM for one in clause.named_children[:1])
