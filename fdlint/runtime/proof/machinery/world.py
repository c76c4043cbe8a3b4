"""The world of a proof: what a function cannot do to the process, and modules that are not installed."""

from __future__ import annotations

import builtins
import contextlib
import importlib
import importlib.abc
import importlib.machinery
import os
import pty
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, MutableSequence
from types import ModuleType
from typing import Any

from fdlint.runtime.proof.machinery.choices import Choices, Halted
from fdlint.runtime.proof.machinery.stand_in import StandIn, Surroundings

_MOST_MISSING = 40
_popen = subprocess.Popen.__init__
_open, _open_file = os.open, builtins.open
_ENDS = ("_exit", "abort", *(f"exec{form}" for form in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")))


def tame(close_seen: Callable[[int, Any], None]) -> None:
    """Replaces what ends, doubles or stops the process. Programs are not started: ``true`` runs in their place."""
    for name in _ENDS:
        setattr(os, name, _ended)
    for owner, name in ((os, "fork"), (os, "forkpty"), (pty, "fork")):
        setattr(owner, name, _parent_only(getattr(owner, name)))
    for owner, name in ((os, "kill"), (os, "killpg"), (time, "sleep"), (os, "system")):
        setattr(owner, name, lambda *args: 0)
    subprocess.Popen.__init__ = _started  # type: ignore[method-assign]
    os.open, builtins.open = _opened, _opened_file
    closing = os.close

    def close(fd: int) -> None:
        if isinstance(fd, int):
            close_seen(fd, sys._getframe(1))
        closing(fd)

    os.close = close


def _opened(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
    """Opens an empty file in place of one that is not there, or not for this user."""
    try:
        return _open(path, flags, mode, dir_fd=dir_fd)
    except OSError:
        return _open(_empty(), flags & ~(os.O_DIRECTORY | os.O_EXCL), mode)


def _opened_file(file: Any, *rest: Any, **options: Any) -> Any:
    with contextlib.suppress(FileNotFoundError, PermissionError):
        return _open_file(file, *rest, **options)
    return _open_file(_empty(), *rest, **options)


def _empty() -> str:
    found = os.path.join(tempfile.gettempdir(), "stands-in-for-a-file")
    os.close(_open(found, os.O_CREAT | os.O_CLOEXEC, 0o600))
    return found


def _ended(*args: object) -> None:
    raise Halted("the process ends there")


def _parent_only(fork: Callable[[], Any]) -> Callable[[], Any]:
    leave = os.kill

    def forked() -> Any:
        made = fork()
        if (made[0] if isinstance(made, tuple) else made) == 0:
            leave(os.getpid(), 9)
        return made

    return forked


def _started(self: Any, args: object, *rest: Any, **options: Any) -> None:
    for name in ("shell", "executable", "cwd", "env", "user", "group", "preexec_fn"):
        options.pop(name, None)
    _popen(self, ["true"], *rest, **options)


class _Missing(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Makes modules that are not installed."""

    def __init__(self, names: set[str], code: frozenset[str]) -> None:
        self._names, self._around = names, Surroundings(Choices(()), code)

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        if fullname.partition(".")[0] in self._names:
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: Any) -> ModuleType:
        made = _Module(spec.name)
        made.around = self._around
        return made

    def exec_module(self, module: ModuleType) -> None: ...


class _Module(ModuleType):
    around: Any
    __path__: MutableSequence[str] = []  # noqa: RUF012

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = StandIn(self.around, f"{self.__name__}.{name}")
        setattr(self, name, made)
        return made


def loaded(top: str, module: str, code: frozenset[str]) -> tuple[ModuleType, set[str], list[Surroundings]]:
    """Imports a module from a directory. Returns it, which modules are missing, and what their stand-ins share. Raises
    whatever the import raises."""
    sys.path.insert(0, top)
    missing: set[str] = set()
    finder = _Missing(missing, code)
    sys.meta_path.append(finder)
    for _ in range(_MOST_MISSING):
        try:
            return importlib.import_module(module), missing, [finder._around]
        except ModuleNotFoundError as error:
            name = (error.name or "").partition(".")[0]
            if not name or name in missing or name == module.partition(".")[0]:
                raise
            missing.add(name)
    raise Halted("too many modules are not installed")
