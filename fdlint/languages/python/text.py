"""The text of Python files."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections.abc import Iterator, Sequence

from fdlint.core.finding import Finding
from fdlint.languages.python.comments import speaks_of_fdlint, suppressions, without
from fdlint.languages.python.ignores import with_ignores
from fdlint.languages.text import Extent, TextRules
from fdlint.scan.reading.encoding import decoded
from fdlint.scan.reading.lines import normalised, with_ends
from fdlint.scan.reading.nesting import check

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

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
        return encoding, ast.dump(_parsed(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tokens = tokenize.generate_tokens(io.StringIO(normalised(text)).readline)
        return encoding, [token[:2] for token in tokens if token.type not in _LAYOUT]


def _parsed(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(text)
        return ast.parse(text)


def _worded(finding: Finding, _lines: Sequence[str]) -> Finding:
    """Returns the finding: the rules speak of Python."""
    return finding


def units(data: bytes) -> tuple[Extent, ...]:
    """Returns the functions and statements. A file that this Python cannot parse is one unit."""
    try:
        tree = _parsed(decoded(data)[0])
    except (SyntaxError, ValueError, LookupError, RecursionError, MemoryError):
        return (Extent(1, data.count(b"\n") + 1, 0),)
    return (*_functions(tree), *_outside(tree))


def _functions(tree: ast.Module) -> Iterator[Extent]:
    for node in ast.walk(tree):
        if isinstance(node, _FUNCTIONS):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            yield Extent(first, node.end_lineno or node.lineno, node.col_offset)


def _outside(node: ast.Module | ast.ClassDef) -> Iterator[Extent]:
    for statement in node.body:
        if isinstance(statement, ast.ClassDef):
            yield from _outside(statement)
        elif not isinstance(statement, _FUNCTIONS):
            yield Extent(statement.lineno, statement.end_lineno or statement.lineno, statement.col_offset)


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
