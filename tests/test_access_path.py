"""Access paths: what their class and their text tell, and that nobody else reads the text."""

from __future__ import annotations

import ast

import pytest

from fdlint.core.ir import (
    DEFAULT,
    NOWHERE,
    RESULT,
    AccessPath,
    CaughtException,
    ComprehensionVariable,
    Condition,
    Field,
    InitialValue,
    Temporary,
    below,
)
from tests.package import modules

FD, SELF, DEEP = AccessPath("fd"), AccessPath("self"), AccessPath("self.files.reader")
TEMPORARIES = [Temporary.of_statement(1), Temporary.of_block(1), RESULT, DEFAULT, NOWHERE]
UNNAMED = [*TEMPORARIES, CaughtException.by(1), InitialValue.of(FD)]


def test_a_variable_and_an_attribute() -> None:
    attribute = SELF.attribute("_fd")
    assert (attribute, attribute.root, attribute.name) == ("self._fd", SELF, "_fd")
    assert (FD.root, FD.field, FD.name) == (FD, None, "fd")
    assert attribute.is_attribute
    assert not FD.is_attribute
    assert isinstance(attribute.root, AccessPath)


def test_an_attribute_of_an_attribute() -> None:
    assert (DEEP.root, DEEP.name) == (SELF, "reader")
    assert [path.depth for path in (SELF, SELF.attribute("files"), DEEP)] == [0, 1, 2]
    assert list(DEEP.prefixes) == [SELF, SELF.attribute("files")]
    assert not list(FD.prefixes)


def test_what_is_below_what() -> None:
    other = AccessPath("selfish.fd")
    assert DEEP.is_below(SELF)
    assert DEEP.is_below("self.files")
    assert not SELF.is_below(SELF)
    assert not other.is_below(SELF)
    assert below([FD, DEEP, other, SELF], [SELF]) == [DEEP]
    assert below([DEEP], []) == []
    assert below([FD, DEEP, other], [], {"fd"}) == [FD]


@pytest.mark.parametrize("path", UNNAMED)
def test_what_the_source_gives_no_name(path: AccessPath) -> None:
    assert not path.is_named
    assert path.is_temporary is (path in TEMPORARIES)


def test_what_the_source_names() -> None:
    paths = [FD, DEEP, ComprehensionVariable.at(1, "fd")]
    assert all(path.is_named and not path.is_temporary for path in paths)


def test_paths_of_different_kinds_are_different() -> None:
    of_one_name = [FD, InitialValue.of(FD), ComprehensionVariable.at(1, "fd"), ComprehensionVariable.at(2, "fd")]
    paths = [*of_one_name, *TEMPORARIES, CaughtException.by(1)]
    assert len(set(paths)) == len(paths)
    assert InitialValue.of(FD).parameter == FD


def test_a_path_is_as_fast_as_a_string() -> None:
    assert AccessPath.__hash__ is str.__hash__
    assert AccessPath.__eq__ is str.__eq__
    assert not hasattr(FD, "__dict__")


def test_a_field_is_what_functions_share() -> None:
    field = DEEP.field_of(SELF)
    assert field is not None
    assert field == DEEP.field
    assert field.dotted == "files.reader"
    assert field.names == ["files", "reader"]
    assert field.is_attribute
    assert field.on(AccessPath("other")) == "other.files.reader"
    assert FD.field_of(SELF) is None
    assert SELF.field_of(SELF) is None


def test_a_global_is_a_field_of_no_object() -> None:
    field = Field("LOG")
    assert not field.is_attribute
    assert field.names == ["LOG"]
    assert field.on(SELF) == field.on(None) == AccessPath("LOG")


SIGILS = set("%!&=") | {"%!", "%!&=", "%with", "%return", "%default"}


def test_only_one_module_knows_how_paths_are_spelled() -> None:
    rooms = ("core", "program")
    found = [
        (module.name, node.lineno)
        for module in modules()
        if module.name.partition(".")[0] in rooms and module.name != "core.ir.access_path"
        for node in module.nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in SIGILS
    ]
    assert not found


def test_a_condition_may_be_about_variables_alone() -> None:
    assert Condition("fd is None").is_plain
    assert not any(Condition(text).is_plain for text in ("self.fd is None", "ready()", "a, b"))
    assert Condition("fd is None").mentions(FD)
    assert not Condition("other is None").mentions(FD)
