"""The ways through the trickier constructs, one path a line; ``paths`` explains the words."""

from __future__ import annotations

import pytest
from paths import body, calls, paths, quiet


class TestFinally:
    def test_it_runs_on_every_way_out(self) -> None:
        assert paths("try:\n    a()\nfinally:\n    z()") == {
            "a z return", "a z! raise",
            "a! z raise", "a! z! raise",
        }  # fmt: skip

    @pytest.mark.parametrize(
        ("leaving", "copies"),
        [("pass", 1), ("a()", 2), ("a()\n    b()", 2), ("return", 1), ("return a()", 2), ("if a:\n        return", 2)],
    )
    def test_it_is_laid_once_for_each_way_of_leaving(self, leaving: str, copies: int) -> None:
        """Normally, by ``return``, by an exception; one copy serves all exceptions that nobody tells apart. A way that
        nothing takes has none."""
        assert calls(body(f"try:\n    {leaving}\nfinally:\n    z()"), "z") == copies

    def test_break_and_continue_have_copies_of_their_own(self) -> None:
        loop = "while w:\n    try:\n        if p: break\n        if q: continue\n    finally:\n        z()"
        assert calls(body(loop), "z") == 3
        assert "?w ?p z return" in quiet(loop)
        assert "?w -p ?q z -w return" in quiet(loop)
        assert "?w -p -q z -w return" in quiet(loop)

    def test_break_leaves_the_cleanups_outside_of_the_loop_alone(self) -> None:
        assert quiet("try:\n    while w:\n        break\nfinally:\n    z()") == {"?w z return", "-w z return"}

    def test_nested_ones_run_from_the_inside_out(self) -> None:
        nested = "try:\n    try:\n        return a()\n    finally:\n        y()\nfinally:\n    z()"
        assert "a y z return" in paths(nested)
        assert "a! y z raise" in paths(nested)
        assert "a y! z raise" in paths(nested)

    def test_a_return_in_it_swallows_the_exception(self) -> None:
        assert paths("try:\n    a()\nfinally:\n    return") == {"a return", "a! return"}

    def test_a_break_in_it_swallows_the_exception(self) -> None:
        assert paths("while True:\n    try:\n        a()\n    finally:\n        break") == {"a return", "a! return"}

    def test_an_exception_in_a_handler_still_runs_it(self) -> None:
        assert "a! caught h! z raise" in paths("try:\n    a()\nexcept:\n    h()\nfinally:\n    z()")


class TestHandlers:
    def test_else_is_not_guarded(self) -> None:
        assert paths("try:\n    a()\nexcept:\n    h()\nelse:\n    e()") == {
            "a e return", "a e! raise",
            "a! caught h return", "a! caught h! raise",
        }  # fmt: skip

    def test_a_bare_except_lets_nothing_through(self) -> None:
        assert paths("try:\n    a()\nexcept:\n    pass") == {"a return", "a! caught return"}

    def test_a_narrow_one_may_or_may_not_catch(self) -> None:
        assert paths("try:\n    a()\nexcept KeyError:\n    pass") == {"a return", "a! caught return", "a! raise"}

    def test_os_functions_raise_os_errors(self) -> None:
        guarded = "import os\ntry:\n    os.open(p, 0)\nexcept OSError:\n    pass"
        assert paths(guarded) == {"open return", "open! caught return"}

    def test_the_first_handler_that_fits_is_the_one(self) -> None:
        two = "try:\n    a()\nexcept Exception:\n    h()\nexcept ValueError:\n    never()"
        assert not [path for path in paths(two) if "never" in path]

    def test_a_raise_lands_in_the_handler_around_it(self) -> None:
        assert paths("try:\n    raise ValueError\nexcept ValueError:\n    pass") == {"throw caught return"}
        assert paths("try:\n    raise ValueError\nexcept KeyError:\n    pass") == {"throw raise"}

    def test_a_bare_raise_leaves_the_handler(self) -> None:
        assert paths("try:\n    a()\nexcept:\n    h()\n    raise") == {
            "a return", "a! caught h throw raise", "a! caught h! raise",
        }  # fmt: skip

    def test_except_star(self) -> None:
        assert paths("try:\n    a()\nexcept* ValueError:\n    pass") == {"a return", "a! caught return", "a! raise"}

    def test_exceptions_of_the_new_spelling(self) -> None:
        new = paths("try:\n    a()\nexcept KeyError, ValueError:\n    pass")
        assert new == paths("try:\n    a()\nexcept (KeyError, ValueError):\n    pass")

    def test_a_caught_exception_has_a_name(self) -> None:
        assert "a! caught e= return" in paths("try:\n    a()\nexcept E as e:\n    pass")


class TestWith:
    def test_it_is_left_in_every_way_but_only_once_entered(self) -> None:
        assert paths("with a() as x:\n    b()") == {
            "a enter x= b leave return", "a enter x= b! leave raise", "a enter! raise", "a! raise",
        }  # fmt: skip

    def test_several_items_are_left_in_reverse(self) -> None:
        both = paths("with a(), b():\n    c()")
        assert both == paths("with a():\n    with b():\n        c()")
        assert "a enter b enter! leave raise" in both
        assert "a enter b enter c! leave leave raise" in both

    def test_return_and_break_leave_it(self) -> None:
        assert "a enter leave return" in paths("with a():\n    return")
        assert "?w a enter leave return" in paths("while w:\n    with a():\n        break")

    def test_suppress_goes_on_behind_it(self) -> None:
        some = paths("import contextlib\nwith contextlib.suppress(KeyError):\n    a()\nb = 1")
        assert some == {
            "suppress enter a leave b= return",
            "suppress enter a! leave caught b= return",
            "suppress enter a! leave raise",
        }

    def test_suppress_of_everything_lets_nothing_through(self) -> None:
        every = paths("from contextlib import suppress\nwith suppress(Exception):\n    a()")
        assert every == {"suppress enter a leave return", "suppress enter a! leave caught return"}

    def test_entering_an_async_one_is_a_wait(self) -> None:
        lock = "import threading\nl = threading.Lock()\n{} l:\n    pass"
        assert "a enter! raise" in paths("async with a():\n    pass")
        assert "Lock l= enter leave return" in paths(lock.format("with"))


class TestLoops:
    def test_else_runs_when_nothing_broke(self) -> None:
        assert paths("for x in (1, 2):\n    if p: break\nelse:\n    e = 1") == {
            "done e= return",
            "next x= ?p return",
            "next x= -p done e= return",
            "next x= -p next x= ?p return",
            "next x= -p next x= -p ...",
        }

    def test_while_true_has_no_end_but_break(self) -> None:
        assert quiet("while True:\n    a()") == {"a a ..."}
        assert "return" in next(iter(quiet("while True:\n    break")))

    def test_while_false_is_never_run(self) -> None:
        assert paths("while False:\n    a()\nelse:\n    e = 1") == {"e= return"}

    def test_advancing_may_raise(self) -> None:
        assert "next! raise" in paths("for x in y:\n    pass")
        assert not [path for path in paths("for x in range(3):\n    pass") if "next!" in path]
        assert "next! raise" in paths("async for x in y:\n    pass")

    def test_what_is_iterated_is_evaluated_once(self) -> None:
        assert calls(body("for x in a():\n    pass"), "a") == 1

    def test_a_loop_in_a_loop_breaks_out_of_the_inner_one(self) -> None:
        assert "?v ?w a -v return" in quiet("while v:\n    while w:\n        break\n    a()")


class TestConditions:
    def test_and_or_not_branch(self) -> None:
        assert paths("if a and not b or c:\n    x = 1") == {
            "?a -b x= return",
            "?a ?b ?c x= return", "?a ?b -c return",
            "-a ?c x= return", "-a -c return",
        }  # fmt: skip

    def test_as_values_they_are_the_operand_that_decided(self) -> None:
        assert quiet("x = a() or b()") == {"a ?a() x= return", "a -a() b x= return"}

    def test_a_conditional_expression_evaluates_one_side(self) -> None:
        assert quiet("x = a() if c else b()") == {"?c a x= return", "-c b x= return"}

    def test_a_chain_stops_at_the_first_that_fails(self) -> None:
        assert paths("if a < b < c:\n    x = 1") == {
            "-a<b<c return", "?a<b<c -a<b<c return", "?a<b<c ?a<b<c x= return",
        }  # fmt: skip

    def test_a_chain_evaluates_its_middle_once(self) -> None:
        assert calls(body("if 0 < a() < 9:\n    pass"), "a") == 1
        assert calls(body("x = 0 < a() < 9"), "a") == 1

    def test_the_walrus_binds_before_the_test(self) -> None:
        assert quiet("if (n := a()) and n > 1:\n    b()") == {
            "a n= ?(n:=a()) ?n>1 b return", "a n= ?(n:=a()) -n>1 return", "a n= -(n:=a()) return",
        }  # fmt: skip

    def test_an_assertion_that_fails_is_not_followed(self) -> None:
        assert paths("assert a, b()\nx = 1") == {"-a ends", "?a x= return"}


class TestMatch:
    def test_a_guard_that_fails_tries_the_next_case(self) -> None:
        assert paths("match s:\n    case 1 if g:\n        a = 1\n    case 2:\n        b = 1") == {
            "?case ?g a= return",
            "?case -g ?case b= return", "?case -g -case return",
            "-case ?case b= return", "-case -case return",
        }  # fmt: skip

    def test_a_wildcard_leaves_no_other_way(self) -> None:
        assert paths("match s:\n    case 1:\n        a = 1\n    case _:\n        b = 1") == {
            "?case a= return", "-case b= return",
        }  # fmt: skip

    def test_names_are_bound_where_the_pattern_fits(self) -> None:
        assert paths("match s:\n    case [x, y]:\n        pass") == {"?case x= y= return", "-case return"}

    def test_alternatives_meet_again(self) -> None:
        assert paths("match s:\n    case 1 | 2:\n        a = 1") == {
            "?case a= return", "-case ?case a= return", "-case -case return",
        }  # fmt: skip

    def test_the_subject_is_evaluated_once(self) -> None:
        assert calls(body("match a():\n    case 1: pass\n    case 2: pass"), "a") == 1


class TestComprehensions:
    def test_their_variables_are_their_own(self) -> None:
        assert quiet("x = [y for y in (1,)]\ny = 2") == {
            "done x= y= return",
            "next y'1= append done x= y= return",
            "next y'1= append next y'1= append ...",
        }

    def test_the_walrus_binds_outside(self) -> None:
        assert "next y'1= n= append done x= return" in quiet("x = [(n := y) for y in (1,)]")

    def test_conditions_skip_an_item(self) -> None:
        assert "next y'1= -p done x= return" in quiet("x = {y for y in (1,) if p}")

    def test_a_generator_that_nobody_asks_does_nothing(self) -> None:
        assert paths("x = (a(y) for y in z)") == {"x= return"}

    def test_a_generator_as_the_argument_is_run(self) -> None:
        assert "next y'1= a append done any return" in quiet("any(a(y) for y in z)")


class TestEnds:
    def test_nothing_comes_after_the_end_of_the_process(self) -> None:
        assert paths("raise SystemExit\na()") == {"ends"}

    def test_nothing_comes_after_return(self) -> None:
        assert paths("return\na()") == {"return"}

    def test_waiting_and_yielding_may_raise(self) -> None:
        assert paths("await x") == {"await return", "await! raise"}
        assert paths("yield x") == {"yield return", "yield! raise"}


class TestEvaluation:
    @pytest.mark.parametrize(
        "code",
        [
            "x[a()] += 1",
            "x[a():] = y",
            "del x[a():]",
            "x = y[::a()]",
            "x = y[a():, 0]",
            "x = f'{y:{a()}}'",
            "x = t'{y:{a()}}'",
            "x = lambda y=a(): y",
            "class C(metaclass=a()): pass",
            "@a()\ndef g(): pass",
            "x: int = a()",
            "match y:\n    case C(z) if a(): pass",
        ],
    )
    def test_every_part_of_it_happens_once(self, code: str) -> None:
        assert calls(body(code), "a") == 1
