"""Text from files and file names, made safe for a terminal or for another program."""

from __future__ import annotations

import re

# Control characters can move the cursor or change colours; bidirectional marks can show code in another order than
# it runs; a lone surrogate (a file name that is not UTF-8) cannot be encoded.
UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\N{ARABIC LETTER MARK}\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
LONE_SURROGATE = re.compile("[\ud800-\udfff]")
CONTROL_PICTURES = 0x2400


def printable(text: str) -> str:
    """``text`` as a single line of the same length without anything that a terminal would act upon."""
    return UNSAFE.sub(_stand_in, text)


def sound(text: str) -> str:
    """``text`` without lone surrogates (from a file name that is not UTF-8), which strict readers of JSON refuse."""
    return LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def _stand_in(match: re.Match[str]) -> str:
    character = match.group()
    if character < " ":
        return chr(CONTROL_PICTURES + ord(character))
    return "\N{SYMBOL FOR DELETE}" if character == "\x7f" else "\N{REPLACEMENT CHARACTER}"
