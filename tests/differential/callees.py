"""The functions that a generated function calls, and that call each other."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from .callee_bodies import BODIES, PARAMETERS_OF, Role
from .delegate import delegate
from .mutate import mutate
from .scope import PARAMETERS, Lines, Scope, block

FLAGS = frozenset("abc")
LEVELS = 3


@dataclass(frozen=True, slots=True)
class Callee:
    """A function of the module. ``owner``: the class whose static method it is, or ``self``, or None.

    ``extras``: its other parameters, whose names its callers use too.
    """

    name: str
    role: Role
    owner: str | None
    extras: tuple[str, ...]
    lines: Lines
    level: int = 0  # the depth of its calls
    nested: bool = False

    def call(self, rng: Random, *given: str) -> str:
        """Returns a call of it with these arguments."""
        names = PARAMETERS_OF.get(self.role, ())
        keyed = rng.random() < 0.12
        words = [f"{name}={value}" if keyed else value for name, value in zip(names, given, strict=True)]
        words += [_extra(rng, name, keyed or rng.random() < 0.3) for name in self.extras]
        words.sort(key=lambda word: "=" in word)
        if self.role is Role.SETTLE:
            words += rng.choice([[], [], ["keep=True"], ["keep=False"], ["keep=a"]])
        return f"{self.owner + '.' if self.owner else ''}{self.name}({', '.join(words)})"


def _extra(rng: Random, name: str, keyed: bool) -> str:
    value = name
    if name in FLAGS and rng.random() < 0.5:
        value = rng.choice(["True", "False"])
    return f"{name}={value}" if keyed else value


def callees(rng: Random, *, method: bool) -> list[Callee]:
    """Returns a few functions. Those of a level call those of the levels below."""
    found: list[Callee] = []
    for level in range(rng.choice([1, 2, LEVELS, LEVELS])):
        below = list(found)
        for _ in range(rng.choice([1, 1, 2])):
            found.append(_callee(rng, level, f"{level}{len(found)}", below, method=method))
    return found


def _callee(rng: Random, level: int, number: str, below: Sequence[Callee], *, method: bool) -> Callee:
    weights = {role: weight for role, (weight, _) in BODIES.items()}
    for one in below:  # each level passes on what the level below does
        weights[one.role] += 8 if one.level == level - 1 else 2
    role = rng.choices(list(weights), list(weights.values()))[0]
    owner = rng.choices(["self", "Tools", None], [3, 0, 1] if method else [0, 1, 4])[0]
    if owner is None and any(one.owner == "self" for one in below):
        owner = "self"
    while True:
        lines, extras = _body(rng, role, below)
        nested = owner is None and rng.random() < 0.15 and not any(one.nested for one in below)
        name = f"{role.name.lower()}{number}"
        passes_on = any(f"{one.name}(" in line for one in below for line in lines)
        if _is_sound(lines, extras) and (passes_on or not below or rng.random() < 0.15):
            return Callee(name, role, owner, extras, _definition(name, role, owner, extras, lines), level, nested)


def _body(rng: Random, role: Role, below: Sequence[Callee]) -> tuple[Lines, tuple[str, ...]]:
    """Returns the statements, and the usual parameters that they use."""
    scope = Scope(rng, _nothing, budget=rng.choice([1, 2, 4]))
    text = "\n".join(block("def callee():", BODIES[role][1](scope)))
    text = delegate(text, [one for one in below if not one.nested], rng, 0.8)
    for _ in range(rng.choices([0, 1, 2], [6, 2, 1])[0]):
        text = mutate(text, rng)
    names = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    return text.splitlines()[1:], tuple(name for name in PARAMETERS if name in names)


def _nothing(scope: Scope) -> Lines:
    """Replaces a lifetime inside another: a callee stays small."""
    return ["work()"]


def _is_sound(lines: Lines, extras: Sequence[str]) -> bool:
    text = "\n".join(["def callee():", *lines])
    try:
        compile(text, "<callee>", "exec")
    except SyntaxError:
        return False
    nodes = list(ast.walk(ast.parse(text)))
    bound = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    asserts = any(isinstance(node, ast.Assert | ast.Lambda) for node in nodes)  # it would exclude a caller
    statements = nodes[1].body if isinstance(nodes[1], ast.FunctionDef) else []
    if any(isinstance(node, ast.Raise) for node in statements):  # it never returns: all code after a call of it is dead
        return False
    return len(lines) <= 16 and not bound & {*extras, "keep"} and not asserts


def _definition(name: str, role: Role, owner: str | None, extras: Sequence[str], lines: Lines) -> Lines:
    words = [*(["self"] if owner == "self" else []), *PARAMETERS_OF.get(role, ()), *extras]
    if role is Role.SETTLE:
        words.append("keep=False")
    head = f"def {name}({', '.join(words)}):"
    return [*(["@staticmethod"] if owner == "Tools" else []), head, *lines]
