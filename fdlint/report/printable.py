"""Makes text from files and file names safe for a terminal, for the log of a CI system and for other programs.

A CI system interprets some lines of a log as commands: ``::error::`` at the beginning of a line (GitHub),
``##[error]``, ``##vso[task.complete]`` and ``##teamcity[message]`` anywhere in it. The section markers of GitLab need
control characters.
"""

from __future__ import annotations

import re

# Control characters can move the cursor or change colours. Bidirectional marks can show code in another order than it
# runs. A lone surrogate (a file name that is not UTF-8) cannot be encoded.
UNSAFE_CHARACTERS = (
    "[\x00-\x1f\x7f-\x9f\N{ARABIC LETTER MARK}\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
"""A class of a regular expression."""
_UNSAFE = re.compile(UNSAFE_CHARACTERS + r"|(?<=#)#(?=\w*\[)")
_COMMAND = re.compile(r"\s*:(?=:)")


def printable(text: str) -> str:
    """Returns ``text`` as a single line. Escapes everything that a terminal or a CI system would interpret."""
    return "".join(spelled(text)) if _UNSAFE.search(text) or _COMMAND.match(text) else text


def printable_lines(text: str) -> str:
    """Like ``printable``, for text of several lines."""
    return "\n".join(map(printable, text.split("\n")))


def spelled(text: str) -> list[str]:
    """Returns the form in which ``printable`` shows each character of a line."""
    shown = list(text)
    command = _COMMAND.match(text)
    unsafe = [found.start() for found in _UNSAFE.finditer(text)]
    for place in [*unsafe, command.end() - 1] if command else unsafe:
        shown[place] = _escape(text[place])
    return shown


def _escape(character: str) -> str:
    return f"\\x{ord(character):02x}" if character in "#:" else character.encode("unicode_escape").decode("ascii")
