"""Splits text into lines as Python's tokenizer and editors do: a line ends with ``\\n``, ``\\r\\n`` or ``\\r``.

Do not use ``str.splitlines``: it also splits at form feeds, vertical tabs and Unicode's separators. They occur inside a
line of source, so every later line would have a wrong number.
"""

from __future__ import annotations

import io


def normalised(text: str) -> str:
    """Replaces the end of every line by ``\\n``."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def split(text: str) -> tuple[str, ...]:
    """Returns the lines of a text without their ends."""
    return tuple(normalised(text).removesuffix("\n").split("\n")) if text else ()


def with_ends(text: str) -> list[str]:
    """Returns the lines of a text, each with its end; only the last line can lack it."""
    return list(io.StringIO(text, newline=""))


def split_at_newlines(text: str) -> tuple[str, ...]:
    """Returns the lines of a Go file without their ends. Go counts only ``\\n`` and ``\\r\\n``."""
    return tuple(text.replace("\r\n", "\n").removesuffix("\n").split("\n")) if text else ()
