"""Parses Go into light nodes. Those of tree-sitter are slow to walk many times."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import tree_sitter
import tree_sitter_go

from ..execute import InvalidProgram
from ..shape import Place

_PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_go.language()))


@dataclass(frozen=True, eq=False, slots=True)
class Node:
    """A node. ``parts``: the named nodes in it. ``fields``: those that the grammar names."""

    type: str
    text: str
    parts: tuple[Node, ...]
    fields: dict[str, tuple[Node, ...]]
    start: int
    end: int
    place: Place

    def get(self, field: str) -> Node | None:
        """Returns the first node of a field."""
        return self.fields.get(field, (None,))[0]

    def child(self, field: str) -> Node:
        """Returns the node of a field. Raises ``InvalidProgram`` if there is none."""
        found = self.get(field)
        if found is None:
            raise InvalidProgram(f"{self.type} without {field}")
        return found

    def listed(self, field: str) -> tuple[Node, ...]:
        """Returns the nodes of a list in a field."""
        found = self.get(field)
        return found.parts if found is not None else ()

    def walk(self) -> Iterator[Node]:
        """Yields the node and all in it."""
        yield self
        for one in self.parts:
            yield from one.walk()


def functions(source: str) -> dict[str, Node]:
    """Returns the functions and methods of a program, by name. Raises ``InvalidProgram`` if it is not Go."""
    root = _PARSER.parse(source.encode()).root_node
    if root.has_error:
        raise InvalidProgram("syntax")
    kinds = ("function_declaration", "method_declaration")
    found = [_light(one) for one in root.named_children if one.type in kinds]
    return {_qualified(one): one for one in found}


def _qualified(node: Node) -> str:
    """Returns the name of a function: that of a method begins with its type."""
    receivers, name = node.listed("receiver"), node.child("name").text
    return f"{receivers[0].child('type').text.lstrip('*')}.{name}" if receivers else name


def _light(node: tree_sitter.Node) -> Node:
    fields: dict[str, tuple[Node, ...]] = {}
    parts: list[Node] = []
    for number, child in enumerate(node.children):
        name = node.field_name_for_child(number)
        if not child.is_named and name is None:
            continue
        light = _light(child)
        if child.is_named and child.type != "comment":
            parts.append(light)
        if name is not None:
            fields[name] = (*fields.get(name, ()), light)
    place = node.start_point[0] + 1, node.start_point[1] + 1
    text = node.text.decode() if node.text is not None else ""
    return Node(node.type, text, tuple(parts), fields, node.start_byte, node.end_byte, place)
