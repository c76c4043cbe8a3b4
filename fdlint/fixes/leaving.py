"""What a Python function makes of a descriptor, and whether that leaves it: an object around it, an item that it picks
from a list, a text with its number."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from fdlint.catalog.repairs import repairs_of
from fdlint.fixes.acquiring import Acquiring
from fdlint.fixes.python_file import nodes

_MAX_NAMES = 20
_RECEIVERS = ("self", "cls")
_ENDS = (
    cst.Expr, cst.Comparison, cst.ComparisonTarget, cst.If, cst.While, cst.Assert, cst.UnaryOperation, cst.Raise,
)  # fmt: skip
_THROUGH = (
    cst.Arg, cst.Attribute, cst.Await, cst.Tuple, cst.List, cst.Element, cst.Subscript, cst.SubscriptElement,
    cst.IfExp, cst.BooleanOperation, cst.StarredElement, cst.FormattedString, cst.ConcatenatedString,
    cst.Dict, cst.DictElement,
)  # fmt: skip


def results(found: Acquiring) -> Sequence[str] | None:
    """Returns the variables that hold what a call made of the descriptors, or a text: they may need these open. Returns
    None if such a value goes elsewhere. The engine follows the variables of the descriptors themselves."""
    function = found.file.function(found.place.statement)
    own = set(nodes(found.place.statement))
    known, number = list(found.names), 0
    while number < len(known):
        for node in nodes(function.body) if function is not None else ():
            if isinstance(node, cst.Name) and node.value == known[number] and node not in own:
                bound = _bound(found, node, derived=number >= len(found.names))
                if bound is None:
                    return None
                known += [one for one in bound if one not in known]
        number += 1
        if len(known) > _MAX_NAMES:
            return None
    return known[len(found.names) :]


def _bound(found: Acquiring, use: cst.Name, *, derived: bool) -> Sequence[str] | None:
    """Returns the variables that get what is made of a use; None if that goes elsewhere. ``derived``: the variable
    itself is such a result."""
    at: cst.CSTNode = use
    while True:
        above = found.file.parents.get(at)
        if isinstance(above, cst.Call):
            is_method = above.func is at
            if (derived and is_method) or _keeps_nothing(found, above):
                return []
            if derived:
                return None  # the call may keep it
            derived = True
        elif isinstance(above, cst.FormattedStringExpression) or _is_format(above):
            derived = True
        elif isinstance(above, cst.BinaryOperation):
            if not derived:
                return []
        elif isinstance(above, cst.WithItem):
            return _names([above.asname]) if derived and above.asname is not None else []
        elif isinstance(above, (cst.AssignTarget, cst.AnnAssign, cst.Del, *_ENDS)):
            return []
        elif isinstance(above, cst.Assign):
            targets = [node for one in above.targets for node in nodes(one.target)]
            if any(isinstance(one, (cst.Attribute, cst.Subscript)) for one in targets):
                return None if derived else []
            return _names(above.targets) if derived else []
        elif isinstance(above, cst.For) and above.iter is at:
            return _names([above.target]) if derived else []
        elif not isinstance(above, _THROUGH):
            return None if derived or isinstance(above, (cst.CompFor, cst.GeneratorExp, cst.Lambda)) else []
        assert above is not None
        at = above


def _names(roots: Sequence[cst.CSTNode]) -> list[str]:
    return [node.value for root in roots for node in nodes(root) if isinstance(node, cst.Name)]


def _is_format(node: cst.CSTNode | None) -> bool:
    """Whether an operation makes a text by ``%``."""
    if not isinstance(node, cst.BinaryOperation) or not isinstance(node.operator, cst.Modulo):
        return False
    return isinstance(node.left, (cst.SimpleString, cst.ConcatenatedString))


def _keeps_nothing(found: Acquiring, call: cst.Call) -> bool:
    """Whether a call only looks at its arguments, or makes an exception of them."""
    copying = repairs_of("python").copying
    known = found.file.code(call.func) in copying  # a longer name may be that of a function of the project
    if isinstance(call.func, cst.Attribute) and found.file.code(call.func.value) not in _RECEIVERS:
        known = call.func.attr.value.startswith(copying)
    return known or isinstance(found.file.parents.get(call), cst.Raise)
