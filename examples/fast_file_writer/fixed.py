"""A checkpoint writer that closes what it opened, exactly once."""

from __future__ import annotations

import os

ALIGNMENT = 4096
INVALID_FD = -1


class SafeCheckpointWriter:
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

    def _finish(self) -> None:
        if self._buffer:
            self._write_tail()
        # The attribute is reset first: a close that raises must not leave a number behind that __del__ closes again.
        fd, self._block_fd = self._block_fd, INVALID_FD
        if fd != INVALID_FD:
            try:
                os.fsync(fd)
            finally:
                os.close(fd)

    def _write_tail(self) -> None:
        fd, self._block_fd = self._block_fd, INVALID_FD
        if fd != INVALID_FD:
            os.close(fd)
        with open(self._path, "ab") as stream:
            stream.write(self._buffer)
        self._buffer.clear()
        self._block_fd = os.open(self._path, os.O_WRONLY | os.O_APPEND)
