"""Normalises the text of conditions, and recognises strings that are programs or paths of descriptors."""

from __future__ import annotations

import re
from collections.abc import Sequence

import libcst as cst

from fdlint.core.domain.values import NUMBERS

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

_PROGRAM = re.compile(r"\bimport\b|\n|\\n")
_ARGUMENT = re.compile(r"\w\((?:[^()\n]*,\s*)?(?:\{|%[dirs])")


def is_alone(parts: Sequence[cst.CSTNode]) -> bool:
    """Whether a string is only the text of one value: ``f"{fd}"``."""
    match parts:
        case [cst.FormattedStringExpression(format_spec=None, conversion=None, equal=None)]:
            return True
    return False


def leads_to_numbers(parts: Sequence[cst.CSTNode]) -> bool:
    """Whether a string is a path to a descriptor of a process: ``/proc/self/fd/{fd}``."""
    return any(isinstance(part, cst.FormattedStringText) and NUMBERS in part.value for part in parts)


def is_program(parts: Sequence[cst.CSTNode]) -> bool:
    """Whether a format string is code that calls a function with the inserted value: ``os.close({fd})``."""
    text = "".join(part.value if isinstance(part, cst.FormattedStringText) else "{}" for part in parts)
    return is_program_text(text)


def is_program_text(text: str) -> bool:
    """Whether a string with literal placeholders is such code."""
    return _PROGRAM.search(text) is not None and _ARGUMENT.search(text) is not None


def condition_text(node: cst.CSTNode) -> str | None:
    """Returns a normal form of names, attributes, items, constants, arithmetic, comparisons and calls (``a is b`` for
    ``a is not b`` too), or None for any other expression."""
    match node:
        case cst.Name(value=value) | cst.Integer(value=value) | cst.SimpleString(value=value):
            return value
        case cst.Attribute(value=base, attr=cst.Name(value=name)):
            return _joined(".", condition_text(base), name)
        case cst.Subscript(value=base, slice=[cst.SubscriptElement(slice=cst.Index(value=index))]):
            return _joined("[", condition_text(base), condition_text(index))
        case cst.Comparison(left=left, comparisons=[single]):
            sign = _POSITIVE.get(type(single.operator), "?")
            return _joined(f" {sign} ", condition_text(left), condition_text(single.comparator))
        case cst.Call(func=func, args=args):
            inner = _joined(", ", *(condition_text(arg.value) for arg in args)) if args else ""
            return _joined("(", condition_text(func), inner)
        case cst.Tuple(elements=elements):
            return _joined(", ", *(condition_text(element.value) for element in elements))
        case cst.BinaryOperation(left=left, operator=operator, right=right):
            inner = _joined(f" {type(operator).__name__} ", condition_text(left), condition_text(right))
            return f"{{{inner}}}" if inner is not None else None
        case cst.UnaryOperation(operator=cst.Minus(), expression=inner):
            return _joined("", "-", condition_text(inner))
    return None


def _joined(separator: str, *parts: str | None) -> str | None:
    known = [part for part in parts if part is not None]
    return separator.join(known) if len(known) == len(parts) else None
