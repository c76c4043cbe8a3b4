"""Lifetimes of objects that own descriptors. ``os.dup(src)`` stands for a new object, ``os.close`` for its closing
method."""

from __future__ import annotations

from collections.abc import Callable

from .lifetimes import ONE
from .many import MANY, temporary
from .pieces import acquire, body, busy, finish, release
from .scope import Lines, Scope, block


def managed(scope: Scope) -> Lines:
    """In a ``with``."""
    fd = scope.name()
    inner = scope.holding([fd], body)
    match scope.pick(["at once", "at once", "later", "stack"]):
        case "at once":
            return block(f"with {acquire(scope)} as {fd}:", inner or ["work()"])
        case "later":
            return [f"{fd} = {acquire(scope)}", *body(scope), *block(f"with {fd}:", inner or ["work()"])]
        case _:
            enter = [f"{fd} = stack.enter_context({acquire(scope)})"]
            return block("with ExitStack() as stack:", body(scope), enter, inner)


def held(scope: Scope) -> Lines:
    """In an attribute of a local object."""
    fd, holder = scope.name(), scope.name()
    place = f"{holder}.part"
    lines = [f"{holder} = Plain()", f"{place} = {acquire(scope)}"]
    if scope.chance(0.3):
        lines = [f"{holder} = Plain()", f"{fd} = {acquire(scope)}", f"{place} = {fd}"]
    match scope.pick(["finally", "plain", "alias", "lost"]):
        case "finally":
            return [*lines, *block("try:", scope.holding([place], busy)), *block("finally:", [f"os.close({place})"])]
        case "plain":
            return [*lines, *scope.holding([place], body), f"os.close({place})"]
        case "alias":
            return [*lines, f"{fd} = {place}", *scope.holding([fd], body), *finish(scope, fd)]
        case _:
            return [*lines, *scope.holding([place], body)]


def wrapped(scope: Scope) -> Lines:
    """Closed, used or returned by a function of the module."""
    fd = scope.name()
    lines = [f"{fd} = {acquire(scope)}", *scope.holding([fd], body)]
    match scope.pick(["end", "end", "look", "same"]):
        case "end":
            return [*lines, f"end({fd})"]
        case "look":
            return [*lines, f"look({fd})", *release(scope, fd)]
        case _:
            other = scope.name()
            return [*lines, f"{other} = same({fd})", *finish(scope, other)]


def checked(scope: Scope) -> Lines:
    """Closed by a handler for everything."""
    fd = scope.name()
    lines = [f"{fd} = {acquire(scope)}", *block("try:", scope.holding([fd], busy))]
    lines += block("except BaseException:", [f"os.close({fd})", "raise"])
    return lines + finish(scope, fd)


OWNED: dict[Callable[[Scope], Lines], int] = {
    **{one: weight for one, weight in (ONE | MANY).items() if one is not temporary},
    managed: 8,
    held: 4,
    wrapped: 6,
    checked: 2,
}


def owned_life(scope: Scope) -> Lines:
    """Any lifetime of an object."""
    return scope.weighted(OWNED)(scope)
