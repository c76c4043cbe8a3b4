"""Tells the errors of the recorder from exceptions that only pass through it.

While code of the recorder runs, a signal handler, a trace function or another thread can raise an exception in it, such
as the ``TimeoutError`` of an alarm. It belongs to the program, so every ``except`` around code of the recorder asks
here first.
"""

from __future__ import annotations

import struct
from types import TracebackType

_LIBRARY = frozenset({"os", "posixpath", "ntpath", "genericpath"})
"""Modules of Python's library that the recorder calls and that are written in Python. None has a signal handler."""


def is_own(error: Exception) -> bool:
    """Whether the recorder has caused an error that it caught: it has a type that Python itself raises, an error of
    the system has its number, and no code of others was running."""
    if type(error).__module__ != "builtins" and type(error) is not struct.error:
        return False
    if isinstance(error, OSError) and error.errno is None:
        return False
    return _is_ours(error.__traceback__)


def _is_ours(trace: TracebackType | None) -> bool:
    while trace is not None:
        name = trace.tb_frame.f_globals.get("__name__")
        if not isinstance(name, str) or not (name.startswith("fdlint.") or name in _LIBRARY):
            return False
        trace = trace.tb_next
    return True
