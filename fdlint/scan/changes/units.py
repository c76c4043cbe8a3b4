"""Splits a file into units: its functions and, outside of them, statements."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fdlint.scan.reading.encoding import decoded
from fdlint.scan.reading.nesting import check

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_GO = ".go"


@dataclass(frozen=True, slots=True)
class Unit:
    """The lines and the indentation of a function with its decorators, or of a statement outside of all functions."""

    first: int
    last: int
    indent: int

    def has(self, line: int) -> bool:
        """Whether the unit contains a line."""
        return self.first <= line <= self.last


def units(path: str, data: bytes) -> tuple[Unit, ...]:
    """Returns the units of a file. A file that this Python cannot parse is one unit."""
    if path.endswith(_GO):
        return tuple(_go(data.decode("utf-8", "replace").split("\n")))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text, _ = decoded(data)
            check(text)
            tree = ast.parse(text)
    except (SyntaxError, ValueError, LookupError, RecursionError, MemoryError):
        return (Unit(1, data.count(b"\n") + 1, 0),)
    return (*_functions(tree), *_outside(tree))


def innermost(found: Sequence[Unit], line: int) -> Unit:
    """Returns the smallest unit that contains a line, or the line itself."""
    return min(
        (unit for unit in found if unit.has(line)), key=lambda unit: unit.last - unit.first, default=Unit(line, line, 0)
    )


def _functions(tree: ast.Module) -> Iterator[Unit]:
    for node in ast.walk(tree):
        if isinstance(node, _FUNCTIONS):
            first = min(node.lineno, *(one.lineno for one in node.decorator_list), node.lineno)
            yield Unit(first, node.end_lineno or node.lineno, node.col_offset)


def _outside(node: ast.Module | ast.ClassDef) -> Iterator[Unit]:
    for statement in node.body:
        if isinstance(statement, ast.ClassDef):
            yield from _outside(statement)
        elif not isinstance(statement, _FUNCTIONS):
            yield Unit(statement.lineno, statement.end_lineno or statement.lineno, statement.col_offset)


def _go(lines: Sequence[str]) -> Iterator[Unit]:
    """Yields the functions of a Go file: gofmt puts ``func`` and its closing brace at the margin."""
    first = 0
    for number, line in enumerate(lines, start=1):
        if line.startswith("func"):
            first = number
        if first and (line.startswith("}") or (number == first and line.rstrip().endswith("}"))):
            yield Unit(first, number, 0)
            first = 0
