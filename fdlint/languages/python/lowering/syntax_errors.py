"""Explains in one short line why a text is not Python: the place of the error, and whether it looks like Python 2.

The parser's own message lists the expected tokens, which helps no user, and points to the token *after* the wrong one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from fdlint.scan.reading.lines import split

_PLACE = re.compile(r"error at (\d+):(\d+): expected")
_TOKENIZER = re.compile(r"tokenizer error: (.*)")
_TOKEN = re.compile(r"[^\W\d]\w*|\d[\w.]*|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|#.*|\S")
LONGEST = 200  # characters of a parser's message
_FAR = 2_000  # characters of a line to search
_OLD = re.compile(
    r"""
    ^\s*(?:print\s+(?:["'\w%]|>>) | exec\s+["'\w])  # statements that are functions now
    | ^\s*except\s[^:]*,\s*\w+\s*:                  # except OSError, error:
    | ^\s*raise\s+[\w.]+\s*,                        # raise OSError, "text"
    | ^\s*def\s+\w+\(.*\(\s*\w+\s*,                 # def f((a, b)):
    | <> | `[^`]*`                                  # not equal, repr
    | (?<![\w.])0[0-7]+(?![\w.]) | (?<![\w.])(?:0[xX][0-9a-fA-F]+|\d+)[lL]\b  # 0777, 10L
    | \b[uU][rR]["']                                # ur"text"
    """,
    re.VERBOSE,
)
_OLD_LITERAL = re.compile(r"`[^`\n]*`|(?<![\w.\"'])0[0-7]+(?![\w.\"'])")


def refusal(message: str, text: str, before: int = 0) -> str:
    """Returns one line about a text that the parser refused with ``message``. ``before``: the number of lines before
    the text in its file."""
    lines = split(text)
    place = _PLACE.search(message)
    if place is None:
        return _not_a_token(message, lines, before)
    line, column = _wrong_token(lines, int(place[1]), int(place[2]))
    if line > len(lines) or not lines[line - 1].strip():
        return "invalid syntax at the end of the file: something is not closed"
    return f"invalid syntax at {before + line}:{column}{_hint(lines[line - 1])}"


def _wrong_token(lines: Sequence[str], line: int, column: int) -> tuple[int, int]:
    """Returns the last token that begins before a place: line and column, both from 1."""
    if line > len(lines):
        return line, 1
    if line > 1 and _is_indented(lines[line - 1][:column], lines[line - 2]):
        return line, column + 1
    while line:
        found = [one.start() for one in _TOKEN.finditer(lines[line - 1][:_FAR]) if one.end() <= column or column < 0]
        tokens = [start for start in found if lines[line - 1][start] != "#"]
        if tokens:
            return line, tokens[-1] + 1
        line, column = line - 1, -1
    return 1, 1


def _is_indented(start: str, above: str) -> bool:
    """Whether a line is wrongly indented: the line above it opens no block."""
    indent = len(above) - len(above.lstrip())
    return (
        bool(start) and start.isspace() and len(start) > indent and not above.rstrip().endswith((":", "(", ",", "\\"))
    )


def _not_a_token(message: str, lines: Sequence[str], before: int) -> str:
    """Explains an error of the tokenizer, which reports no position. Finds two forms of Python 2 by itself."""
    said = _TOKENIZER.search(message)
    why = said[1][:LONGEST] if said else "the parser gave up"
    if "`" in why or "octal" in why:
        for number, line in enumerate(lines, start=1):
            found = _OLD_LITERAL.search(line.partition("#")[0][:_FAR])
            if found:
                return f"invalid syntax at {before + number}:{found.start() + 1}; Python 2?"
    return f"invalid syntax: {why}"


def _hint(line: str) -> str:
    return "; Python 2?" if _OLD.search(line[:_FAR]) else ""
