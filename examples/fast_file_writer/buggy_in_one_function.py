"""The same mistake without a class: the sentinel overwrites the only variable that knew the descriptor."""

from __future__ import annotations

import os

INVALID_FD = -1


def save(path: str, blocks: list[bytes]) -> int:
    """Write the blocks and return how many bytes that were."""
    fd = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o644)
    written = 0
    for block in blocks:
        written += os.write(fd, block)
    os.fsync(fd)
    fd = INVALID_FD
    assert fd == INVALID_FD
    return written
