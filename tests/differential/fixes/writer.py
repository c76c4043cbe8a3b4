"""Writes modules for the test of fixes: variables that may hold nothing, or the number of somebody else.

A function has a few variables. Each gets a number of its own on one path, and on others None, a borrowed number, or
nothing at all. Some paths close it, some give it to somebody who keeps it. So most functions leak on some path, and a
close that a fix adds is right on some paths only.
"""

from __future__ import annotations

import ast
import re
from random import Random

from ..class_program import generate_class
from ..mutate import mutate
from ..pieces import handler
from ..program import generate, is_sound
from ..scope import Lines, Scope, block
from .handing import handed

_IMPORTS = """\
import contextlib
import os
import socket
import subprocess
import tempfile
import threading
from contextlib import ExitStack, contextmanager, suppress

from helpers import Owner, adopt, cond, keep, use, work

HELD = []
"""
_PARAMETERS = (
    *("a", "b", "c", "n", "items", "out", "seen", "registry", "obj", "target", "queue", "loop", "src", "path"),
    *("given", "sock", "command"),
)
_HELPERS = {
    "opened": "def opened(path):\n    return os.open(path, os.O_RDONLY)",
    "shut": "def shut(fd):\n    os.close(fd)",
    "perhaps": "def perhaps(fd, a):\n    if a:\n        os.close(fd)",
    "both": "def both():\n    r, w = os.pipe()\n    return r, w",
    "store": "def store(fd):\n    HELD.append(fd)",
    "look": "def look(fd):\n    return os.fstat(fd)",
    "Guard": "class Guard:\n    def __init__(self, fd):\n        self.fd = fd\n    def __enter__(self):\n"
    "        return self\n    def __exit__(self, *error):\n        os.close(self.fd)",
    "Box": "class Box:\n    def __init__(self, fd):\n        self.fd = fd\n    def close(self):\n"
    "        os.close(self.fd)",
    "closed_after": "@contextmanager\ndef closed_after(fd):\n    try:\n        yield fd\n    finally:\n"
    "        os.close(fd)",
}
_VARIABLES = ("fd", "r", "w", "log")
_MAX_LINES = 45


def generate_fixable(seed: int) -> str:
    """Returns a module. The same seed gives the same one."""
    rng = Random(seed)
    match rng.choices(["own", "lifetimes", "class"], [17, 2, 1])[0]:
        case "lifetimes":
            return generate(seed)
        case "class":
            return generate_class(seed)
    while True:
        text = _module(rng)
        for _ in range(rng.choices([0, 1], [4, 1])[0]):
            text = mutate(text, rng)
        if is_sound(text) and text.count("\n") <= _MAX_LINES:
            return text


def _module(rng: Random) -> str:
    scope = Scope(rng, lambda _: [], budget=rng.choice([1, 2, 3, 5, 8]))
    scope.open = list(_VARIABLES[: rng.choice([1, 1, 1, 1, 2, 3])])
    lines = _begin(scope) + _some(scope, 0) + _end(scope)
    tree = ast.parse("\n".join(block("def run():", lines)))
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    function = block(f"def run({', '.join(name for name in _PARAMETERS if name in used)}):", lines)
    if scope.chance(0.1):
        function = block("class Service:", function)
        function[1] = function[1].replace("(", "(self, ").replace(", )", ")")
    text = "\n".join(function)
    helpers = [code for name, code in _HELPERS.items() if re.search(rf"\b{name}\b", text)]
    return ast.unparse(ast.parse("\n".join([_IMPORTS, *helpers, text])))


def _begin(scope: Scope) -> Lines:
    lines: Lines = []
    for name in scope.open:
        lines += scope.weighted({_sure: 5, _perhaps: 4, _nothing: 2})(scope, name)
    return lines


def _sure(scope: Scope, name: str) -> Lines:
    """A number of its own."""
    return [f"{name} = {_acquire(scope)}"]


def _nothing(scope: Scope, name: str) -> Lines:
    """Nothing yet."""
    return [f"{name} = {scope.pick(['None', 'None', '-1'])}"] if scope.chance(0.6) else []


def _perhaps(scope: Scope, name: str) -> Lines:
    """A number of its own on one path."""
    gets = [f"{name} = {_acquire(scope)}"]
    other = [f"{name} = {_borrow(scope)}"]
    match scope.weighted({"before": 3, "else": 3, "unbound": 2, "handler": 1, "expression": 1, "loop": 1, "given": 1}):
        case "before":
            return [*other, *block(f"if {_condition(scope)}:", gets)]
        case "else":
            branches = [gets, other] if scope.chance(0.5) else [other, gets]
            return block(f"if {_condition(scope)}:", branches[0]) + block("else:", branches[1])
        case "unbound":
            return block(f"if {_condition(scope)}:", gets)
        case "handler":
            return block("try:", gets) + block(handler(scope), other)
        case "expression":
            return [f"{name} = {_acquire(scope)} if {_condition(scope)} else {_borrow(scope)}"]
        case "loop":
            return [*other, *block("for item in items:", gets)]
        case _:
            return [f"{name} = given", *block("if given is None:", gets)]


def _acquire(scope: Scope) -> str:
    options = {
        "os.open(path, os.O_RDONLY)": 6, "os.dup(src)": 2, "os.memfd_create('m')": 1, "opened(path)": 1,
        "tempfile.mkstemp()[0]": 1,
    }  # fmt: skip
    return scope.weighted(options)


def _borrow(scope: Scope) -> str:
    return scope.weighted({"None": 5, "target.fileno()": 4, "-1": 2, "given": 2, "src": 1, "obj.fileno()": 1})


def _condition(scope: Scope) -> str:
    return scope.weighted({"a": 5, "b": 3, "cond()": 5, "not a": 1, "n > 3": 1})


def _end(scope: Scope) -> Lines:
    lines: Lines = []
    for name in scope.open:
        if scope.chance(0.35):
            lines += _close(scope, name)
    if scope.chance(0.3):
        name = scope.pick(scope.open)
        lines.append(scope.pick([f"return {name}", f"return ({name}, 1)", "return None", "return work()"]))
    return lines


def _some(scope: Scope, depth: int, least: int = 1) -> Lines:
    lines: Lines = []
    for _ in range(least + scope.pick([0, 1, 1, 2])):
        scope.budget -= 1
        lines += _statement(scope, depth if scope.budget > 0 else 9)
    return lines


def _statement(scope: Scope, depth: int) -> Lines:
    if depth < 3 and scope.chance(0.45):
        return _compound(scope, depth)
    name = scope.pick(scope.open)
    ways = {
        "drop": 1,
        "use": 6,
        "close": 3,
        "hand": 4,
        "leave": 4,
        "get": 2,
        "work": 2,
        "alias": 1,
        "pair": 1,
        "with": 1,
    }
    match scope.weighted(ways):
        case "use":
            return [_use(scope, name)]
        case "close":
            return _close(scope, name)
        case "hand":
            given = handed(scope, name)
            return given if scope.chance(0.3) else block(f"if {_condition(scope)}:", given)
        case "leave":
            return block(f"if {_condition(scope)}:", [_leave(scope, name)])
        case "get":
            return _sure(scope, name) if scope.chance(0.5) else block(f"if {name} is None:", _sure(scope, name))
        case "alias":
            return _alias(scope, name)
        case "pair":
            return _pair(scope)
        case "with":
            return _with(scope, name)
        case "drop":
            return [scope.pick([f"{name} = None", f"del {name}", f"{name} = {_borrow(scope)}"])]
        case _:
            return [scope.pick(["work()", "use(obj)", "print(a)"])]


def _use(scope: Scope, name: str) -> str:
    return scope.weighted(
        {
            f"use({name})": 5, f"os.write({name}, b'x')": 3, f"os.fstat({name})": 3, f"look({name})": 1,
            f"os.set_blocking({name}, False)": 1, f"print({name})": 1, f"obj.attend({name})": 1,
            f"{name} is not None and use({name})": 1, f"subprocess.Popen(command, pass_fds=[{name}])": 1,
            f"socket.send_fds(sock, [b'x'], [{name}])": 1,
        }
    )  # fmt: skip


def _close(scope: Scope, name: str) -> Lines:
    close = f"os.close({name})"
    match scope.weighted({"plain": 8, "none": 3, "truth": 1, "minus": 1, "try": 2, "shut": 1, "perhaps": 1, "file": 1}):
        case "none":
            return block(f"if {name} is not None:", [close], [f"{name} = None"] if scope.chance(0.3) else [])
        case "truth":
            return block(f"if {name}:", [close])
        case "minus":
            return block(f"if {name} >= 0:", [close])
        case "try":
            return block("try:", [close]) + block("except OSError:", ["pass"])
        case "shut":
            return [f"shut({name})"]
        case "perhaps":
            return [f"perhaps({name}, {scope.pick(['a', 'b'])})"]
        case "file":
            return [f"os.fdopen({name}).close()"]
        case _:
            return [close]


def _leave(scope: Scope, name: str) -> str:
    options = {"return None": 5, "raise ValueError('bad')": 2, f"return {name}": 2, f"return [{name}]": 1}
    if scope.loops and not scope.finals:
        options |= {"break": 4, "continue": 3}
    return scope.weighted(options)


def _alias(scope: Scope, name: str) -> Lines:
    other = scope.pick(["same", *scope.open])
    match scope.pick(["close", "bind", "both"]):
        case "close":
            return [f"same = {name}", "os.close(same)"]
        case "bind":
            return [f"{other} = {name}"]
        case _:
            return [f"{name}, {other} = ({other}, {name})"] if other in scope.open else [f"same = {name}", "use(same)"]


def _pair(scope: Scope) -> Lines:
    names = scope.open if len(scope.open) > 1 else [*scope.open, "end"]
    gets = scope.pick(["os.pipe()", "both()", "os.openpty()"])
    lines = [f"{names[0]}, {names[1]} = {gets}"]
    return [*lines, f"os.close({scope.pick(names[:2])})"] if scope.chance(0.5) else lines


def _with(scope: Scope, name: str) -> Lines:
    head = scope.weighted(
        {
            f"with os.fdopen({name}) as stream:": 3, f"with Guard({name}):": 1, f"with closed_after({name}):": 1,
            "with ExitStack() as stack:": 2,
        }
    )  # fmt: skip
    first = scope.pick([f"stack.callback(os.close, {name})", f"stack.callback(shut, {name})"])
    return block(head, [first] if "stack" in head else ["work()"], [_use(scope, name)] if scope.chance(0.4) else [])


def _compound(scope: Scope, depth: int) -> Lines:
    def some(scope: Scope) -> Lines:
        return _some(scope, depth + 1)

    match scope.weighted({"if": 5, "for": 2, "twice": 1, "while": 1, "except": 4, "finally": 3, "suppress": 1}):
        case "if":
            lines = block(f"if {_condition(scope)}:", some(scope))
            return lines + block("else:", some(scope)) if scope.chance(0.3) else lines
        case "for":
            return block("for item in items:", scope.within_loop(some))
        case "twice":
            return block("for _ in range(2):", scope.within_loop(some))
        case "while":
            return block("while cond():", scope.within_loop(some))
        case "except":
            again = ["raise"] if scope.chance(0.4) else []
            lines = block("try:", some(scope)) + block(handler(scope), some(scope), again)
            return lines + block("else:", some(scope)) if scope.chance(0.2) else lines
        case "finally":
            lines = block("try:", some(scope))
            scope.finals += 1
            lines += block("finally:", _close(scope, scope.pick(scope.open)) if scope.chance(0.6) else some(scope))
            scope.finals -= 1
            return lines
        case _:
            return block("with suppress(OSError):", some(scope))
