"""Functions without a plan: random statements over a few variables that hold a descriptor or None."""

from __future__ import annotations

from .pieces import acquire, handler, leave, release, use
from .scope import Lines, Scope, block

VARIABLES = ("x", "y", "z")


def soup(scope: Scope) -> Lines:
    """Some variables set to None, a few random statements, and perhaps a guarded close of each variable."""
    names = VARIABLES[: scope.pick([1, 2, 2, 3])]
    lines = [f"{name} = None" for name in names]
    inner = _statements(scope, names, scope.pick([2, 3, 4]), 0)
    closes = [line for name in names if scope.chance(0.8) for line in _close(name)]
    if scope.chance(0.5):
        return [*lines, *block("try:", inner), *block("finally:", closes)]
    return lines + inner + closes


def _close(name: str) -> Lines:
    return block(f"if {name} is not None:", [f"os.close({name})"])


def _statements(scope: Scope, names: tuple[str, ...], count: int, depth: int) -> Lines:
    lines: Lines = []
    for _ in range(count):
        scope.budget -= 1
        lines += _statement(scope, names, depth if scope.budget > 0 else 9)
    return lines


def _statement(scope: Scope, names: tuple[str, ...], depth: int) -> Lines:
    name, other = scope.pick(names), scope.pick(names)
    if depth < 3 and scope.chance(0.4):
        return _compound(scope, names, depth)
    options = {"open": 5, "close": 4, "use": 3, "work": 2, "none": 1, "move": 2, "swap": 1, "leave": 1, "release": 1}
    match scope.weighted(options):
        case "open":
            guard = block(f"if {name} is None:", [f"{name} = {acquire(scope)}"])
            return guard if scope.chance(0.6) else [f"{name} = {acquire(scope)}"]
        case "close":
            return block(f"if {name} is not None:", [f"os.close({name})", f"{name} = None"])
        case "use":
            return block(f"if {name} is not None:", [use(scope, name)])
        case "none":
            return [f"{name} = None"]
        case "move":
            return block(f"if {other} is None:", [f"{other} = {name}"])
        case "swap":
            return [f"{name}, {other} = ({other}, {name})"] if name != other else ["work()"]
        case "leave":
            return block(f"if {scope.condition()}:", [leave(scope)])
        case "release":
            return block(f"if {name} is not None:", release(scope, name), [f"{name} = None"])
        case _:
            return ["work()"]


def _compound(scope: Scope, names: tuple[str, ...], depth: int) -> Lines:
    def some(scope: Scope) -> Lines:
        return _statements(scope, names, scope.pick([1, 2, 2, 3]), depth + 1)

    match scope.weighted({"if": 5, "while": 2, "for": 2, "except": 4, "finally": 2, "suppress": 1, "match": 1}):
        case "if":
            lines = block(f"if {scope.condition()}:", some(scope))
            return lines + block("else:", some(scope)) if scope.chance(0.4) else lines
        case "while":
            lines = block("while cond():", scope.within_loop(some))
            return lines + block("else:", some(scope)) if scope.chance(0.3) else lines
        case "for":
            head = scope.pick(["for item in items:", "for _ in range(n):"])
            return block(head, scope.within_loop(some))
        case "except":
            again = ["raise"] if scope.chance(0.3) else []
            lines = block("try:", some(scope)) + block(handler(scope), some(scope), again)
            return lines + block("else:", some(scope)) if scope.chance(0.3) else lines
        case "finally":
            lines = block("try:", some(scope))
            scope.finals += 1
            lines += block("finally:", some(scope))
            scope.finals -= 1
            return lines
        case "suppress":
            return block("with suppress(OSError):", some(scope))
        case _:
            return block("match kind:", block("case 'x':", some(scope)), block("case 'y' | 'z':", some(scope)))
