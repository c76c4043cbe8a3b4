"""A writer of checkpoints that resets its descriptor without a close, while a rotation deletes the files.

Run it, and examine it with doctor: the blocks of 12 deleted files stay allocated, 3 MB in all.
"""

from __future__ import annotations

import os
import sys
import tempfile

KEPT = 2
SIZE = 256 * 1024


class Checkpoint:
    """Writes one checkpoint."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)

    def write(self, data: bytes) -> int:
        return os.write(self._file, data)

    def close(self) -> None:
        self._file = -1


def main(steps: int = 14) -> None:
    """Write some checkpoints, keep the last ones, then wait until standard input ends."""
    with tempfile.TemporaryDirectory(prefix="fdlint-live-") as directory:
        for step in range(steps):
            checkpoint = Checkpoint(os.path.join(directory, f"checkpoint-{step}.bin"))
            checkpoint.write(b"\1" * SIZE)
            checkpoint.close()
            if step >= KEPT:
                os.unlink(os.path.join(directory, f"checkpoint-{step - KEPT}.bin"))
        print("ready", os.getpid(), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
