"""Finds the code that a process runs at most once, such as the start of a program or one of its commands.

What such code leaves open is one descriptor for each place, not one more with each request.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fdlint.frontend.go.package import Node, Package, text
from fdlint.frontend.go.source import Origin

_PROGRAM = "main"
_STARTS = frozenset({"main", "init"})
_FUNCTIONS = frozenset({"function_declaration", "method_declaration"})
_MAX_MENTIONS = 100  # of one name; more are hardly all at the start


class Once:
    """Answers for one package. A function runs once if every mention of its name is a call from such code, and is in no
    loop. The functions of a package that others import are called from anywhere, if their names are exported."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._is_program = _is_program(package)
        self._known: dict[str, bool] = {}

    def runs_once(self, origin: object) -> bool:
        """Whether the code at a place runs at most once in a process."""
        if not isinstance(origin, Origin):
            return False
        found = self._package.files[origin.file].root.descendant_for_byte_range(origin.start, origin.end)
        return found is not None and self._is_run_once(origin.file, found)

    def _is_run_once(self, file: int, node: Node) -> bool:
        """Goes up from a node to the function around it."""
        inner, outer = node, node.parent
        while outer is not None:
            if outer.type == "for_statement":
                return False
            if inner.type == "func_literal" and not _is_called(inner):
                return self._is_command(file, inner)
            if inner.type in _FUNCTIONS:
                return self._is_function_once(file, inner)
            inner, outer = outer, outer.parent
        return True

    def _is_function_once(self, file: int, node: Node) -> bool:
        name = text(node.child_by_field_name("name"))
        owner = self._package.receiver_of(file, node)
        if owner is None and name in _STARTS:
            return self._is_program or name != _PROGRAM
        if name[:1].isupper() and not self._is_program:
            return False
        key = f"{owner[1]}.{name}" if owner is not None else name
        if key not in self._known:
            self._known[key] = False  # one that calls itself runs more than once
            self._known[key] = self._is_only_started(name, method=owner is not None)
        return self._known[key]

    def _is_only_started(self, name: str, *, method: bool) -> bool:
        """Whether there are mentions of a name, and all of them start what it names once. Any method of the name may be
        meant."""
        mentions = list(self._mentions(name, "field_identifier" if method else "identifier"))
        return 0 < len(mentions) < _MAX_MENTIONS and all(self._starts(file, one) for file, one in mentions)

    def _mentions(self, name: str, kind: str) -> Iterator[tuple[int, Node]]:
        pattern = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)".encode())
        count = 0
        for number, file in enumerate(self._package.files):
            for found in pattern.finditer(file.data):
                node = file.root.descendant_for_byte_range(found.start(), found.end())
                if node is None or node.type != kind or _is_declaration(node):
                    continue
                count += 1
                yield number, node
                if count == _MAX_MENTIONS:
                    return

    def _starts(self, file: int, mention: Node) -> bool:
        """Whether a mention of a function calls it once, or makes it a command of the program."""
        value = mention
        if value.parent is not None and value.parent.type == "selector_expression" and mention.type != "identifier":
            value = value.parent
        if _is_called(value):
            return self._is_run_once(file, value)
        return self._is_command(file, value)

    def _is_command(self, file: int, value: Node) -> bool:
        """Whether a function is stored in a field for the function of a command."""
        commands = self._package.catalog.commands
        around = value.parent
        if around is not None and around.type == "literal_element":
            around = around.parent
        if around is None or around.type not in ("keyed_element", "expression_list"):
            return False
        if around.type == "keyed_element":
            key, kind = text(around.named_children[0]), self._kind_around(file, around)
            return key in commands.get(kind, ())
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


def _is_called(node: Node) -> bool:
    parent = node.parent
    return parent is not None and parent.type == "call_expression" and parent.child_by_field_name("function") == node


def _is_declaration(node: Node) -> bool:
    parent = node.parent
    return parent is not None and parent.type in _FUNCTIONS and parent.child_by_field_name("name") == node


def _is_program(package: Package) -> bool:
    clauses = (one for one in package.files[0].root.named_children if one.type == "package_clause")
    return any(text(one.named_children[0]) == _PROGRAM for one in clauses if one.named_children)
