"""Rewrites of what holds a number: a variable, an item, an attribute of a local object, a pair."""

from __future__ import annotations

import ast
from collections.abc import Callable

from tests.metamorphic.rewrite import (
    SCOPES,
    Function,
    Rewrite,
    add_at_top,
    bodies,
    dotted,
    expression,
    functions,
    inside,
    local_variables,
    statements,
)


def _taken_from_calls(function: Function) -> set[str]:
    """Returns the local variables that get what a call returns, as a whole or in part."""
    found: set[str] = set()
    for node in inside(function):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            stored = (one for target in node.targets for one in ast.walk(target) if isinstance(one, ast.Name))
            found |= {one.id for one in stored if isinstance(one.ctx, ast.Store)}
    return found & local_variables(function)


class _Held(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in self._names:
            return node
        new = expression(self._names[node.id])
        new.ctx = node.ctx
        return new

    def generic_visit(self, node: ast.AST) -> ast.AST:
        return node if isinstance(node, SCOPES) else super().generic_visit(node)


def _in(place: str, start: str, top: str = "") -> Callable[[ast.Module], bool]:
    """Returns a rewrite that keeps local variables elsewhere. ``place`` and ``start``: where, and how it begins, with
    ``NAME`` for the variable; ``top``: what the module needs for it."""

    def change(tree: ast.Module) -> bool:
        changed = False
        for function in functions(tree):
            names = sorted(_taken_from_calls(function))
            if not names or function.name == "shut_number":
                continue
            held = _Held({name: place.replace("NAME", name) for name in names})
            function.body = [held.visit(node) for node in function.body]
            for name in names:
                function.body[:0] = statements(start.replace("NAME", name))
            changed = True
        if changed and top:
            add_at_top(tree, statements(top))
        return changed

    return change


def _pair(text: str) -> Callable[[ast.Module], bool]:
    """Returns a rewrite of ``a, b = f()``: ``text`` has ``MADE`` for the call, ``ONE`` and ``TWO`` for the targets."""

    def change(tree: ast.Module) -> bool:
        changed = False
        for block in bodies(tree):
            for index, node in reversed(list(enumerate(block))):
                match node:
                    case ast.Assign([ast.Tuple([ast.Name(one), ast.Name(two)])], ast.Call() as made) if one.strip(
                        "_"
                    ) and two.strip("_"):
                        call = ast.unparse(made)
                        new = text.replace("MADE", call).replace("ONE", one).replace("TWO", two)
                        block[index : index + 1], changed = statements(new), True
        if changed and "PairOfTwo" in text:
            add_at_top(
                tree,
                statements("from dataclasses import dataclass\n@dataclass\nclass PairOfTwo:\n  one: int\n  two: int"),
            )
        if changed and "NamedPair" in text:
            add_at_top(
                tree, statements("from typing import NamedTuple\nclass NamedPair(NamedTuple):\n  one: int\n  two: int")
            )
        return changed

    return change


def _by_temporary(tree: ast.Module) -> bool:
    """``fd = f()`` becomes ``made = f(); fd = made``."""
    count = 0
    for block in bodies(tree):
        for index, node in reversed(list(enumerate(block))):
            named = isinstance(node, ast.Assign) and dotted(node.targets[0]).strip("_")
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and named:
                count += 1
                made = f"made{count}"
                block[index : index + 1] = [
                    ast.Assign([ast.Name(made, ast.Store())], node.value),
                    ast.Assign(node.targets, ast.Name(made, ast.Load())),
                    ast.Delete([ast.Name(made, ast.Del())]),
                ]
    return bool(count)


REWRITES = (
    Rewrite("attribute of a local object", _in("box_NAME.fd", "box_NAME = Box()", "class Box:\n  pass")),
    Rewrite(
        "attribute of a namespace",
        _in("box_NAME.fd", "box_NAME = SimpleNamespace()", "from types import SimpleNamespace"),
    ),
    Rewrite("item of a list", _in("cell_NAME[0]", "cell_NAME = [None]")),
    Rewrite("item of a dict", _in("items_NAME['fd']", "items_NAME = {}")),
    Rewrite("pair by index", _pair("both = MADE\nONE = both[0]\nTWO = both[1]\ndel both")),
    Rewrite("pair as a list", _pair("[ONE, TWO] = MADE")),
    Rewrite("pair in a list", _pair("both = list(MADE)\nONE, TWO = both\ndel both")),
    Rewrite("pair as a dataclass", _pair("both = PairOfTwo(*MADE)\nONE = both.one\nTWO = both.two\ndel both")),
    Rewrite("pair as a NamedTuple", _pair("both = NamedPair(*MADE)\nONE = both.one\nTWO = both.two\ndel both")),
    Rewrite("by way of a variable", _by_temporary),
)
