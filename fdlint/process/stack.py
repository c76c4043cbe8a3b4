"""Runs a function on a stack that deeply nested code does not overflow, and without looking for garbage meanwhile.

The parser recurses in compiled code: on the usual stack, a thousand parentheses would end the process. Trees and worlds
are millions of small objects in hardly any cycles: going through them for garbage again and again takes a third of the
time, and finds next to none.
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

STACK_BYTES = 512 << 20  # reserved, not used, unless the code is as deep as that
RECURSION = 20_000


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """No garbage is looked for meanwhile. What stays after one file is gone through again with the next, so whoever
    has many files to analyse says so for all of them."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class _Alone:
    """The lock that lets one thread of the process in. A child process starts with one that nobody holds."""

    lock = threading.Lock()

    @classmethod
    def renew(cls) -> None:
        cls.lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_Alone.renew)


def call(function: Callable[[], T]) -> T:
    """The function's result, or its exception. On a system that has no such stack to give it runs on the usual one.

    One call at a time: the stack size, the recursion limit and the garbage collector belong to the whole process, and
    what is known of a program to all its threads. ``function`` must not come back here.
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
