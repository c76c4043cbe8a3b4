"""FD205: ``if fd:`` becomes ``if fd is not None:`` or ``if fd >= 0:``, by what the variable holds otherwise."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from fdlint.core.finding import Finding
from fdlint.fixes.candidate import Candidate
from fdlint.fixes.python_file import PythonFile
from fdlint.fixes.sentinels import absent, none_of, present, sentinels
from fdlint.fixes.trees import Replaced

CODES = ("FD205",)


def propose(file: PythonFile, finding: Finding) -> Iterator[Candidate]:
    """Proposes the comparison. It is sound if the code gives the variable exactly one constant that means "none"."""
    node = file.expression(finding.span)
    if node is None:
        return
    new: str | None = None
    sound = True
    if isinstance(node, cst.Comparison) and len(node.comparisons) == 1:
        new = _with_zero(file, node)
    elif isinstance(node, (cst.Name, cst.Attribute)) and _is_tested(file, node):
        none = none_of(sentinels(file, node))
        sound = none is not None
        above = file.parents.get(node)
        if isinstance(above, cst.UnaryOperation) and isinstance(above.operator, cst.Not):
            node, new = above, absent(file.code(node), none)
        else:
            new = present(file.code(node), none)
    if new is not None:
        text = file.with_node(node, cst.parse_expression(new))
        yield Candidate(f"Write `{new}`", text, [Replaced(file.code(node), new)], sound)


def _with_zero(file: PythonFile, node: cst.Comparison) -> str | None:
    """Returns ``fd >= 0`` for ``fd > 0``, and ``fd < 0`` for ``fd <= 0``."""
    one = node.comparisons[0]
    if file.code(one.comparator) != "0" or not isinstance(one.operator, (cst.GreaterThan, cst.LessThanEqual)):
        return None
    return f"{file.code(node.left)} {'>=' if isinstance(one.operator, cst.GreaterThan) else '<'} 0"


def _is_tested(file: PythonFile, node: cst.CSTNode) -> bool:
    """Whether only the truth of an expression counts."""
    while True:
        above = file.parents.get(node)
        if isinstance(above, (cst.If, cst.While, cst.IfExp, cst.Assert)):
            return above.test is node
        if isinstance(above, cst.UnaryOperation) and isinstance(above.operator, cst.Not):
            return True
        if not isinstance(above, cst.BooleanOperation):
            return False
        node = above
