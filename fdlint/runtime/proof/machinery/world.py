"""The world of a proof: what a function cannot do to the process, and modules that are not installed."""

from __future__ import annotations

import builtins
import importlib.abc
import importlib.machinery
import os
import pty
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, MutableSequence
from types import ModuleType
from typing import Any

from fdlint.runtime.proof.machinery.choices import Choices, Halted
from fdlint.runtime.proof.machinery.stand_in import NOTHING, StandIn, Surroundings
from fdlint.runtime.proof.machinery.workers import STOOD_IN_FOR, named

_MOST_MISSING = 40
_fork = os.fork
_popen = subprocess.Popen.__init__
_open, _open_file = os.open, builtins.open
_ENDS = ("_exit", "abort", *(f"exec{form}" for form in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")))


def tame(close_seen: Callable[[int, Any], None], pick: Callable[[int], int]) -> None:
    """Replaces what ends, doubles or stops the process. Programs are not started: ``true`` runs in their place. A fork
    is the parent's, or by the choice of ``pick`` the child's."""
    for name in _ENDS:
        setattr(os, name, _ended)
    for owner, name in ((os, "fork"), (os, "forkpty"), (pty, "fork")):
        setattr(owner, name, _forked(getattr(owner, name), pick))
    for owner, name in ((os, "kill"), (os, "killpg"), (time, "sleep"), (os, "system")):
        setattr(owner, name, lambda *args: 0)
    signal.signal = lambda *args: signal.SIG_DFL
    select.select = _selected  # type: ignore[assignment]
    subprocess.Popen.__init__ = _started  # type: ignore[method-assign]
    closing = os.close

    def close(fd: int) -> None:
        if isinstance(fd, int):
            close_seen(fd, sys._getframe(1))
        closing(fd)

    os.close = close


def provide_files() -> None:
    """Lets calls that open files find one."""
    os.open, builtins.open = _opened, _opened_file


def _opened(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
    """Opens an empty file in place of one that is not there, or not for this user."""
    try:
        return _open(path, flags, mode, dir_fd=dir_fd)
    except OSError:
        if _is_missing(path):
            raise
        return _open(_empty(), flags & ~(os.O_DIRECTORY | os.O_EXCL), mode)


def _opened_file(file: Any, *rest: Any, **options: Any) -> Any:
    try:
        return _open_file(file, *rest, **options)
    except (FileNotFoundError, PermissionError):
        if _is_missing(file):
            raise
    return _open_file(_empty(), *rest, **options)


def _is_missing(path: Any) -> bool:
    """Whether nothing shall be there."""
    return isinstance(path, str | os.PathLike) and os.fspath(path).endswith(NOTHING)


def _empty() -> str:
    found = os.path.join(tempfile.gettempdir(), "stands-in-for-a-file")
    os.close(_open(found, os.O_CREAT | os.O_CLOEXEC, 0o600))
    return found


def _ended(*args: object) -> None:
    raise Halted("the process ends there")


def _forked(fork: Callable[[], Any], pick: Callable[[int], int]) -> Callable[[], Any]:
    leave = os.kill

    def forked() -> Any:
        if fork is _fork and pick(2):
            return 0  # what the child does to its descriptors, this process can do
        made = fork()
        if (made[0] if isinstance(made, tuple) else made) == 0:
            leave(os.getpid(), 9)
        return made

    return forked


def _selected(reading: Any, writing: Any, failing: Any, timeout: Any = None) -> tuple[list[Any], ...]:
    """Does what ``select`` does, also for the high numbers of a proof, and waits for nothing."""
    asked = ((reading, select.POLLIN | select.POLLHUP), (writing, select.POLLOUT), (failing, select.POLLPRI))
    found: list[list[Any]] = []
    for objects, mask in asked:
        found.append([])
        for one in objects:
            poll = select.poll()
            poll.register(one, mask)
            found[-1] += [one for _, happened in poll.poll(0) if happened & mask]
    return tuple(found)


def _started(self: Any, args: object = None, *rest: Any, **options: Any) -> None:
    for name in ("shell", "executable", "cwd", "env", "user", "group", "preexec_fn"):
        options.pop(name, None)
    _popen(self, ["true"], *rest, **options)


class _Missing(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Makes modules that are not installed."""

    def __init__(self, names: set[str], code: frozenset[str]) -> None:
        self._names, self.around = names, Surroundings(Choices(()), code)

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        if fullname.partition(".")[0] in self._names:
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: Any) -> ModuleType:
        made = _Module(spec.name)
        made.around = self.around
        return made

    def exec_module(self, module: ModuleType) -> None: ...


class _Module(ModuleType):
    around: Any
    __path__: MutableSequence[str] = []  # noqa: RUF012

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = named(name) if self.__name__.partition(".")[0] in STOOD_IN_FOR else None
        if made is None:
            made = StandIn(self.around, f"{self.__name__}.{name}")
        setattr(self, name, made)
        return made


class Imports:
    """What the code imports. ``top``: the directory of its modules; ``left_out``: what is not imported even if it is
    there. ``missing``: the modules that stand-ins replace, and ``around``: what these share."""

    def __init__(self, top: str, code: frozenset[str], left_out: Iterable[str]) -> None:
        sys.path.insert(0, top)
        self.missing = set(left_out)
        finder = _Missing(self.missing, code)
        self.around = finder.around
        sys.meta_path.insert(0, finder)

    def run(self, code: Callable[[], Any], own: str) -> Any:
        """Runs code until no module is missing. Raises whatever it raises, also if the module ``own`` is missing."""
        for _ in range(_MOST_MISSING):
            try:
                return code()
            except ModuleNotFoundError as error:
                name = (error.name or "").partition(".")[0]
                if not name or name in self.missing or name == own:
                    raise
                self.missing.add(name)
        raise Halted("too many modules are not installed")
