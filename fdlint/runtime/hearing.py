"""Hears each call of this process that acquires a descriptor, and tells it to those who listen.

Python raises audit events when it opens files and makes sockets, but before the descriptor exists. Its number is then
the lowest free one. Functions that raise no event, such as those for pipes and duplicates, are wrapped, so their
numbers are known. All this runs inside of other programs, so it must be quick: a few microseconds for a call that
acquires, and a fraction of one for any other event.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any, Protocol

_IMPORTS = "<frozen importlib"
_OPEN, _SOCKET, _DATABASE = "open", "socket.__new__", "sqlite3.connect"
_SILENT = (
    *(("os", "", name) for name in ("pipe", "pipe2", "dup", "openpty", "memfd_create", "eventfd", "pidfd_open")),
    *(("os", "", name) for name in ("timerfd_create", "posix_openpt")),
    ("_posixshmem", "", "shm_open"),
    ("socket", "", "recv_fds"),
    ("selectors", "EpollSelector", "_selector_cls"),
    ("selectors", "KqueueSelector", "_selector_cls"),
)
"""Functions that make descriptors and raise no event: the module, the class and the name. All callers look them up
there when they call them."""
_RECEIVED = 1  # in what `recv_fds` returns
_dup, _close, _frame = os.dup, os.close, sys._getframe


class Listener(Protocol):
    """Who wants to know."""

    def note(self, number: int | None, api: str, path: str | None, frame: FrameType) -> None:
        """Gets an acquisition. ``number``: None if it is not known. ``path``: what is opened; None if there is none."""

    def adopt(self, number: int, api: str, frame: FrameType) -> None:
        """Gets a number that was open before, and that an object takes over. Who has acquired it is more telling."""


def listen(listener: Listener) -> None:
    """Begins to tell a listener. An audit hook stays until the process ends, so all of them share one."""
    if listener in _listeners:
        return
    if not _listeners:
        _handlers.update(_HANDLERS)
        for place in _SILENT:
            _wrap(*place)
    _listeners.append(listener)
    if not _hooked:
        _hooked.append(True)
        sys.addaudithook(_heard)


def forget(listener: Listener) -> None:
    """Ends it. The last one puts back what is wrapped, unless something else has replaced it."""
    if listener not in _listeners:
        return
    _listeners.remove(listener)
    if not _listeners:
        _handlers.clear()
        for home, name, original, wrapper in reversed(_wrapped):
            if vars(home).get(name) is wrapper:
                setattr(home, name, original)
        _wrapped.clear()


_listeners: list[Listener] = []
_hooked: list[bool] = []
_wrapped: list[tuple[Any, str, Any, Any]] = []
_handlers: dict[str, Callable[[tuple[Any, ...]], None]] = {}


def _wrap(module_name: str, class_name: str, name: str) -> None:
    try:
        home = importlib.import_module(module_name)
        home = getattr(home, class_name) if class_name else home
        original = getattr(home, name)
    except (ImportError, AttributeError):  # another system has it
        return
    # The class that a selector uses is called by its own name.
    api = f"{original.__module__}.{original.__qualname__}" if class_name else f"{module_name}.{name}"

    @functools.wraps(original, updated=())
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        made = original(*args, **kwargs)
        try:  # noqa: SIM105 (contextlib.suppress takes longer)
            _tell(_numbers(name, made), api, _frame(1))
        except Exception:
            pass
        return made

    placed = staticmethod(wrapper) if class_name else wrapper
    setattr(home, name, placed)
    _wrapped.append((home, name, original, placed))


def _tell(numbers: Iterable[int], api: str, frame: FrameType) -> None:
    for number in numbers:
        for listener in _listeners:
            listener.note(number, api, None, frame)


def _numbers(name: str, made: Any) -> Iterable[int]:
    """The descriptors in the result of a wrapped function: a number, a pair, a message with some, or an object."""
    if isinstance(made, int):
        return (made,)
    if name == "_selector_cls":
        return (made.fileno(),)
    return made[_RECEIVED] if name == "recv_fds" else made  # type: ignore[no-any-return]


def _heard(event: str, args: tuple[Any, ...]) -> None:
    """The audit hook. It gets every event of the process. What it raises would break the program that it watches."""
    handler = _handlers.get(event)
    if handler is not None:
        try:  # noqa: SIM105 (contextlib.suppress takes longer)
            handler(args)
        except Exception:
            pass


def _opening(args: tuple[Any, ...]) -> None:
    path = args[0]
    if type(path) is int:
        return  # a number that is open already
    frame = _frame(2)
    if frame.f_code.co_filename.startswith(_IMPORTS):
        return  # an import that reads a module
    number, shown = _lowest_free(), _path(path)
    for listener in _listeners:
        listener.note(number, _OPEN, shown, frame)


def _connecting(args: tuple[Any, ...]) -> None:
    number, path, frame = _lowest_free(), _path(args[0]), _frame(2)
    for listener in _listeners:
        listener.note(number, _DATABASE, path, frame)


def _socket(_: tuple[Any, ...]) -> None:
    """A socket of a given number is new only inside of the module ``socket``: accept, dup, fromfd, socketpair."""
    frame = _frame(2)
    given = frame.f_locals.get("fileno") if frame.f_code.co_name == "__init__" else None
    if not isinstance(given, int):
        number = _lowest_free()
        for listener in _listeners:
            listener.note(number, _SOCKET, None, frame)
        return
    caller = frame.f_back
    is_new = caller is not None and caller.f_code.co_filename == frame.f_code.co_filename
    for listener in _listeners:
        if is_new:
            listener.note(given, _SOCKET, None, frame)
        else:
            listener.adopt(given, _SOCKET, frame)


_HANDLERS = {_OPEN: _opening, _DATABASE: _connecting, _SOCKET: _socket}


def _path(given: object) -> str | None:
    if type(given) is str and given[:1] == "/":
        return given  # the most frequent case; making it normal takes longer than opening it
    try:
        return os.path.abspath(os.fsdecode(given))  # type: ignore[arg-type]
    except (TypeError, ValueError, OSError):  # no path, or the working directory is gone
        return None


def _lowest_free() -> int | None:
    """Returns the number that the kernel will give to the next descriptor; None if there is none left."""
    try:
        free = _dup(2)
    except OSError:
        return _free_without_standard_error()
    _close(free)
    return free


def _free_without_standard_error() -> int | None:
    for number in (0, 1):
        try:
            free = _dup(number)
        except OSError:
            continue
        _close(free)
        return free
    return None
