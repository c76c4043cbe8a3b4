"""Answers the tests of types: ``isinstance``, ``type(x) is T``, a ``case`` with a class."""

from __future__ import annotations

from collections.abc import Set

from fdlint.core.domain.contents import is_object
from fdlint.core.domain.state import State
from fdlint.core.domain.values import Borrowed, Box, Const, Fd, Pid, Seq, Success, Text, Unlike, Value
from fdlint.core.engine.objects import class_of
from fdlint.core.ir.language import Language


def is_one_of(state: State, language: Language, value: Value, names: Set[str]) -> bool | None:
    """Returns whether a value has one of some types, by their names; None if it is not known."""
    types = language.types
    if isinstance(value, Box) and language.records and names & types.numbers:
        return True  # a record that holds a descriptor has the methods that it is asked for
    if isinstance(value, Success):
        return True  # it has the class that the code asks for, whatever its name
    owner = class_of(state, value)
    if owner is not None and any(name.rpartition(".")[2] == owner.name for name in names):
        return True
    if isinstance(value, Seq | Box) or owner is not None:
        return _is_container(state, language, value, names)
    if isinstance(value, Fd | Borrowed | Pid):
        is_number = bool(names & types.numbers)
        return None if types.unknown in names and not is_number else is_number
    if isinstance(value, Const) and value.value is None:
        return types.none in names
    kind = types.text if isinstance(value, Text) else getattr(value, "type", None)
    kind = types.of(value.value) if isinstance(value, Const) else kind
    if kind in types.plain and names <= types.plain:
        return kind in names
    return False if isinstance(value, Unlike) and names <= value.types else None


def _is_container(state: State, language: Language, value: Value, names: Set[str]) -> bool | None:
    """Returns the answer for what is no number and no text. Which kind of container a value is, is only likely: a
    slice of a list looks like a tuple. So the answer about another kind is not known."""
    containers = language.types.containers
    if names & containers.get(_kind(state, value), frozenset()):
        return True
    others = (language.types.plain | language.types.numbers).difference(*containers.values())
    return False if containers and names <= others else None


def _kind(state: State, value: Value) -> str:
    """Returns the display that most likely makes a value like this one; none for an object."""
    if isinstance(value, Seq):
        return "tuple"
    contents = state.heap.get(value.container) if isinstance(value, Box) else None
    if contents is None or is_object(contents):
        return ""
    return "list" if contents.keys is None else "dict"
