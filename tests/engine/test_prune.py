"""Branches, one test at a time: which answers are possible for a value, and what each answer teaches. How states are
written: ``building``."""

from __future__ import annotations

import pytest

from engine.building import DICT, FD, LIST, OTHER, RECEIVED, ask, given
from fdlint.core.domain.contents import Contents
from fdlint.core.domain.state import State
from fdlint.core.domain.values import (
    NONE,
    UNKNOWN,
    Any_,
    Const,
    Fn,
    Iter,
    Known,
    Pid,
    Seq,
    Sym,
    Text,
    Typed,
    Unlike,
    Value,
)
from fdlint.core.ir import Callee, Compare, Has, Kind, Lit, Op, Question, Truth

SOCKET, MAYBE, STRING = Typed("socket.socket"), Typed("socket.socket", certain=False), Typed("builtins.str")
NO_STRING = Unlike(frozenset({"builtins.str"}), UNKNOWN)
OPEN, HANDED = "x=fd0 | fd0 open", "x=fd0 | fd0 handed"  # handed: on this path it is a standard stream, or another's
CAME_IN = {"fd2": "open", "fd2_1": "open"}


def about(value: Value) -> State:
    """A state in which ``x`` is a value, and ``fd0`` is open if that is it."""
    return given({"x": value}, **({"fd0": "open"} if value == FD else {}))


def answers(yes: str | None, no: str | None) -> list[str]:
    """The lines for the answers that are possible."""
    return [f"{answer}: {text}" for answer, text in ((True, yes), (False, no)) if text is not None]


@pytest.mark.parametrize(
    ("value", "yes", "no"),
    [
        (NONE, None, "x=None"),
        (Const(0), None, "x=0"),
        (Const(1), "x=1", None),
        (UNKNOWN, "x=truthy", "x=falsy"),
        (Known.SOME, "x=truthy", "x=falsy"),
        (Known.TRUTHY, "x=truthy", None),
        (Known.POSITIVE, "x=positive", None),
        (Known.FALSY, None, "x=falsy"),
        (Sym("p"), "x=truthy", "x=falsy"),
        (SOCKET, "x=<socket.socket>", None),
        (MAYBE, "x=<socket.socket, full>", "x=falsy"),
        (STRING, "x=<builtins.str, full>", "x=falsy"),
        (NO_STRING, "x=truthy, not builtins.str", "x=falsy, not builtins.str"),
        (Seq((NONE,)), "x=(None)", None),
        (Seq(()), None, "x=()"),
        (Seq((), exact=False), "x=(...)", "x=(...)"),
        (Any_((NONE, Const(1))), "x=any(None, 1)", None),
        (Iter((), exact=True), "x=nothrow iterator()", None),
        (Fn(Callee("close", "os.close")), "x=close()", None),
    ],
)
def test_truth(value: Value, yes: str | None, no: str | None) -> None:
    assert ask(about(value), Truth("x")) == answers(yes, no)


def test_truth_of_a_descriptor_is_noted() -> None:
    assert ask(about(FD), Truth("x")) == [f"True: {OPEN}", "tested: fd0"]


def test_what_one_name_of_a_parameter_shows_holds_for_all() -> None:
    same = given({"x": Sym("p"), "y": Sym("p"), "z": Sym("q")})
    assert ask(same, Truth("x")) == ["True: x=truthy, y=truthy, z=<q>", "False: x=falsy, y=falsy, z=<q>"]


@pytest.mark.parametrize(
    ("contents", "question", "lines"),
    [
        (Contents((NONE,)), Truth("x"), ["True: x=[None]"]),
        (Contents(), Truth("x"), ["False: x=[]"]),
        (Contents(exact=False), Truth("x"), ["True: x=[...]", "False: x=[]"]),
        (Contents((NONE,)), Compare(Op.EQ, "x", Lit(1), length=True), ["True: x=[None]"]),
        (Contents((NONE,)), Compare(Op.GT, "x", Lit(1), length=True), ["False: x=[None]"]),
        (Contents(exact=False), Compare(Op.LT, "x", Lit(1), length=True), ["True: x=[]", "False: x=[...]"]),
    ],
)
def test_a_list(contents: Contents, question: Question, lines: list[str]) -> None:
    assert ask(given({"x": LIST}, {LIST: contents}), question) == lines


@pytest.mark.parametrize(
    ("question", "yes", "no"),
    [
        (Truth("x"), "x=[fd2, fd2.1, ...] | fd2 open, fd2.1 open", "x=[]"),
        (Compare(Op.EQ, "x", Lit(0), length=True), "x=[]", "x=[fd2, fd2.1, ...] | fd2 open, fd2.1 open"),
        (
            Compare(Op.GT, "x", Lit(1), length=True),
            "x=[fd2, fd2.1, ...] | fd2 open, fd2.1 open",
            "x=[fd2, ...] | fd2 open",
        ),
    ],
)
def test_a_list_that_came_in_had_no_more_than_the_answer_says(question: Question, yes: str, no: str) -> None:
    assert ask(given({"x": LIST}, {LIST: Contents(RECEIVED, False)}, **CAME_IN), question) == answers(yes, no)


def test_a_list_that_came_in_without_one_had_none_or_more() -> None:
    one = Compare(Op.EQ, "x", Lit(1), length=True)
    more = "False: x=[fd2, fd2.1, ...] | fd2 open, fd2.1 open"
    found = ask(given({"x": LIST}, {LIST: Contents(RECEIVED, False)}, **CAME_IN), one)
    assert found == ["True: x=[fd2] | fd2 open", "False: x=[]", more]


def test_a_list_that_came_in_has_no_fewer_than_an_answer_said() -> None:
    more = Compare(Op.GT, "x", Lit(1), length=True)
    known = given({"x": LIST}, {LIST: Contents(RECEIVED, False, least=2)}, **CAME_IN)
    assert ask(known, more) == ["True: x=[fd2, fd2.1, ...] | fd2 open, fd2.1 open"]


@pytest.mark.parametrize(
    ("op", "number", "yes", "no"),
    [
        (Op.GT, 0, "x=truthy", "x=falsy"),
        (Op.EQ, 0, "x=falsy", "x=truthy"),
        (Op.EQ, 2, "x=truthy", "x=unknown"),
        (Op.LT, 2, "x=unknown", "x=truthy"),
    ],
)
def test_the_length_of_something_unknown(op: Op, number: int, yes: str, no: str) -> None:
    assert ask(about(UNKNOWN), Compare(op, "x", Lit(number), length=True)) == answers(yes, no)


@pytest.mark.parametrize(
    ("value", "yes", "no"),
    [
        (NONE, "x=None", None),
        (FD, None, OPEN),
        (Const(1), None, "x=1"),
        (UNKNOWN, "x=None", "x=some"),
        (Known.SOME, None, "x=some"),
        (Known.TRUTHY, None, "x=truthy"),
        (Known.FALSY, "x=None", "x=falsy"),
        (Sym("p"), "x=None", "x=some"),
        (SOCKET, None, "x=<socket.socket>"),
        (MAYBE, "x=None", "x=<socket.socket>"),
        (Seq(()), None, "x=()"),
        (NO_STRING, "x=None", "x=some, not builtins.str"),
    ],
)
def test_is_none(value: Value, yes: str | None, no: str | None) -> None:
    assert ask(about(value), Compare(Op.IS, "x", Lit(None))) == answers(yes, no)


@pytest.mark.parametrize(
    ("value", "other", "yes", "no"),
    [
        (Const(1), 1, "x=1", None),
        (Const(1), 0, None, "x=1"),
        (UNKNOWN, 1, "x=1", "x=unknown"),
        (Sym("p"), 1, "x=1", "x=<p>"),
        (Known.TRUTHY, 0, None, "x=truthy"),
        (Known.TRUTHY, 1, "x=1", "x=truthy"),
        (Known.FALSY, 1, None, "x=falsy"),
        (Known.FALSY, 0, "x=0", "x=falsy"),
    ],
)
def test_equals_a_constant(value: Value, other: int, yes: str | None, no: str | None) -> None:
    assert ask(about(value), Compare(Op.EQ, "x", Lit(other))) == answers(yes, no)


@pytest.mark.parametrize(
    ("op", "number", "yes", "no"),
    [
        (Op.EQ, -1, None, OPEN),
        (Op.LT, 0, None, OPEN),
        (Op.GE, 0, OPEN, None),
        (Op.GT, -1, OPEN, None),
        (Op.EQ, 0, HANDED, OPEN),
        (Op.EQ, 1, HANDED, OPEN),
        (Op.EQ, 2, HANDED, OPEN),
        (Op.EQ, 3, OPEN, OPEN),
        (Op.LT, 3, HANDED, OPEN),
        (Op.LE, 2, HANDED, OPEN),
        (Op.GT, 2, OPEN, HANDED),
        (Op.GE, 3, OPEN, HANDED),
        (Op.GT, 9, OPEN, OPEN),
        (Op.EQ, None, None, OPEN),
        (Op.EQ, True, None, OPEN),
        (Op.EQ, "x", None, OPEN),
    ],
)
def test_a_descriptor_and_a_number(op: Op, number: int | None, yes: str | None, no: str | None) -> None:
    """It is taken to be no negative number, and one of the standard streams is no duty."""
    assert ask(about(FD), Compare(op, "x", Lit(number))) == answers(yes, no)


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        (Compare(Op.GT, "x", Lit(0)), [f"True: {OPEN}"]),
        (Compare(Op.LT, Lit(0), "x"), [f"True: {OPEN}"]),
        (Compare(Op.LE, "x", Lit(0)), [f"True: {HANDED}", f"False: {OPEN}"]),
        (Compare(Op.GE, "x", Lit(1)), [f"True: {OPEN}", f"False: {HANDED}"]),
        (Compare(Op.LT, "x", Lit(1)), [f"True: {HANDED}", f"False: {OPEN}"]),
    ],
)
def test_a_comparison_that_takes_0_for_none_is_noted(question: Question, lines: list[str]) -> None:
    assert ask(about(FD), question) == [*lines, "tested: fd0"]


@pytest.mark.parametrize(
    ("op", "other", "yes", "no"),
    [
        (Op.EQ, FD, "open", None),
        (Op.EQ, UNKNOWN, "handed", "open"),
        (Op.LT, UNKNOWN, "open", "open"),
        (Op.IN, UNKNOWN, "handed", "open"),
        (Op.IN, Seq((NONE, FD)), "open", None),
        (Op.IN, Seq((Const(0), Const(1))), "handed", "open"),
        (Op.IN, Seq((Const(3), Const(-1))), None, "open"),
        (Op.IN, Seq((), exact=False), "handed", "open"),
    ],
)
def test_a_descriptor_and_another_value(op: Op, other: Value, yes: str | None, no: str | None) -> None:
    """What is equal to something else is somebody else's too, on that path."""
    lines = ask(given({"x": FD, "y": other}, fd0="open"), Compare(op, "x", "y"))
    typestates = [(answer, status) for answer, status in ((True, yes), (False, no)) if status is not None]
    assert [(line.partition(": ")[0], line.rpartition("| ")[2]) for line in lines] == [
        (str(answer), f"fd0 {status}") for answer, status in typestates
    ]


def test_two_descriptors_differ() -> None:
    before = given({"x": FD, "y": OTHER}, fd0="open", fd1="open")
    assert ask(before, Compare(Op.IS, "x", "y")) == ["False: x=fd0, y=fd1 | fd0 open, fd1 open"]


@pytest.mark.parametrize(
    ("op", "number", "lines"),
    [
        (Op.IS, 0, ["True: x=0 | child", "False: x=positive | parent"]),
        (Op.EQ, 0, ["True: x=0 | child", "False: x=positive | parent"]),
        (Op.LE, 0, ["True: x=0 | child", "False: x=positive | parent"]),
        (Op.GT, 0, ["False: x=0 | child", "True: x=positive | parent"]),
        (Op.LT, 0, ["False: x=pid"]),
        (Op.EQ, -1, ["False: x=pid"]),
        (Op.EQ, 7, ["True: x=pid", "False: x=pid"]),
    ],
)
def test_what_fork_returned(op: Op, number: int, lines: list[str]) -> None:
    assert ask(about(Pid(7)), Compare(op, "x", Lit(number))) == lines


@pytest.mark.parametrize(
    ("op", "number", "yes", "no"),
    [
        (Op.EQ, 0, None, "x=positive"),
        (Op.EQ, -1, None, "x=positive"),
        (Op.EQ, 7, "x=7", "x=positive"),
        (Op.LT, 0, None, "x=positive"),
        (Op.LE, 0, None, "x=positive"),
        (Op.GT, 0, "x=positive", None),
        (Op.GE, 0, "x=positive", None),
        (Op.GT, 7, "x=positive", "x=positive"),
    ],
)
def test_a_process_that_is_not_the_child(op: Op, number: int, yes: str | None, no: str | None) -> None:
    lines = [f"{truth}: {line}" for truth, line in ((True, yes), (False, no)) if line is not None]
    assert ask(about(Known.POSITIVE), Compare(op, "x", Lit(number))) == lines


def test_truth_of_what_fork_returned() -> None:
    assert ask(about(Pid(7)), Truth("x")) == ["False: x=0 | child", "True: x=positive | parent"]


@pytest.mark.parametrize(
    ("value", "types", "yes", "no"),
    [
        (FD, "builtins.int", OPEN, None),
        (FD, "builtins.str", None, OPEN),
        (FD, "socket.socket", None, OPEN),
        (NONE, "builtins.int", None, "x=None"),
        (Const(1), "builtins.int", "x=1", None),
        (Const(1), "builtins.str", None, "x=1"),
        (UNKNOWN, "builtins.int", "x=<builtins.int>", "x=unknown"),
        (UNKNOWN, "socket.socket", "x=unknown", "x=unknown"),
        (Sym("p"), "builtins.str", "x=<builtins.str>", "x=<p>"),
        (STRING, "builtins.str", "x=<builtins.str>", None),
        (STRING, "builtins.int", None, "x=<builtins.str>"),
        (Text(()), "builtins.str", "x=text()", None),
        (NO_STRING, "builtins.str", None, "x=unknown, not builtins.str"),
    ],
)
def test_isinstance(value: Value, types: str, yes: str | None, no: str | None) -> None:
    assert ask(about(value), Kind("x", (types,))) == answers(yes, no)


@pytest.mark.parametrize(
    ("value", "attribute", "lines"),
    [
        (FD, "fileno", [f"False: {OPEN}"]),
        (FD, "real", [f"True: {OPEN}"]),
        (UNKNOWN, "fileno", ["True: x=unknown", "False: x=unknown"]),
    ],
)
def test_hasattr(value: Value, attribute: str, lines: list[str]) -> None:
    assert ask(about(value), Has("x", attribute)) == lines


class TestAskedAgain:
    """A condition that stands in more than one place has the same answer, until something that it names is rebound."""

    def test_each_answer_is_remembered(self) -> None:
        assert ask(given({}), Truth("x"), key="x") == ["True: x=truthy | x: True", "False: x=falsy | x: False"]

    @pytest.mark.parametrize("answer", [True, False])
    def test_and_given_again(self, answer: bool) -> None:
        assert ask(given({}, facts={"f(x)": answer}), Truth("%1"), key="f(x)") == [f"{answer}: f(x): {answer}"]

    def test_a_known_answer_need_not_be(self) -> None:
        assert ask(about(NONE), Truth("x"), key="x") == ["False: x=None"]

    def test_a_container_changes_without_being_rebound(self) -> None:
        before = given({"x": DICT}, {DICT: Contents((), exact=False, keys=())}, facts={"x": True})
        assert ask(before, Truth("x"), key="x") == ["True: x={...} | x: True", "False: x={} | x: True"]
