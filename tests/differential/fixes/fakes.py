"""The modules and unknown objects that a generated function uses, over the numbers of ``runtime``."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from ..decisions import PathPruned
from .runtime import Runtime, Unseen

_KEEPING = frozenset({"put", "put_nowait", "call_later", "call_soon", "register", "submit", "finalize"})
"""The methods of unknown objects that keep their arguments."""
_RUNNING = frozenset({"call_later", "call_soon", "register", "submit", "finalize"})
"""Those that call a function later."""


class Thing:
    """An unknown object. What is stored in it lives on."""

    def __init__(self, run: Runtime, name: str) -> None:
        fields = {"_run": run, "name_of_thing": f"{name}{run.thing()}"}
        self.__dict__.update(fields)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "fileno":
            return self._fileno
        return lambda *args, **kwargs: self._called(name, *args, *kwargs.values())

    def __setattr__(self, name: str, value: object) -> None:
        self._run.keep(value)
        self.__dict__[name] = value

    def __setitem__(self, key: object, value: object) -> None:
        self._run.keep(key, value)

    def _fileno(self) -> int:
        if "_number" not in self.__dict__:
            self.__dict__["_number"] = self._run.borrow()
        number = self.__dict__["_number"]
        assert isinstance(number, int)
        return number

    def _called(self, name: str, *args: object) -> object:
        self._run.use(f"{self.name_of_thing}.{name}", *args)
        if name in _KEEPING:
            self._run.keep(*args)
        if name in _RUNNING:
            at = next(number for number, arg in enumerate(args) if callable(arg))
            self._run.later.append((args[at], args[at + 1 :]))
        if name in _KEEPING:
            return None
        self._run.may_raise()
        return Thing(self._run, name)


class Registry(dict[object, object]):
    """A dictionary of the caller. What is stored in it is the caller's, also what another item takes the place of."""

    def __init__(self, run: Runtime) -> None:
        super().__init__()
        self._run = run

    def __setitem__(self, key: object, value: object) -> None:
        self._run.keep(value)
        super().__setitem__(key, value)


class File:
    """A file object, which owns its number."""

    def __init__(self, run: Runtime, number: int) -> None:
        self.number, self.is_open = number, True
        self._run = run
        run.owners.append(self)

    def close(self) -> None:
        """Closes the number once."""
        if self.is_open:
            self.is_open = False
            self._run.close(self.number)

    def read(self, *_: object) -> bytes:
        """Reads. It may raise."""
        self._run.use("read", self.number)
        self._run.may_raise(of_os=True)
        return b""

    write = read

    def fileno(self) -> int:
        """Returns the number."""
        return self.number

    def __enter__(self) -> File:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Started:
    """``threading.Thread``: from ``start`` on, it has its arguments. It runs after the function."""

    def __init__(self, run: Runtime, target: Any, args: tuple[object, ...]) -> None:
        self._run, self._target, self._args = run, target, args

    def start(self) -> None:
        self._run.use("start", *self._args)
        self._run.keep(self._target, self._args)
        self._run.later.append((self._target, tuple(self._args)))


class Fakes(Unseen):
    """The functions of the modules. ``run``: the present one."""

    def __init__(self) -> None:
        self.run: Runtime
        self.names: dict[str, Any] = self._names()

    def _acquire(self, *args: object) -> int:
        self.run.use("acquire", *args)
        self.run.may_raise(of_os=True)
        return self.run.acquire()

    def _dup(self, number: object) -> int:
        self._number(number)
        return self._acquire(number)

    def _pair(self, *_: object) -> tuple[int, int]:
        self.run.use("pair")
        self.run.may_raise(of_os=True)
        first, second = self.run.acquire(), self.run.acquire()
        self.run.ends.update({first: 0, second: 1})
        return first, second

    def _mkstemp(self) -> tuple[int, str]:
        return self._acquire(), "name"

    def _recv_fds(self, *_: object) -> tuple[bytes, list[int], int, None]:
        count = self.run.may_raise(of_os=True, outcomes=3)
        return b"", [self.run.acquire() for _ in range(count)], 0, None

    def _close(self, number: object) -> None:
        self.run.close(number)

    def _number(self, number: object) -> None:
        if not isinstance(number, int):
            raise TypeError(f"an integer is required (got type {type(number).__name__})")

    def _os_use(self, name: str, number: object, *_: object) -> bytes:
        self._number(number)
        self.run.use(name, number)
        self.run.may_raise(of_os=True)
        return b""

    def _calm_use(self, number: object, *_: object) -> None:
        self._number(number)
        self.run.use("blocking", number)

    def _inherit(self, number: object, inheritable: bool) -> None:
        self._number(number)
        if inheritable:
            self.run.use("inherit", number)

    def _fdopen(self, number: object, *_: object) -> File:
        self._number(number)
        if not isinstance(number, int) or number < 0:
            raise ValueError("negative file descriptor")
        self.run.use("fdopen", number)
        return File(self.run, number)

    def _adopt(self, *args: object) -> Thing:
        """``adopt(fd)``, ``Owner(fd)``: take over their arguments. If they raise, nobody knows."""
        self.run.use("adopt", *args)
        try:
            self.run.may_raise()
        except Exception:
            self.run.doubtful.update(self.run.known_in(args))
            raise
        self.run.keep(*args)
        return Thing(self.run, "adopt")

    def _use(self, *args: object, **kwargs: object) -> Thing:
        self.run.use("use", *args, *kwargs.values())
        self.run.may_raise()
        return Thing(self.run, "use")

    def _cond(self, *args: object) -> bool:
        self.run.use("cond", *args)
        return bool(self.run.may_raise(outcomes=2))

    def _print(self, *args: object, **_: object) -> None:
        self.run.use("print", *args)

    def _popen(self, *args: object, **kwargs: object) -> Thing:
        self.run.use("Popen", *args, *kwargs.values())
        self.run.may_raise(of_os=True)
        return Thing(self.run, "Popen")

    def _send_fds(self, *args: object) -> int:
        self.run.use("send_fds", *args[1:])
        self.run.may_raise(of_os=True)
        return 1

    def _range(self, *args: object) -> range:
        return range(*(arg if isinstance(arg, int) else self.run.choose(3) for arg in args))

    def _round(self) -> None:
        """Runs in each round of a ``while``."""
        self.run.step()

    def _caught(self) -> None:
        """Runs at the start of each handler."""
        self.run.note(sys.exc_info()[1])

    def _returned(self, value: object) -> object:
        """Runs after each call of a function of the module."""
        self.run.hand_back(value)
        return value

    def _assume(self, holds: object) -> None:
        if not holds:
            raise PathPruned("assertion")

    def _names(self) -> dict[str, Any]:
        def calling(use: Callable[..., object], name: str) -> Callable[..., object]:
            return lambda *args: use(name, *args)

        uses = {name: calling(self._os_use, name) for name in ("read", "write", "fsync", "fstat", "lseek", "isatty")}
        opens: dict[str, Any] = dict.fromkeys(("open", "memfd_create", "eventfd"), self._acquire)
        os = SimpleNamespace(
            close=self._close, dup=self._dup, fdopen=self._fdopen, O_RDONLY=0, O_RDWR=2,
            set_blocking=self._calm_use, set_inheritable=self._inherit, **opens,
            **dict.fromkeys(("pipe", "openpty"), self._pair), **uses,
        )  # fmt: skip
        thread = lambda target, args=(): _Started(self.run, target, args)  # noqa: E731
        return {
            "os": os,
            "tempfile": SimpleNamespace(mkstemp=self._mkstemp),
            "socket": SimpleNamespace(send_fds=self._send_fds, recv_fds=self._recv_fds),
            "subprocess": SimpleNamespace(Popen=self._popen),
            "threading": SimpleNamespace(Thread=thread),
            "contextlib": contextlib, "suppress": contextlib.suppress, "ExitStack": contextlib.ExitStack,
            "contextmanager": contextlib.contextmanager,
            **dict.fromkeys(("adopt", "Owner", "keep"), self._adopt),
            **dict.fromkeys(("use", "work"), self._use),
            "cond": self._cond, "print": self._print, "range": self._range, "BaseException": Exception,
            "_round": self._round, "_returned": self._returned, "_caught": self._caught,
            "_assume": self._assume,
        }  # fmt: skip
