"""The small pieces: acquire, use, release, leave, and bodies of these."""

from __future__ import annotations

from .scope import Lines, Scope, block


def acquire(scope: Scope) -> str:
    """Returns an expression whose value is one new descriptor."""
    options = {
        "os.open(path, os.O_RDONLY)": 6,
        "os.open('/dev/null', os.O_RDWR)": 2,
        "os.dup(src)": 4,
        "os.memfd_create('m')": 1,
    }
    if scope.open:
        options[f"os.dup({scope.pick(scope.open)})"] = 3
    return scope.weighted(options)


def use(scope: Scope, name: str) -> str:
    """Returns a statement that reads the descriptor; half of these can raise."""
    return scope.weighted(
        {
            f"use({name})": 5,
            f"os.write({name}, b'x')": 3,
            f"os.read({name}, 1)": 2,
            f"os.fstat({name})": 1,
            f"print({name})": 2,
            f"os.set_blocking({name}, False)": 2,
            f"obj.attend({name})": 1,
            f"a and use({name})": 1,
            f"use({name}) if b else print({name})": 1,
        }
    )


def release(scope: Scope, name: str) -> Lines:
    """Returns statements that end the ownership without leaving the function."""
    ways = {"close": 14, "with": 2, "fdopen": 1, "store": 2, "append": 1, "key": 1, "adopt": 1, "owner": 1}
    match scope.weighted(ways):
        case "close":
            return [f"os.close({name})"]
        case "with":
            return block(f"with os.fdopen({name}, 'rb') as stream:", ["stream.read()"])
        case "fdopen":
            return [f"stream = os.fdopen({name})"]
        case "store":
            return [f"obj.fd = {name}"]
        case "append":
            return [f"out.append({name})"]
        case "key":
            return [f"registry['k'] = {name}"]
        case "adopt":
            return [f"adopt({name})"]
        case _:
            return [f"owner = Owner({name})"]


def finish(scope: Scope, name: str) -> Lines:
    """Returns the last statement about a descriptor: a release or a return."""
    if scope.loops == 0 and scope.finals == 0 and scope.chance(0.2):
        ways = {f"return {name}": 6, f"return ({name}, 1)": 1, f"return [{name}]": 1}
        return [scope.weighted(ways | {f"return {name} if {scope.condition()} else None": 1})]
    return release(scope, name)


def leave(scope: Scope) -> str:
    """Returns a statement that leaves the loop, the iteration or the function."""
    options = {"return None": 5, "raise ValueError('bad')": 2, "raise OSError('bad')": 1, "return work()": 1}
    if scope.loops and not scope.finals:
        options |= {"break": 3, "continue": 3}
    return scope.weighted(options)


def handler(scope: Scope) -> str:
    """The header of an exception handler."""
    return scope.weighted(
        {
            "except OSError:": 6,
            "except Exception:": 3,
            "except BaseException:": 2,
            "except:": 2,
            "except ValueError:": 2,
            "except (OSError, ValueError):": 1,
            "except FileNotFoundError:": 1,
        }
    )


def body(scope: Scope) -> Lines:
    """A few statements between two others."""
    lines: Lines = []
    for _ in range(scope.weighted({0: 3, 1: 6, 2: 3})):
        lines += statement(scope)
    return lines


def busy(scope: Scope) -> Lines:
    """Like ``body``, but never empty, and it can raise."""
    return body(scope) or [scope.pick(["work()", use(scope, scope.pick(scope.open))] if scope.open else ["work()"])]


def statement(scope: Scope) -> Lines:
    """Returns a statement without effect on ownership, or a whole lifetime inside another."""
    scope.budget -= 1
    if scope.budget < 0:
        return ["pass"] if scope.chance(0.2) else ["work()"]
    kind = scope.weighted({"use": 8, "work": 4, "if": 3, "guard": 3, "try": 2, "loop": 1, "lifetime": 3, "assert": 1})
    match kind:
        case "use":
            return [use(scope, scope.pick(scope.open))] if scope.open else ["work()"]
        case "if":
            lines = block(f"if {scope.condition()}:", body(scope))
            return lines + block("else:", body(scope)) if scope.chance(0.3) else lines
        case "guard":
            return _guard(scope)
        case "try":
            return _try(scope)
        case "loop":
            return _loop(scope)
        case "lifetime":
            return scope.lifetime(scope)
        case "assert":
            return [f"assert {scope.flag()}"]
        case _:
            return ["work()"]


def _guard(scope: Scope) -> Lines:
    """Returns an early exit, which usually loses the open descriptors."""
    closes = [f"os.close({name})" for name in scope.open] if scope.chance(0.75) else []
    return block(f"if {scope.condition()}:", closes, [leave(scope)])


def _try(scope: Scope) -> Lines:
    lines = block("try:", busy(scope))
    last = handler(scope)
    if "ValueError" not in last and scope.chance(0.5):
        lines += block("except ValueError:", _handled(scope))
    lines += block(last, _handled(scope))
    if scope.chance(0.2):
        lines += block("else:", body(scope))
    return lines + block("finally:", ["work()"]) if scope.chance(0.15) else lines


def _handled(scope: Scope) -> Lines:
    closes = [f"os.close({name})" for name in scope.open]
    match scope.weighted({"pass": 3, "again": 3, "leave": 2, "body": 1}):
        case "again":
            return (closes if scope.chance(0.7) else []) + ["raise"]
        case "leave":
            return (closes if scope.chance(0.7) else []) + [leave(scope)]
        case "body":
            return body(scope)
        case _:
            return ["pass"]


def _loop(scope: Scope) -> Lines:
    heads = ["while cond():", "for item in items:", "for _ in range(n):", "while True:"]
    head = scope.pick(heads)
    ends = block(f"if {scope.pick(['cond()', 'a'])}:", ["break"]) if head == "while True:" else []
    lines = block(head, scope.within_loop(body), ends or ["work()"])
    return lines + block("else:", ["work()"]) if scope.chance(0.15) else lines
