"""Evaluates binary operators: two containers give another container, numbers give nothing of interest."""

from __future__ import annotations

import libcst as cst

from fdlint.core.domain.values import NUMBERS
from fdlint.core.ir import Build, Lit, Opaque, Operand

Operator = cst.BaseBinaryOp | cst.BaseAugOp

_KINDS: dict[type[Operator], str] = {
    cst.Add: "sum",
    cst.BitOr: "sum",
    cst.AddAssign: "extend",
    cst.BitOrAssign: "extend",
    cst.Subtract: "rest",
    cst.SubtractAssign: "rest",
    cst.BitAnd: "part",
    cst.BitAndAssign: "part",
    cst.Multiply: "part",
    cst.Modulo: "format",
    cst.ModuloAssign: "format",
    cst.MultiplyAssign: "part",
}


def combined(operator: Operator, left: Operand, right: Operand) -> Build | Opaque:
    """Returns the value of ``left operator right``. An unknown operator may keep its containers."""
    kind = _KINDS.get(type(operator), "kept")
    if kind == "format" and isinstance(left, Lit) and isinstance(left.value, str):
        return Opaque(some=True) if NUMBERS in left.value else Build("text", (right,))
    if kind in ("rest", "kept", "format") and (isinstance(left, Lit) or isinstance(right, Lit)):
        return Opaque(some=True)  # arithmetic, or text
    return Build(kind, (left, right), frozenset({0, 1}))
