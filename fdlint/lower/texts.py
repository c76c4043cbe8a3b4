"""The text of a condition, by which the same condition is recognised when it is asked again."""

from __future__ import annotations

import libcst as cst

_POSITIVE: dict[type[cst.BaseCompOp], str] = {
    cst.Is: "is",
    cst.IsNot: "is",
    cst.Equal: "==",
    cst.NotEqual: "==",
    cst.LessThan: "<",
    cst.LessThanEqual: "<=",
    cst.GreaterThan: ">",
    cst.GreaterThanEqual: ">=",
    cst.In: "in",
    cst.NotIn: "in",
}


def condition_text(node: cst.CSTNode) -> str | None:
    """A normal form (``a is b`` for ``a is not b`` too) of names, attributes, constants, comparisons and calls, else
    None."""
    match node:
        case cst.Name(value=value) | cst.Integer(value=value) | cst.SimpleString(value=value):
            return value
        case cst.Attribute(value=base, attr=cst.Name(value=name)):
            return _joined(".", condition_text(base), name)
        case cst.Comparison(left=left, comparisons=[single]):
            operator = _POSITIVE.get(type(single.operator), "?")
            return _joined(f" {operator} ", condition_text(left), condition_text(single.comparator))
        case cst.Call(func=func, args=args):
            inner = _joined(", ", *(condition_text(arg.value) for arg in args)) if args else ""
            return _joined("(", condition_text(func), inner)
        case cst.Tuple(elements=elements):
            return _joined(", ", *(condition_text(element.value) for element in elements))
        case cst.UnaryOperation(operator=cst.Minus(), expression=inner):
            return _joined("", "-", condition_text(inner))
    return None


def _joined(separator: str, *parts: str | None) -> str | None:
    known = [part for part in parts if part is not None]
    return separator.join(known) if len(known) == len(parts) else None
