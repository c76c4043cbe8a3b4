"""Lifetimes of several descriptors: pairs, lists, loops."""

from __future__ import annotations

from collections.abc import Callable

from .pieces import acquire, body, busy, leave, release, use
from .scope import Lines, Scope, block


def pipe(scope: Scope) -> Lines:
    """Both ends bound, and both let go somehow."""
    r, w = scope.name(), scope.name()
    opens = f"{r}, {w} = {scope.pick(['os.pipe()', 'os.pipe()', 'os.openpty()'])}"
    match scope.pick(["plain", "finally", "nested", "loop", "return", "half"]):
        case "plain":
            return [opens, *scope.holding([r, w], body), *release(scope, r), *release(scope, w)]
        case "finally":
            return [
                opens,
                *block("try:", scope.holding([r, w], busy)),
                *block("finally:", [f"os.close({r})", f"os.close({w})"]),
            ]
        case "nested":
            inner = [*block("try:", scope.holding([r, w], busy)), *block("finally:", [f"os.close({w})"])]
            return [opens, *block("try:", inner), *block("finally:", [f"os.close({r})"])]
        case "loop":
            close = block(f"for end in ({r}, {w}):", ["os.close(end)"])
            return [opens, *block("try:", scope.holding([r, w], busy)), *block("finally:", close)]
        case "return":
            lines = [opens, *block("try:", scope.holding([r, w], busy))]
            lines += block("except:", [f"os.close({r})", f"os.close({w})", "raise"])
            return lines + ([f"return {r}, {w}"] if not scope.loops else [f"out.append(({r}, {w}))"])
        case _:
            lines = [opens, f"os.close({w})", *block("try:", scope.holding([r], busy))]
            return lines + block("finally:", [f"os.close({r})"])


def whole(scope: Scope) -> Lines:
    """A pair kept whole and indexed."""
    pair = scope.name()
    opens = f"{pair} = os.pipe()"
    match scope.pick(["index", "loop", "unpack", "return"]):
        case "index":
            return [opens, *body(scope), f"os.close({pair}[0])", *body(scope), f"os.close({pair}[1])"]
        case "loop":
            close = block(f"for end in {pair}:", ["os.close(end)"])
            return [opens, *block("try:", busy(scope)), *block("finally:", close)]
        case "unpack":
            r, w = scope.name(), scope.name()
            return [opens, f"{r}, {w} = {pair}", *scope.holding([r, w], body), f"os.close({r})", f"os.close({w})"]
        case _:
            return [opens, *(["out.extend(" + pair + ")"] if scope.loops else [f"return {pair}"])]


def temporary(scope: Scope) -> Lines:
    """``mkstemp``."""
    fd = scope.name()
    if scope.chance(0.2):
        pair = scope.name()
        return [f"{pair} = tempfile.mkstemp()", *body(scope), f"os.close({pair}[0])", f"use({pair}[1])"]
    first = [f"{fd}, name = tempfile.mkstemp()"]
    if scope.chance(0.5):
        return [*first, *block("try:", scope.holding([fd], busy)), *block("finally:", [f"os.close({fd})"])]
    return [*first, *release(scope, fd), *body(scope), "use(name)"]


def each_round(scope: Scope) -> Lines:
    """Opened and closed in each round of a loop."""
    fd = scope.name()
    head = scope.pick(["while cond():", "for item in items:", "for _ in range(n):", "while True:"])

    def rounds(scope: Scope) -> Lines:
        opens = f"{fd} = {acquire(scope)}"
        inner = scope.holding([fd], busy)
        if scope.chance(0.5):
            return [opens, *block("try:", inner), *block("finally:", [f"os.close({fd})"])]
        return [opens, *inner, *release(scope, fd)]

    ends = block(f"if {scope.pick(['cond()', 'cond()', 'a'])}:", ["break"]) if head == "while True:" else []
    return block(head, scope.within_loop(rounds), ends)


def accumulated(scope: Scope) -> Lines:
    """Gathered in a list, closed by a loop."""
    fds, fd = f"{scope.name()}s", scope.name()
    opens = [f"{fds}.append({acquire(scope)})"]
    if scope.chance(0.4):
        between = [use(scope, fd)] if scope.chance(0.3) else []
        opens = [f"{fd} = {acquire(scope)}", *between, f"{fds}.append({fd})"]
    fill = block(scope.pick(["for item in items:", "while cond():", "for _ in range(n):"]), opens)
    close = block(f"for {fd} in {fds}:", [f"os.close({fd})"])
    if scope.chance(0.25):
        close = block(f"while {fds}:", [f"os.close({fds}.pop())"])
    match scope.weighted({"finally": 4, "plain": 2, "handler": 2, "comprehension": 2}):
        case "finally":
            return [f"{fds} = []", *block("try:", fill, body(scope)), *block("finally:", close)]
        case "plain":
            return [f"{fds} = []", *fill, *body(scope), *close]
        case "handler":
            end = [f"return {fds}"] if not scope.loops else [f"obj.fds = {fds}"]
            return [f"{fds} = []", *block("try:", fill), *block("except:", close, ["raise"]), *end]
        case _:
            source = scope.pick(["items", "range(n)"])
            lines = [f"{fds} = [{acquire(scope)} for item in {source}]"]
            return [*lines, *block("try:", busy(scope)), *block("finally:", close)]


def listed(scope: Scope) -> Lines:
    """A list or tuple of a few, built at once or one by one."""
    one, two = scope.name(), scope.name()
    opens = [f"{one} = {acquire(scope)}", f"{two} = {acquire(scope)}"]
    if scope.chance(0.3):
        opens = [f"{one}, {two} = ({acquire(scope)}, os.dup(src))"]
    fds = f"{one}s"
    opens.append(scope.pick([f"{fds} = [{one}, {two}]", f"{fds} = ({one}, {two})"]))
    match scope.pick(["loop", "listing", "return"]):
        case "loop":
            return [*opens, *body(scope), *block(f"for item in {fds}:", ["os.close(item)"])]
        case "listing":
            return [*opens, *body(scope), f"[os.close(item) for item in {fds}]"]
        case _:
            return [*opens, *([f"return {fds}"] if not scope.loops else [f"out.extend({fds})"])]


def mapped(scope: Scope) -> Lines:
    """Kept in a dict."""
    held, one, two = f"{scope.name()}_by_name", scope.name(), scope.name()
    opens = [f"{one}, {two} = os.pipe()", f"{held} = {{'r': {one}, 'w': {two}}}"]
    if scope.chance(0.4):
        opens = [f"{held} = {{}}", f"{held}['r'] = {acquire(scope)}"]
        if scope.chance(0.5):
            opens.append(f"{held}['w'] = {acquire(scope)}")
    close = block(f"for item in {held}.values():", ["os.close(item)"])
    if scope.chance(0.5):
        return [*opens, *block("try:", body(scope)), *block("finally:", close)]
    return [*opens, *body(scope), *close]


def retry(scope: Scope) -> Lines:
    """Tried until it works."""
    fd = scope.name()
    attempt = block("try:", [f"{fd} = {acquire(scope)}"]) + block("except OSError:", ["continue"])
    check = block(f"if {scope.pick(['cond()', 'a'])}:", ["break"])
    loop = block(scope.pick(["while True:", "while cond():"]), attempt, check, [f"os.close({fd})"])
    if loop[0] == "while True:":
        return [*loop, *scope.holding([fd], body), *release(scope, fd)]
    lines = [*loop, *block("else:", ["return None"])]
    return [*lines, *scope.holding([fd], body), *release(scope, fd)]


def search(scope: Scope) -> Lines:
    """``for … else``: the first that opens."""
    fd = scope.name()
    attempt = block("try:", [f"{fd} = os.open(item, os.O_RDONLY)"])
    attempt += block("except OSError:", ["continue"])
    if scope.chance(0.5):
        attempt += block(f"if not {scope.pick(['cond()', 'a'])}:", [f"os.close({fd})", "continue"])
    lines = block("for item in items:", attempt, ["break"])
    lines += block("else:", [scope.pick(["return None", "raise ValueError('bad')", f"{fd} = os.dup(src)"])])
    return [*lines, *scope.holding([fd], body), *release(scope, fd)]


def previous(scope: Scope) -> Lines:
    """Each round closes the last round's."""
    fd = scope.name()

    def rounds(scope: Scope) -> Lines:
        close = block(f"if {fd} is not None:", [f"os.close({fd})"] + ([f"{fd} = None"] if scope.chance(0.7) else []))
        return [*close, f"{fd} = {acquire(scope)}", *scope.holding([fd], body)]

    head = scope.pick(["while cond():", "for item in items:", "for _ in range(n):"])
    end = block(f"if {fd} is not None:", [f"os.close({fd})"])
    loop = block(head, scope.within_loop(rounds))
    if scope.chance(0.5):
        return [f"{fd} = None", *block("try:", loop), *block("finally:", end)]
    return [f"{fd} = None", *loop, *end]


def while_open(scope: Scope) -> Lines:
    """A loop whose condition is that there is a descriptor."""
    fd = scope.name()
    work = [use(scope, fd)] if scope.chance(0.5) else []
    close = [f"os.close({fd})", f"{fd} = None"]
    inner = [*work, *(block("if cond():", close) if scope.chance(0.5) else close)]
    if scope.chance(0.2):
        inner.append(leave(scope))
    return [f"{fd} = {acquire(scope)}", *block(f"while {fd} is not None:", inner)]


MANY: dict[Callable[[Scope], Lines], int] = {
    pipe: 5,
    whole: 2,
    temporary: 2,
    each_round: 3,
    accumulated: 4,
    listed: 2,
    mapped: 1,
    retry: 2,
    search: 2,
    previous: 2,
    while_open: 1,
}
