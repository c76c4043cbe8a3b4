"""The text of Python files."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections.abc import Sequence

from fdlint.core.finding import Finding
from fdlint.languages.python.comments import speaks_of_fdlint, suppressions, without
from fdlint.languages.python.ignores import with_ignores
from fdlint.languages.python.units import units
from fdlint.languages.text import TextRules
from fdlint.scan.reading.encoding import decoded
from fdlint.scan.reading.lines import normalised, with_ends
from fdlint.scan.reading.nesting import check

_LAYOUT = frozenset({tokenize.COMMENT, tokenize.NL})


def _lines(data: bytes) -> tuple[Sequence[str], str]:
    text, encoding = decoded(data)
    return with_ends(text), encoding


def encoded(text: str) -> bytes:
    """Returns the bytes that a file with this text has. A comment can declare its encoding."""
    data = text.encode(errors="surrogatepass")
    try:
        encoding = decoded(data)[1]
        return data if encoding.lower().startswith("utf-8") else text.encode(encoding)
    except (UnicodeError, LookupError, SyntaxError):
        return data


def meaning(data: bytes) -> object:
    """Returns the syntax tree, or the tokens if this Python cannot parse the file."""
    text, encoding = decoded(data)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check(text)
            return encoding, ast.dump(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tokens = tokenize.generate_tokens(io.StringIO(normalised(text)).readline)
        return encoding, [token[:2] for token in tokens if token.type not in _LAYOUT]


def _worded(finding: Finding, _lines: Sequence[str]) -> Finding:
    """Returns the finding: the rules speak of Python."""
    return finding


TEXT = TextRules(
    lines=_lines,
    encoded=encoded,
    suppressions=suppressions,
    speaks_of_fdlint=speaks_of_fdlint,
    with_ignores=with_ignores,
    without=without,
    meaning=meaning,
    units=units,
    worded=_worded,
    message=str,
    advised=True,
)
