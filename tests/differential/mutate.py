"""Small changes that turn correct functions into wrong ones."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from .scope import PARAMETERS
from .shape import EXCEPTIONS


@dataclass(frozen=True, slots=True)
class Spot:
    """A place between or at statements: ``body[index]``, and whether that is inside a loop of the function."""

    body: list[ast.stmt]
    index: int
    loops: bool
    final: bool


def mutate(source: str, rng: Random) -> str:
    """``source`` with one random change."""
    tree = ast.parse(source)
    spot = rng.choice(_spots(_function(tree).body, loops=False, final=False))
    change = rng.choices(
        [_drop, _swap, _insert, _wrap, _repeat, _hoist, _retype, _release_elsewhere], [5, 2, 5, 4, 1, 2, 1, 2]
    )[0]
    change(spot, rng)
    _fill(tree)
    return ast.unparse(ast.fix_missing_locations(tree))


def deletions(source: str) -> Iterator[str]:
    """Yields ``source`` with one function or one statement deleted, or with a compound statement replaced by one of its
    bodies, where that compiles."""
    yield from filter(_compiles, _deletions(source))


def _compiles(source: str) -> bool:
    try:
        compile(source, "<candidate>", "exec")
    except SyntaxError:
        return False
    return True


def _deletions(source: str) -> Iterator[str]:
    tree = ast.parse(source)
    for index, node in enumerate(tree.body):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield ast.unparse(ast.Module(tree.body[:index] + tree.body[index + 1 :], []))
    for index in range(len(_all_spots(tree))):
        for body in range(-1, 5):
            tree = ast.parse(source)
            spot = _all_spots(tree)[index]
            bodies = [inner for inner, _, _ in _bodies(spot.body[spot.index], False, False)]
            if body >= len(bodies):
                break
            spot.body[spot.index : spot.index + 1] = bodies[body] if body >= 0 else []
            _fill(tree)
            yield ast.unparse(ast.fix_missing_locations(tree))


def _function(tree: ast.Module) -> ast.FunctionDef:
    return next(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def _all_spots(tree: ast.Module) -> list[Spot]:
    """Returns the spots of all functions; a method is a statement of its class."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            found += _spots(node.body, loops=False, final=False)
        if isinstance(node, ast.ClassDef):
            found += [Spot(node.body, index, False, False) for index in range(len(node.body))]
    return found


def _spots(body: list[ast.stmt], *, loops: bool, final: bool) -> list[Spot]:
    found: list[Spot] = []
    for index, node in enumerate(body):
        found.append(Spot(body, index, loops, final))
        for inner, in_loop, in_final in _bodies(node, loops, final):
            found += _spots(inner, loops=in_loop, final=in_final)
    return found


def _bodies(node: ast.stmt, loops: bool, final: bool) -> list[tuple[list[ast.stmt], bool, bool]]:
    match node:
        case ast.For() | ast.While():
            return [(node.body, True, final), (node.orelse, loops, final)]
        case ast.If():
            return [(node.body, loops, final), (node.orelse, loops, final)]
        case ast.With():
            return [(node.body, loops, final)]
        case ast.Try():
            bodies = [node.body, node.orelse, *(handler.body for handler in node.handlers)]
            return [*((body, loops, final) for body in bodies), (node.finalbody, False, True)]
        case ast.Match():
            return [(case.body, loops, final) for case in node.cases]
        case _:
            return []


def _fill(tree: ast.Module) -> None:
    """Puts a ``pass`` into an empty body."""
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt | ast.excepthandler | ast.match_case):
            body = getattr(node, "body", None)
            if body == []:
                body.append(ast.Pass())
        if isinstance(node, ast.Try) and not node.handlers and not node.finalbody:
            node.finalbody.append(ast.Pass())


def _drop(spot: Spot, rng: Random) -> None:
    del spot.body[spot.index]


def _swap(spot: Spot, rng: Random) -> None:
    if spot.index + 1 < len(spot.body):
        at = spot.index
        spot.body[at], spot.body[at + 1] = spot.body[at + 1], spot.body[at]


def _repeat(spot: Spot, rng: Random) -> None:
    spot.body.insert(rng.randint(spot.index, len(spot.body)), copy.deepcopy(spot.body[spot.index]))


def _insert(spot: Spot, rng: Random) -> None:
    texts = ["work()", "work()", "return None"]
    texts += ["if a:\n return None", "if cond():\n return None", "if b:\n raise ValueError('bad')"]
    if spot.loops:
        texts += ["if cond():\n break", "if a:\n continue", "break", "continue"]
    nodes = list(ast.walk(spot.body[spot.index]))
    names = sorted({node.id for node in nodes if isinstance(node, ast.Name)} - _KNOWN)
    if names:
        name = rng.choice(names)
        texts += [f"{name} = None", f"del {name}", f"kept = {name}", f"os.close({name})", f"use({name})"]
    spot.body[spot.index : spot.index] = ast.parse(rng.choice(texts)).body


_KNOWN = {
    *PARAMETERS,
    *("work", "use", "cond", "adopt", "Owner", "print", "os", "subprocess", "socket", "tempfile"),
    *("self", "suppress", "ExitStack", "range", "stack", "item", "_", *EXCEPTIONS),
}


def _wrap(spot: Spot, rng: Random) -> None:
    """Puts one or two statements into a compound one."""
    end = min(len(spot.body), spot.index + rng.choice([1, 1, 2]))
    inside = spot.body[spot.index : end]
    heads = ["if a:", "if cond():", "if c:", "with suppress(OSError):", "for item in items:"]
    heads += ["while cond():", "for _ in range(n):"]
    tails = ["except OSError:\n pass", "except:\n raise", "except ValueError:\n work()"]
    tails += ["finally:\n work()", "except Exception:\n return None"]
    if rng.random() < 0.6:
        node = ast.parse(rng.choice(heads) + "\n pass").body[0]
    else:
        node = ast.parse("try:\n pass\n" + rng.choice(tails)).body[0]
    assert isinstance(node, ast.If | ast.With | ast.For | ast.While | ast.Try)
    node.body = inside
    spot.body[spot.index : end] = [node]


def _hoist(spot: Spot, rng: Random) -> None:
    """Replaces a compound statement by its contents."""
    bodies = [body for body, _, _ in _bodies(spot.body[spot.index], False, False) if body]
    if bodies:
        spot.body[spot.index : spot.index + 1] = rng.choice(bodies)


def _retype(spot: Spot, rng: Random) -> None:
    """Changes the caught exceptions."""
    node = spot.body[spot.index]
    if isinstance(node, ast.Try) and node.handlers:
        kind = rng.choice(["OSError", "ValueError", "Exception", "FileNotFoundError"])
        node.handlers[-1].type = ast.Name(kind, ast.Load())


def _release_elsewhere(spot: Spot, rng: Random) -> None:
    """Move a statement to the end of its body."""
    spot.body.append(spot.body.pop(spot.index))
