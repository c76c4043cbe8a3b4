"""The transfer of a call, one catalog effect at a time: what is acquired, closed, taken, used, sent, and what is left
when the call raises. How states are written: ``building``."""

from __future__ import annotations

import pytest

from engine.building import DICT, FD, LIST, OTHER, RECEIVED, Case, call, case, given, step, transfer
from fdlint.core.domain.contents import Contents
from fdlint.core.domain.values import NONE, UNKNOWN, Any_, Seq, Typed
from fdlint.core.ir import Arg, Assign, Call, Callee, Drop, Lit

OPEN, BOTH = "open bound", {"fd0": "open bound", "fd1": "open bound"}
ONE, NONE_YET = {LIST: Contents((FD,))}, {LIST: Contents()}
OWN = Callee("keep", own=True)


ACQUIRING = [
    case(
        "open", given({}), call("os.open", "path", Lit(0)),
        "raises: raising out of a call",
        "next: %1=fd3 | fd3 open",
    ),
    case(
        "a pair", given({}), call("os.pipe"),
        "raises: raising rarely out of a call",
        "next: %1=(fd3, fd3.1) | fd3 open, fd3.1 open",
    ),
    case(
        "a copy", given({"fd": FD}, fd0=OPEN), call("os.dup", "fd"),
        "raises: fd=fd0 | fd0 open bound | raising rarely out of a call",
        "next: %1=fd3, fd=fd0 | fd0 open bound, fd3 open",
    ),
    case(
        "a list from another process", given({}), call("socket.recv_fds", "sock", Lit(1), Lit(2)),
        "raises: raising out of a call",
        "next: %1=(unknown, [fd3, fd3.1, ...], unknown, unknown) | fd3 open, fd3.1 open",
    ),
    case(
        "in the place of one that has no name", given({"%1": FD}, fd0="open"), call("os.open", "path", Lit(0)),
        "raises: %1=fd0 | fd0 open | raising out of a call",
        "next: %1=fd3 | fd3 open",
        "lost fd0: discarded",
    ),
    case("a known number is no duty", given({"fd": FD}, fd0=OPEN), call("os.dup2", "fd", Lit(1)),
         "next: %1=1, fd=fd0 | fd0 open bound"),
]  # fmt: skip

CLOSING = [
    *(
        case(f"what is {status}", given({"fd": FD}, fd0=f"{status} bound"), call("os.close", "fd"),
             "next: %1=None, fd=fd0 | fd0 closed bound certain")
        for status in ("open", "borrowed", "held", "handed")
    ),
    case(
        "what is closed", given({"fd": FD}, fd0="closed bound certain"), call("os.close", "fd"),
        "next: %1=None, fd=fd0 | fd0 closed bound certain",
        "double close: fd0",
        "perhaps double close: fd0",
    ),
    case(
        "what is perhaps closed", given({"fd": FD}, fd0="closed bound"), call("os.close", "fd"),
        "next: %1=None, fd=fd0 | fd0 closed bound",
        "perhaps double close: fd0",
    ),
    case(
        "what has an owner that closes it", given({"fd": FD}, fd0="handed bound certain"), call("os.close", "fd"),
        "next: %1=None, fd=fd0 | fd0 closed bound certain",
        "close after transfer: fd0",
    ),
    case(
        "one of two", given({"fd": Any_((FD, OTHER))}, **BOTH), call("os.close", "fd"),
        "next: %1=None, fd=any(fd0, fd1) | fd0 closed bound, fd1 closed bound",
    ),
    case(
        "one that stands for many", given({"fd": RECEIVED[1]}, fd2_1=OPEN), call("os.close", "fd"),
        "next: %1=None, fd=fd2.1 | fd2.1 closed bound",
    ),
    case(
        "a list by mistake", given({"x": LIST}, ONE, fd0=OPEN), call("os.close", "x"),
        "raises: x=[fd0] | fd0 open bound | raising a raise statement",
    ),
    case("None fails", given({"fd": NONE}), call("os.close", "fd"), "raises: fd=None | raising out of a call"),
    case("a standard stream frees its number", given({}), call("os.close", Lit(1)), "next: %1=None | free [1]"),
    case(
        "a range", given({"a": FD, "b": OTHER}, fd0=OPEN, fd1="held bound"), call("os.closerange", Lit(3), Lit(256)),
        "next: %1=None, a=fd0, b=fd1 | fd0 closed bound, fd1 closed bound",
    ),
    case(
        "the range of the standard streams", given({"a": FD}, fd0=OPEN), call("os.closerange", Lit(0), Lit(3)),
        "next: %1=None, a=fd0 | fd0 open bound | free [0, 1, 2]",
    ),
]  # fmt: skip

TAKING = [
    *(
        case(f"an object that closes it: {dotted}", given({"fd": FD}, fd0=OPEN), effect,
             f"next: %1=<{kind}>, fd=fd0 | fd0 handed bound certain")
        for dotted, kind, effect in (
            ("os.fdopen", "io.IOBase", call("os.fdopen", "fd")),
            ("socket.socket", "socket.socket", call("socket.socket", fileno="fd")),
        )
    ),
    case(
        "an object that does not", given({"fd": FD}, fd0=OPEN), call("os.fdopen", "fd", closefd=Lit(False)),
        "raises: fd=fd0 | fd0 open bound | raising rarely out of a call",
        "next: %1=<io.IOBase>, fd=fd0 | fd0 open bound",
    ),
    case(
        "what is closed", given({"fd": FD}, fd0="closed bound certain"), call("os.fdopen", "fd"),
        "next: %1=<io.IOBase>, fd=fd0 | fd0 closed bound certain",
        "use after close: fd0",
    ),
    case(
        "a function of the project", given({"fd": FD}, fd0=OPEN), Call("%1", OWN, (Arg("fd"),)),
        "raises: fd=fd0 | fd0 handed bound | raising perhaps out of a call",
        "next: fd=fd0 | fd0 handed bound",
    ),
    case(
        "whatever the list that it gets will hold", given({"x": LIST}, ONE, fd0=OPEN), Call("%1", OWN, (Arg("x"),)),
        "raises: x=shared [fd0] | fd0 handed bound | raising perhaps out of a call",
        "next: x=shared [fd0] | fd0 handed bound",
    ),
    case(
        "a function of somebody else's", given({"fd": FD}, fd0=OPEN), call("package.look", "fd"),
        "raises: fd=fd0 | fd0 open bound given | raising perhaps out of a call",
        "next: fd=fd0 | fd0 open bound given",
    ),
]  # fmt: skip

USING = [
    case(
        "what is open", given({"fd": FD}, fd0=OPEN), call("os.read", "fd", Lit(1)),
        "raises: fd=fd0 | fd0 open bound | raising out of a system call on what is open",
        "next: fd=fd0 | fd0 open bound",
    ),
    case(
        "what is closed", given({"fd": FD}, fd0="closed certain"), call("os.read", "fd", Lit(1)),
        "raises: fd=fd0 | fd0 closed certain | raising out of a call",
        "next: fd=fd0 | fd0 closed certain",
        "use after close: fd0",
    ),
    case(
        "what is perhaps closed", given({"fd": FD}, fd0="closed"), call("os.read", "fd", Lit(1)),
        "raises: fd=fd0 | fd0 closed | raising out of a call",
        "next: fd=fd0 | fd0 closed",
    ),
    case(
        "sending what a list holds", given({"x": LIST}, ONE, fd0=OPEN), call("socket.send_fds", "sock", Lit("m"), "x"),
        "raises: x=[fd0] | fd0 open bound | raising out of a call",
        "next: x=[fd0] | fd0 open bound sent",
    ),
    case(
        "spawning with what a list holds",
        given({"x": LIST}, ONE, fd0=OPEN), call("subprocess.Popen", "command", pass_fds="x"),
        "raises: x=[fd0] | fd0 open bound | raising out of a call",
        "next: %1=<subprocess.Popen>, x=[fd0] | fd0 open bound spawned",
    ),
    case(
        "spawning with what is closed",
        given({"x": LIST}, ONE, fd0="closed"), call("subprocess.Popen", "command", pass_fds="x"),
        "raises: x=[fd0] | fd0 closed | raising out of a call",
        "next: %1=<subprocess.Popen>, x=[fd0] | fd0 closed",
    ),
    case(
        "the next exec is to close it", given({"fd": FD}, fd0=OPEN), call("os.set_inheritable", "fd", Lit(False)),
        "next: %1=None, fd=fd0 | fd0 open bound cloexec_set",
    ),
    case(
        "the child of a fork has a copy", given({"fd": FD}, fd0=OPEN), call("os.fork"),
        "next: %1=pid, fd=fd0 | fd0 open bound forked | forked",
    ),
]  # fmt: skip

METHODS = [
    case(
        "append to a list", given({"x": LIST, "fd": FD}, NONE_YET, fd0=OPEN), call(".append", "x", "fd"),
        "next: fd=fd0, x=[fd0] | fd0 open bound",
    ),
    case(
        "append to something unknown", given({"x": UNKNOWN, "fd": FD}, fd0=OPEN), call(".append", "x", "fd"),
        "next: fd=fd0, x=truthy | fd0 handed bound",
    ),
    case(
        "pop", given({"x": LIST}, {LIST: Contents((FD, OTHER))}, **BOTH), call(".pop", "x"),
        "next: %1=fd1, x=[fd0] | fd0 open bound, fd1 open bound",
    ),
    case(
        "pop of a key", given({"x": DICT}, {DICT: Contents((FD,), keys=("k",))}, fd0=OPEN), call(".pop", "x", Lit("k")),
        "next: %1=fd0, x={} | fd0 open bound",
    ),
    case("clear", given({"x": LIST}, ONE, fd0=OPEN), call(".clear", "x"), "next: x=[]", "lost fd0: dropped"),
    case(
        "list of a tuple", given({"x": Seq((FD,))}, fd0=OPEN), call("builtins.list", "x"),
        "next: %1=[fd0], x=(fd0) | fd0 open bound",
    ),
]  # fmt: skip

ENDING = [
    case("a function that never returns and cannot raise", given({"fd": FD}, fd0=OPEN), call("os._exit", Lit(1))),
    case("a function that cannot raise", given({}), call("os.getpid"), "next:"),
    case(
        "a constructor of the project", given({}), Call("%1", Callee("Pool", own=True, constructs=True), ()),
        "raises: raising perhaps out of a call",
        "next: %1=some",
    ),
    case(
        "a method that the type of its object lacks", given({"fd": FD}, fd0=OPEN), call(".fileno", "fd"),
        "raises: fd=fd0 | fd0 open bound | raising a raise statement",
    ),
    case(
        "an object may give away what it has", given({"f": Typed("io.IOBase"), "fd": FD}, fd0="handed bound certain"),
        call(".detach", "f"),
        "raises: f=<io.IOBase>, fd=fd0 | fd0 handed bound | raising perhaps out of a call",
        "next: %1=<io.IOBase>, f=<io.IOBase>, fd=fd0 | fd0 handed bound",
    ),
]  # fmt: skip


CASES = [*ACQUIRING, *CLOSING, *TAKING, *USING, *METHODS, *ENDING]


@pytest.mark.parametrize("one", CASES, ids=lambda one: one.name)
def test_call(one: Case) -> None:
    assert transfer(one.before, one.effect) == list(one.lines)


def test_a_second_descriptor_of_one_call_is_the_newest() -> None:
    """Recency: the one before is told apart while the statement lasts, then it is one of those before."""
    opening = step(call("os.open", "path", Lit(0)), pads={})
    rounds = [opening, Assign("a", "%1"), opening, Assign("b", "%1")]
    assert transfer(given({}), *rounds) == ["next: %1=fd3, a=fd3', b=fd3 | fd3 open bound, fd3' open bound"]
    assert transfer(given({}), *rounds, Drop(("%1",))) == [
        "next: a=fd3'', b=fd3 | fd3 open bound, fd3'' open bound"
    ]  # fmt: skip


def test_a_handler_of_the_right_kind_catches() -> None:
    reading = step(call("os.read", "fd", Lit(1)), pads={"Exception": (), "builtins.OSError": (4,)})
    assert transfer(given({"fd": FD}, fd0=OPEN), reading) == [
        "raises: fd=fd0 | fd0 open bound | raising out of a system call on what is open",
        "next: fd=fd0 | fd0 open bound",
    ]


def test_the_next_descriptor_gets_the_number_of_a_closed_standard_stream_and_is_no_duty() -> None:
    opening = step(call("os.open", "path", Lit(0)), pads={})
    assert transfer(given({}), call("os.close", Lit(1)), opening) == ["next: %1=fd4 | fd4 handed stream 1"]
