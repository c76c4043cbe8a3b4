"""Objects that stand for what is not known: parameters, and modules that are not installed."""

from __future__ import annotations

import builtins
import dis
import gc
import itertools
import os
import socket
import sys
import tempfile
from collections.abc import Generator, Iterator
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import Any

from fdlint.runtime.proof.machinery.choices import Choices
from fdlint.runtime.proof.machinery.descriptors import first, identity

_LENGTHS = (1, 0, 2)
_REGISTERS, _FORGETS = ("register", "add_reader", "add_writer"), ("unregister", "remove_reader", "remove_writer")
_SENT = (1, 2, 4)
NOTHING = "nothing-is-here"
_CREDENTIALS = 2  # SCM_CREDENTIALS
_MOST_STUBS = 20


class Surroundings:
    """What the stand-ins of one run share. ``taken``: the complements of descriptors that a stand-in got;
    ``registered``: of those that one watches as a selector or a loop would. ``code``: the files of the project, whose
    functions a stand-in for a decorator gives back."""

    def __init__(self, choices: Choices, code: frozenset[str]) -> None:
        self.choices, self.code = choices, code
        self.taken: set[int] = set()
        self.registered: set[int] = set()
        self.own: list[int] = []
        self.sockets: list[socket.socket] = []

    def number(self) -> int:
        """Returns a descriptor of a new file with some bytes in it."""
        number, path = tempfile.mkstemp()
        os.unlink(path)
        os.write(number, b"1\n")
        os.lseek(number, 0, os.SEEK_SET)
        self.own.append(~number)
        return number

    def path(self) -> str:
        """Returns the path of a new file, of a new directory, or of nothing."""
        kind = self.choices.pick(3)
        if kind:
            return os.path.join(tempfile.mkdtemp(), *((NOTHING,) if kind == 2 else ()))
        number, path = tempfile.mkstemp()
        os.close(number)
        return path

    def connection(self) -> socket.socket:
        """Returns a socket at which a message with descriptors waits."""
        here, there = socket.socketpair()
        self.sockets += (here, there)
        count = _SENT[self.choices.pick(len(_SENT))]
        sent = self.number()
        socket.send_fds(there, [b"x"], [sent] * count)
        return here

    def end(self) -> None:
        """Closes what is its own."""
        for one in self.sockets:
            if one.fileno() < 0 or identity(one.fileno()) is not None:
                one.close()
            else:
                one.detach()
        for complement in self.own:
            if identity(~complement) is not None:
                os.close(~complement)


class StandIn:
    """Answers everything. An answer that the code can see twice is the same twice."""

    def __init__(self, around: Surroundings, name: str) -> None:
        vars(self).update(_around=around, _name=name, _answers={}, __name__=name)

    def _answer(self, question: str, count: int) -> int:
        known = self._answers
        if question not in known:
            known[question] = self._around.choices.pick(count)
        return int(known[question])

    def _child(self, name: str) -> StandIn:
        return type(self)(self._around, f"{self._name}{name}")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        special = _SPECIAL.get(name)
        made = Special(self, special) if special is not None else self._child(f".{name}")
        vars(self)[name] = made
        return made

    def __setattr__(self, name: str, value: object) -> None:
        self._take((value,))
        vars(self)[name] = value

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Returns another stand-in, or nothing."""
        given = (*args, *kwargs.values())
        if len(given) == 1 and getattr(getattr(given[0], "__code__", None), "co_filename", "") in self._around.code:
            return given[0]  # it decorates a function
        self._take(given)
        self._watch(given)
        return None if self._around.choices.pick(2) else self._child("()")

    def _give(self) -> None:
        """Is told that a stand-in gets it."""

    def _watch(self, given: tuple[object, ...]) -> None:
        """Does what a selector or a loop of this name would do with a number."""
        numbers = {~one for one in given if isinstance(one, int) and not isinstance(one, bool) and one >= first()}
        method = self._name.rpartition(".")[2]
        if method in _REGISTERS:
            self._around.registered |= numbers
        elif method in _FORGETS:
            self._around.registered -= numbers
        elif method == "close" and not given:
            self._around.registered.clear()

    def _take(self, given: object, depth: int = 0) -> None:
        if isinstance(given, StandIn):
            given._give()
        elif isinstance(given, bool):
            return
        elif isinstance(given, int) and given >= first():
            self._around.taken.add(~given)
        elif isinstance(given, list | tuple | set) and depth < 4:
            for one in given:
                self._take(one, depth + 1)
        elif isinstance(given, dict):
            self._take(list(given.values()), depth + 1)

    def __bool__(self) -> bool:
        return not self._answer("bool", 2)

    def __iter__(self) -> Iterator[Any]:
        asked = _unpacked(sys._getframe(1))
        for at in range(len(self) if asked is None else asked):
            yield self[at]

    async def __aiter__(self) -> Any:
        for each in self:
            yield each

    def __len__(self) -> int:
        return _LENGTHS[self._answer("length", len(_LENGTHS))]

    def __getitem__(self, key: object) -> Any:
        return getattr(self, f"[{key!r:.40}]")

    def __setitem__(self, key: object, value: object) -> None:
        setattr(self, f"[{key!r:.40}]", value)

    def __delitem__(self, key: object) -> None: ...

    def __contains__(self, item: object) -> bool:
        return bool(self._answer(f"has {item!r:.40}", 2))

    def __eq__(self, other: object) -> bool:
        return self is other or bool(self._answer(f"is {other!r:.40}", 2))

    def __hash__(self) -> int:
        return id(self)

    def __lt__(self, other: object) -> bool:
        return bool(self._answer("less", 2))

    __gt__ = __le__ = __ge__ = __lt__

    def __index__(self) -> int:
        if "number" not in self._answers:
            self._answers["number"] = ~self._around.number()
        return ~int(self._answers["number"])

    __int__ = __index__

    def __fspath__(self) -> str:
        if "path" not in self._answers:
            self._answers["path"] = self._around.path()
        return str(self._answers["path"])

    def __str__(self) -> str:
        return self.__fspath__()

    def __format__(self, form: str) -> str:
        return self.__fspath__()

    def __repr__(self) -> str:
        return f"<stand-in for {self._name}>"

    def __enter__(self) -> Any:
        return self._child(" entered")

    def __exit__(self, kind: object, error: object, trace: TracebackType | None) -> None: ...

    async def __aenter__(self) -> Any:
        return self._child(" entered")

    async def __aexit__(self, kind: object, error: object, trace: TracebackType | None) -> None: ...

    def __await__(self) -> Generator[None, None, Any]:
        yield from ()
        return self._child(" awaited")

    def __mro_entries__(self, bases: tuple[object, ...]) -> tuple[type, ...]:
        return ()

    def __add__(self, other: object = None) -> Any:
        return self

    __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __or__ = __ror__ = __add__
    __and__ = __rand__ = __mod__ = __floordiv__ = __lshift__ = __rshift__ = __xor__ = __invert__ = __add__


def _unpacked(frame: FrameType) -> int | None:
    """Returns how many values the code takes apart; None if it does something else."""
    code, at = frame.f_code.co_code, frame.f_lasti
    return code[at + 1] if dis.opname[code[at]] == "UNPACK_SEQUENCE" else None


class Stubs:
    """Functions that fail with stand-ins: other stand-ins can answer in their place."""

    def __init__(self) -> None:
        self._known: dict[CodeType, FunctionType] = {}
        vars(builtins)["_answered_by_stand_in"] = self._answered
        self.begin(Surroundings(Choices(()), frozenset()))

    def begin(self, around: Surroundings) -> None:
        """Begins a run."""
        self._around = around
        self._replaced: dict[CodeType, bool] = {}

    @property
    def names(self) -> list[str]:
        """Those that this run has replaced."""
        return sorted({self._known[code].__name__ for code, replaced in self._replaced.items() if replaced})

    def add(self, code: CodeType) -> bool:
        """Replaces the functions with this code. Returns whether there is one."""
        functions = [one for one in gc.get_referrers(code) if isinstance(one, FunctionType) and one.__code__ is code]
        functions = [one for one in functions if one.__closure__ is None]
        if code in self._known or len(self._known) >= _MOST_STUBS or not functions:
            return False
        for one in functions:
            original = FunctionType(code, one.__globals__, one.__name__, one.__defaults__)
            original.__kwdefaults__ = one.__kwdefaults__
            one.__code__ = _stub.__code__.replace(co_name=code.co_name, co_firstlineno=len(self._known) + 1)
            self._known[one.__code__] = original
        return True

    def _answered(self, args: tuple[object, ...], kwargs: dict[str, object]) -> Any:
        caller, code = sys._getframe(2).f_code.co_filename, sys._getframe(1).f_code
        if caller not in self._around.code:  # the proof itself and Python's library need the function
            return self._known[code](*args, **kwargs)
        if code not in self._replaced:
            self._replaced[code] = not self._around.choices.pick(2)
        if not self._replaced[code]:
            return self._known[code](*args, **kwargs)
        made = StandIn(self._around, "()")
        made._take((*args, *kwargs.values()))
        return None if code.co_name == "__init__" else made


def _stub(*args: Any, **kwargs: Any) -> Any:
    return _answered_by_stand_in(args, kwargs)  # type: ignore[name-defined]  # noqa: F821


class Special(StandIn):
    """A method that a descriptor, a file or a socket has: it does what that does."""

    def __init__(self, owner: StandIn, kind: str) -> None:
        super().__init__(owner._around, kind)
        vars(self)["_owner"] = owner

    def _socket(self) -> socket.socket:
        known = vars(self._owner)
        if "_socket_of" not in known:
            known["_socket_of"] = self._around.connection()
        found = known["_socket_of"]
        assert isinstance(found, socket.socket)
        return found

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Returns what such a method returns."""
        if self._name == "fileno":
            return self._owner.__index__()
        if self._name == "detach":
            return os.dup(self._around.number())
        if self._name == "accept":
            return self._child("()"), ""
        if self._name == "read":
            return b"" if self._around.choices.pick(2) else b"x"
        if self._name in ("write", "sendmsg"):
            return 1
        made = getattr(self._socket(), self._name)(*itertools.islice(args, 3), **kwargs)
        return _Received(self._varied(made))

    def _varied(self, received: tuple[Any, ...]) -> tuple[Any, ...]:
        """Returns what came, or the same after a message of another kind, or cut off."""
        data, messages, flags, *rest = received
        kind = self._around.choices.pick(3)
        other = [(socket.SOL_SOCKET, _CREDENTIALS, b"\0" * 12)] if kind == 1 else []
        return data, other + messages, flags | (socket.MSG_CTRUNC if kind == 2 else 0), *rest


class _Received(tuple[Any, ...]):
    """What a socket received. It can be awaited."""

    def __await__(self) -> Generator[None, None, Any]:
        yield from ()
        return self


_SPECIAL = {
    **{name: name for name in ("fileno", "detach", "accept", "read", "sendmsg", "recvmsg", "recvmsg_into")},
    **dict.fromkeys(("recv", "readline"), "read"),
    **dict.fromkeys(("write", "send"), "write"),
}
