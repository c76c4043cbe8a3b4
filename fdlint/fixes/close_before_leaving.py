"""FD101, FD102, FD104, FD106, FD110: the close that a path lacks, right where the path leaves the descriptor behind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import libcst as cst

from fdlint.core.finding import EventKind, Finding, Holding
from fdlint.fixes.acquiring import Acquiring, acquiring, used_elsewhere
from fdlint.fixes.candidate import Candidate
from fdlint.fixes.close_in_finally import lasts
from fdlint.fixes.leaving import results
from fdlint.fixes.python_file import Place, PythonFile, nodes, only
from fdlint.fixes.trees import Inserted

CODES = ("FD101", "FD102", "FD104", "FD106", "FD109", "FD110")

_LEAVING = (cst.Return, cst.Raise, cst.Break, cst.Continue)
_CONSTANTS = ("None", "True", "False")
_ENDS = frozenset({EventKind.LEAKED, EventKind.OVERWRITTEN})


def propose(file: PythonFile, finding: Finding) -> Iterator[Candidate]:
    """Proposes a close before the statement with which the path ends, or at the end of the block that acquires."""
    found = acquiring(file, finding)
    if found is None or not finding.trace or finding.trace[-1].kind not in _ENDS:
        return
    made = results(found)
    end = file.place_at(finding.trace[-1].span.line)
    if made is None and (end is None or not _failed_to_make(found, end)):
        return
    if end is not None and _leaves(end, finding) and not _needs(found, end):
        certain = made == [] and not _goes_on(found, end)
        bound = any(end.statement in nodes(one) for one in found.place.later)
        yield replace(_inserted(found, finding, end.block, end.index, certain=certain), partial=bound)
    if made is None or used_elsewhere(found, [*made, *_aliases(found)]):
        return
    if finding.holding is Holding.GIVES and any(map(found.is_argument_of, found.place.later)):
        return  # the block itself may give it away
    block = found.place.block
    last = block.body[-1]
    if not isinstance(last, cst.SimpleStatementLine) or not isinstance(last.body[-1], _LEAVING):
        yield _inserted(found, finding, block, len(block.body), certain=not made)


def _aliases(found: Acquiring) -> Iterator[str]:
    """Yields the other variables that a function gives the descriptor."""
    function = found.file.function(found.place.statement)
    for node in nodes(function.body) if function is not None else ():
        if isinstance(node, cst.Assign) and isinstance(node.value, cst.Name) and node.value.value in found.names:
            yield from (one.target.value for one in node.targets if isinstance(one.target, cst.Name))


def _failed_to_make(found: Acquiring, end: Place) -> bool:
    """Whether the path ends in a handler of the only statement that may have made something of the descriptor."""
    around = found.file.above(end.statement)
    handler = next((one for one in around if isinstance(one, cst.ExceptHandler)), None)
    guarded = next(around, None) if handler is not None else None
    function = found.file.function(end.statement)
    if not isinstance(guarded, cst.Try) or len(guarded.body.body) != 1 or not isinstance(function, cst.FunctionDef):
        return False
    known = [found.place.statement, guarded.body.body[0], *filter(found.closed, nodes(function.body))]
    inside = {node for one in known for node in nodes(one)}
    return not any(isinstance(one, cst.Name) and one.value in found.names for one in set(nodes(function.body)) - inside)


def _leaves(end: Place, finding: Finding) -> bool:
    """Whether the path of a finding ends with this very statement."""
    small = only(end.statement)
    overwrites = finding.trace[-1].kind is EventKind.OVERWRITTEN
    return small is not None and (overwrites or isinstance(small, _LEAVING))


def _needs(found: Acquiring, end: Place) -> bool:
    """Whether the statement reads the descriptor, which would then be closed."""
    small = end.statement.body[0] if isinstance(end.statement, cst.SimpleStatementLine) else end.statement
    read = small.value if isinstance(small, (cst.Assign, cst.AnnAssign)) else small
    return read is not None and found.named_in(read)


def _goes_on(found: Acquiring, end: Place) -> bool:
    """Whether the function may go on with the descriptor after all: the statement raises, which the engine does not
    expect of most expressions, or a ``finally`` looks at it."""
    small = end.statement.body[0] if isinstance(end.statement, cst.SimpleStatementLine) else None
    for at in found.file.above(end.statement):
        if isinstance(at, cst.FunctionDef):
            return False
        if isinstance(at, (cst.Try, cst.TryStar, cst.With)) and not _is_calm(small):
            return True
        if isinstance(at, (cst.Try, cst.TryStar)) and at.finalbody is not None and found.named_in(at.finalbody):
            return True
    return False


def _is_calm(small: cst.CSTNode | None) -> bool:
    """Whether a statement raises nothing but what it says."""
    if isinstance(small, (cst.Assign, cst.Return)):
        whole = small.value.expression if isinstance(small.value, cst.UnaryOperation) else small.value
        return whole is None or isinstance(whole, cst.BaseNumber) or getattr(whole, "value", "") in _CONSTANTS
    return isinstance(small, (cst.Raise, cst.Break, cst.Continue, cst.Del))


def _inserted(
    found: Acquiring, finding: Finding, block: cst.Module | cst.IndentedBlock, index: int, *, certain: bool
) -> Candidate:
    file, old = found.file, list(block.body)
    new = [*old[:index], *(file.statement(code) for code in found.closes()), *old[index:]]
    given = not used_elsewhere(found) and found.is_given_later(finding, found.place.later)
    sound = certain and (given or found.is_sole(finding)) and not lasts(found)
    changes = [Inserted(code) for code in found.closes()]
    return Candidate(f"Close {found.listed} here too", file.with_body(block, new), changes, sound)
