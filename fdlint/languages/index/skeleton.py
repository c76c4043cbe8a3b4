"""Reads the skeleton of a file: its imports, aliases and definitions, with their conditions.

The skeleton shows the meaning of the module's names, without any lowering. It leaves out names inside functions.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from fdlint.languages.index.facts import dotted_name

Function = ast.FunctionDef | ast.AsyncFunctionDef
_TRY = (ast.Try, getattr(ast, "TryStar", ast.Try))  # Python 3.10 has no except*
_CONDITION = (ast.Compare, ast.BoolOp, ast.UnaryOp)
_LONGEST = 400  # characters; a longer value is no alias


@dataclass(frozen=True, slots=True)
class Import:
    """``import a.b as c``: ``names`` are pairs of a name and its alias."""

    names: tuple[tuple[str, str | None], ...]


@dataclass(frozen=True, slots=True)
class ImportFrom:
    """``from ..a import b as c``: ``origin`` is the module with its dots."""

    origin: str
    names: tuple[tuple[str, str | None], ...]


@dataclass(frozen=True, slots=True)
class Alias:
    """``name = value``. ``value``: the source of a name, of a chain of attributes, of a call or of a condition; empty
    for anything else."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Definition:
    """A function or a class."""

    name: str


@dataclass(frozen=True, slots=True)
class Choice:
    """An ``if`` statement: the source of its test, and both branches."""

    test: str
    body: tuple[Statement, ...]
    orelse: tuple[Statement, ...]


Statement: TypeAlias = "Import | ImportFrom | Alias | Definition | Choice"


@dataclass(frozen=True, slots=True)
class Skeleton:
    """The top level of a file. ``functions``: the qualified names of functions and methods, in source order.
    ``properties``: the methods that run when code reads an attribute. ``classes``: for each qualified name, the dotted
    names of the bases as the source spells them, ``?`` for a base that is no name. ``decorated``: the functions and
    classes with decorators. ``lambdas``: the names that are bound to a lambda."""

    statements: tuple[Statement, ...]
    functions: dict[str, None]
    properties: frozenset[str]
    classes: dict[str, tuple[str, ...]]
    decorated: frozenset[str]
    lambdas: frozenset[str]


def skeleton_of(tree: ast.Module) -> Skeleton:
    """Returns the skeleton of a syntax tree."""
    functions: dict[str, None] = {}
    properties: set[str] = set()
    classes: dict[str, tuple[str, ...]] = {}
    decorated: set[str] = set()
    for name, node in _definitions(tree.body, ""):
        decorated.update([name] if node.decorator_list else ())
        if isinstance(node, ast.ClassDef):
            classes[name] = tuple(dotted_name(one) or "?" for one in node.bases if not isinstance(one, ast.Starred))
        else:
            functions[name] = None
            if any(isinstance(one, ast.Name) and one.id == "property" for one in node.decorator_list):
                properties.add(node.name)
    lambdas = frozenset(_lambdas(tree.body))
    statements = tuple(_statements(tree.body))
    return Skeleton(statements, functions, frozenset(properties), classes, frozenset(decorated), lambdas)


def bodies(node: ast.AST) -> Iterator[Sequence[ast.AST]]:
    """Yields the bodies of a compound statement."""
    for name in ("body", "orelse", "handlers", "finalbody", "cases"):
        inside = getattr(node, name, None)
        if isinstance(inside, list):
            yield inside


def _definitions(body: Sequence[ast.AST], prefix: str) -> Iterator[tuple[str, Function | ast.ClassDef]]:
    """Yields the functions and classes that a body defines, also under conditions, with their qualified names."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            name = f"{prefix}{node.name}"
            yield name, node
            yield from _definitions(node.body, f"{name}.")
        elif isinstance(node, Function):
            yield f"{prefix}{node.name}", node
        else:
            for inside in bodies(node):
                yield from _definitions(inside, prefix)


def _lambdas(body: Sequence[ast.AST]) -> Iterator[str]:
    for node in body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda()):
                yield name
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                pass
            case _:
                for inside in bodies(node):
                    yield from _lambdas(inside)


def _statements(body: Sequence[ast.stmt]) -> Iterator[Statement]:
    for node in body:
        match node:
            case ast.Import(names):
                yield Import(tuple((one.name, one.asname) for one in names))
            case ast.ImportFrom(module, names, level):
                yield ImportFrom("." * level + (module or ""), tuple((one.name, one.asname) for one in names))
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield Alias(name, _source(value))
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield Definition(name)
            case ast.If():
                arms = tuple(_statements(node.body)), tuple(_statements(node.orelse))
                if any(arms):
                    yield Choice(ast.unparse(node.test), *arms)
            case ast.With(body=inside):
                yield from _statements(inside)
            case _ if isinstance(node, _TRY):
                yield from _statements(node.body)
                for handler in node.handlers:
                    yield from _statements(handler.body)
                yield from _statements(node.orelse)


def _source(node: ast.expr) -> str:
    """Returns the source of a value that may be an alias of a function or a module, or a platform test; empty for any
    other value."""
    if not isinstance(node, _CONDITION) and not _may_name(node):
        return ""
    text = ast.unparse(node)
    return text if len(text) <= _LONGEST else ""


def _may_name(node: ast.expr) -> bool:
    """Whether a value is a name, an attribute, or a call with at most one argument."""
    if isinstance(node, ast.Call):
        return len(node.args) + len(node.keywords) <= 1
    return isinstance(node, ast.Name | ast.Attribute)
