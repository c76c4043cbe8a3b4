"""Hears each call of this process that acquires a descriptor, and tells it to those who listen.

Python raises audit events when it opens files and makes sockets, but before the descriptor exists. Its number is then
the lowest free one. Functions that raise no event, such as those for pipes and duplicates, are replaced by stand-ins
that do the same. All this runs inside of other programs, so it must be quick: a few microseconds for a call that
acquires, and a fraction of one for any other event.

A signal handler can run in this code. What it raises goes on to the program (``is_own``). Hence everything is told
before the descriptor exists: if an exception came later, nobody would close the descriptor.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, Protocol

from fdlint.runtime.recording.failures import is_own
from fdlint.runtime.recording.numbering import next_numbers
from fdlint.runtime.recording.replacing import Replacements

_IMPORTS = "<frozen importlib"
_OPEN, _SOCKET, _DATABASE = "open", "socket.__new__", "sqlite3.connect"
_SILENT = (
    *(("os", "", name, 2) for name in ("pipe", "pipe2", "openpty")),
    *(("os", "", name, 1) for name in ("dup", "memfd_create", "eventfd", "pidfd_open", "timerfd_create")),
    ("os", "", "posix_openpt", 1),
    ("_posixshmem", "", "shm_open", 1),
    ("socket", "", "recv_fds", 0),
    ("selectors", "EpollSelector", "_selector_cls", 0),
    ("selectors", "KqueueSelector", "_selector_cls", 0),
)
"""Functions that make descriptors and raise no event: the module, the class, the name, and how many numbers they
return; 0 for other results. All callers look them up there when they call them."""
_RECEIVED = 1  # in what `recv_fds` returns
_frame = sys._getframe


class Listener(Protocol):
    """Who wants to know."""

    def note(self, numbers: Sequence[int], api: str, path: str | None, frame: FrameType) -> None:
        """Gets the acquisitions of one call. ``numbers``: none if they are not known. ``path``: what is opened; None if
        there is none."""

    def adopt(self, number: int, api: str, frame: FrameType) -> None:
        """Gets a number that was open before, and that an object takes over. Who has acquired it is more telling."""


def listen(listener: Listener) -> None:
    """Begins to tell a listener. An audit hook stays until the process ends, so all of them share one."""
    if listener in _listeners:
        return
    if not _listeners:
        _handlers.update(_HANDLERS)
        for place in _SILENT:
            _place(*place)
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
        _replacements.put_back()


_listeners: list[Listener] = []
_hooked: list[bool] = []
_replacements = Replacements()
_handlers: dict[str, Callable[[tuple[Any, ...]], None]] = {}


def _place(module: str, owner: str, name: str, count: int) -> None:
    _replacements.put(
        module,
        owner,
        name,
        lambda api: functools.partial(_guessed, api, count) if count else functools.partial(_followed, api),
    )


def _guessed(api: str, count: int, original: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Calls a function that returns numbers, after telling them."""
    expected = _tell_next(api, count, _frame(2))
    made = original(*args, **kwargs)
    if made != expected:  # another thread has taken one meanwhile
        _tell((made,) if count == 1 else made, api, _frame(2))
    return made


def _followed(api: str, original: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Calls a function whose result is an object, or a message with descriptors, and tells them."""
    made = original(*args, **kwargs)
    _tell(made[_RECEIVED] if isinstance(made, tuple) else (made.fileno(),), api, _frame(2))
    return made


def _tell_next(api: str, count: int, frame: FrameType) -> object:
    """Tells the numbers that the kernel gives next, and returns them as the functions do: one alone, or a tuple."""
    if not _listeners:
        return None
    try:
        numbers = next_numbers(count)
        _tell(numbers, api, frame)
    except Exception as error:
        if not is_own(error):
            raise
        return None
    return numbers[0] if len(numbers) == 1 else numbers


def _tell(numbers: Sequence[int], api: str, frame: FrameType) -> None:
    try:
        for listener in _listeners:
            listener.note(numbers, api, None, frame)
    except Exception as error:
        if not is_own(error):
            raise


def _heard(event: str, args: tuple[Any, ...]) -> None:
    """The audit hook. It gets every event of the process. What it raises, the program gets from its call."""
    handler = _handlers.get(event)
    if handler is not None:
        try:
            handler(args)
        except Exception as error:
            if not is_own(error):
                raise


def _opening(args: tuple[Any, ...]) -> None:
    path = args[0]
    if isinstance(path, int):
        return  # a number that is open already
    frame = _frame(2)
    if frame.f_code.co_filename.startswith(_IMPORTS):
        return  # an import that reads a module
    numbers, shown = next_numbers(1), _path(path)
    for listener in _listeners:
        listener.note(numbers, _OPEN, shown, frame)


def _connecting(args: tuple[Any, ...]) -> None:
    numbers, path, frame = next_numbers(1), _path(args[0]), _frame(2)
    for listener in _listeners:
        listener.note(numbers, _DATABASE, path, frame)


def _socket(_: tuple[Any, ...]) -> None:
    """A socket of a given number is new only inside of the module ``socket``: accept, dup, fromfd, socketpair."""
    frame = _frame(2)
    given = frame.f_locals.get("fileno") if frame.f_code.co_name == "__init__" else None
    if not isinstance(given, int):
        numbers = next_numbers(1)
        for listener in _listeners:
            listener.note(numbers, _SOCKET, None, frame)
        return
    caller = frame.f_back
    is_new = caller is not None and caller.f_code.co_filename == frame.f_code.co_filename
    for listener in _listeners:
        if is_new:
            listener.note((given,), _SOCKET, None, frame)
        else:
            listener.adopt(given, _SOCKET, frame)


_HANDLERS = {_OPEN: _opening, _DATABASE: _connecting, _SOCKET: _socket}


def _path(given: object) -> str | None:
    if type(given) is str and given[:1] == "/":
        return given  # the most frequent case; making it normal takes longer than opening it
    if isinstance(given, str):
        given = str.__str__(given)  # without the methods of a class of the program
    try:
        return os.path.abspath(os.fsdecode(given))  # type: ignore[arg-type]
    except (TypeError, ValueError, OSError) as error:  # no path, or the working directory is gone
        if not is_own(error):
            raise
        return None
