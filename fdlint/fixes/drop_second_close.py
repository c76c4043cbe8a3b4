"""FD201, FD203: the close that comes too late is dropped."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from fdlint.core.finding import EventKind, Finding
from fdlint.fixes.candidate import Candidate
from fdlint.fixes.python_file import PythonFile, Statement, nodes
from fdlint.fixes.trees import Removed

CODES = ("FD201", "FD203")


def propose(file: PythonFile, finding: Finding) -> Iterator[Candidate]:
    """Proposes to drop the statement, if it does nothing else. After a hand-over that is only sound if the new owner is
    closed in a ``with``."""
    node = file.expression(finding.span)
    place = file.place(node) if node is not None else None
    if place is None or not isinstance(node, cst.Call) or len(place.block.body) < 2:
        return
    line = place.statement
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1 or len(node.args) != 1:
        return
    small = line.body[0]
    if not isinstance(small, cst.Expr) or small.value is not node or file.code(node.func) not in file.closers:
        return
    body: list[cst.BaseStatement] = list(place.block.body)
    del body[place.index]
    if any(one.comment is not None for one in line.leading_lines) and place.index < len(body):
        body[place.index] = _with_comments(body[place.index], line)
    code = file.code(node)
    sound = _has_closing_owner(file, finding) if finding.code == "FD203" else not _may_be_first(file, node)
    yield Candidate(f"Drop `{code}`", file.with_body(place.block, body), [Removed(code)], sound)


def _with_comments(statement: cst.BaseStatement, gone: Statement) -> cst.BaseStatement:
    """Returns the next statement with the comments of a dropped one."""
    if not isinstance(statement, (cst.SimpleStatementLine, cst.BaseCompoundStatement)):
        return statement
    return statement.with_changes(leading_lines=(*gone.leading_lines, *statement.leading_lines))


def _may_be_first(file: PythonFile, close: cst.Call) -> bool:
    """Whether the close before may not have happened: it is behind other code in a ``try`` or a ``with``, and after an
    exception this one is reached. The engine assumes that most expressions do not raise."""
    function, operand = file.function(close), file.code(close.args[0].value)
    for one in nodes(function) if function is not None else ():
        if not isinstance(one, (cst.Try, cst.TryStar, cst.With)) or _is_in(close, one.body):
            continue
        reached = isinstance(one, cst.With) or _is_in(close, one) or not all(map(_ends, one.handlers))
        later = (node for statement in one.body.body[1:] for node in nodes(statement))
        if reached and any(isinstance(node, cst.Arg) and file.code(node.value) == operand for node in later):
            return True
    return False


def _is_in(node: cst.CSTNode, root: cst.CSTNode) -> bool:
    return any(one is node for one in nodes(root))


def _ends(handler: cst.ExceptHandler | cst.ExceptStarHandler) -> bool:
    """Whether a handler leaves the function."""
    last = handler.body.body[-1] if handler.body.body else None
    return isinstance(last, cst.SimpleStatementLine) and isinstance(last.body[-1], (cst.Return, cst.Raise))


def _has_closing_owner(file: PythonFile, finding: Finding) -> bool:
    """Whether the descriptor was handed over in the head of a ``with``."""
    for event in finding.trace:
        if event.kind is EventKind.TRANSFERRED:
            node = file.expression(event.span)
            return node is not None and isinstance(file.parents.get(node), cst.WithItem)
    return False
