"""A file that imports one more module, and a finding in it, which is then some lines further down."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

import libcst as cst

from fdlint.core.finding import Finding, Span
from fdlint.fixes.python_file import PythonFile, Statement

_FUTURE = "__future__"


@dataclass(frozen=True, slots=True)
class Importing:
    """``added``: the statements that import the module; empty if the file imported it already."""

    file: PythonFile
    finding: Finding
    added: Sequence[str] = ()


def with_closer(file: PythonFile, finding: Finding) -> Importing:
    """Returns the file with a name for the closing function."""
    return Importing(file, finding) if file.closers else importing(file, finding, "os")


def importing(file: PythonFile, finding: Finding, module: str) -> Importing:
    """Returns the file with a module under its own name."""
    after, added = with_import(file, module)
    by = after.text.count("\n") - file.text.count("\n")
    return Importing(after, _moved(finding, by) if by else finding, added)


def _moved(finding: Finding, by: int) -> Finding:
    def moved(span: Span) -> Span:
        return replace(span, line=span.line + by, end_line=span.end_line + by)

    return finding.placed(moved)


def with_import(file: PythonFile, module: str) -> tuple[PythonFile, Sequence[str]]:
    """Returns a file that imports a module of the standard library by its name, and the statements added for that.
    Sorted imports stay sorted, as isort and ruff do it. Returns the same file if it imports nothing at all."""
    body = list(file.module.body)
    imports = [number for number, one in enumerate(body) if _root(file, one) not in (None, _FUTURE)]
    if file.imported(module) == module or not imports:
        return file, ()
    code = f"import {module}"
    new = file.statement(code)
    standard = next((number for number in imports if _root(file, body[number]) in sys.stdlib_module_names), None)
    if standard is None:
        at = imports[0]
        above, below = _parted(body[at], begins=not at)
        body[at : at + 1] = [new.with_changes(leading_lines=above), below]
    else:
        at = standard
        while at < len(body) and _comes_before(file, body[at], code, begins=at == standard):
            at += 1
        if at and at == standard:
            above, below = _lines(body[at]), body[at].with_changes(leading_lines=())
            body[at : at + 1] = [new.with_changes(leading_lines=above), below]
        else:
            body.insert(at, new)
    return PythonFile(file.with_body(file.module, body), file.models), (code,)


def _root(file: PythonFile, statement: cst.CSTNode) -> str | None:
    """Returns the package from which a statement imports first, "" for the own one; None if it imports nothing."""
    small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    if isinstance(small, cst.Import):
        return file.code(small.names[0].name).partition(".")[0]
    if isinstance(small, cst.ImportFrom):
        return file.code(small.module).partition(".")[0] if small.module is not None and not small.relative else ""
    return None


def _lines(statement: cst.CSTNode) -> Sequence[cst.EmptyLine]:
    """Returns the empty lines and comments before a statement."""
    assert isinstance(statement, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
    return statement.leading_lines


def _parted(statement: cst.CSTNode, *, begins: bool) -> tuple[Sequence[cst.EmptyLine], Statement]:
    """Returns the empty lines before the first import, and that import behind one empty line. ``begins``: it is the
    first statement of the file."""
    assert isinstance(statement, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
    lines = list(statement.leading_lines)
    empty = next((number for number, one in enumerate(lines) if one.comment is not None), len(lines))
    below = statement.with_changes(leading_lines=[cst.EmptyLine(indent=False), *lines[empty:]])
    return ([] if begins else lines[:empty]), below


def _comes_before(file: PythonFile, statement: cst.CSTNode, code: str, *, begins: bool) -> bool:
    """Whether an import stands before another one in order. ``begins``: it is the first of its block."""
    if not isinstance(statement, cst.SimpleStatementLine) or not isinstance(statement.body[0], cst.Import):
        return False
    return (begins or not statement.leading_lines) and file.code(statement.body[0]) < code
