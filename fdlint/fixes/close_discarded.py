"""FD107: what a call gives and the code throws away gets a name and a close: ``_, path = mkstemp()``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from fdlint.catalog import catalog_of
from fdlint.catalog.model import Fresh
from fdlint.catalog.repairs import repairs_of
from fdlint.core.finding import EventKind, Finding
from fdlint.fixes.acquiring import hides_closer
from fdlint.fixes.candidate import Candidate
from fdlint.fixes.python_file import Place, PythonFile, fresh, mentions, only
from fdlint.fixes.trees import Change, Inserted, Removed, Replaced

CODES = ("FD107",)

_BEGINNINGS = (EventKind.ACQUIRED, EventKind.RECEIVED)
_CREATES = "O_CREAT"  # the call is for the file, and not to hold it open or to fill the lowest number
_IGNORED = ("_", "__", "_fd", "_unused")


def propose(file: PythonFile, finding: Finding) -> Iterator[Candidate]:
    """Proposes a name and a close for the first of a pair, or a close around a call that gives one number."""
    call = file.expression(finding.span)
    place = file.place(call) if call is not None else None
    function = file.function(call) if call is not None else None
    if place is None or not isinstance(call, cst.Call) or function is None or not file.closers:
        return
    if hides_closer(file, function):
        return
    closer = file.closers[0]
    small = only(place.statement)
    if small is None:
        return
    if isinstance(small, cst.Expr) and small.value is call and _gives_one(file, finding):
        new = f"{closer}({file.code(call)})"
        text = file.with_node(call, cst.parse_expression(new))
        yield Candidate("Close it at once", text, [Replaced(file.code(call), new)], _CREATES in new)
    elif (finding.api or "").endswith(repairs_of("python").pairs):
        name = fresh(function, "fd", "tmp_fd", "handle")
        codes = _unpacked(file, small, call, name, closer, function) if name is not None else ()
        if codes:
            text = file.with_body(place.block, _replaced(file, place, codes))
            changes: list[Change] = [Removed(file.code(small)), *map(Inserted, codes)]
            yield Candidate(f"Name it `{name}` and close it", text, changes)


def _gives_one(file: PythonFile, finding: Finding) -> bool:
    """Whether a call gives one number and nothing else. A function of the project may also return something else."""
    direct = sum(event.kind in _BEGINNINGS for event in finding.trace) == 1
    models = catalog_of(file.models).lookup(finding.api or "")
    return direct and bool(models) and all(isinstance(one.returns, Fresh) for one in models)


def _unpacked(
    file: PythonFile, small: cst.BaseSmallStatement, call: cst.Call, name: str, closer: str, function: cst.CSTNode
) -> Sequence[str]:
    """Returns the statements that take a pair apart and close its first part; empty if the code is not understood."""
    close, got = f"{closer}({name})", file.code(call)
    if isinstance(small, cst.Assign) and len(small.targets) == 1:
        target = small.targets[0].target
        if small.value is call and isinstance(target, cst.Tuple) and len(target.elements) == 2:
            ignored, path = (one.value for one in target.elements)
            once = isinstance(ignored, cst.Name) and ignored.value in _IGNORED
            return (f"{name}, {file.code(path)} = {got}", close) if once else ()
        if _is_second(small.value, call):
            return f"{name}, {file.code(target)} = {got}", close
    path_name = next((one for one in ("path", "name", "filename") if not mentions(function, one)), None)
    if isinstance(small, cst.Return) and small.value is not None and _is_second(small.value, call) and path_name:
        return f"{name}, {path_name} = {got}", close, f"return {path_name}"
    return ()


def _is_second(value: cst.CSTNode, call: cst.Call) -> bool:
    """Whether an expression is ``call[1]``."""
    if not isinstance(value, cst.Subscript) or value.value is not call or len(value.slice) != 1:
        return False
    index = value.slice[0].slice
    return isinstance(index, cst.Index) and isinstance(index.value, cst.Integer) and index.value.value == "1"


def _replaced(file: PythonFile, place: Place, codes: Sequence[str]) -> Sequence[cst.BaseStatement]:
    old = place.statement
    first, *rest = (file.statement(code) for code in codes)
    trailing = {"trailing_whitespace": old.trailing_whitespace} if isinstance(old, cst.SimpleStatementLine) else {}
    first = first.with_changes(leading_lines=old.leading_lines, **trailing)
    return [*place.block.body[: place.index], first, *rest, *place.later]
