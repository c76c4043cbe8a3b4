"""Puts the sanitizer around the functions that open, use and close descriptors."""

from __future__ import annotations

import fcntl
import functools
import sys
from collections.abc import Callable
from typing import Any

from fdlint.runtime.recording.failures import is_own
from fdlint.runtime.recording.replacing import Called, Replacements
from fdlint.runtime.sanitizer.numbers import TaggedNumber
from fdlint.runtime.sanitizer.sanitizer import Sanitizer

_MAKES = (
    *(("os", name) for name in ("open", "dup", "memfd_create", "eventfd", "pidfd_open", "timerfd_create")),
    *(("os", name) for name in ("pipe", "pipe2", "openpty", "posix_openpt")),
    ("_posixshmem", "shm_open"),
)
_USES = (
    *(("os", name) for name in ("read", "pread", "readv", "preadv", "write", "pwrite", "writev", "pwritev", "lseek")),
    *(("os", name) for name in ("fsync", "fdatasync", "ftruncate", "fchmod", "fchown", "set_inheritable")),
    *(("os", name) for name in ("set_blocking", "posix_fallocate", "tcsetpgrp")),
    *(("fcntl", name) for name in ("ioctl", "flock", "lockf")),
)
"""What changes or reads the file. A question about a number, such as ``fstat``, can be a test whether it is closed."""
_DUPLICATES = (fcntl.F_DUPFD, fcntl.F_DUPFD_CLOEXEC)
_frame = sys._getframe


class Placed:
    """The sanitizer of this process, in place from ``start`` to ``stop``."""

    def __init__(self, sanitizer: Sanitizer) -> None:
        self._sanitizer, self._replacements = sanitizer, Replacements()

    def start(self) -> None:
        """Begins to check."""
        put = self._replacements.put
        for module, name in _MAKES:
            put(module, "", name, functools.partial(self._bound, self._makes))
        for module, name in _USES:
            put(module, "", name, functools.partial(self._bound, self._uses))
        for module, owner, name, called in (
            ("os", "", "close", self._closes),
            ("os", "", "closerange", self._closes_range),
            ("os", "", "dup2", self._duplicates),
            ("os", "", "forkpty", self._forks),
            ("os", "", "fdopen", self._opens),
            ("builtins", "", "open", self._opens),
            ("io", "", "open", self._opens),
            ("_io", "", "open", self._opens),
            ("fcntl", "", "fcntl", self._controls),
            ("socket", "", "recv_fds", self._receives),
            ("socket", "socket", "detach", self._detaches),
            ("socket", "socket", "__init__", self._begins),
        ):
            put(module, owner, name, functools.partial(self._bound, called))

    def stop(self) -> None:
        """Ends it."""
        self._replacements.put_back()

    @staticmethod
    def _bound(called: Callable[..., Any], api: str) -> Called:
        return functools.partial(called, api)

    def _makes(self, api: str, original: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        if args and type(args[0]) is TaggedNumber:
            self._judged(self._sanitizer.used, args[0], api)
        return self._tagged(original(*args, **kwargs), api)

    def _tagged(self, made: Any, api: str) -> Any:
        frame = _frame(3)
        if isinstance(made, tuple):
            return tuple(self._sanitizer.made(one, api, frame) for one in made)
        return self._sanitizer.made(made, api, frame)

    def _uses(self, api: str, original: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        if args and type(args[0]) is TaggedNumber:
            self._judged(self._sanitizer.used, args[0], api)
        return original(*args, **kwargs)

    def _judged(self, judge: Callable[..., None], *given: Any) -> None:
        try:
            judge(*given, _frame(3))
        except Exception as error:
            if not is_own(error):
                raise

    def _closes(self, api: str, original: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        self._judged(self._sanitizer.closing, args[0] if args else kwargs.get("fd"), api)
        return original(*args, **kwargs)

    def _closes_range(self, api: str, original: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        self._judged(self._sanitizer.closing_range, *args)
        return original(*args, **kwargs)

    def _duplicates(self, api: str, original: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        if args and type(args[0]) is TaggedNumber:
            self._judged(self._sanitizer.used, args[0], api)
        made = original(*args, **kwargs)
        target = args[1] if len(args) > 1 else kwargs.get("fd2", made)
        return self._sanitizer.replaced(target, api, _frame(2)) if made > 2 else made

    def _forks(self, api: str, original: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        child, number = original(*args, **kwargs)
        return child, self._sanitizer.made(number, api, _frame(2)) if child else number

    def _opens(self, api: str, original: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        made = original(*args, **kwargs)
        number = args[0] if args else None
        if type(number) is TaggedNumber and kwargs.get("closefd", args[6] if len(args) > 6 else True):
            self._sanitizer.adopted(number, made)
        return made

    def _controls(self, api: str, original: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        if args and type(args[0]) is TaggedNumber:
            self._judged(self._sanitizer.used, args[0], api)
        made = original(*args, **kwargs)
        if len(args) > 1 and args[1] in _DUPLICATES:
            return self._sanitizer.made(made, api, _frame(2))
        return made

    def _receives(self, api: str, original: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        data, numbers, *rest = original(*args, **kwargs)
        frame = _frame(2)
        return (data, [self._sanitizer.made(one, api, frame) for one in numbers], *rest)

    def _detaches(self, api: str, original: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        number = original(*args, **kwargs)
        return self._sanitizer.taken_back(number, args[0], api, _frame(2)) if number >= 0 else number

    def _begins(self, api: str, original: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        original(*args, **kwargs)
        number = kwargs.get("fileno", args[4] if len(args) > 4 else None)
        if number is not None:
            self._sanitizer.adopted(number, args[0])
