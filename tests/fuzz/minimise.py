"""Shrinks a failing input by removing lines."""

from __future__ import annotations

import time
from collections.abc import Callable


def minimised(data: bytes, fails: Callable[[bytes], bool], seconds: float = 120) -> bytes:
    """Returns the smallest input found in that time that still fails (delta debugging, from halves to single lines)."""
    lines, end = data.splitlines(keepends=True), time.monotonic() + seconds
    size = max(1, len(lines) // 2)
    while time.monotonic() < end:
        at, before = 0, len(lines)
        while at < len(lines) and time.monotonic() < end:
            fewer = lines[:at] + lines[at + size :]
            if fewer and fails(b"".join(fewer)):
                lines = fewer
            else:
                at += size
        if size == 1 and len(lines) == before:
            break
        size = max(1, size // 2)
    return b"".join(lines)
