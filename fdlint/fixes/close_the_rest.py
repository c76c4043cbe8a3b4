"""FD109: the code uses some items of a list that it received; the others are closed where they arrive."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from fdlint.core.finding import Finding
from fdlint.fixes.acquiring import Acquiring, acquiring, rebinds, used_elsewhere
from fdlint.fixes.candidate import Candidate
from fdlint.fixes.close_in_finally import lasts
from fdlint.fixes.python_file import PythonFile, fresh, nodes
from fdlint.fixes.trees import Inserted

CODES = ("FD109",)


def propose(file: PythonFile, finding: Finding) -> Iterator[Candidate]:
    """Proposes a loop over the items behind the last one that the code uses. It stands before the first use, so that
    the peer decides nothing about how many stay open."""
    found = acquiring(file, finding)
    if found is None or found.each is None or len(found.names) != 1 or used_elsewhere(found):
        return
    later = list(found.place.later)
    name, used = found.names[0], _highest(found)
    start = next((number for number, one in enumerate(later) if found.named_in(one) and not _is_loop(found, one)), None)
    function = file.function(found.place.statement)
    extra = fresh(function, "extra", "extra_fd", "unused_fd") if function is not None else None
    if used is None or start is None or extra is None or rebinds(later, found.names):
        return
    code = f"for {extra} in {name}[{used + 1}:]:\n    {found.closers[0]}({extra})\n"
    at, old = found.place.index + 1 + start, found.place.block.body
    text = file.with_body(found.place.block, [*old[:at], file.statement(code), *old[at:]])
    known = found.is_sole(finding) or found.is_given_later(finding, later)
    yield Candidate(f"Close what comes behind `{name}[{used}]`", text, [Inserted(code)], known and not lasts(found))


def _is_loop(found: Acquiring, statement: cst.CSTNode) -> bool:
    """Whether a statement does something with every item: so should those that are closed soon."""
    return isinstance(statement, cst.For) and isinstance(statement.iter, cst.Name) and found.named_in(statement.iter)


def _highest(found: Acquiring) -> int | None:
    """Returns the highest index that the code uses. Returns None if it also uses the list in another way than asking
    for its length, or for a loop at its start."""
    best: int | None = None
    for statement in found.place.later:
        if _is_loop(found, statement):
            if best is not None:
                return None
            continue
        for node in nodes(statement):
            if not isinstance(node, cst.Name) or node.value not in found.names:
                continue
            above = found.file.parents.get(node)
            if isinstance(above, cst.Subscript) and above.value is node:
                index = found.file.code(above)[len(node.value) :].strip("[] ")
                if not index.isdecimal():
                    return None
                best = max(best or 0, int(index))
            elif not _is_question(found, node):
                return None
    return best


def _is_question(found: Acquiring, name: cst.Name) -> bool:
    """Whether code asks for the length of a list, or whether it is empty."""
    above = found.file.parents.get(name)
    if isinstance(above, cst.Arg):
        call = found.file.parents.get(above)
        return isinstance(call, cst.Call) and found.file.code(call.func) == "len"
    return isinstance(above, (cst.If, cst.IfExp, cst.UnaryOperation, cst.BooleanOperation, cst.Comparison))
