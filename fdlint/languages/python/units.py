"""Finds the functions of a Python file and, outside of them, its statements."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator

from fdlint.languages.text import Extent
from fdlint.scan.reading.encoding import decoded
from fdlint.scan.reading.nesting import check

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def units(data: bytes) -> tuple[Extent, ...]:
    """Returns the functions and statements. A file that this Python cannot parse is one unit."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text, _ = decoded(data)
            check(text)
            tree = ast.parse(text)
    except (SyntaxError, ValueError, LookupError, RecursionError, MemoryError):
        return (Extent(1, data.count(b"\n") + 1, 0),)
    return (*_functions(tree), *_outside(tree))


def _functions(tree: ast.Module) -> Iterator[Extent]:
    for node in ast.walk(tree):
        if isinstance(node, _FUNCTIONS):
            first = min(node.lineno, *(one.lineno for one in node.decorator_list), node.lineno)
            yield Extent(first, node.end_lineno or node.lineno, node.col_offset)


def _outside(node: ast.Module | ast.ClassDef) -> Iterator[Extent]:
    for statement in node.body:
        if isinstance(statement, ast.ClassDef):
            yield from _outside(statement)
        elif not isinstance(statement, _FUNCTIONS):
            yield Extent(statement.lineno, statement.end_lineno or statement.lineno, statement.col_offset)
