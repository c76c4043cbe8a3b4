"""Finds the errors after which a program ends: each caller of a function exits if it gets one.

``fd, err := listen()``, ``if err != nil { log.Fatal(err) }``: no matter what ``listen`` leaves open then, the kernel
closes it.
"""

from __future__ import annotations

from fdlint.languages.go.lowering.constants import Node, text
from fdlint.languages.go.lowering.mentions import FUNCTIONS, Mentions, is_called
from fdlint.languages.go.lowering.package import Package
from fdlint.languages.go.lowering.source import Origin

_MAIN = "main"
_ERROR = "error"
_NONE = "nil"
_ASSIGNMENTS = frozenset({"assignment_statement", "short_var_declaration"})


class Fatal:
    """Answers for one package."""

    def __init__(self, package: Package, mentions: Mentions) -> None:
        self._package = package
        self._mentions = mentions
        self._known: dict[str, bool] = {}

    def ends_program(self, origin: object) -> bool:
        """Whether a ``return`` gives an error to callers that end the program then."""
        if not isinstance(origin, Origin):
            return False
        node = self._package.files[origin.file].node(origin.start, origin.end)
        while node is not None and node.type != "return_statement":
            node = node.parent
        return node is not None and self._is_fatal(origin.file, node)

    def _is_fatal(self, file: int, node: Node) -> bool:
        """Whether a ``return`` returns an error that ends the program."""
        values = node.named_children[0].named_children if node.named_children else []
        function = _around(node)
        if not values or text(values[-1]) == _NONE or function is None:
            return False
        name, owner = text(function.child_by_field_name("name")), self._package.receiver_of(file, function)
        results = self._package.parameters(file, function.child_by_field_name("result"))
        if not results or results[-1][1] != _ERROR or not self._mentions.are_all_here(name):
            return False
        key = f"{owner[1]}.{name}" if owner is not None else name
        if key not in self._known:
            self._known[key] = False  # a function that calls itself
            places = self._mentions.of(name, method=owner is not None)
            self._known[key] = bool(places) and all(
                is_called(one) and self._exits(at, one.parent) for at, one in places
            )
        return self._known[key]

    def _exits(self, file: int, call: Node | None) -> bool:
        """Whether the program ends if a call returns an error."""
        statement = call.parent if call is not None else None
        while statement is not None and statement.type in ("expression_list", "parenthesized_expression"):
            statement = statement.parent
        if statement is None:
            return False
        if statement.type == "return_statement":
            return self._is_fatal(file, statement)
        if statement.type not in _ASSIGNMENTS:
            return False
        names = statement.child_by_field_name("left")
        error = text(names.named_children[-1]) if names is not None and names.named_children else ""
        test = statement.parent if statement.parent is not None and statement.parent.type == "if_statement" else None
        test = test or statement.next_named_sibling
        if test is None or test.type != "if_statement":
            return False
        asked = text(test.child_by_field_name("condition")).replace(" ", "")
        return asked == f"{error}!={_NONE}" and self._never_returns(file, test.child_by_field_name("consequence"))

    def _never_returns(self, file: int, body: Node | None) -> bool:
        """Whether the last statement of a body ends the program, or returns an error that does."""
        last = body
        while last is not None and last.type in ("block", "statement_list", "expression_statement"):
            last = last.named_children[-1] if last.named_children else None
        if last is None:
            return False
        if last.type == "return_statement":
            function = _around(last)
            is_main = function is not None and text(function.child_by_field_name("name")) == _MAIN
            return (is_main and self._mentions.is_program) or self._is_fatal(file, last)
        return last.type == "call_expression" and self._exits_by(file, last.child_by_field_name("function"))

    def _exits_by(self, file: int, function: Node | None) -> bool:
        first, dot, name = text(function).rpartition(".")
        if not dot:
            return name == "panic"
        module = self._package.imports[file].get(first)
        apis = self._package.catalog.lookup(f"{module}.{name}" if module is not None else f"*.{name}")
        return bool(apis) and apis[0].noreturn


def _around(node: Node) -> Node | None:
    """Returns the function around a node; None inside a function literal."""
    outer = node.parent
    while outer is not None and outer.type not in FUNCTIONS:
        if outer.type == "func_literal":
            return None
        outer = outer.parent
    return outer
