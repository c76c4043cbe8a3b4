"""Generates a random module as source text. The same seed gives the same module."""

from __future__ import annotations

import ast
from random import Random

from .callees import Callee, callees
from .delegate import delegate
from .lifetimes import lifetime
from .mutate import mutate
from .pieces import body
from .scope import PARAMETERS, Lines, Scope, block
from .soup import soup

IMPORTS = """\
import os
import socket
import subprocess
import tempfile
from contextlib import ExitStack, suppress

from helpers import Owner, adopt, cond, use, work
"""


def generate_calls(seed: int) -> str:
    """Returns a module with one function, and others that it calls and that call each other."""
    rng = Random(seed)
    while True:
        method = rng.random() < 0.25
        others = callees(rng, method=method)
        text = module_of(_lines(rng), method=False)
        text = delegate(text, others, rng, rng.choice([0.4, 0.7, 1.0]))
        for _ in range(rng.choices([0, 1, 2, 3], [5, 3, 2, 1])[0]):
            text = mutate(text, rng)
        if not is_sound(text) or not any(f"{one.name}(" in text for one in others):
            continue
        text = _with_callees(parametrised(text), others, method=method)
        if text.count("\n") <= 110:
            return text


def _with_callees(text: str, others: list[Callee], *, method: bool) -> str:
    """Returns the function in ``text`` among the others."""
    head, _, function = text.partition("def run(")
    lines = f"def run({'self, ' if method else ''}{function}".splitlines()
    nested = [line for one in others if one.nested for line in one.lines]
    lines[1:1] = ["    " + line for line in nested]
    parts = [head.rstrip()]
    static = [line for one in others if one.owner == "Tools" for line in one.lines]
    methods = [line for one in others if one.owner == "self" for line in one.lines]
    parts += ["\n".join(one.lines) for one in others if one.owner is None and not one.nested]
    parts += ["\n".join(block("class Tools:", static))] if static else []
    parts.append("\n".join(block("class Service:", methods, lines) if method else lines))
    return ast.unparse(ast.parse("\n\n".join(parts)))


def generate(seed: int) -> str:
    """A module with one function in it."""
    rng = Random(seed)
    while True:
        text = module_of(_lines(rng), method=rng.random() < 0.2)
        for _ in range(rng.choices([0, 1, 2, 3], [4, 3, 2, 1])[0]):
            text = mutate(text, rng)
        if is_sound(text):
            return parametrised(text)


def _lines(rng: Random) -> Lines:
    scope = Scope(rng, lifetime, budget=rng.choice([4, 7, 10, 14]))
    if scope.chance(0.25):
        return soup(scope)
    lines: Lines = []
    for _ in range(scope.weighted({1: 6, 2: 3, 3: 1})):
        lines += lifetime(scope) if scope.chance(0.75) else body(scope) + lifetime(scope)
    if scope.chance(0.08):
        return block("for item in items:", scope.within_loop(lambda _: lines))
    return lines


def module_of(lines: Lines, *, method: bool) -> str:
    """Returns the text of a module with one function."""
    function = block("def run():", lines)
    text = "\n".join(block("class Service:", function) if method else function)
    return ast.unparse(ast.parse(IMPORTS + "\n\n" + text))


def parametrised(text: str) -> str:
    """Adds the parameters that the function uses."""
    tree = ast.parse(text)
    function = next(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    method = any(isinstance(node, ast.ClassDef) for node in tree.body)
    parameters = [*(["self"] if method else []), *(name for name in PARAMETERS if name in names)]
    function.args.args = [ast.arg(name) for name in parameters]
    return ast.unparse(tree)


def is_sound(text: str) -> bool:
    """Whether ``text`` compiles, is small, and is clear about the captures of nested functions."""
    try:
        tree = ast.parse(text)
        compile(text, "<generated>", "exec")
    except SyntaxError:
        return False
    function = next(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    captured: set[str] = set()
    nodes = list(ast.walk(function))
    for node in nodes[1:]:
        if isinstance(node, ast.Lambda | ast.FunctionDef):
            captured |= {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
    bound = [node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)]
    rebinds = any(bound.count(name) > 1 for name in captured)
    in_loop = captured and any(isinstance(node, ast.For | ast.While) for node in nodes)
    parameters_kept = not set(bound) & set(PARAMETERS)
    return parameters_kept and not rebinds and not in_loop and text.count("\n") <= 50
