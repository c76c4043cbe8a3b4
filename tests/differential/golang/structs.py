"""The structs and pointers of generated Go programs, as values of the machine, and what literals need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..execute import InvalidProgram
from .syntax import Node
from .table import Holder


@dataclass(eq=False, slots=True)
class Struct(Holder):
    """A struct of a type of the program. A variable and a pointer to it are one."""

    kind: str
    fields: dict[str, Any]

    def held(self) -> Iterator[object]:
        """Yields the values of the fields."""
        yield from self.fields.values()

    def read(self, field: str) -> Any:
        """Returns the value of a field: zero if the literal left it out."""
        return self.fields.get(field, 0)


@dataclass(frozen=True, slots=True)
class Pointer:
    """The address of a variable: the variables of its block, and its name."""

    names: dict[str, Any]
    name: str


def keyed(node: Node) -> Iterator[tuple[str, Node]]:
    """Yields the fields of a struct's literal with their values. Raises ``InvalidProgram`` for one without names."""
    for one in node.child("body").parts:
        if one.type != "keyed_element":
            raise InvalidProgram("literal")
        yield one.child("key").text, one.child("value").parts[0]


def captured(literal: Node) -> set[str]:
    """Returns the names that a function literal uses and does not declare."""
    declared = {
        name.text
        for one in literal.walk()
        if one.type in ("short_var_declaration", "var_spec", "range_clause", "parameter_declaration")
        for name in (*one.listed("left"), *one.fields.get("name", ()))
    }
    return {one.text for one in literal.walk() if one.type == "identifier"} - declared
