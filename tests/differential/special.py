"""Lifetimes with a process, a peer or a registry, and lifetimes that are wrong from the start."""

from __future__ import annotations

from collections.abc import Callable

from .pieces import acquire, body, busy, release
from .scope import Lines, Scope, block


def sent(scope: Scope) -> Lines:
    """Sent to a peer; the sender closes its copy later."""
    fd = scope.name()
    opens = f"{fd} = {acquire(scope)}"
    send = f"socket.send_fds(sock, [b'x'], [{fd}])"
    match scope.weighted({"finally": 3, "after": 2, "handler": 1, "kept": 2}):
        case "finally":
            return [opens, *block("try:", body(scope), [send]), *block("finally:", [f"os.close({fd})"])]
        case "after":
            return [opens, *body(scope), send, *body(scope), *release(scope, fd)]
        case "handler":
            lines = [opens, *block("try:", [send])]
            return lines + block("except OSError:", [f"os.close({fd})", "raise"]) + [f"os.close({fd})"]
        case _:
            return [opens, send, *body(scope)]


def spawned(scope: Scope) -> Lines:
    """Given to a child; the parent closes its copy."""
    r, w = scope.name(), scope.name()
    stream = scope.pick(["stdin", "stdout"])
    ours, theirs = (w, r) if stream == "stdin" else (r, w)
    start = f"child = subprocess.Popen(command, {stream}={theirs})"
    wait = ["child.wait()"] if scope.chance(0.6) else []
    if scope.chance(0.3):
        opens = [f"{theirs} = {acquire(scope)}"]
        close = [f"os.close({theirs})"] if scope.chance(0.7) else []
        return [*opens, *block("try:", [start]), *block("finally:", close), *wait]
    opens = [f"{r}, {w} = os.pipe()"]
    close = [f"os.close({theirs})"] if scope.chance(0.7) else []
    if scope.chance(0.4):
        return [*opens, start, *close, *wait, *release(scope, ours)]
    inner = [*block("try:", [start]), *block("finally:", close), *wait]
    return [*opens, *block("try:", inner), *block("finally:", [f"os.close({ours})"])]


def received(scope: Scope) -> Lines:
    """Received from a peer: none, one or several."""
    fds = f"{scope.name()}s"
    opens = f"data, {fds}, flags, peer = socket.recv_fds(sock, 100, 4)"
    close = block(f"for item in {fds}:", ["os.close(item)"])
    match scope.weighted({"finally": 3, "plain": 2, "return": 2, "first": 2, "check": 3, "keep": 1, "dropped": 1}):
        case "finally":
            return [opens, *block("try:", busy(scope)), *block("finally:", close)]
        case "plain":
            return [opens, *body(scope), *close]
        case "return":
            return [opens, *([f"return {fds}"] if not scope.loops else [f"out.extend({fds})"])]
        case "first":
            return [opens, f"first = {fds}[0]", *body(scope), "os.close(first)"]
        case "check":
            closes = close if scope.chance(0.6) else []
            exit_ = scope.pick(["raise ValueError('bad')", "return None"])
            return [opens, *block(f"if {scope.pick(['cond()', 'a', f'not {fds}'])}:", closes, [exit_]), *close]
        case "keep":
            return [opens, f"obj.fds = {fds}"]
        case _:
            return [opens, "use(data)"]


def registered(scope: Scope) -> Lines:
    """Closed by an ``ExitStack``."""
    fd = scope.name()
    opens = f"{fd} = {acquire(scope)}"
    match scope.weighted({"callback": 4, "lambda": 2, "closure": 3, "loop": 2, "pop": 1}):
        case "callback":
            inner = [opens, f"stack.callback(os.close, {fd})", *scope.holding([fd], body)]
        case "lambda":
            inner = [opens, f"stack.callback(lambda: os.close({fd}))", *body(scope)]
        case "closure":
            closer = block("def closer():", [f"os.close({fd})"])
            inner = [opens, *closer, "stack.callback(closer)", *body(scope)]
        case "loop":
            head = scope.pick(["for item in items:", "while cond():"])
            inner = [*block(head, [opens, f"stack.callback(os.close, {fd})"]), *body(scope)]
        case _:
            end = ["stack.pop_all()", *([f"return {fd}"] if not scope.loops else [])]
            inner = [opens, f"stack.callback(os.close, {fd})", *body(scope), *end]
    return block("with ExitStack() as stack:", inner)


def nested(scope: Scope) -> Lines:
    """Acquired inside the expression that takes it over."""
    call = acquire(scope)
    match scope.pick(["fdopen", "with", "owner", "append", "store", "return", "pair"]):
        case "fdopen":
            return [f"stream = os.fdopen({call})"]
        case "with":
            return block(f"with os.fdopen({call}) as stream:", ["stream.read()"], body(scope))
        case "owner":
            return [f"owner = Owner({call})"]
        case "append":
            return [f"out.append({call})"]
        case "store":
            return [f"obj.fd = {call}"]
        case "pair":
            return ["obj.pair = os.pipe()"]
        case _:
            return [f"return {call}"] if not scope.loops else [f"registry['k'] = {call}"]


def wrong(scope: Scope) -> Lines:
    """Discarded, overwritten, deleted or forgotten, without a correction."""
    fd, other = scope.name(), scope.name()
    opens = f"{fd} = {acquire(scope)}"
    match scope.pick(["statement", "argument", "_", "name", "rebound", "deleted", "forgotten", "condition", "popped"]):
        case "statement":
            return [acquire(scope)]
        case "argument":
            return [f"use({acquire(scope)})"]
        case "_":
            return [f"_, {fd} = os.pipe()", *body(scope), f"os.close({fd})"]
        case "name":
            return ["_, name = tempfile.mkstemp()", "use(name)"]
        case "rebound":
            return [opens, *body(scope), f"{fd} = {scope.pick(['None', acquire(scope)])}", *body(scope)]
        case "deleted":
            return [opens, *body(scope), f"del {fd}"]
        case "forgotten":
            return [opens, *scope.holding([fd], body)]
        case "popped":
            drop = f"{other}.{scope.pick(['pop', 'clear'])}()"
            return [opens, f"{other} = [{fd}]", f"{fd} = None", *body(scope), drop]
        case _:
            return [opens, *block(f"if {scope.condition()}:", release(scope, fd)), *body(scope)]


SPECIAL: dict[Callable[[Scope], Lines], int] = {
    sent: 5,
    spawned: 4,
    received: 5,
    registered: 3,
    nested: 2,
    wrong: 7,
}
