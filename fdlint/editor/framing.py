"""Reads the frames of the protocol, and finds the next message after a wrong one.

pygls takes each length that a client sends: it allocates the memory, and ends at a number that is too large for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import BinaryIO

from fdlint.scan.reading import intake

LONGEST = 8 * intake.SOURCE
"""The limit of a message, in bytes: a source file of the largest size, in JSON."""
_AT_ONCE = 1 << 16
# The text of a message that was skipped ends right before the next header. In JSON, no string contains a newline.
_LENGTH = re.compile(rb"Content-Length: *0*(\d+)\r\n")


class Frames:
    """The input of the server, as pygls reads it. ``log``: takes the reason when a message is skipped."""

    def __init__(self, stream: BinaryIO, log: Callable[[str], None]) -> None:
        self._stream, self._log = stream, log

    def readline(self) -> bytes:
        """Returns the next line of a header; empty at the end of the input. Of a long line, only the end counts."""
        line = b""
        while part := self._stream.readline(_AT_ONCE):
            line = line[-_AT_ONCE:] + part
            if part.endswith(b"\n"):
                break
        length = _LENGTH.search(line)
        if length is None:
            return line
        if len(length[1]) <= len(str(LONGEST)) and int(length[1]) <= LONGEST:
            return b"Content-Length: %b\r\n" % length[1]
        self._log(f"a message is skipped: the limit is {LONGEST:,} bytes")
        return b"Skipped: yes\r\n"  # without a length, pygls waits for the next header

    def read(self, length: int) -> bytes:
        """Returns the text of a message."""
        return self._stream.read(length)
