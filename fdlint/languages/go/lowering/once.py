"""Finds the code that a process runs at most once, such as the start of a program or one of its commands.

What such code leaves open is one descriptor for each place, not one more with each request.
"""

from __future__ import annotations

from fdlint.languages.go.lowering.constants import Node, text
from fdlint.languages.go.lowering.mentions import FUNCTIONS, Mentions, is_called
from fdlint.languages.go.lowering.package import Package
from fdlint.languages.go.lowering.source import Origin

_PROGRAM = "main"
_STARTS = frozenset({"main", "init"})
_ANY = "*."


class Once:
    """Answers for one package. A function runs once if every mention of its name is a call from such code, and is in no
    loop. The functions of a package that others import are called from anywhere, if their names are exported."""

    def __init__(self, package: Package, mentions: Mentions) -> None:
        self._package = package
        self._mentions = mentions
        self._known: dict[str, bool] = {}

    def runs_once(self, origin: object) -> bool:
        """Whether the code at a place runs at most once in a process."""
        if not isinstance(origin, Origin):
            return False
        found = self._package.files[origin.file].node(origin.start, origin.end)
        return found is not None and self._is_run_once(origin.file, found)

    def _is_run_once(self, file: int, node: Node) -> bool:
        """Goes up from a node to the function around it."""
        inner, outer = node, node.parent
        while outer is not None:
            if outer.type == "for_statement":
                return False
            if inner.type == "func_literal" and not is_called(inner):
                return self._is_command(file, inner)
            if inner.type in FUNCTIONS:
                return self._is_function_once(file, inner)
            inner, outer = outer, outer.parent
        return True

    def _is_function_once(self, file: int, node: Node) -> bool:
        name = text(node.child_by_field_name("name"))
        owner = self._package.receiver_of(file, node)
        if owner is None and name in _STARTS:
            return self._mentions.is_program or name != _PROGRAM
        if not self._mentions.are_all_here(name):
            return False
        key = f"{owner[1]}.{name}" if owner is not None else name
        if key not in self._known:
            self._known[key] = False  # one that calls itself runs more than once
            places = self._mentions.of(name, method=owner is not None)
            self._known[key] = bool(places) and all(self._starts(*one) for one in places)
        return self._known[key]

    def _starts(self, file: int, mention: Node) -> bool:
        """Whether a mention of a function calls it once, or makes it a command of the program."""
        return self._is_run_once(file, mention) if is_called(mention) else self._is_command(file, mention)

    def _is_command(self, file: int, value: Node) -> bool:
        """Whether a function is stored in a field for the function of a command."""
        around = value.parent
        if around is not None and around.type == "literal_element":
            around = around.parent
        if around is None or around.type not in ("keyed_element", "expression_list"):
            return False
        commands = self._package.catalog.commands
        if around.type == "keyed_element":
            key, kind = text(around.named_children[0]), self._kind_around(file, around)
            return key in commands.get(kind, ()) or key in commands.get(_ANY + kind.rpartition(".")[2], ())
        left = around.parent.child_by_field_name("left") if around.parent is not None else None
        name = text(left).rpartition(".")[2]
        imported = self._package.imports[file].values()
        return any(name in fields and kind.rpartition(".")[0] in imported for kind, fields in commands.items())

    def _kind_around(self, file: int, element: Node) -> str:
        """Returns the type of the struct that an element is written in: `T{…}`, or `{…}` in a slice of them."""
        node = element.parent
        while node is not None and node.type in ("literal_value", "literal_element", "keyed_element"):
            node = node.parent
        kind = node.child_by_field_name("type") if node is not None and node.type == "composite_literal" else None
        return self._package.type_name(file, kind).removeprefix("[]")
