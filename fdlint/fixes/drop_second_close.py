"""FD201, FD203: the close that comes too late is dropped; if that is in a ``finally``, those before it are."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from fdlint.core.finding import EventKind, Finding
from fdlint.fixes.candidate import Candidate
from fdlint.fixes.python_file import Place, PythonFile, Statement, last_of, nodes, only
from fdlint.fixes.trees import Removed

CODES = ("FD201", "FD203")

_BETWEEN = (cst.Try, cst.TryStar, cst.With, cst.FunctionDef, cst.Lambda)
_EFFECTS = (cst.Call, cst.Await, cst.Yield)


def propose(file: PythonFile, finding: Finding) -> Iterator[Candidate]:
    """Proposes to drop the statement, if it does nothing else. After a hand-over that is only sound if the new owner is
    closed in a ``with``."""
    node = file.expression(finding.span)
    if not isinstance(node, cst.Call) or not _is_close(file, node):
        return
    code = file.code(node)
    if finding.code == "FD201" and (early := list(_early(file, node))):
        title = f"Drop `{code}` before the `finally`, which closes it"
        yield Candidate(title, file.without(early), [Removed(code, early=True) for _ in early])
    place = file.place(node)
    if place is None or len(place.block.body) < 2:
        return
    line = place.statement
    if not isinstance(line, cst.SimpleStatementLine):
        return
    body: list[cst.BaseStatement] = list(place.block.body)
    del body[place.index]
    if any(one.comment is not None for one in line.leading_lines) and place.index < len(body):
        body[place.index] = _with_comments(body[place.index], line)
    sound = _has_closing_owner(file, finding) if finding.code == "FD203" else not _may_be_first(file, node)
    yield Candidate(f"Drop `{code}`", file.with_body(place.block, body), [Removed(code)], sound)


def _is_close(file: PythonFile, node: cst.Call) -> bool:
    """Whether a call closes a descriptor and is a statement on a line of its own."""
    expression = file.parents[node]
    line = file.parents.get(expression) if isinstance(expression, cst.Expr) else None
    return only(line) is not None and len(node.args) == 1 and file.code(node.func) in file.closers


def _early(file: PythonFile, close: cst.Call) -> Iterator[Statement]:
    """Yields the same closes in the ``try`` of a close that begins its ``finally``, if nothing runs between them."""
    place, code = file.place(close), file.code(close)
    final = file.parents.get(place.block) if place is not None and place.index == 0 else None
    whole = file.parents.get(final) if isinstance(final, cst.Finally) else None
    if not isinstance(whole, cst.Try):
        return
    for node in nodes(whole):
        if isinstance(node, cst.Call) and node is not close and file.code(node) == code and _is_close(file, node):
            found = file.place(node)
            if found is not None and _goes_to(file, found, whole):
                yield found.statement


def _goes_to(file: PythonFile, place: Place, whole: cst.Try) -> bool:
    """Whether the ``finally`` of a ``try`` runs right after a statement of it, which is neither alone in its block nor
    has a comment."""
    if len(place.block.body) < 2 or any(isinstance(node, cst.Comment) for node in nodes(place.statement)):
        return False
    above: list[cst.CSTNode] = [place.block]
    while above[-1] is not whole:
        above.append(file.parents[above[-1]])
    tried = whole.body in above
    if whole.finalbody in above or any(isinstance(one, _BETWEEN) for one in above[:-1]):
        return False
    if not place.later:
        direct = len(above) == (2 if tried else 3)
        return direct and not (tried and whole.orelse is not None)
    line = place.later[0]
    small = line.body[0] if isinstance(line, cst.SimpleStatementLine) else None
    if isinstance(small, cst.Raise):
        return not tried or not whole.handlers
    return isinstance(small, cst.Return) and not any(isinstance(node, _EFFECTS) for node in nodes(small))


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
    return isinstance(last_of(handler.body), (cst.Return, cst.Raise))


def _has_closing_owner(file: PythonFile, finding: Finding) -> bool:
    """Whether the descriptor was handed over in the head of a ``with``."""
    for event in finding.trace:
        if event.kind is EventKind.TRANSFERRED:
            node = file.expression(event.span)
            return node is not None and isinstance(file.parents.get(node), cst.WithItem)
    return False
