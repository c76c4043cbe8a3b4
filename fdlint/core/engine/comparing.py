"""Compares numbers and texts, and tells what a comparison shows."""

from __future__ import annotations

from collections.abc import Sequence

from fdlint.core.domain.values import Const, Known, Value
from fdlint.core.ir import Constant, Member, Op

OPPOSITE = {Op.GT: Op.LE, Op.GE: Op.LT, Op.LT: Op.GE, Op.LE: Op.GT}
"""The comparisons that hold where others do not."""


def compared(op: Op, left: Const, right: Const) -> bool | None:
    """Returns the answer to a comparison of two constants; None if it is not known."""
    a, b = left.value, right.value
    if isinstance(a, Member) or isinstance(b, Member):
        return _is_member(a, b) if op in (Op.IS, Op.EQ) else None
    if op in (Op.IS, Op.EQ):
        return a == b and (a is None) == (b is None)
    if op is Op.IN and isinstance(a, str) and isinstance(b, str):
        return a in b
    if isinstance(a, int) and isinstance(b, int):
        return {Op.LT: a < b, Op.LE: a <= b, Op.GT: a > b, Op.GE: a >= b}.get(op)
    return None


def _is_member(one: Constant, other: Constant) -> bool | None:
    """Whether a member of an enumeration is another one, or what is no member; None if it may be equal to that."""
    if isinstance(one, Member) and isinstance(other, Member) and one.owner == other.owner:
        return one.name == other.name
    return False if one is None or other is None else None


def words_of(found: tuple[Sequence[Value], bool] | None, asked: Const) -> frozenset[Value]:
    """Returns the items of a container that holds words and nothing else, or what is asked for: members of
    enumerations. ``found``: its items, and whether these are all."""
    items, exact = found or ((), False)
    kind = Member if isinstance(asked.value, Member) else str
    words = frozenset(one for one in items if isinstance(one, Const) and isinstance(one.value, kind))
    return words if exact and words.issuperset(items) else frozenset()


def is_above_zero(number: Const) -> bool:
    """Whether a constant is a number above zero, as a member of an enumeration may be."""
    return isinstance(number.value, Member) or (isinstance(number.value, int) and number.value > 0)


def shown_by(op: Op, right: Const) -> Known | None:
    """Returns what is known of a value for which a comparison with a constant holds: that it is above zero, or below it
    and so not 0; None if that is not known."""
    number = right.value
    if not isinstance(number, int):
        return None
    if (op is Op.GT and number >= 0) or (op is Op.GE and number > 0):
        return Known.POSITIVE
    below = (op is Op.LT and number <= 0) or (op is Op.LE and number < 0)
    return Known.TRUTHY if below else None


def telling(least: int, number: int, most: int) -> list[int]:
    """Returns the lengths between ``least`` and ``most`` that tell all answers to a comparison with a number: those
    beside one of the three."""
    beside = {n for one in (least, number, most) for n in (one - 1, one, one + 1)}
    return sorted(n for n in beside if least <= n <= most)
