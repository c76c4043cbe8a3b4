"""The bodies of callees, over the parameters ``given``, ``first``, ``bag`` …

Most do correctly what their role requires; mutations add the errors.
"""

from __future__ import annotations

import enum
from collections.abc import Callable

from .pieces import acquire, body, busy, handler, release, use
from .scope import Lines, Scope, block


class Role(enum.Enum):
    """The role of a callee, from which a caller can be written."""

    CLOSE = "closes it"
    CLOSE_IF_ANY = "closes it, if it is not None"
    SETTLE = "closes it, unless told to keep it"
    USE = "looks at it"
    SAME = "returns it"
    MOVE = "returns another in its place"
    BOTH = "closes two"
    ALL = "closes a list"
    FILL = "fills a list"
    GIVE = "returns one"
    MAYBE = "returns one or None"
    PAIR = "returns two"
    NAMED = "returns one and a name"
    RECEIVE = "returns what came in"


PARAMETERS_OF: dict[Role, tuple[str, ...]] = {
    **dict.fromkeys((Role.CLOSE, Role.CLOSE_IF_ANY, Role.SETTLE, Role.USE, Role.SAME, Role.MOVE), ("given",)),
    Role.BOTH: ("first", "second"),
    **dict.fromkeys((Role.ALL, Role.FILL), ("bag",)),
}


def close(scope: Scope) -> Lines:
    """Closes or hands over, in one of several ways."""
    held = scope.holding(["given"], body)
    closes = ["os.close(given)"]
    match scope.weighted({"plain": 5, "finally": 4, "release": 3, "after": 2, "error": 2, "quiet": 3, "early": 2}):
        case "plain":
            return [*held, *closes]
        case "finally":
            return [*block("try:", scope.holding(["given"], busy)), *block("finally:", closes)]
        case "release":
            return [*held, *release(scope, "given")]
        case "after":
            return [*closes, *busy(scope)]
        case "error":
            lines = block("try:", scope.holding(["given"], busy)) + block(handler(scope), closes, ["raise"])
            return lines + (closes if scope.chance(0.7) else [])
        case "quiet":
            if scope.chance(0.5):
                return block("with suppress(OSError):", closes)
            return [*block("try:", held, closes), *block("except OSError:", ["pass"])]
        case _:
            leave = scope.pick(["return False", "return None", "raise ValueError('bad')"])
            early = block(f"if {scope.condition()}:", closes if scope.chance(0.7) else [], [leave])
            return [*early, *closes, "return True"]


def close_if_any(scope: Scope) -> Lines:
    """Closes the descriptor if there is one."""
    closes = ["os.close(given)"]
    match scope.pick(["test", "return", "sign", "finally"]):
        case "test":
            return block("if given is not None:", closes)
        case "return":
            return [*block("if given is None:", ["return"]), *scope.holding(["given"], body), *closes]
        case "sign":
            test = scope.pick(["given >= 0", "given != -1", "given > -1"])
            return block(f"if given is not None and {test}:", closes)
        case _:
            return [*block("try:", busy(scope)), *block("finally:", block("if given is not None:", closes))]


def settle(scope: Scope) -> Lines:
    """Closes or not, as an argument demands."""
    held, closes = scope.holding(["given"], body), ["os.close(given)"]
    match scope.pick(["not", "return", "finally", "else"]):
        case "not":
            return [*held, *block("if not keep:", closes)]
        case "return":
            return [*block("if keep:", ["return None"]), *held, *closes]
        case "finally":
            return [*block("try:", busy(scope)), *block("finally:", block("if not keep:", closes))]
        case _:
            return [*block("if keep:", release(scope, "given")), *block("else:", closes)]


def look(scope: Scope) -> Lines:
    """Only uses it."""
    match scope.weighted({"body": 4, "calm": 3, "check": 2, "swallow": 2, "result": 2}):
        case "body":
            return [use(scope, "given"), *scope.holding(["given"], body)]
        case "calm":
            return [scope.pick(["print(given)", "os.set_blocking(given, False)", "pass"])]
        case "check":
            return block(f"if {scope.condition()}:", [scope.pick(["raise ValueError('bad')", "raise OSError('bad')"])])
        case "swallow":
            return [*block("try:", [use(scope, "given")]), *block(handler(scope), ["pass"])]
        case _:
            return [scope.pick(["return os.fstat(given)", "return use(given)", "return None"])]


def same(scope: Scope) -> Lines:
    """Returns its parameter, if nothing prevents it."""
    held = scope.holding(["given"], body)
    match scope.pick(["plain", "plain", "closing", "list"]):
        case "closing":
            lines = block("try:", scope.holding(["given"], busy))
            return [*lines, *block("except:", ["os.close(given)", "raise"]), "return given"]
        case "list":
            return ["kept = [given]", *held, "return kept[0]"]
        case _:
            return [*held, "return given"]


def move(scope: Scope) -> Lines:
    """Returns another descriptor in place of its parameter."""
    match scope.pick(["finally", "plain", "copy"]):
        case "finally":
            return [*block("try:", ["return os.dup(given)"]), *block("finally:", ["os.close(given)"])]
        case "plain":
            return ["moved = os.dup(given)", "os.close(given)", *scope.holding(["moved"], body), "return moved"]
        case _:
            return [*body(scope), "return os.dup(given)"]


def both(scope: Scope) -> Lines:
    """Closes one of two, or both."""
    closes = ["os.close(first)", "os.close(second)"]
    held = scope.holding(["first", "second"], body)
    match scope.pick(["both", "loop", "one", "one", "finally"]):
        case "both":
            return [*held, *closes]
        case "loop":
            return [*held, *block("for end in (first, second):", ["os.close(end)"])]
        case "one":
            return [*held, scope.pick(closes)]
        case _:
            return [*block("try:", held, closes[:1]), *block("finally:", closes[1:])]


def close_all(scope: Scope) -> Lines:
    """Closes all in a list."""
    match scope.pick(["for", "for", "while", "first"]):
        case "for":
            return [*body(scope), *block("for item in bag:", ["os.close(item)"])]
        case "while":
            return block("while bag:", ["os.close(bag.pop())"])
        case _:
            return ["os.close(bag[0])", *body(scope)]


def fill(scope: Scope) -> Lines:
    """Puts one into the caller's list."""
    fd = scope.name()
    return [f"{fd} = {acquire(scope)}", *body(scope), f"bag.append({fd})"]


def give(scope: Scope) -> Lines:
    """Returns a new descriptor."""
    fd = scope.name()
    opens = f"{fd} = {acquire(scope)}"
    match scope.weighted({"direct": 5, "bound": 3, "guarded": 4, "fallback": 1, "checked": 2, "retry": 1, "disarm": 1}):
        case "direct":
            return [f"return {acquire(scope)}"]
        case "bound":
            return [opens, *scope.holding([fd], body), f"return {fd}"]
        case "guarded":
            lines = [opens, *block("try:", scope.holding([fd], busy))]
            return [*lines, *block("except:", [f"os.close({fd})", "raise"]), f"return {fd}"]
        case "fallback":
            other = block("except OSError:", ["return os.open('/dev/null', os.O_RDWR)"])
            return [*block("try:", [f"return {acquire(scope)}"]), *other]
        case "checked":
            closes = [f"os.close({fd})"] if scope.chance(0.7) else []
            return [opens, *block(f"if {scope.condition()}:", closes, ["raise ValueError('bad')"]), f"return {fd}"]
        case "retry":
            attempt = [*block("try:", [f"return {acquire(scope)}"]), *block("except OSError:", ["pass"])]
            return block("while True:", attempt)
        case _:
            lines = [opens, *block("try:", scope.holding([fd], busy), [f"result, {fd} = {fd}, None"])]
            return [*lines, *block("finally:", block(f"if {fd} is not None:", [f"os.close({fd})"])), "return result"]


def maybe(scope: Scope) -> Lines:
    """Returns a new descriptor, or None."""
    match scope.pick(["except", "test", "expression"]):
        case "except":
            return [*block("try:", [f"return {acquire(scope)}"]), *block("except OSError:", ["return None"])]
        case "test":
            return [*block(f"if {scope.condition()}:", [f"return {acquire(scope)}"]), "return None"]
        case _:
            return [f"return {acquire(scope)} if {scope.condition()} else None"]


def pair(scope: Scope) -> Lines:
    """Returns two."""
    r, w = scope.name(), scope.name()
    opens = [f"{r}, {w} = os.pipe()"]
    if scope.chance(0.3):
        opens = [f"{r} = {acquire(scope)}", f"{w} = {acquire(scope)}"]
    match scope.pick(["direct", "plain", "guarded"]):
        case "direct":
            return ["return os.pipe()"]
        case "plain":
            return [*opens, *scope.holding([r, w], body), f"return {r}, {w}"]
        case _:
            lines = [*opens, *block("try:", scope.holding([r, w], busy))]
            return [*lines, *block("except:", [f"os.close({r})", f"os.close({w})", "raise"]), f"return {r}, {w}"]


def named(scope: Scope) -> Lines:
    """Returns one and a name."""
    fd = scope.name()
    if scope.chance(0.4):
        return ["return tempfile.mkstemp()"]
    return [f"{fd} = {acquire(scope)}", *scope.holding([fd], body), f"return {fd}, 'name'"]


def receive(scope: Scope) -> Lines:
    """Returns a received descriptor."""
    if scope.chance(0.5):
        return ["return socket.recv_fds(sock, 100, 4)"]
    return ["data, fds, flags, peer = socket.recv_fds(sock, 100, 4)", *body(scope), "return data, fds, flags, peer"]


BODIES: dict[Role, tuple[int, Callable[[Scope], Lines]]] = {
    Role.CLOSE: (8, close),
    Role.CLOSE_IF_ANY: (3, close_if_any),
    Role.SETTLE: (4, settle),
    Role.USE: (5, look),
    Role.SAME: (2, same),
    Role.MOVE: (2, move),
    Role.BOTH: (2, both),
    Role.ALL: (2, close_all),
    Role.FILL: (1, fill),
    Role.GIVE: (7, give),
    Role.MAYBE: (2, maybe),
    Role.PAIR: (3, pair),
    Role.NAMED: (1, named),
    Role.RECEIVE: (1, receive),
}
"""Role -> weight, and the writer of the body."""
