"""A probe that opens a device to learn whether it is taken, and never closes it. Run it, and examine it with doctor.

/dev/full stands in for a VFIO group: it is never taken.
"""

from __future__ import annotations

import os
import sys


def main(probes: int = 12) -> None:
    """Probe a few times, then wait until standard input ends."""
    print("free:", all(is_free() for _ in range(probes)))
    print("ready", os.getpid(), flush=True)
    sys.stdin.read()


def is_free() -> bool:
    """Whether no other process has the device."""
    try:
        os.open("/dev/full", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    except BlockingIOError:
        return False
    return True


if __name__ == "__main__":
    main()
