"""A checkpoint writer that forgets its descriptor at the end of every file."""

from __future__ import annotations

import os

ALIGNMENT = 4096
INVALID_FD = -1


class CheckpointWriter:
    """Writes aligned blocks through one descriptor, and the unaligned tail through the page cache."""

    def __init__(self, path: str) -> None:
        self._block_fd = INVALID_FD
        self._path = path
        self._buffer = bytearray()
        self._offset = 0
        self._block_fd = os.open(path, os.O_CREAT | os.O_WRONLY, 0o644)

    def write(self, data: bytes) -> int:
        """Take the data; what fills whole blocks is written now."""
        self._buffer += data
        aligned = len(self._buffer) - len(self._buffer) % ALIGNMENT
        self._offset += os.pwrite(self._block_fd, self._buffer[:aligned], self._offset)
        del self._buffer[:aligned]
        return len(data)

    def close(self) -> None:
        """Write what is left and be done."""
        self._finish()

    def __del__(self) -> None:
        self._finish()
        # This assertion is what made everyone believe that the descriptor was closed.
        assert self._block_fd == INVALID_FD

    def _finish(self) -> None:
        if self._buffer:
            self._write_tail()
        self._block_fd = INVALID_FD  # the descriptor is still open, and now nobody knows its number

    def _write_tail(self) -> None:
        os.close(self._block_fd)
        with open(self._path, "ab") as stream:
            stream.write(self._buffer)
        self._buffer.clear()
        self._block_fd = os.open(self._path, os.O_WRONLY | os.O_APPEND)
