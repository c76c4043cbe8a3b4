"""Evaluates literals, and conditions that depend only on the platform or the version of Python.

It does not use ``ast.literal_eval`` as libcst does: each call leaves a cycle of three functions for the garbage
collector, which is off during a scan. It also does not warn about escapes in scanned code.

The catalog has the constants (``sys.platform`` is ``"linux"``). The value of any other condition is unknown.
"""

from __future__ import annotations

import ast
import operator
import warnings
from collections.abc import Callable
from types import EllipsisType
from typing import Any, TypeAlias

import libcst as cst


def string(node: cst.SimpleString) -> str | bytes:
    """Returns the value of a single string, or its source if Python would reject it."""
    if "\\" not in node.value and "\r" not in node.value:
        return node.raw_value.encode() if "b" in node.prefix else node.raw_value
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed = ast.parse(node.value, mode="eval").body
    except (SyntaxError, ValueError):
        return node.raw_value
    return parsed.value if isinstance(parsed, ast.Constant) and isinstance(parsed.value, (str, bytes)) else ""


def integer(node: cst.Integer) -> int:
    """Returns the value of a number."""
    return int(node.value.replace("_", ""), base=0)


Known: TypeAlias = Callable[[cst.BaseExpression], Any]
"""Returns the value that a name has on every platform, ``...`` if it is unknown."""

_COMPARISONS: dict[type[cst.BaseCompOp], Callable[[Any, Any], bool]] = {
    cst.Equal: operator.eq,
    cst.NotEqual: operator.ne,
    cst.LessThan: operator.lt,
    cst.LessThanEqual: operator.le,
    cst.GreaterThan: operator.gt,
    cst.GreaterThanEqual: operator.ge,
    cst.In: lambda one, many: one in many,
    cst.NotIn: lambda one, many: one not in many,
}
_ON_TEXT = frozenset({"lower", "startswith"})


def answer(node: cst.BaseExpression, known: Known) -> bool | None:
    """Returns the value of a condition; None if it is unknown. A plain literal does not depend on the platform."""
    match node:
        case cst.UnaryOperation(operator=cst.Not()):
            inner = answer(node.expression, known)
            return None if inner is None else not inner
        case cst.BooleanOperation():
            sides = answer(node.left, known), answer(node.right, known)
            decides = isinstance(node.operator, cst.Or)
            if decides in sides:
                return decides
            return None if None in sides else not decides
        case cst.Comparison() | cst.Name() | cst.Attribute() | cst.Call():
            value = _value(node, known)
            return None if isinstance(value, EllipsisType) else bool(value)
    return None


def _value(node: cst.BaseExpression, known: Known) -> Any:
    match node:
        case cst.SimpleString():
            return string(node)
        case cst.Integer():
            return integer(node)
        case cst.Tuple() | cst.List() | cst.Set():
            values = tuple(_value(element.value, known) for element in node.elements)
            return ... if ... in values else values
        case cst.Name() | cst.Attribute():
            return known(node)
        case cst.Subscript(slice=[cst.SubscriptElement(slice=part)]):
            return _item(_value(node.value, known), part)
        case cst.Call():
            return _called(node, known)
        case cst.Comparison(comparisons=[cst.ComparisonTarget(operator=asked, comparator=right)]):
            return _compared(_value(node.left, known), type(asked), _value(right, known))
    return ...


def _item(value: Any, part: cst.BaseSlice) -> Any:
    if not isinstance(value, tuple):
        return ...
    match part:
        case cst.Index(value=cst.Integer() as index) if integer(index) < len(value):
            return value[integer(index)]
        case cst.Slice(lower=None, upper=cst.Integer() as upper, step=None):
            return value[: integer(upper)]
    return ...


def _called(node: cst.Call, known: Known) -> Any:
    """Evaluates ``platform.system()``, and methods of a known text."""
    if not node.args and (found := known(node)) is not ...:
        return found
    match node.func:
        case cst.Attribute(value=base, attr=cst.Name(value=method)) if method in _ON_TEXT:
            text = _value(base, known)
            args = [_value(arg.value, known) for arg in node.args]
            if isinstance(text, str) and ... not in args:
                return _on_text(text, method, args)
    return ...


def _on_text(text: str, method: str, args: list[Any]) -> Any:
    try:
        return getattr(text, method)(*args)
    except TypeError:
        return ...


def _compared(left: Any, asked: type[cst.BaseCompOp], right: Any) -> Any:
    compare = _COMPARISONS.get(asked)
    if compare is None or left is ... or right is ...:
        return ...
    try:
        return compare(left, right)
    except TypeError:
        return ...
