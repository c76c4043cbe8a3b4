"""Whole lifetimes of one descriptor, as in real code. Most are correct until a mutation."""

from __future__ import annotations

from collections.abc import Callable

from .many import MANY
from .pieces import acquire, body, busy, finish, handler, leave, release, use
from .scope import Lines, Scope, block
from .special import SPECIAL


def plain(scope: Scope) -> Lines:
    """Open, use, close."""
    fd = scope.name()
    return [f"{fd} = {acquire(scope)}", *scope.holding([fd], body), *finish(scope, fd)]


def at_once(scope: Scope) -> Lines:
    """Only the existence matters, or the next statement takes it over."""
    fd = scope.name()
    return [f"{fd} = {acquire(scope)}", *release(scope, fd)]


def with_finally(scope: Scope) -> Lines:
    """``try … finally: close``."""
    fd = scope.name()
    return [
        f"{fd} = {acquire(scope)}",
        *block("try:", scope.holding([fd], busy)),
        *block("finally:", [f"os.close({fd})"]),
    ]


def with_handler(scope: Scope) -> Lines:
    """Closed by a handler that raises again, otherwise released."""
    fd = scope.name()
    head = scope.weighted({"except:": 2, "except BaseException:": 3, "except Exception:": 2, "except OSError:": 2})
    lines = [f"{fd} = {acquire(scope)}", *block("try:", scope.holding([fd], busy))]
    lines += block(head, [f"os.close({fd})", scope.pick(["raise", "raise", leave(scope)])])
    if scope.chance(0.3):
        return lines + block("else:", release(scope, fd))
    return lines + finish(scope, fd)


def sentinel(scope: Scope) -> Lines:
    """``None`` or ``-1`` before the try, tested in the finally."""
    fd = scope.name()
    none = scope.pick(["None", "-1"])
    tests = {"None": [f"{fd} is not None", fd], "-1": [f"{fd} != -1", f"{fd} >= 0", f"{fd} > -1"]}
    test = scope.pick(tests[none])
    get = [f"{fd} = {acquire(scope)}", *scope.holding([fd], body)]
    if scope.chance(0.4):
        get = block(f"if {scope.condition()}:", get)
    close = block(f"if {test}:", [f"os.close({fd})"])
    if scope.chance(0.15) and none == "None":
        close = [f"{fd} is not None and os.close({fd})"]
    return [f"{fd} = {none}", *block("try:", get, body(scope)), *block("finally:", close)]


def guarded(scope: Scope) -> Lines:
    """Opened under a condition, closed under the same one or by its traces."""
    fd, flag = scope.name(), scope.flag()
    match scope.pick(["same", "flag", "none", "expression"]):
        case "same":
            opens = block(f"if {flag}:", [f"{fd} = {acquire(scope)}"])
            test = flag
        case "flag":
            opens = ["opened = False", *block(f"if {flag}:", [f"{fd} = {acquire(scope)}", "opened = True"])]
            test = "opened"
        case "none":
            opens = [f"{fd} = None", *block(f"if {scope.condition()}:", [f"{fd} = {acquire(scope)}"])]
            test = f"{fd} is not None"
        case _:
            opens = [f"{fd} = {acquire(scope)} if {scope.condition()} else None"]
            test = f"{fd} is not None"
    between = body(scope)
    close = block(f"if {test}:", release(scope, fd))
    if scope.chance(0.4):
        return [*opens, *block("try:", between), *block("finally:", close)]
    return opens + between + close


def default(scope: Scope) -> Lines:
    """An optional parameter, replaced by a descriptor of its own."""
    fd = scope.name()
    opens = [f"{fd} = opt", *block("if opt is None:", [f"{fd} = {acquire(scope)}"])]
    close = block("if opt is None:", [f"os.close({fd})"])
    return [*opens, *block("try:", busy(scope)), *block("finally:", close)]


def branches(scope: Scope) -> Lines:
    """Released in each branch."""
    fd = scope.name()
    lines = [f"{fd} = {acquire(scope)}", *scope.holding([fd], body)]
    if scope.chance(0.4):
        cases = [block(f"case {value!r}:", release(scope, fd)) for value in ("x", "y")]
        last = block("case _:", release(scope, fd))
        return lines + block("match kind:", *cases, last)
    lines += block(f"if {scope.condition()}:", release(scope, fd))
    if scope.chance(0.5):
        lines += block(f"elif {scope.condition()}:", release(scope, fd))
    return lines + block("else:", release(scope, fd))


def walrus(scope: Scope) -> Lines:
    """Bound in the condition."""
    fd = scope.name()
    return [
        *block(f"if ({fd} := {acquire(scope)}) {scope.pick(['>= 0', '> -1', '!= -1'])}:", scope.holding([fd], body)),
        f"os.close({fd})",
    ]


def alias(scope: Scope) -> Lines:
    """Closed under another name."""
    fd, other = scope.name(), scope.name()
    match scope.pick(["copy", "chain", "swap", "move"]):
        case "copy":
            opens = [f"{fd} = {acquire(scope)}", f"{other} = {fd}"]
        case "chain":
            opens = [f"{other} = {fd} = {acquire(scope)}"]
        case "swap":
            opens = [f"{fd} = {acquire(scope)}", f"{other} = None", f"{fd}, {other} = {other}, {fd}"]
        case _:
            opens = [f"{fd} = {acquire(scope)}", f"{other}, {fd} = {fd}, -1"]
    return [*opens, *body(scope), *finish(scope, other)]


def disarm(scope: Scope) -> Lines:
    """A finally that closes unless the function succeeded."""
    fd, result = scope.name(), scope.name()
    opens = f"{fd} = {acquire(scope)}"
    if scope.chance(0.5):
        lines = [opens, "done = False"]
        lines += block("try:", scope.holding([fd], busy), ["done = True"])
        lines += block("finally:", block("if not done:", [f"os.close({fd})"]))
        return lines + finish(scope, fd)
    lines = [opens, *block("try:", scope.holding([fd], busy), [f"{result} = {fd}", f"{fd} = None"])]
    lines += block("finally:", block(f"if {fd} is not None:", [f"os.close({fd})"]))
    return lines + finish(scope, result)


def replaced(scope: Scope) -> Lines:
    """Moved to another number."""
    fd, moved = scope.name(), scope.name()
    lines = [f"{fd} = {acquire(scope)}"]
    lines += block("try:", [f"{moved} = os.dup({fd})"])
    lines += block("finally:", [f"os.close({fd})"])
    return [*lines, *scope.holding([moved], body), *finish(scope, moved)]


def fallback(scope: Scope) -> Lines:
    """Acquired in a try, and again, or not at all, in its handler."""
    fd = scope.name()
    lines = block("try:", [f"{fd} = {acquire(scope)}"])
    other = scope.pick([f"{fd} = os.open('/dev/null', os.O_RDWR)", f"{fd} = None", "return None"])
    lines += block("except OSError:", [other])
    close = [f"os.close({fd})"]
    if other.endswith("= None"):
        close = block(f"if {fd} is not None:", close)
    if scope.chance(0.5):
        return [*lines, *block("try:", scope.holding([], busy)), *block("finally:", close)]
    return [*lines, *body(scope), *close]


def suppressed(scope: Scope) -> Lines:
    """``with suppress(…)`` around a part."""
    fd = scope.name()
    kind = scope.pick(["OSError", "OSError", "Exception"])
    inside = block(f"with suppress({kind}):", scope.holding([fd], busy))
    return [f"{fd} = {acquire(scope)}", *inside, *finish(scope, fd)]


def fails(scope: Scope) -> Lines:
    """A handler that continues with an open descriptor."""
    fd = scope.name()
    lines = [f"{fd} = {acquire(scope)}", *block("try:", [use(scope, fd)])]
    lines += block(handler(scope), [f"os.close({fd})", leave(scope)])
    return lines + finish(scope, fd)


ONE: dict[Callable[[Scope], Lines], int] = {
    plain: 4,
    at_once: 1,
    with_finally: 4,
    with_handler: 4,
    sentinel: 4,
    guarded: 4,
    default: 1,
    branches: 2,
    walrus: 1,
    alias: 2,
    disarm: 3,
    replaced: 1,
    fallback: 2,
    suppressed: 1,
    fails: 2,
}


def lifetime(scope: Scope) -> Lines:
    """Any lifetime."""
    return scope.weighted(ONE | MANY | SPECIAL)(scope)
