"""Writes random Go functions over raw descriptors and files. Most are correct until a mutation."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import tree_sitter
import tree_sitter_go

from ..scope import Lines, Scope

_PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_go.language()))
_HEAD = """package p

import (
	"errors"
	"fmt"
	"log"
	"os"

	"golang.org/x/sys/unix"
)
"""
_HELPERS = {
    "openIt": """func openIt(path string) (int, error) {
	fd, err := unix.Open(path, unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	if err := unix.Fchmod(fd, 0); err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}
""",
    "closeIt": """func closeIt(fd int) {
	if fd >= 0 {
		unix.Close(fd)
	}
}
""",
    "useIt": """func useIt(fd int) error {
	if err := unix.Fsync(fd); err != nil {
		return fmt.Errorf("sync")
	}
	return nil
}
""",
    "wrap": """func wrap(fd int) (*os.File, error) {
	f := os.NewFile(uintptr(fd), "x")
	if f == nil {
		unix.Close(fd)
		return nil, errors.New("bad")
	}
	return f, nil
}
""",
}
_TYPES = {
    "entry{": """type entry struct {
	fd   int
	path string
}
""",
    "newConn(": """type conn struct {
	fd   int
	path string
}

func newConn(path string) (*conn, error) {
	fd, err := unix.Open(path, unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return &conn{fd: fd, path: path}, nil
}

func (c *conn) sync() error {
	return unix.Fsync(c.fd)
}

func (c *conn) Close() error {
	return unix.Close(c.fd)
}
""",
    "look(": """func look(e *entry) error {
	return unix.Fsync(e.fd)
}
""",
    "ask(": """func ask(answer *int, cond func() bool) {
	if cond() {
		*answer = 5
	}
}
""",
}
_PARAMETERS = "a, b bool, n int, kind string, items []string, cond func() bool, ch chan int, sock int"
_MAX_LINES = 90


class GoScope(Scope):
    """The state while a Go function is written. ``fails``: the statement that leaves after a failure."""

    fails: str = "return err"

    def flag(self) -> str:
        """Returns a condition that always has the same result."""
        return self.weighted({"a": 6, "b": 4, "!a": 2, "n > 3": 2, "a && b": 1, "a || !b": 1})

    def condition(self) -> str:
        """Returns a condition, opaque or not."""
        return self.weighted({self.flag(): 6, "cond()": 4, "!cond()": 1, "cond() && a": 1})


def indented(head: str, *bodies: Lines, tail: str = "}") -> Lines:
    """Returns a compound statement."""
    return [head, *("\t" + line for body in bodies for line in body), tail]


def opens(scope: GoScope) -> str:
    """Returns an expression that acquires a raw descriptor."""
    calls = {'unix.Open("x", unix.O_CLOEXEC, 0)': 6, "unix.Dup(sock)": 2, "unix.Socket(1, 1, 0)": 2, 'openIt("x")': 3}
    return scope.weighted(calls)


def failed(scope: GoScope) -> Lines:
    """Returns the test of ``err``, which leaves the function."""
    return indented("if err != nil {", [scope.fails])


def use(scope: GoScope, fd: str) -> Lines:
    """Uses a descriptor; its failure does not leave."""
    return scope.pick(
        [
            [f"unix.Fsync({fd})"],
            [f"unix.Write({fd}, nil)"],
            [f"useIt({fd})"],
            indented(f"if {scope.condition()} {{", [f"unix.Fchmod({fd}, 0)"]),
        ]
    )


def attempt(scope: GoScope, fd: str, *cleanup: str) -> Lines:
    """Uses a descriptor; its failure leaves, after the cleanup."""
    call = scope.pick([f"unix.Fchmod({fd}, 0)", f"unix.Listen({fd}, 1)", f"useIt({fd})"])
    if scope.chance(0.7):
        return indented(f"if err := {call}; err != nil {{", [*cleanup, scope.fails])
    return indented(f"if _, err := unix.Read({fd}, nil); err != nil {{", [*cleanup, scope.fails])


def close(scope: GoScope, fd: str) -> Lines:
    """Closes a raw descriptor."""
    fails = tuple(indented(f"if err := unix.Close({fd}); err != nil {{", [scope.fails]))
    ways: dict[tuple[str, ...], int] = {
        (f"unix.Close({fd})",): 6,
        (f"closeIt({fd})",): 2,
        fails: 2,
        (f'os.NewFile(uintptr({fd}), "x").Close()',): 1,
        (f"defer unix.Close({fd})",): 0 if scope.loops else 1,
    }
    chosen = scope.weighted(ways)
    return list(chosen)


def acquired(scope: GoScope, fd: str) -> Lines:
    """Acquires, and leaves if that fails."""
    return [f"{fd}, err := {opens(scope)}", *failed(scope)]


def plain(scope: GoScope) -> Lines:
    """Open, use, close on each way out."""
    fd = scope.name()
    lines = acquired(scope, fd)
    for _ in range(scope.weighted({0: 1, 1: 3, 2: 1})):
        lines += attempt(scope, fd, f"unix.Close({fd})") if scope.chance(0.6) else use(scope, fd)
    return [*lines, *close(scope, fd)]


def deferred(scope: GoScope) -> Lines:
    """Open, ``defer close``, use."""
    fd = scope.name()
    literal = indented("defer func() {", [f"unix.Close({fd})"], tail="}()")
    closes = scope.pick([[f"defer unix.Close({fd})"], literal, [f"defer closeIt({fd})"]])
    return [*acquired(scope, fd), *closes, *attempt(scope, fd), *use(scope, fd)]


def only_if_opened(scope: GoScope) -> Lines:
    """The descriptor lives only in an ``if``."""
    fd = scope.name()
    return indented(f"if {fd}, err := {opens(scope)}; err == nil {{", use(scope, fd), close(scope, fd))


def sentinel(scope: GoScope) -> Lines:
    """``-1`` until it is opened under a condition."""
    fd = scope.name()
    other = f"{fd}2"
    gets = [f"{other}, err := {opens(scope)}", *failed(scope), f"{fd} = {other}"]
    lines = [f"{fd} := -1", *indented(f"if {scope.condition()} {{", gets)]
    if scope.chance(0.5):
        lines += use(scope, fd)
    test = scope.pick([f"{fd} >= 0", f"{fd} != -1"])
    return [*lines, *indented(f"if {test} {{", [f"unix.Close({fd})"])]


def flagged(scope: GoScope) -> Lines:
    """Opened and closed under the same condition."""
    fd, flag = scope.name(), scope.flag()
    gets = [f"{fd}, err = {opens(scope)}", *failed(scope)]
    lines = [f"var {fd} int", "var err error", *indented(f"if {flag} {{", gets)]
    closes = indented(f"if {flag} {{", [f"unix.Close({fd})"])
    if scope.chance(0.4):
        return indented("{", [*lines, *indented("defer func() {", closes, tail="}()"), *use(scope, "sock")])
    return indented("{", [*lines, *use(scope, "sock"), *closes])


def branches(scope: GoScope) -> Lines:
    """Closed in each branch, or in each case."""
    fd = scope.name()
    lines = acquired(scope, fd)
    if scope.chance(0.5):
        cases = [
            *indented('case "x", "y":', close(scope, fd), tail=""),
            *indented("default:", close(scope, fd), tail=""),
        ]
        return [*lines, "switch kind {", *(line for line in cases if line), "}"]
    first = indented(f"if {scope.condition()} {{", close(scope, fd), tail="} else {")
    return [*lines, *first, *("\t" + line for line in close(scope, fd)), "}"]


def falls_through(scope: GoScope) -> Lines:
    """A case that falls through to the one that closes."""
    fd = scope.name()
    cases = ['case "x":', *("\t" + line for line in use(scope, fd)), "\tfallthrough", "default:", f"\tunix.Close({fd})"]
    return [*acquired(scope, fd), "switch kind {", *cases, "}"]


def each_round(scope: GoScope) -> Lines:
    """Opened and closed in each round of a loop."""
    fd = scope.name()
    head = scope.pick(["for range items {", "for cond() {", "for i := 0; i < 2; i++ {", "for _, item := range items {"])
    scope.loops += 1
    skips = indented("if err != nil {", [scope.pick(["continue", "break", scope.fails])])
    body = [f"{fd}, err := {opens(scope)}", *skips, *attempt(scope, fd, f"unix.Close({fd})"), f"unix.Close({fd})"]
    if scope.chance(0.3):
        body[-1:] = [*indented(f"if {scope.condition()} {{", [f"unix.Close({fd})", "continue"]), f"unix.Close({fd})"]
    scope.loops -= 1
    if head.startswith("for range"):
        head = "for _, item := range items {"
    return indented(head, body)


def collected(scope: GoScope) -> Lines:
    """Collected in a slice, and closed one by one."""
    fds, fd = f"all{scope.name()}", scope.name()
    closes = indented(f"for _, one := range {fds} {{", ["unix.Close(one)"])
    gets = [f"{fd}, err := {opens(scope)}", *indented("if err != nil {", [*closes, scope.fails])]
    return [
        f"{fds} := []int{{}}",
        *indented("for _, item := range items {", [*gets, f"{fds} = append({fds}, {fd})"]),
        *closes,
    ]


def pair(scope: GoScope) -> Lines:
    """Both ends of a socket pair, or of a pipe of files."""
    if scope.chance(0.5):
        fds = scope.name()
        lines = [f"{fds}, err := unix.Socketpair(1, 1, 0)", *failed(scope)]
        lines += attempt(scope, f"{fds}[0]", f"unix.Close({fds}[0])", f"unix.Close({fds}[1])")
        return [*lines, f"unix.Close({fds}[0])", f"unix.Close({fds}[1])"]
    r, w = scope.name(), scope.name()
    lines = [f"{r}, {w}, err := os.Pipe()", *failed(scope), f"defer {r}.Close()"]
    return [*lines, *indented(f"if {scope.condition()} {{", [f"{w}.Close()", scope.fails]), f"{w}.Close()"]


def file(scope: GoScope) -> Lines:
    """An ``*os.File``."""
    f = scope.name()
    lines = [f'{f}, err := {scope.pick(["os.Open", "os.Create"])}("x")', *failed(scope)]
    tries = indented(f"if err := {f}.Sync(); err != nil {{", [f"{f}.Close()", scope.fails])
    if scope.chance(0.5):
        return [*lines, f"defer {f}.Close()", *indented(f"if err := {f}.Sync(); err != nil {{", [scope.fails])]
    return [*lines, *tries, f"unix.Fsync(int({f}.Fd()))", f"{f}.Close()"]


def wrapped(scope: GoScope) -> Lines:
    """A number that a file takes over."""
    fd, f = scope.name(), scope.name()
    lines = [*acquired(scope, fd), *attempt(scope, fd, f"unix.Close({fd})")]
    if scope.chance(0.4):
        return [*lines, f"{f}, err := wrap({fd})", *failed(scope), f"{f}.Close()"]
    return [*lines, f'{f} := os.NewFile(uintptr({fd}), "x")', f"defer {f}.Close()", *use(scope, "sock")]


def sent(scope: GoScope) -> Lines:
    """Sent, and closed whether or not that worked."""
    fd = scope.name()
    send = f"unix.Sendmsg(sock, nil, unix.UnixRights({fd}), nil, 0)"
    if scope.chance(0.5):
        return [
            *acquired(scope, fd),
            f"defer unix.Close({fd})",
            *indented(f"if err := {send}; err != nil {{", [scope.fails]),
        ]
    tries = indented(f"if err := {send}; err != nil {{", [f"unix.Close({fd})", scope.fails])
    return [*acquired(scope, fd), *tries, f"unix.Close({fd})"]


def given_away(scope: GoScope) -> Lines:
    """Given to a goroutine or a channel."""
    fd = scope.name()
    gives = scope.pick(
        [[f"ch <- {fd}"], [f"go closeIt({fd})"], indented("go func() {", [f"unix.Close({fd})"], tail="}()")]
    )
    return [*acquired(scope, fd), *attempt(scope, fd, f"unix.Close({fd})"), *gives]


def retried(scope: GoScope) -> Lines:
    """Tried until it works."""
    fd = scope.name()
    tries = [f"{fd}, err = {opens(scope)}", *indented("if err == nil {", ["break"])]
    lines = [f"{fd} := -1", "var err error", *indented("for i := 0; i < 2; i++ {", tries), *failed(scope)]
    return indented("{", [*lines, *use(scope, fd), *close(scope, fd)])


def cleaned_up(scope: GoScope) -> Lines:
    """A function literal that closes, called on each way out."""
    fd, cleanup = scope.name(), scope.name()
    lines = [*acquired(scope, fd), *indented(f"{cleanup} := func() {{", [f"unix.Close({fd})"])]
    return [*lines, *attempt(scope, fd, f"{cleanup}()"), f"{cleanup}()"]


def ended(scope: GoScope) -> Lines:
    """A failure ends the program."""
    fd = scope.name()
    ends = scope.pick(["os.Exit(1)", 'log.Fatal("no")', 'panic("no")'])
    return [*acquired(scope, fd), *indented(f"if {scope.condition()} {{", [ends]), *close(scope, fd)]


def alias(scope: GoScope) -> Lines:
    """Closed under another name."""
    fd, other = scope.name(), scope.name()
    return [
        *acquired(scope, fd),
        f"{other} := {fd}",
        *attempt(scope, fd, f"unix.Close({other})"),
        f"unix.Close({other})",
    ]


def replaced(scope: GoScope) -> Lines:
    """Closed, and opened again under the same name."""
    fd = scope.name()
    again = [f"{fd}, err = {opens(scope)}", *failed(scope)]
    return [*acquired(scope, fd), f"unix.Close({fd})", *again, *close(scope, fd)]


def named_in_struct(scope: GoScope) -> Lines:
    """A struct has the number, and nobody closes it by its type."""
    fd, entry, address = scope.name(), scope.name(), scope.pick(["", "&"])
    field, pointer = f"{entry}.fd", entry if address else f"&{entry}"
    lines = [*acquired(scope, fd), f'{entry} := {address}entry{{fd: {fd}, path: "x"}}']
    if scope.chance(0.4):
        lines += indented(f"if err := look({pointer}); err != nil {{", [f"unix.Close({field})", scope.fails])
    return [*lines, *attempt(scope, field, f"unix.Close({field})"), *close(scope, scope.pick([fd, field]))]


def owned_by_struct(scope: GoScope) -> Lines:
    """A struct with a method that closes."""
    conn = scope.name()
    lines = [f'{conn}, err := newConn("x")', *failed(scope)]
    tries = f"if err := {conn}.sync(); err != nil {{"
    if scope.chance(0.5):
        return [*lines, f"defer {conn}.Close()", *indented(tries, [scope.fails])]
    return [*lines, *indented(tries, [f"{conn}.Close()", scope.fails]), f"{conn}.Close()"]


def asked_by_pointer(scope: GoScope) -> Lines:
    """A function sets the variable that decides."""
    fd, answer = scope.name(), scope.name()
    lines = [f"var {answer} int", f"ask(&{answer}, cond)", *acquired(scope, fd)]
    return [*lines, *indented(f"if {answer} == 0 {{", [f"unix.Close({fd})", scope.fails]), *close(scope, fd)]


LIFETIMES: dict[Callable[[GoScope], Lines], int] = {
    plain: 5, deferred: 5, only_if_opened: 3, sentinel: 3, flagged: 3, branches: 3, falls_through: 1, each_round: 4,
    collected: 2, pair: 3, file: 3, wrapped: 3, sent: 2, given_away: 2, retried: 2, cleaned_up: 2, ended: 2, alias: 2,
    replaced: 2, named_in_struct: 3, owned_by_struct: 3, asked_by_pointer: 2,
}  # fmt: skip
"""The lifetimes of a descriptor, by weight."""


def returned(scope: GoScope) -> Lines:
    """The last lifetime of a function that returns its descriptor."""
    fd = scope.name()
    lines = acquired(scope, fd)
    match scope.pick(["named", "plain", "flag"]):
        case "plain":
            return [*lines, *attempt(scope, fd, f"unix.Close({fd})"), f"return {fd}, nil"]
        case "flag":
            done = indented("if !done {", [f"unix.Close({fd})"])
            lines += ["done := false", *indented("defer func() {", done, tail="}()")]
            return [*lines, *attempt(scope, fd), "done = true", f"return {fd}, nil"]
        case _:
            lines += indented("defer func() {", indented("if err != nil {", [f"unix.Close({fd})"]), tail="}()")
            return [*lines, *attempt(scope, fd), f"return {fd}, nil"]


def generate_go(seed: int, lifetimes: dict[Callable[[GoScope], Lines], int] = LIFETIMES) -> str:
    """Returns a program with one function, and the helpers that it calls."""
    rng = Random(seed)
    while True:
        text = _program(rng, lifetimes)
        for _ in range(rng.choices([0, 1, 2], [4, 4, 2])[0]):
            text = _mutated(text, rng)
        if text.count("\n") <= _MAX_LINES:
            return text


def _program(rng: Random, lifetimes: dict[Callable[[GoScope], Lines], int]) -> str:
    gives = rng.random() < 0.35
    scope = GoScope(rng, lifetime=lambda _: [])
    scope.fails = "return -1, err" if gives else "return err"
    lines: Lines = []
    for _ in range(rng.choices([0, 1, 2] if gives else [1, 2, 3], [6, 3, 1])[0]):
        lines += scope.weighted(lifetimes)(scope)
    lines += returned(scope) if gives else [scope.pick(["return nil", "return nil", 'return errors.New("x")'])]
    results = rng.choice(["(int, error)", "(result int, err error)"]) if gives else rng.choice(["error", "(err error)"])
    if "\tif err != nil {" in lines:  # a deferred function asks for the named result
        results = "(result int, err error)"
    parameters = f"{_PARAMETERS}, held *Pool" if any("held." in line for line in lines) else _PARAMETERS
    body = "\n".join(indented(f"func work({parameters}) {results} {{", lines))
    helpers = [text for name, text in _HELPERS.items() if f"{name}(" in body]
    helpers += [text for name, text in _TYPES.items() if name in body]
    return "\n".join([_HEAD, body, "", *helpers])


def _mutated(text: str, rng: Random) -> str:
    """Returns the program after a small change of one statement."""
    data = text.encode()
    found = statements(data)
    if not found:
        return text
    node = rng.choice(found)
    own = data[node.start_byte : node.end_byte]
    match rng.choice(["drop", "drop", "drop", "repeat", "wrap", "move", "leave"]):
        case "drop":
            new = b""
        case "repeat" if b":=" not in own:
            new = own + b"\n" + own
        case "wrap" if b":=" not in own.partition(b"{")[0]:
            new = b"if cond() {\n" + own + b"\n}"
        case "move" if node.next_named_sibling is not None:
            other = node.next_named_sibling
            text_of_other = data[other.start_byte : other.end_byte]
            swapped = text_of_other + b"\n" + own
            return (data[: node.start_byte] + swapped + data[other.end_byte :]).decode()
        case "leave":
            new = own + b"\nif cond() {\n" + (b"return -1, nil" if b"return -1" in data else b"return nil") + b"\n}"
        case _:
            new = b""
    return (data[: node.start_byte] + new + data[node.end_byte :]).decode()


def statements(data: bytes) -> list[tree_sitter.Node]:
    """Returns the statements of the function under test, outer ones first."""
    root = _PARSER.parse(data).root_node
    work = next((one for one in root.named_children if one.type == "function_declaration"), None)
    pending, found = [work] if work is not None else [], []
    while pending:
        node = pending.pop(0)
        if node.type == "statement_list":
            found += node.named_children
        pending += node.named_children
    return found


def smaller(source: str) -> list[str]:
    """Returns the programs with one statement less."""
    data = source.encode()
    cut = [data[: one.start_byte] + data[one.end_byte :] for one in statements(data)]
    inner = [
        data[: one.start_byte] + data[body.start_byte + 1 : body.end_byte - 1] + data[one.end_byte :]
        for one in statements(data)
        if (body := one.child_by_field_name("consequence") or one.child_by_field_name("body")) is not None
    ]
    return [one.decode() for one in [*cut, *inner]]
