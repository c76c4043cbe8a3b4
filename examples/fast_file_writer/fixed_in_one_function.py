"""The same without a class, and closed on every way out."""

from __future__ import annotations

import os


def save(path: str, blocks: list[bytes]) -> int:
    """Write the blocks and return how many bytes that were."""
    fd = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o644)
    try:
        written = 0
        for block in blocks:
            written += os.write(fd, block)
        os.fsync(fd)
        return written
    finally:
        os.close(fd)
