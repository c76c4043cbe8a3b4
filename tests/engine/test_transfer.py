"""The transfer function, one effect at a time: the state before, the effect, and for each edge that control may take
the state after it; then what the log has for the rules. How states are written: ``building``."""

from __future__ import annotations

from typing import get_args

import pytest

from engine.building import (
    DICT,
    DONE,
    ENTRY,
    FD,
    HANDLER,
    LIST,
    NEXT,
    OTHER,
    PADS,
    RECEIVED,
    Case,
    case,
    given,
    graph,
    leave,
    run,
    step,
    transfer,
)
from fdlint.core.domain.contents import Contents
from fdlint.core.domain.raising import Raising
from fdlint.core.domain.state import Role, State
from fdlint.core.domain.values import NONE, UNKNOWN, Const, Iter, Known, Lazy, Seq, Typed, Value
from fdlint.core.ir import (
    RAISE,
    RESULT,
    RETURN,
    Advance,
    Assign,
    Branch,
    Build,
    Call,
    Callee,
    Catch,
    Closure,
    Delete,
    DeleteItem,
    Drop,
    Effect,
    Enter,
    Item,
    Iterator,
    Jump,
    Leave,
    Leaving,
    Lit,
    Named,
    Opaque,
    Slice,
    Store,
    StoreItem,
    Suspend,
    Terminator,
    Test,
    Throw,
    Truth,
    Unpack,
    Yield,
)

IS_OPEN = "fd=fd0 | fd0 open"
OPEN, HELD, BOTH = "open bound", "held bound", {"fd0": "open bound", "fd1": "open bound"}
PAIR, EMPTY, TWO = Seq((FD, OTHER)), {LIST: Contents()}, {LIST: Contents((FD, OTHER))}


BINDING = [
    case("a constant", given({}), Assign("n", Lit(3)), "next: n=3"),
    case("something unknown", given({"n": Const(3)}), Assign("n", Opaque()), "next:"),
    case("some object", given({}), Assign("n", Opaque(some=True)), "next: n=some"),
    case("a function", given({}), Assign("f", Named(Callee("close", "os.close"))), "next: f=close()"),
    case(
        "the first name binds",
        given({"%1": FD}, fd0="open"),
        Assign("fd", "%1"),
        "next: %1=fd0, fd=fd0 | fd0 open bound",
    ),
    case(
        "a temporary does not",
        given({"%1": FD}, fd0="open"),
        Assign("%2", "%1"),
        "next: %1=fd0, %2=fd0 | fd0 open",
    ),
    case(
        "the last name of an open one is rebound",
        given({"fd": FD}, fd0=OPEN),
        Assign("fd", Lit(None)),
        "next: fd=None",
        "lost fd0: rebound",
    ),
    case(
        "another name is left",
        given({"fd": FD, "copy": FD}, fd0=OPEN),
        Assign("fd", Lit(None)),
        "next: copy=fd0, fd=None | fd0 open bound",
    ),
    case(
        "a container is left",
        given({"fd": FD, "fds": LIST}, {LIST: Contents((FD,))}, fd0=OPEN),
        Assign("fd", Lit(None)),
        "next: fd=None, fds=[fd0] | fd0 open bound",
    ),
    *(
        case(
            f"the last name of a {status} one is rebound",
            given({"fd": FD}, fd0=status),
            Assign("fd", Lit(-1)),
            f"next: fd=-1 | fd0 {status}",
        )
        for status in ("closed", "handed", "borrowed")
    ),
    case(
        "what was lent to the body of a with belongs to it",
        given({"fd": FD}, fd0="open bound lent"),
        Assign("fd", Lit(None)),
        "next: fd=None | fd0 handed bound lent",
    ),
    case(
        "a nested function that others have gets also what its name will hold",
        given({"n": FD}, armed=["fd"], fd0=OPEN),
        Assign("fd", "n"),
        "next: fd=fd0, n=fd0 | fd0 handed bound | armed fd",
    ),
]

BUILDING = [
    case(
        "a tuple", given({"a": FD}, fd0=OPEN), Assign("x", Build("tuple", ("a", Lit(1)))),
        "next: a=fd0, x=(fd0, 1) | fd0 open bound",
    ),
    case(
        "a list", given({"a": FD}, fd0=OPEN), Assign("x", Build("list", ("a", Lit(1)))),
        "next: a=fd0, x=[fd0, 1] | fd0 open bound",
    ),
    case(
        "a dict", given({"a": FD}, fd0=OPEN), Assign("x", Build("dict", ("a",), keys=(Lit("k"),))),
        "next: a=fd0, x={'k': fd0} | fd0 open bound",
    ),
    case(
        "a key is handed over", given({"a": FD}, fd0=OPEN), Assign("x", Build("dict", (Lit(1),), keys=("a",))),
        "next: a=fd0, x={None: 1, ...} | fd0 handed bound",
    ),
    case(
        "an unknown list grows", given({"a": FD}, fd0=OPEN), Assign("x", Build("extend", ("y", "a"))),
        "next: a=fd0, x=(unknown, fd0) | fd0 handed bound",
    ),
    case(
        "an item", given({"x": PAIR}, **BOTH), Assign("a", Item("x", Lit(1))),
        "next: a=fd1, x=(fd0, fd1) | fd0 open bound, fd1 open bound",
    ),
    case(
        "some item", given({"x": PAIR}, **BOTH), Assign("a", Item("x", "n")),
        "next: a=any(fd0, fd1), x=(fd0, fd1) | fd0 open bound, fd1 open bound",
    ),
    case(
        "a slice", given({"x": PAIR}, **BOTH), Assign("a", Slice("x", 1, None, exact=True)),
        "next: a=(fd1), x=(fd0, fd1) | fd0 open bound, fd1 open bound",
    ),
    case(
        "the first of two targets", given({"x": PAIR}, **BOTH), Assign("a", Unpack("x", 0, 2)),
        "next: a=fd0, x=(fd0, fd1) | fd0 open bound, fd1 open bound",
    ),
    case(
        "the starred target", given({"x": PAIR}, **BOTH), Assign("a", Unpack("x", 1, 2, star=1)),
        "next: a=(fd1), x=(fd0, fd1) | fd0 open bound, fd1 open bound",
    ),
    case(
        "a single target shows that one came in",
        given({"x": LIST}, {LIST: Contents(RECEIVED, exact=False)}, fd2=OPEN, fd2_1=OPEN),
        Assign("a", Unpack("x", 0, 1)),
        "next: a=fd2, x=[fd2, fd2.1, ...] | fd2 open bound picked",
    ),
    case(
        "an iterator", given({"x": PAIR}, **BOTH), Assign("%1", Iterator("x")),
        "next: %1=nothrow iterator(fd0, fd1), x=(fd0, fd1) | fd0 open bound, fd1 open bound",
    ),
    case(
        "an iterator over map(os.close, fds) closes",
        given({"x": Lazy(True, (FD,))}, fd0=OPEN), Assign("%1", Iterator("x")),
        "next: %1=nothrow iterator(fd0, ...), x=lazy(fd0) | fd0 closed bound",
    ),
]  # fmt: skip

STORING = [
    *(
        case(
            f"a field owns it: {target}",
            given({"fd": FD}, fd0=OPEN),
            Store(target, "fd"),
            f"next: fd=fd0, {target}=fd0 | fd0 held bound",
        )
        for target in ("self.fd", "other.fd")
    ),
    case("no known place", given({"fd": FD}, fd0=OPEN), Store(None, "fd"), "next: fd=fd0 | fd0 handed bound"),
    case(
        "a variable of an outer function",
        given({"fd": FD}, fd0=OPEN),
        Store("outer", "fd"),
        "next: fd=fd0, outer=fd0 | fd0 handed bound",
    ),
    case(
        "a field loses what it holds to a constant",
        given({"self.fd": FD}, fd0=HELD),
        Store("self.fd", Lit(None)),
        "next: self.fd=None | fd0 handed bound",
        "detached in self.fd: fd0",
    ),
    case(
        "a field loses what it holds to another",
        given({"self.fd": FD, "fd": OTHER}, fd0=HELD, fd1=OPEN),
        Store("self.fd", "fd"),
        "next: fd=fd1, self.fd=fd1 | fd0 handed bound, fd1 held bound",
        "replaced in self.fd: fd0",
    ),
    case(
        "a name still has what the field held",
        given({"self.fd": FD, "fd": FD}, fd0=HELD),
        Store("self.fd", Lit(None)),
        "next: fd=fd0, self.fd=None | fd0 held bound",
    ),
    case(
        "a field may lose what is closed",
        given({"self.fd": FD}, fd0="closed bound"),
        Store("self.fd", Lit(None)),
        "next: self.fd=None | fd0 closed bound",
    ),
    case(
        "another object has other attributes",
        given({"self.a": Known.SOME, "self.a.fd": Const(1), "self.b": Const(2)}),
        Store("self.a", Lit(None)),
        "next: self.a=None, self.b=2",
    ),
]

ITEMS = [
    case(
        "into a list", given({"x": LIST, "fd": FD}, EMPTY, fd0=OPEN), StoreItem("x", Lit(0), "fd"),
        "next: fd=fd0, x=[fd0, ...] | fd0 open bound",
    ),
    case(
        "under a key",
        given({"x": DICT, "fd": FD}, {DICT: Contents(keys=())}, fd0=OPEN), StoreItem("x", Lit("k"), "fd"),
        "next: fd=fd0, x={'k': fd0} | fd0 open bound",
    ),
    case(
        "under a key that has one",
        given({"x": DICT, "fd": FD}, {DICT: Contents((OTHER,), keys=("k",))}, **BOTH), StoreItem("x", Lit("k"), "fd"),
        "next: fd=fd0, x={'k': fd0} | fd0 open bound",
        "lost fd1: next round",
    ),
    case(
        "into something unknown", given({"x": UNKNOWN, "fd": FD}, fd0=OPEN), StoreItem("x", Lit(0), "fd"),
        "next: fd=fd0, x=truthy | fd0 handed bound",
    ),
    case(
        "into a field's container", given({"fd": FD}, fd0=OPEN), StoreItem("self.fds", Lit(0), "fd"),
        "next: fd=fd0, self.fds=truthy | fd0 handed bound",
    ),
    case("del of the last name", given({"fd": FD}, fd0=OPEN), Delete("fd"), "next:", "lost fd0: deleted"),
    case(
        "del of one of two names", given({"fd": FD, "copy": FD}, fd0=OPEN), Delete("fd"),
        "next: copy=fd0 | fd0 open bound",
    ),
    case(
        "del of an item", given({"x": LIST}, TWO, **BOTH), DeleteItem("x", Lit(0)),
        "next: x=[fd1] | fd1 open bound",
        "lost fd0: deleted",
    ),
    case(
        "del of some item", given({"x": LIST}, TWO, **BOTH), DeleteItem("x", "n"),
        "next: x=[fd0, fd1] | fd0 open bound, fd1 open bound",
    ),
    case(
        "del of a key",
        given({"x": DICT}, {DICT: Contents((FD, OTHER), keys=("a", "b"))}, **BOTH), DeleteItem("x", Lit("a")),
        "next: x={'b': fd1} | fd1 open bound",
        "lost fd0: deleted",
    ),
    case(
        "del of everything", given({"x": LIST}, TWO, **BOTH), DeleteItem("x", None, whole=True),
        "next: x=[]",
        "lost fd0: dropped",
        "lost fd1: dropped",
    ),
    case("a temporary dies", given({"%1": FD}, fd0="open"), Drop(("%1",)), "next:", "lost fd0: discarded"),
    case("it had a name", given({"%1": FD}, fd0=OPEN), Drop(("%1", "%2")), "next:", "lost fd0: dropped"),
    case(
        "it has a name", given({"%1": FD, "fd": FD}, fd0=OPEN), Drop(("%1",)),
        "next: fd=fd0 | fd0 open bound",
    ),
]  # fmt: skip

CONTROL = [
    case(
        "with an unknown manager",
        given({"%1": FD}, fd0="open"), Enter("self.lock", "%2"),
        "raises: %1=fd0 | fd0 open | raising perhaps out of a call",
        "next: %1=fd0 | fd0 open",
    ),
    case(
        "with an object whose entry fails: it may have given away what it has",
        given({"fd": FD}, fd0="handed certain"), Enter("self.lock", "%2"),
        "raises: fd=fd0 | fd0 handed | raising perhaps out of a call",
        "next: fd=fd0 | fd0 handed certain",
    ),
    case(
        "with a lock",
        given({"x": Typed("threading.Lock")}), Enter("x", "%2"),
        "next: %2=<threading.Lock>, x=<threading.Lock>",
    ),
    case(
        "with a number",
        given({"fd": FD}, fd0=OPEN), Enter("fd", "%2"),
        "raises: fd=fd0 | fd0 open bound | raising a raise statement",
    ),
    case(
        "with None, which is not followed to its error",
        given({"x": NONE}), Enter("x", "%2"),
        "raises: x=None | raising perhaps out of a call",
        "next: %2=None, x=None",
    ),
    case("leaving a with", given({"fd": FD}, fd0=OPEN), Leave("self.lock"), "next: fd=fd0 | fd0 open bound"),
    case(
        "await",
        given({"fd": FD}, fd0=OPEN), Suspend(),
        "raises: fd=fd0 | fd0 open bound | raising perhaps out of a call",
        "next: fd=fd0 | fd0 open bound",
    ),
    case(
        "yield",
        given({"fd": FD}, fd0=OPEN), Yield("fd"),
        "raises: fd=fd0 | fd0 handed bound | raising perhaps out of a call",
        "next: fd=fd0 | fd0 handed bound",
    ),
    case(
        "yield of a context manager",
        given({"fd": FD}, fd0=OPEN), Yield("fd", lends=True),
        "raises: fd=fd0 | fd0 open bound lent | raising out of a call",
        "next: fd=fd0 | fd0 open bound lent",
    ),
    case(
        "return before the cleanup",
        given({"fd": FD}, fd0=OPEN), Leaving("fd"),
        "next: %return=fd0, fd=fd0 | fd0 open bound",
    ),
    case(
        "return in a finally in place of another",
        given({RESULT: FD}, fd0=OPEN), Leaving(Lit(None)),
        "next: %return=None",
        "lost fd0: return",
    ),
    case("raise", given({"x": Const(1)}), Throw(None, "Exception"), "next: x=1 | raising a raise statement"),
    *(
        case(
            f"raise again what came from {caught.value}",
            given({"!e": Const(caught.value)}), Throw("!e", "Exception"),
            f"next: !e={caught.value!r} | raising {again}",
        )
        for caught, again in (
            (Raising.SPELLED, "a raise statement"),
            (Raising.AGAIN, "a bare raise"),
            (Raising.KNOWN, "a bare raise"),
            (Raising.ASSUMED, "a bare raise of an assumed exception"),
            (Raising.RARE, "a bare raise of a rare exception"),
            (Raising.AGAIN_RARE, "a bare raise of a rare exception"),
        )
    ),
    case(
        "a handler begins: what had no name has had its chance",
        given({"%1": FD}, raising=Raising.KNOWN, fd0="open"),
        Catch("!e"),
        "next: !e='out of a call', %1=fd0 | fd0 open bound",
    ),
    case(
        "a handler begins: nothing is returned",
        given({RESULT: FD}, fd0=OPEN), Catch("!e"),
        "next: !e=None",
        "lost fd0: exception",
    ),
]  # fmt: skip


CASES = [*BINDING, *BUILDING, *STORING, *ITEMS, *CONTROL]


@pytest.mark.parametrize("one", CASES, ids=lambda one: one.name)
def test_effect(one: Case) -> None:
    assert transfer(one.before, one.effect) == list(one.lines)


def test_a_nested_function_that_others_get_owns_what_it_closes() -> None:
    before, made = given({"fd": FD, "n": OTHER}, **BOTH), Assign("f", Closure("inner"))
    sinks = {"inner": frozenset({"fd"})}
    assert transfer(before, made, sinks=sinks, captures=sinks) == [
        "next: f=inner(), fd=fd0, n=fd1 | fd0 open bound, fd1 open bound"
    ]
    after = "next: f=inner(), fd=fd0, n=fd1 | fd0 handed bound, fd1 open bound | armed fd"
    assert after in transfer(before, made, Yield("f"), sinks=sinks, captures=sinks)


def test_every_effect_has_a_case() -> None:
    """Those of calls are in ``test_transfer_call``."""
    assert {type(one.effect) for one in CASES} | {Call} == set(get_args(Effect))


class TestStatement:
    def test_the_statement_that_acquired_it_overwrites_it_in_the_next_round(self) -> None:
        again = step(Assign("fd", Lit(None)), statement=10)
        assert transfer(given({"fd": FD}, fd0=OPEN), again) == ["next: fd=None", "lost fd0: next round"]

    def test_binding_a_name_forgets_what_conditions_said_of_it(self) -> None:
        before = given({}, facts={"n > 1": True, "self.m": True})
        assert transfer(before, Assign("n", Lit(1))) == ["next: n=1 | self.m: True"]


class TestChild:
    """What the child of a fork loses counts only if the child leaves the function: mostly it ends in exec or exit."""

    @pytest.mark.parametrize(
        ("status", "after"),
        [
            ("open bound", " | lost fd0: rebound if it goes on"),
            ("open bound forked", " | lost fd0: rebound if its parent has ended"),
        ],
        ids=["its own", "what it inherited"],
    )
    def test_it_loses_the_last_name(self, status: str, after: str) -> None:
        before = given({"fd": FD}, fd0=status)
        before.role = Role.CHILD
        assert transfer(before, Assign("fd", Lit(None))) == [f"next: fd=None | child{after}"]

    @pytest.mark.parametrize(("index", "lines"), [(RETURN, ["lost fd0: rebound"]), (RAISE, [])])
    def test_it_goes_on(self, index: int, lines: list[str]) -> None:
        before = given({"fd": FD}, fd0=OPEN)
        before.role = Role.CHILD
        rebinding = graph(before, step(Assign("fd", Lit(None))), end=Jump((index,)))
        ((_, after),) = leave(before, rebinding, ENTRY)
        assert run(after, rebinding, index) == lines


class TestPads:
    """Where exceptions land."""

    def test_without_one_no_exception_is_followed(self) -> None:
        assert transfer(given({}), step(Suspend(), pads={})) == ["next:"]

    def test_each_of_several_may_catch(self) -> None:
        before = given({"fd": FD}, fd0=OPEN)
        raised = "fd=fd0 | fd0 open bound | raising perhaps out of a call"
        assert transfer(before, step(Suspend(), pads={"Exception": (HANDLER, DONE)})) == [
            f"raises: {raised}",
            f"done: {raised}",
            "next: fd=fd0 | fd0 open bound",
        ]

    @pytest.mark.parametrize(
        ("before", "lines"),
        [
            (given({"fd": FD}, fd0="closed"), ["next: fd=fd0 | fd0 closed"]),
            (given({"fd": FD}, fd0="open"), [f"raise: {IS_OPEN} | raising perhaps out of a call", f"next: {IS_OPEN}"]),
        ],
    )  # fmt: skip
    def test_one_that_nobody_catches_matters_if_something_is_open(self, before: State, lines: list[str]) -> None:
        assert transfer(before, step(Suspend(), pads={"Exception": (RAISE,)})) == lines


def loop(iterator: Value | None, **typestates: str) -> list[str]:
    """What the head of a loop over an iterator comes to."""
    before = given({"%1": iterator} if iterator is not None else {}, **typestates)
    end = Advance("%1", "x", "loop", 0, NEXT, DONE, PADS)
    return run(before, graph(before, end=end), ENTRY)


class TestTerminator:
    @pytest.mark.parametrize(
        ("end", "lines"),
        [
            (Jump(()), []),
            (Jump((NEXT, DONE)), [f"next: {IS_OPEN}", f"done: {IS_OPEN}"]),
            (Branch(Test(Truth("fd"), None), "test", NEXT, DONE), [f"next: {IS_OPEN}", "tested: fd0"]),
            (Branch(Test(Truth(Lit(0)), None), "test", NEXT, DONE), [f"done: {IS_OPEN}"]),
        ],
        ids=["the path ends", "either way", "a known answer", "the other answer"],
    )
    def test_jump_and_branch(self, end: Terminator, lines: list[str]) -> None:
        before = given({"fd": FD}, fd0="open")
        assert run(before, graph(before, end=end), ENTRY) == lines

    def test_the_next_item_of_a_loop(self) -> None:
        assert loop(Iter((FD, OTHER), True), fd0="open", fd1="open") == [
            "next: %1=nothrow iterator(fd1), x=fd0 | fd0 open bound, fd1 open"
        ]

    def test_no_item_is_left(self) -> None:
        assert loop(Iter((), True)) == ["done: %1=nothrow iterator()"]

    def test_other_items_may_come(self) -> None:
        assert loop(Iter((), False)) == ["next: %1=nothrow iterator(...)", "done: %1=nothrow iterator(...)"]

    def test_an_unknown_iterator_may_raise(self) -> None:
        assert loop(None) == ["raises: raising perhaps out of a call", "next: %1=iterator(...)", "done:"]

    def test_a_list_that_came_in_may_be_empty(self) -> None:
        assert loop(Iter(RECEIVED, False), fd2="open", fd2_1="open") == [
            "next: %1=nothrow iterator(fd2.1, ...), x=fd2 | fd2 open bound, fd2.1 open",
            "done: %1=nothrow iterator(fd2, fd2.1, ...)",
        ]


class TestExit:
    """What the function still owes when it is left."""

    @pytest.mark.parametrize(
        ("env", "status", "index", "lines"),
        [
            ({"fd": FD}, "open bound", RETURN, ["lost fd0: return"]),
            ({"fd": FD}, "closed bound", RETURN, []),
            ({"fd": FD}, "handed bound", RETURN, []),
            ({"fd": FD}, "borrowed bound", RETURN, []),
            ({"self.fd": FD}, "held bound", RETURN, []),
            ({RESULT: FD}, "open bound", RETURN, []),
            ({RESULT: Seq((FD,))}, "open bound", RETURN, []),
            ({"%1": FD}, "open", RETURN, ["lost fd0: discarded"]),
            ({"fd": FD}, "open bound", RAISE, ["lost fd0: exception"]),
            ({RESULT: FD}, "open bound", RAISE, ["lost fd0: exception"]),
            ({"self.fd": FD}, "held bound", RAISE, []),
        ],
    )
    def test_by_typestate(self, env: dict[str, Value], status: str, index: int, lines: list[str]) -> None:
        before = given(env, fd0=status)
        assert run(before, graph(before), index) == lines

    @pytest.mark.parametrize(
        ("raising", "death"),
        [
            (Raising.SPELLED, "raise"),
            (Raising.AGAIN, "reraise"),
            (Raising.AGAIN_RARE, "reraise"),
            (Raising.KNOWN, "exception"),
            (Raising.RARE, "exception"),
        ],
    )
    def test_by_kind_of_exception(self, raising: Raising, death: str) -> None:
        before = given({"fd": FD}, fd0=OPEN)
        before.raising = raising
        assert run(before, graph(before), RAISE) == [f"lost fd0: {death}"]
