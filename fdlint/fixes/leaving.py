"""Whether something that a Python function holds leaves it through the result of a call: an object around a descriptor,
an item that a function picks from a list."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from fdlint.catalog.repairs import repairs_of
from fdlint.fixes.acquiring import Acquiring
from fdlint.fixes.python_file import nodes

_MAX_NAMES = 20
_ENDS = (
    cst.Expr, cst.Comparison, cst.ComparisonTarget, cst.If, cst.While, cst.Assert, cst.FormattedStringExpression,
    cst.BinaryOperation, cst.UnaryOperation, cst.WithItem, cst.Raise,
)  # fmt: skip
_THROUGH = (
    cst.Arg, cst.Attribute, cst.Await, cst.Tuple, cst.List, cst.Element, cst.Subscript, cst.SubscriptElement,
    cst.IfExp, cst.BooleanOperation, cst.StarredElement,
)  # fmt: skip


def leaves(found: Acquiring) -> bool:
    """Whether a value that a call made of the variables may be used after the function. The engine follows the
    variables themselves."""
    function = found.file.function(found.place.statement)
    own = set(nodes(found.place.statement))
    known, number = list(found.names), 0
    while number < len(known):
        for node in nodes(function.body) if function is not None else ():
            if isinstance(node, cst.Name) and node.value == known[number] and node not in own:
                bound = _bound(found, node, derived=number >= len(found.names))
                if bound is None:
                    return True
                known += [one for one in bound if one not in known]
        number += 1
        if len(known) > _MAX_NAMES:
            return True
    return False


def _bound(found: Acquiring, use: cst.Name, *, derived: bool) -> Sequence[str] | None:
    """Returns the variables that get what calls make of a use; None if that goes elsewhere. ``derived``: the variable
    itself is such a result."""
    copying = repairs_of("python").copying
    at: cst.CSTNode = use
    while True:
        above = found.file.parents.get(at)
        if isinstance(above, cst.Call):
            callee = above.func.attr.value if isinstance(above.func, cst.Attribute) else found.file.code(above.func)
            if callee.startswith(copying) or above.func is at:
                return []
            derived = True
        elif isinstance(above, (cst.AssignTarget, cst.AnnAssign, cst.Del, *_ENDS)):
            return []
        elif isinstance(above, cst.Assign):
            targets = [node for one in above.targets for node in nodes(one.target)]
            if any(isinstance(one, (cst.Attribute, cst.Subscript)) for one in targets):
                return None if derived else []
            return [one.value for one in targets if isinstance(one, cst.Name)] if derived else []
        elif isinstance(above, cst.For) and above.iter is at:
            return [node.value for node in nodes(above.target) if isinstance(node, cst.Name)] if derived else []
        elif not isinstance(above, _THROUGH):
            return None if derived or isinstance(above, (cst.CompFor, cst.GeneratorExp, cst.Lambda)) else []
        at = above
