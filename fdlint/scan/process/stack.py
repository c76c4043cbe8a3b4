"""Runs a function on a large stack and without garbage collection.

The parser recurses in compiled code: on the usual stack, a thousand parentheses would end the process. Trees and states
are millions of small objects with hardly any cycles: repeated garbage collection would take a third of the time and
find almost nothing.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TypeVar

T = TypeVar("T")

STACK_BYTES = 512 << 20  # reserved; the system allocates only what deep code uses
RECURSION = 20_000


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Turns garbage collection off in this context. Objects that outlive one file are collected again with the next, so
    wrap the analysis of many files as a whole."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            _Alone.frozen = _Alone.frozen or gc.get_freeze_count() > 0
            if not _Alone.frozen:  # makes all objects old: a collection of the young ones would take a second
                gc.freeze()
                gc.unfreeze()
            gc.enable()


class _Alone:
    """The lock that admits one thread of the process. A child process starts with an unlocked one. ``frozen``: other
    code has frozen objects, which must stay so. Python counts them one by one, so a yes is kept."""

    lock = threading.Lock()
    frozen = False

    @classmethod
    def renew(cls) -> None:
        cls.lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_Alone.renew)


def call(function: Callable[[], T]) -> T:
    """Returns the function's result, or raises its exception. Uses the default stack on systems without large ones.

    Only one call runs at a time: the stack size, the recursion limit and the garbage collector belong to the whole
    process, and all its threads share the data about a program. ``function`` must not call ``call`` again.
    """
    with _Alone.lock, uncollected():
        return _on_a_deep_stack(function)


def _on_a_deep_stack(function: Callable[[], T]) -> T:
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(function())
        except BaseException as error:  # raised again in the caller's thread
            errors.append(error)

    usual, limit = threading.stack_size(), sys.getrecursionlimit()
    try:
        threading.stack_size(STACK_BYTES)
        thread = threading.Thread(target=run, daemon=True)
        sys.setrecursionlimit(max(limit, RECURSION))
        thread.start()
        thread.join()
    except (RuntimeError, ValueError):
        return function()
    finally:
        threading.stack_size(usual)
        sys.setrecursionlimit(limit)
    if errors:
        raise errors[0]
    return results[0]
