"""Records the code that acquires descriptors, while it runs.

Python raises audit events when it opens files and makes sockets, but before the descriptor exists. Its number is then
the lowest free one. Functions that raise no event, such as those for pipes and duplicates, are wrapped, so their
numbers are known.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
from collections.abc import Callable, Iterable
from types import CodeType, FrameType
from typing import Any, NamedTuple, TypeAlias

Frames: TypeAlias = "tuple[tuple[CodeType, int], ...]"
"""The code of each frame and its last instruction, the innermost first."""

_DEEPEST = 16
_MOST_PATHS = 10_000
_IMPORTS = "<frozen importlib"
_OPEN, _SOCKET, _DATABASE = "open", "socket.__new__", "sqlite3.connect"
_SILENT = (
    *(("os", name) for name in ("pipe", "pipe2", "dup", "openpty", "memfd_create", "eventfd", "pidfd_open")),
    *(("os", name) for name in ("timerfd_create", "posix_openpt")),
    ("_posixshmem", "shm_open"),
    ("socket", "recv_fds"),
)
"""Functions that make descriptors and raise no event. All look them up in their module when they call them."""
_RECEIVED = 1  # in what `recv_fds` returns
_dup, _close = os.dup, os.close


class Acquisition(NamedTuple):
    """One call that acquires. ``api``: its name. ``path``: what it opens, as it was given; None if it opens none."""

    api: str
    path: str | None
    frames: Frames


class Recorder:
    """The latest acquisition of each number, and of each path since ``forget_paths``. ``serial`` counts all."""

    def __init__(self) -> None:
        self.serial = 0
        self.by_number: dict[int, Acquisition] = {}
        self.by_path: dict[str, Acquisition] = {}
        self._wrapped: list[tuple[Any, str, Any, Any]] = []

    def start(self) -> None:
        """Begins to record. An audit hook stays until the process ends, so all recorders share one."""
        if self in _active:
            return
        _active.append(self)
        if not _hooked:
            _hooked.append(True)
            sys.addaudithook(_heard)
        for module_name, name in _SILENT:
            self._wrap(module_name, name)

    def stop(self) -> None:
        """Ends it, and puts back what ``start`` has wrapped unless something else has replaced it."""
        if self in _active:
            _active.remove(self)
        for module, name, original, wrapper in reversed(self._wrapped):
            if getattr(module, name) is wrapper:
                setattr(module, name, original)
        self._wrapped.clear()

    def forget_paths(self) -> None:
        """Forgets which paths were opened; the numbers stay."""
        self.by_path.clear()

    def note(self, number: int | None, api: str, path: str | None, frame: FrameType) -> None:
        """Records an acquisition. ``number``: None if it is not known."""
        self.serial += 1
        made = Acquisition(api, path, _frames(frame))
        if number is not None:
            self.by_number[number] = made
        if path is not None and len(self.by_path) < _MOST_PATHS:
            self.by_path[path] = made

    def _wrap(self, module_name: str, name: str) -> None:
        try:
            module = importlib.import_module(module_name)
            original = getattr(module, name)
        except (ImportError, AttributeError):  # another system has it
            return
        api = f"{module_name}.{name}"

        @functools.wraps(original)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            made = original(*args, **kwargs)
            for number in _numbers(name, made):
                self.note(number, api, None, sys._getframe(1))
            return made

        setattr(module, name, wrapper)
        self._wrapped.append((module, name, original, wrapper))


_active: list[Recorder] = []
_hooked: list[bool] = []


def _numbers(name: str, made: Any) -> Iterable[int]:
    """The descriptors in the result of a wrapped function: a number, a pair, or a message with some."""
    if isinstance(made, int):
        return (made,)
    return made[_RECEIVED] if name == "recv_fds" else made  # type: ignore[no-any-return]


def _heard(event: str, args: tuple[Any, ...]) -> None:
    """The audit hook. It must be quick: it gets every event of the process."""
    handler = _HANDLERS.get(event)
    if handler is not None and _active:
        handler(args, sys._getframe(1))


def _opening(args: tuple[Any, ...], frame: FrameType) -> None:
    if type(args[0]) is int or frame.f_code.co_filename.startswith(_IMPORTS):
        return  # a number that is open already, or an import that reads a module
    _note(_lowest_free(), _OPEN, _path(args[0]), frame)


def _connecting(args: tuple[Any, ...], frame: FrameType) -> None:
    _note(_lowest_free(), _DATABASE, _path(args[0]), frame)


def _socket(_: tuple[Any, ...], frame: FrameType) -> None:
    given = frame.f_locals.get("fileno") if frame.f_code.co_name == "__init__" else None
    _note(given if isinstance(given, int) else _lowest_free(), _SOCKET, None, frame)


_HANDLERS: dict[str, Callable[[tuple[Any, ...], FrameType], None]] = {
    _OPEN: _opening,
    _DATABASE: _connecting,
    _SOCKET: _socket,
}


def _note(number: int | None, api: str, path: str | None, frame: FrameType) -> None:
    for recorder in _active:
        recorder.note(number, api, path, frame)


def _path(given: object) -> str | None:
    if type(given) is str and given.startswith("/"):
        return given  # the most frequent case; making it normal takes longer than opening it
    try:
        return os.path.abspath(os.fsdecode(given))  # type: ignore[arg-type]
    except (TypeError, ValueError, OSError):  # no path, or the working directory is gone
        return None


def _lowest_free() -> int | None:
    """Returns the number that the kernel will give to the next descriptor; None if there is none left."""
    for number in (2, 0, 1):
        try:
            free = _dup(number)
        except OSError:
            continue
        _close(free)
        return free
    return None


def _frames(frame: FrameType | None) -> Frames:
    found: list[tuple[CodeType, int]] = []
    for _ in range(_DEEPEST):
        if frame is None:
            break
        found.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back
    return tuple(found)
