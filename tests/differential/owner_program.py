"""Generates a random module with classes whose objects own descriptors, and a function that creates some."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from random import Random

from .mutate import deletions, mutate
from .owner_classes import Owners, Ways, owners
from .owner_lives import owned_life
from .pieces import body
from .program import IMPORTS, is_sound, module_of, parametrised
from .scope import Lines, Scope, block
from .shape import acquiring
from .soup import soup

_IMPORTS = IMPORTS + "from dataclasses import dataclass\nfrom typing import NamedTuple\n"
_CLOSE = re.compile(r" *[\w.]+\.(close|stop|shutdown|release)\(\)")


_MANAGED = re.compile(r"\bwith (?!suppress|ExitStack|os.fdopen)|enter_context")


def generate_owners(seed: int) -> str:
    """Returns a module with one or two classes, and one function. The same seed gives the same module."""
    rng = Random(seed)
    while True:
        ways, classes = owners(rng)
        text = module_of(_lines(rng), method=False)
        for _ in range(rng.choices([0, 1, 2, 3], [4, 3, 2, 1])[0]):
            text = mutate(text, rng)
        if not is_sound(text) or (not ways.managed and _MANAGED.search(text)):
            continue
        text = _disturbed(_with_objects(text, ways, classes), rng)
        module = _with_classes(text, ways, classes)
        if module is not None:
            return module


def _lines(rng: Random) -> Lines:
    scope = Scope(rng, owned_life, budget=rng.choice([4, 7, 10]))
    if scope.chance(0.15):
        return soup(scope)
    lines: Lines = []
    for _ in range(scope.weighted({1: 6, 2: 3})):
        lines += owned_life(scope) if scope.chance(0.75) else body(scope) + owned_life(scope)
    return lines


def _with_objects(text: str, ways: Ways, classes: list[Owners]) -> str:
    """Puts objects into the place of descriptors."""
    return ast.unparse(ast.fix_missing_locations(_Objects(ways, classes).visit(ast.parse(text))))


def _with_classes(text: str, ways: Ways, classes: list[Owners]) -> str | None:
    """Returns the function with all that it needs; None if that does not compile."""
    parts = [_IMPORTS]
    for one in classes:
        parts += ["\n".join(one.base), "\n".join(one.lines)] if one.base else ["\n".join(one.lines)]
    for name, lines in _functions(ways, classes).items():
        if f"{name}(" in text:
            parts.append("\n".join(lines))
    try:
        function = parametrised(text)
        return ast.unparse(
            ast.parse("\n\n".join([*parts, function.partition("from helpers import")[2].partition("\n")[2]]))
        )
    except SyntaxError:
        return None


def _functions(ways: Ways, classes: list[Owners]) -> dict[str, Lines]:
    """Returns the functions that the one under test may call, by name."""
    creates = classes[0].creates[0]
    build = {
        "plain": [f"return {creates}"],
        "careful": [
            f"thing = {creates}",
            *block("try:", ["use(thing)"]),
            *block("except BaseException:", [f"thing.{ways.ends}()", "raise"]),
            "return thing",
        ],
        "careless": [f"thing = {creates}", "work()", "return thing"],
    }
    return {
        "Plain": block("class Plain:", ["pass"]),
        "build": block("def build(path):", build[ways.rng.choice(list(build))]),
        "build_two": block("def build_two(path):", [f"first = {creates}", f"return (first, {creates})"]),
        "end": block("def end(thing):", [f"thing.{ways.ends}()"]),
        "look": block("def look(thing):", ["thing.read()"]),
        "same": block("def same(thing):", ["return thing"]),
    }


class _Objects(ast.NodeTransformer):
    """Puts objects into the place of descriptors, and None into that of -1."""

    def __init__(self, ways: Ways, classes: list[Owners]) -> None:
        self._ways = ways
        self._creates = [expression for one in classes for expression in one.creates] + ["build(path)"]

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        api = acquiring(node)
        if api in ("os.pipe", "os.openpty"):
            return _expression("build_two(path)")
        if api is not None:
            return _expression(self._ways.rng.choice(self._creates))
        match node:
            case ast.Call(func=ast.Name("use"), args=[thing]) if self._ways.chance(0.8):
                return _expression(f"{ast.unparse(thing)}.read()")
            case ast.Call(func=ast.Attribute(ast.Name("os"), name), args=[thing, *_]):
                return _expression(self._method(name, ast.unparse(thing)))
            case ast.Call(func=ast.Attribute(_, "callback"), args=[_, thing]):
                return _expression(f"{ast.unparse(node.func)}({ast.unparse(thing)}.{self._ways.ends})")
            case _:
                return node

    def visit_With(self, node: ast.With) -> ast.AST:
        self.generic_visit(node)
        inner = node.items[0].context_expr
        if isinstance(inner, ast.Call) and ast.unparse(inner.func) == "adopt":
            return ast.Expr(inner)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """``fd >= 0`` asks whether there is one."""
        match node:
            case ast.Compare(ast.Name("n"), _, _):
                return node
            case ast.Compare(left, [ast.GtE() | ast.Gt() | ast.NotEq()], _):
                return ast.Compare(self.visit(left), [ast.IsNot()], [ast.Constant(None)])
            case _:
                return self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        return ast.Constant(None) if ast.unparse(node) == "-1" else self.generic_visit(node)

    def _method(self, name: str, thing: str) -> str:
        match name:
            case "close":
                return f"{thing}.{self._ways.ends}()"
            case "read":
                return f"{thing}.read()"
            case "write":
                return f"{thing}.write(b'x')"
            case "fstat":
                return f"os.read({thing}.fileno(), 1)"
            case "set_blocking":
                return f"{thing}.fileno()"
            case _:
                return f"adopt({thing})"


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _disturbed(text: str, rng: Random) -> str:
    """Adds a close or a use somewhere after a close or before it."""
    lines = text.splitlines()
    closes = [index for index, line in enumerate(lines) if _CLOSE.fullmatch(line)]
    for index in sorted(rng.sample(closes, min(len(closes), rng.choice([0, 0, 1, 1, 2]))), reverse=True):
        close = lines[index].strip()
        name = close.rpartition(".")[0]
        extra = rng.choice([close, close, f"{name}.read()", f"{name}.write(b'x')"])
        at = min(len(lines) - 1, max(index, index + rng.choice([0, 1, 1, 1, 2])))
        indent = len(lines[at]) - len(lines[at].lstrip())
        lines.insert(at, " " * indent + extra)
    return "\n".join(lines)


def smaller_owners(source: str) -> Iterator[str]:
    """Yields ``source`` with a part less. The classes stay as they are, or go."""
    classes = [ast.unparse(node) for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    for candidate in deletions(source):
        left = [ast.unparse(node) for node in ast.parse(candidate).body if isinstance(node, ast.ClassDef)]
        if set(left) <= set(classes):
            yield candidate
