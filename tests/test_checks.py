"""From facts to verdicts: each rule alone, then which of several is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import ModuleType

import pytest

from fdlint.core.checks import (
    fd101_never_closed,
    fd102_not_closed_on_path,
    fd103_not_closed_on_exception,
    fd104_kept_after_send,
    fd105_attribute_overwritten,
    fd106_variable_overwritten,
    fd107_discarded,
    fd108_attribute_never_closed,
    fd109_received_dropped,
    fd110_kept_after_spawn,
    fd204_stale_attribute,
)
from fdlint.core.checks.endings import PASSING
from fdlint.core.checks.rule import Rule, Verdict
from fdlint.core.domain.event import Event
from fdlint.core.domain.facts import Death, Ending, Keeping, Lifetime, Overwriting, Staleness
from fdlint.core.finding import Event as TraceEvent
from fdlint.core.finding import EventKind, Severity, Span

MODULES = (
    fd101_never_closed,
    fd102_not_closed_on_path,
    fd103_not_closed_on_exception,
    fd104_kept_after_send,
    fd106_variable_overwritten,
    fd107_discarded,
    fd108_attribute_never_closed,
    fd109_received_dropped,
    fd110_kept_after_spawn,
)
OF_ATTRIBUTES = (fd105_attribute_overwritten, fd204_stale_attribute)
HERE = Span("a.py", 3, 10, 3, 20)
THERE = Span("a.py", 7, 9, 7, 22)
ALL_DEATHS = frozenset(Death)
LEFT_OPEN = {Death.RETURN, Death.FAILED, Death.RAISE, Death.NEXT_ROUND, Death.DEFERRED, Death.DROPPED}
FORGOTTEN = {Death.REBOUND, Death.DELETED}


def ending(death: Death, *, sent: bool = False, spawned: bool = False, steps: int = 1) -> Ending:
    marks = frozenset({Event.SENT} if sent else ()) | frozenset({Event.SPAWNED} if spawned else ())
    return Ending(death, marks, (TraceEvent(EventKind.LEAKED, HERE, "lost here"),) * steps)


def acquired(*endings: Ending, variable: str | None = "fd", received: bool = False, released: bool = False) -> Lifetime:
    return Lifetime("os.open", "Box.fill", HERE, variable, received, released, endings)


def check_of(module: ModuleType) -> Callable[[Lifetime], Verdict | None]:
    found: Callable[[Lifetime], Verdict | None] = module.check
    return found


def rule_of(module: ModuleType) -> Rule:
    found: Rule = module.RULE
    return found


def said(acquisition: Lifetime) -> str | None:
    """The code of the rule that wins, as the contract has it."""
    holding = [rule_of(module) for module in MODULES if check_of(module)(acquisition)]
    return min(holding, key=lambda rule: rule.rank).code if holding else None


def test_ranks_are_the_order_of_the_contract() -> None:
    ordered = sorted((rule_of(module) for module in MODULES), key=lambda rule: rule.rank)
    codes = ["FD107", "FD104", "FD109", "FD110", "FD106", "FD101", "FD102", "FD108", "FD103"]
    assert [rule.code for rule in ordered] == codes
    assert len({rule.rank for rule in ordered}) == len(ordered)


def test_what_depends_on_an_exception_is_a_warning() -> None:
    rules = [rule_of(module) for module in (*MODULES, *OF_ATTRIBUTES)]
    assert {rule.code for rule in rules if rule.severity is Severity.WARNING} == {"FD103", "FD204"}


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.RULE.code)
def test_is_silent_about_a_clean_acquisition(module: ModuleType) -> None:
    for received in (False, True):
        assert check_of(module)(acquired(received=received, released=True)) is None


@pytest.mark.parametrize("module", (*MODULES, *OF_ATTRIBUTES), ids=lambda module: module.RULE.code)
class TestEveryRule:
    def test_is_named_like_its_file_and_its_page(self, module: ModuleType) -> None:
        rule = rule_of(module)
        assert module.__name__ == f"fdlint.core.checks.{rule.code.lower()}_{rule.name.replace('-', '_')}"
        assert (module.__doc__ or "").startswith(f"# {rule.code} {rule.name}\n")


def deaths_that_fire(module: ModuleType, **facts: bool) -> set[Death]:
    """The deaths for which one ending alone makes the rule hold."""
    sent, spawned = facts.pop("sent", False), facts.pop("spawned", False)
    return {
        death
        for death in ALL_DEATHS
        if check_of(module)(acquired(ending(death, sent=sent, spawned=spawned), **facts))  # type: ignore[arg-type]
    }


def test_never_closed_wants_no_release_at_all() -> None:
    assert deaths_that_fire(fd101_never_closed) == LEFT_OPEN | {Death.RERAISE}
    assert deaths_that_fire(fd101_never_closed, released=True) == set()


def test_not_closed_on_path_wants_a_release_elsewhere() -> None:
    assert deaths_that_fire(fd102_not_closed_on_path) == set()
    assert deaths_that_fire(fd102_not_closed_on_path, released=True) == LEFT_OPEN


def test_not_closed_on_exception_wants_nothing_but_exceptions() -> None:
    assert deaths_that_fire(fd103_not_closed_on_exception, released=True) == PASSING
    both = acquired(ending(Death.EXCEPTION), ending(Death.RETURN), released=True)
    assert fd103_not_closed_on_exception.check(both) is None


def test_what_no_path_closes_is_kept_as_long_as_nothing_but_an_exception_ends_the_function() -> None:
    assert deaths_that_fire(fd103_not_closed_on_exception, released=False) == set()


def test_kept_after_send_wants_a_send_and_a_normal_path() -> None:
    assert deaths_that_fire(fd104_kept_after_send) == set()
    normal = LEFT_OPEN | FORGOTTEN
    assert deaths_that_fire(fd104_kept_after_send, sent=True) == normal - {Death.RAISE}


def test_variable_overwritten_wants_the_number_forgotten() -> None:
    assert deaths_that_fire(fd106_variable_overwritten) == FORGOTTEN
    assert deaths_that_fire(fd106_variable_overwritten, released=True) == FORGOTTEN


def test_discarded_wants_a_result_that_was_never_bound() -> None:
    assert deaths_that_fire(fd107_discarded) == {Death.DISCARDED}


def test_received_dropped_wants_something_received() -> None:
    assert deaths_that_fire(fd109_received_dropped) == set()
    assert deaths_that_fire(fd109_received_dropped, received=True) == ALL_DEATHS - PASSING


def test_kept_after_spawn_wants_a_child() -> None:
    assert deaths_that_fire(fd110_kept_after_spawn) == set()
    assert deaths_that_fire(fd110_kept_after_spawn, spawned=True) == ALL_DEATHS - PASSING


@pytest.mark.parametrize(
    ("acquisition", "code"),
    [
        pytest.param(acquired(ending(Death.DISCARDED), received=True), "FD107", id="discarded-before-received"),
        pytest.param(acquired(ending(Death.RETURN, sent=True), received=True), "FD104", id="sent-before-received"),
        pytest.param(acquired(ending(Death.RETURN, sent=True, spawned=True)), "FD104", id="sent-before-spawned"),
        pytest.param(acquired(ending(Death.RETURN, spawned=True), received=True), "FD109", id="received-before-spawn"),
        pytest.param(acquired(ending(Death.REBOUND, spawned=True)), "FD110", id="spawned-before-overwritten"),
        pytest.param(acquired(ending(Death.REBOUND, sent=True)), "FD104", id="sent-before-overwritten"),
        pytest.param(acquired(ending(Death.RETURN), ending(Death.REBOUND)), "FD106", id="overwritten-before-never"),
        pytest.param(acquired(ending(Death.RETURN), ending(Death.EXCEPTION)), "FD101", id="never-before-exception"),
        pytest.param(
            acquired(ending(Death.RAISE), ending(Death.EXCEPTION), released=True), "FD102", id="path-before-exception"
        ),
        pytest.param(acquired(ending(Death.EXCEPTION), released=True), "FD103", id="exception-alone"),
        pytest.param(acquired(ending(Death.EXCEPTION, sent=True), released=True), "FD103", id="the-send-itself-raised"),
        pytest.param(
            acquired(ending(Death.EXCEPTION), received=True, released=True), "FD103", id="received-and-an-exception"
        ),
        pytest.param(acquired(ending(Death.RAISE, sent=True), released=True), "FD102", id="sent-then-a-raise"),
        pytest.param(acquired(ending(Death.RETURN, sent=True), released=True), "FD104", id="sent-and-closed-elsewhere"),
        pytest.param(acquired(released=True), None, id="clean"),
    ],
)
def test_one_acquisition_gets_one_code(acquisition: Lifetime, code: str | None) -> None:
    assert said(acquisition) == code


def test_the_plainest_ending_tells_the_story() -> None:
    plain = ending(Death.RETURN, steps=4)
    found = acquired(ending(Death.NEXT_ROUND), ending(Death.RAISE), ending(Death.RETURN, steps=9), plain)
    verdict = fd101_never_closed.check(found)
    assert verdict is not None
    assert verdict.trace is plain.trace


def test_the_story_is_one_the_rule_is_about() -> None:
    sent = ending(Death.NEXT_ROUND, sent=True, steps=9)
    verdict = fd104_kept_after_send.check(acquired(ending(Death.RETURN), ending(Death.RAISE, sent=True), sent))
    assert verdict is not None
    assert verdict.trace is sent.trace


def test_a_method_of_an_unknown_object_is_named_without_its_star() -> None:
    found = replace(acquired(ending(Death.RETURN), received=True, variable=None), api="*.recvmsg")
    verdict = fd109_received_dropped.check(found)
    assert verdict is not None
    assert verdict.message.startswith("the descriptor from recvmsg() is not fully closed")


MESSAGES = [
    (
        fd101_never_closed,
        acquired(ending(Death.RETURN)),
        "`fd` from os.open() is never closed: close it in a `finally`",
    ),
    (
        fd101_never_closed,
        acquired(ending(Death.NEXT_ROUND)),
        "`fd` from os.open() is never closed, and each iteration opens another: close it before the iteration ends",
    ),
    (
        fd101_never_closed,
        acquired(ending(Death.RETURN), variable=None),
        "the descriptor from os.open() is never closed: close it in a `finally`",
    ),
    (
        fd102_not_closed_on_path,
        acquired(ending(Death.RETURN), released=True),
        "`fd` from os.open() is not closed on every path: close it in a `finally`",
    ),
    (
        fd102_not_closed_on_path,
        acquired(ending(Death.RAISE), released=True),
        "`fd` from os.open() stays open when the function raises: close it before the `raise`, or in a `finally`",
    ),
    (
        fd102_not_closed_on_path,
        acquired(ending(Death.NEXT_ROUND), released=True),
        "`fd` from os.open() stays open when the next iteration opens another: close it in a `finally`",
    ),
    (
        fd103_not_closed_on_exception,
        acquired(ending(Death.EXCEPTION), released=True),
        "`fd` from os.open() leaks if something raises before it is closed or handed over: close it in a `finally`",
    ),
    (
        fd104_kept_after_send,
        acquired(ending(Death.RETURN, sent=True)),
        "`fd` from os.open() stays open after it was sent: sending duplicates it, so close your own copy",
    ),
    (
        fd106_variable_overwritten,
        acquired(ending(Death.REBOUND)),
        "`fd` from os.open() is overwritten while it is open, and nothing else holds it: close it first",
    ),
    (
        fd106_variable_overwritten,
        acquired(ending(Death.DELETED)),
        "`fd` from os.open() is deleted while it is open: `del` forgets the number, it does not close the descriptor",
    ),
    (
        fd101_never_closed,
        acquired(ending(Death.DROPPED)),
        "`fd` from os.open() is never closed, and its container drops it: close it when you take it out",
    ),
    (
        fd102_not_closed_on_path,
        acquired(ending(Death.DROPPED), released=True),
        "`fd` from os.open() stays open when its container drops it: close it when you take it out",
    ),
    (
        fd107_discarded,
        acquired(ending(Death.DISCARDED), variable="_"),
        "the descriptor from os.open() is thrown away and stays open: bind it to a name and close it",
    ),
    (
        fd109_received_dropped,
        acquired(ending(Death.RETURN), variable="fds", received=True),
        "`fds` from os.open() is not fully closed: whoever receives descriptors must close all of them",
    ),
    (
        fd110_kept_after_spawn,
        acquired(ending(Death.RETURN, spawned=True), variable="w"),
        "`w` from os.open() stays open in the parent: the child has a copy, so close it once the child runs",
    ),
]


@pytest.mark.parametrize(("module", "acquisition", "message"), MESSAGES)
def test_message_names_the_descriptor_and_what_to_do(module: ModuleType, acquisition: Lifetime, message: str) -> None:
    verdict = check_of(module)(acquisition)
    assert verdict is not None
    assert verdict.message == message


def story(*lines: int) -> tuple[Event, ...]:
    return tuple(TraceEvent(EventKind.ACQUIRED, replace(HERE, line=line, end_line=line), "here") for line in lines)


def kept(*endings: Ending, attribute: str = "self._fd", owner: str = "Box") -> Lifetime:
    return replace(acquired(*endings, variable=attribute, released=True), kept=Keeping(attribute, owner, story(3, 3)))


OVERWRITING = Overwriting("self._fd", "Box.close", THERE, "os.open", trace=story(3, 7))
STALENESS = Staleness("self._fd", "Box.close", THERE, "os.open", again="__del__", raised=False, trace=story(3, 7))


class TestAttributeNeverClosed:
    def test_wants_an_attribute_that_has_it_for_good(self) -> None:
        assert fd108_attribute_never_closed.check(acquired(released=True)) is None
        verdict = fd108_attribute_never_closed.check(kept())
        assert verdict is not None
        assert verdict.trace == story(3, 3)

    def test_names_the_attribute_and_the_class(self) -> None:
        verdict = fd108_attribute_never_closed.check(kept())
        assert verdict is not None
        assert verdict.message == (
            "`self._fd` from os.open() is kept in `self._fd` of `Box`, and nothing in the project closes it: close "
            "it in a method of the class"
        )

    def test_comes_before_the_exception_and_after_the_path(self) -> None:
        assert said(kept(ending(Death.EXCEPTION))) == "FD108"
        assert said(kept(ending(Death.RETURN))) == "FD102"


class TestAttributeOverwritten:
    def test_says_which_call_had_acquired_it(self) -> None:
        verdict = fd105_attribute_overwritten.check(OVERWRITING)
        assert verdict.trace == story(3, 7)
        assert verdict.message == (
            "`self._fd` is overwritten while it can hold an open descriptor from os.open(), "
            "and nothing else holds it: close it first"
        )

    def test_says_that_the_object_was_given_it(self) -> None:
        verdict = fd105_attribute_overwritten.check(replace(OVERWRITING, api=None))
        assert "an open descriptor that the object was given, and nothing else" in verdict.message


class TestStaleAttribute:
    def test_says_who_closes_again(self) -> None:
        verdict = fd204_stale_attribute.check(STALENESS)
        assert verdict.trace == story(3, 7)
        assert verdict.message == (
            "`self._fd` still holds the number afterwards, and `__del__` closes it again, when it may belong "
            "to another file: reset the attribute first, then close"
        )

    def test_says_when_only_an_exception_leaves_it_so(self) -> None:
        verdict = fd204_stale_attribute.check(replace(STALENESS, raised=True))
        assert "still holds the number if something raises before it is reset, and" in verdict.message
