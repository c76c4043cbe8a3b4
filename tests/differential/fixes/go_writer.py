"""Writes Go programs for the test of fixes: numbers that only some paths own."""

from __future__ import annotations

from ..golang.writer import LIFETIMES, GoScope, acquired, attempt, close, failed, generate_go, indented, opens, use
from ..scope import Lines


def _given(scope: GoScope, fd: str) -> Lines:
    """Gives a number to somebody who keeps it."""
    literal = indented("go func() {", [f"unix.Write({fd}, nil)", f"unix.Close({fd})"], tail="}()")
    later = indented("held.later(func() {", [f"unix.Close({fd})"], tail="})")
    return scope.pick(
        [
            [f"ch <- {fd}"], [f"go closeIt({fd})"], literal, later, [f"held.fds = append(held.fds, {fd})"],
            [f"held.fd = {fd}"], [f"held.byName[kind] = {fd}"], [f"held.add({fd})"],
        ]
    )  # fmt: skip


def handed_on_one_path(scope: GoScope) -> Lines:
    """Given to somebody on one path only."""
    fd = scope.name()
    lines = acquired(scope, fd)
    for _ in range(scope.pick([0, 0, 1])):
        lines += attempt(scope, fd)
    leaves = [scope.fails if scope.chance(0.2) else "return nil"] if scope.chance(0.3) else []
    if "return -1" in scope.fails:
        leaves = leaves and [scope.fails]
    head = f"if {scope.condition()} {{"
    if scope.chance(0.2):
        scope.loops += 1
        head = "for _, item := range items {"
    lines += indented(head, _given(scope, fd), leaves)
    scope.loops = 0
    if scope.chance(0.3):
        lines += close(scope, fd)
    return lines


def borrowed_or_opened(scope: GoScope) -> Lines:
    """The caller's number, nothing, or one that the function opens, in one variable."""
    fd, other = scope.name(), scope.pick(["sock", "sock", "-1", "n"])
    gets = [f"{fd}, err = {opens(scope)}", *failed(scope)]
    flag = scope.condition()
    lines = [f"{fd} := {other}", "var err error", *indented(f"if {flag} {{", gets)]
    if scope.chance(0.4):
        lines = [
            f"var {fd} int",
            "var err error",
            *indented(f"if {flag} {{", gets, tail="} else {"),
            f"\t{fd} = {other}",
            "}",
        ]
    lines += use(scope, fd)
    if scope.chance(0.5):
        lines += indented(f"if {scope.condition()} {{", [scope.fails])
    ends = [f"unix.Close({fd})"]
    closes = scope.pick([[], ends, indented(f"if {flag} {{", ends), indented(f"if {fd} >= 0 {{", ends)])
    return indented("{", [*lines, *closes])


def closed_somewhere(scope: GoScope) -> Lines:
    """Closed on one path, and again later."""
    fd = scope.name()
    first = scope.pick([f"if {scope.condition()} {{", "for _, item := range items {", "for cond() {"])
    ends = ["break"] if first.startswith("for") and scope.chance(0.5) else []
    again = [f"{fd}, err = {opens(scope)}", *failed(scope)] if scope.chance(0.4) else []
    lines = [*acquired(scope, fd), *indented(first, use(scope, fd), [f"unix.Close({fd})"], ends or again)]
    return [*lines, f"unix.Close({fd})"] if scope.chance(0.7) else lines


_FIXABLE = {**LIFETIMES, handed_on_one_path: 25, borrowed_or_opened: 20, closed_somewhere: 12}


def generate_fixable_go(seed: int) -> str:
    """Returns a program. The same seed gives the same one."""
    return generate_go(seed, _FIXABLE)
