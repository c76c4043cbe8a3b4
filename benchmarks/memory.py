"""The most memory that a command and all its processes held at once, by psutil.

Proportional sizes (PSS) where the system says them, so that pages that processes share count once; else resident ones.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence

import psutil

PAUSE = 0.05  # seconds between two looks


def peak_memory(command: Sequence[str]) -> int:
    """In bytes; what comes and goes between two looks is missed."""
    started = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = 0
    while started.poll() is None:
        peak = max(peak, _held(started.pid))
        time.sleep(PAUSE)
    return peak


def _held(pid: int) -> int:
    try:
        root = psutil.Process(pid)
        family = [root, *root.children(recursive=True)]
    except psutil.Error:
        return 0
    return sum(map(_size, family))


def _size(process: psutil.Process) -> int:
    try:
        full = process.memory_full_info()
        return int(getattr(full, "pss", 0) or full.rss)
    except psutil.Error:  # it has ended meanwhile
        return 0
