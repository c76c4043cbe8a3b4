"""Runs a function on a stack that deeply nested code does not overflow.

The parser recurses in compiled code: on the usual stack, a thousand parentheses would end the process.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

STACK_BYTES = 512 << 20  # reserved, not used, unless the code is as deep as that
RECURSION = 20_000


def call(function: Callable[[], T]) -> T:
    """The function's result, or its exception. On a system that has no such stack to give it runs on the usual one."""
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
