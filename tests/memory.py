"""Measures the memory of a process, in bytes.

On Linux `getrusage` also counts the memory of the parent process, so this module asks /proc first.
"""

from __future__ import annotations

import resource
import sys
from contextlib import suppress
from pathlib import Path


def peak() -> int:
    """Returns the highest use so far, of this process or of the largest of its children."""
    return max(own_peak(), _used(resource.RUSAGE_CHILDREN))


def own_peak() -> int:
    """Returns the highest use of this process so far, or since ``forget_peak``."""
    return _status("VmHWM") or _used(resource.RUSAGE_SELF)


def held() -> int:
    """Returns the present use; 0 without /proc."""
    return _status("VmRSS")


def forget_peak() -> None:
    """Starts the measurement of the highest use again, see proc(5)."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _status(field: str) -> int:
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0
    fields = dict(line.split(":", 1) for line in lines)
    return int(fields[field].split()[0]) << 10


def _used(who: int) -> int:
    used = resource.getrusage(who).ru_maxrss
    return used if sys.platform == "darwin" else used << 10
