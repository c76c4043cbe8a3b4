"""Chooses among several definitions of a name.

A definition that the platform tests allow wins over one that they exclude, then one with a body over a stub. In the
same suite the later one wins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

Decide = Callable[[cst.BaseExpression], bool | None]


@dataclass(frozen=True, slots=True)
class Definition:
    """A function or a class, and its definition's place. ``suite`` identifies the block. ``reached``: no platform test
    excludes it."""

    node: cst.FunctionDef | cst.ClassDef
    suite: object
    reached: bool

    @property
    def rank(self) -> tuple[bool, bool]:
        """The preference: reached definitions first, then those with a body."""
        return self.reached, not is_stub(self.node)


@dataclass(frozen=True, slots=True)
class Choice:
    """The functions of one body that another definition of the same name replaces. ``ruled_out``: those that never run.
    ``excluded``: the functions and classes that a platform test excludes in favour of another of the same name.
    ``platform``: a platform test decided in at least one case."""

    others: frozenset[int]
    ruled_out: frozenset[int]
    excluded: frozenset[int]
    platform: bool


def choose(body: Sequence[cst.CSTNode], decide: Decide) -> Choice:
    """Chooses among the definitions at the top level of a module or of a class."""
    by_name: dict[str, list[Definition]] = {}
    for one in _definitions(body, decide, reached=True):
        if not _belongs_to_another(one.node):
            by_name.setdefault(one.node.name.value, []).append(one)
    others: set[int] = set()
    ruled_out: set[int] = set()
    excluded: set[int] = set()
    platform = False
    for found in by_name.values():
        if any(one.reached for one in found):
            excluded.update(id(one.node) for one in found if not one.reached)
        functions = [one for one in found if isinstance(one.node, cst.FunctionDef)]
        if not functions:
            continue
        meant = _meant(functions)
        others.update(id(one.node) for one in functions if one is not meant)
        ruled_out.update(id(one.node) for one in functions if not one.reached or one.suite is meant.suite)
        platform = platform or (meant.reached and not all(one.reached for one in functions))
    return Choice(frozenset(others), frozenset(ruled_out & others), frozenset(excluded), platform)


def _meant(found: list[Definition]) -> Definition:
    meant = found[0]
    for one in found[1:]:
        if one.rank > meant.rank or (one.rank == meant.rank and one.suite is meant.suite):
            meant = one
    return meant


def _definitions(body: Sequence[cst.CSTNode], decide: Decide, reached: bool) -> Iterator[Definition]:
    for node in body:
        match node:
            case cst.FunctionDef() | cst.ClassDef():
                yield Definition(node, body, reached)
            case cst.If():
                answer = decide(node.test)
                yield from _definitions(_statements(node.body), decide, reached and answer is not False)
                rest = [node.orelse] if isinstance(node.orelse, cst.If) else _statements(node.orelse)
                yield from _definitions(rest, decide, reached and answer is not True)
            case cst.Try() | cst.TryStar():
                parts = (node.body, *(handler.body for handler in node.handlers), node.orelse, node.finalbody)
                for part in parts:
                    yield from _definitions(_statements(part), decide, reached)
            case cst.With():
                yield from _definitions(_statements(node.body), decide, reached)


def _statements(part: cst.CSTNode | None) -> Sequence[cst.CSTNode]:
    if isinstance(part, (cst.Else, cst.Finally)):
        part = part.body
    return part.body if isinstance(part, cst.IndentedBlock) else ()


def _belongs_to_another(node: cst.FunctionDef | cst.ClassDef) -> bool:
    """Whether a function is a part of an existing name: ``@fd.setter def fd``."""
    name = node.name.value
    return any(
        isinstance(one.decorator, cst.Attribute)
        and isinstance(one.decorator.value, cst.Name)
        and one.decorator.value.value == name
        for one in node.decorators
    )


def is_stub(node: cst.FunctionDef | cst.ClassDef) -> bool:
    """Whether a function has no body of its own: it declares another, or reports that it is not implemented."""
    return all(isinstance(line, cst.SimpleStatementLine) and all(map(_is_idle, line.body)) for line in node.body.body)


def _is_idle(node: cst.CSTNode) -> bool:
    match node:
        case cst.Pass() | cst.Expr(value=cst.SimpleString() | cst.ConcatenatedString() | cst.Ellipsis()):
            return True
        case cst.Raise(exc=cst.Call(func=cst.Name(value="NotImplementedError"))):
            return True
        case cst.Raise(exc=cst.Name(value="NotImplementedError")):
            return True
    return False
