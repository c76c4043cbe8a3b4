"""Lowers conditions to branches: a test tells something about a place on its true and on its false edge."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from fdlint.core.ir import (
    MIRRORED,
    Assign,
    Compare,
    Condition,
    Has,
    IsBound,
    Kind,
    Lit,
    Op,
    Opaque,
    Operand,
    Question,
    Test,
    Truth,
)
from fdlint.languages.python.lowering.constants import string
from fdlint.languages.python.lowering.context import Context
from fdlint.languages.python.lowering.kinds import kinds
from fdlint.languages.python.lowering.language import PYTHON
from fdlint.languages.python.lowering.texts import condition_text
from fdlint.languages.rounds import Rounds, remember

_OPERATORS: dict[type[cst.BaseCompOp], tuple[Op, bool]] = {
    cst.Is: (Op.IS, True),
    cst.IsNot: (Op.IS, False),
    cst.Equal: (Op.EQ, True),
    cst.NotEqual: (Op.EQ, False),
    cst.LessThan: (Op.LT, True),
    cst.LessThanEqual: (Op.LE, True),
    cst.GreaterThan: (Op.GT, True),
    cst.GreaterThanEqual: (Op.GE, True),
    cst.In: (Op.IN, True),
    cst.NotIn: (Op.IN, False),
}
_LOCALS = ("builtins.locals", "builtins.vars", "builtins.dir")


def branch(ctx: Context, node: cst.BaseExpression, if_true: int, if_false: int) -> None:
    """Evaluates a condition and branches to one of two blocks."""
    known = ctx.unit.resolver.answer(node, ctx.scope) if ctx.unit.decides else None
    if known is not None:
        ctx.builder.jump(if_true if known else if_false)
        return
    match node:
        case cst.UnaryOperation(operator=cst.Not()):
            branch(ctx, node.expression, if_false, if_true)
        case cst.BooleanOperation():
            middle = ctx.builder.new_block()
            if isinstance(node.operator, cst.And):
                branch(ctx, node.left, middle, if_false)
            else:
                branch(ctx, node.left, if_true, middle)
            ctx.builder.go_on(middle)
            branch(ctx, node.right, if_true, if_false)
        case cst.Comparison(comparisons=[single]):
            _compare(ctx, node, single, if_true, if_false)
        case cst.Comparison():
            _chain(ctx, node, if_true, if_false)
        case cst.Call():
            _call(ctx, node, if_true, if_false)
        case _:
            _truth(ctx, node, node, if_true, if_false)


def _leave(ctx: Context, question: Question, node: cst.CSTNode, if_true: int, if_false: int) -> None:
    """Branches. The statement's temporaries stay alive, because the test may use one."""
    ctx.builder.branch(Test(question, ctx.condition(node)), node, if_true, if_false)


def _truth(ctx: Context, node: cst.BaseExpression, origin: cst.CSTNode, if_true: int, if_false: int) -> None:
    value = ctx.operand(node)
    if isinstance(value, Lit):
        ctx.builder.jump(if_true if value.value else if_false)
    else:
        _leave(ctx, Truth(value), origin, if_true, if_false)


def _compare(ctx: Context, node: cst.Comparison, single: cst.ComparisonTarget, if_true: int, if_false: int) -> None:
    if (question := _asked_for(ctx, node.left, single)) is not None:
        positive = _OPERATORS[type(single.operator)][1]
        targets = (if_true, if_false) if positive else (if_false, if_true)
        ctx.builder.branch(Test(question, ctx.condition(node)), node, *targets, negated=not positive)
        return
    if ctx.rounds:
        if_true, if_false = _remembering(ctx, node, if_true, if_false)
    measured, other = _argument_of(ctx, "len", node.left), _argument_of(ctx, "len", single.comparator)
    left = ctx.operand(measured if measured is not None else node.left)
    mirrored = isinstance(left, Lit) and other is not None
    right = ctx.operand(other if mirrored and other is not None else single.comparator)
    _decide(ctx, node, single, Sides(left, right, measured is not None or mirrored), if_true, if_false)


def _remembering(ctx: Context, node: cst.Comparison, if_true: int, if_false: int) -> tuple[int, int]:
    """Returns the targets of a comparison, which may ask whether the round of a loop is the last."""
    for rounds in reversed(ctx.rounds):
        holds = holds_in_last(rounds, node)
        if holds is not None:
            return remember(ctx.builder, rounds, node, holds, if_true, if_false)
    return if_true, if_false


def holds_in_last(rounds: Rounds, node: cst.CSTNode) -> bool | None:
    """Returns whether a condition holds in the last round of a loop alone, or in all others; None for any other."""
    match node:
        case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(operator=sign, comparator=right)]):
            op, positive = _OPERATORS[type(sign)]
            return rounds.hold(condition_text(left), op, condition_text(right), positive)
    return None


@dataclass(frozen=True, slots=True)
class Sides:
    """The evaluated operands of one comparison. ``length``: the comparison is about the length of the left one."""

    left: Operand
    right: Operand
    length: bool = False


def _decide(
    ctx: Context, node: cst.Comparison, single: cst.ComparisonTarget, sides: Sides, if_true: int, if_false: int
) -> None:
    operator, positive = _OPERATORS[type(single.operator)]
    if not positive:
        if_true, if_false = if_false, if_true
    question = Compare(operator, sides.left, sides.right, sides.length)
    if isinstance(sides.left, Lit) and operator in MIRRORED:
        question = Compare(MIRRORED[operator], sides.right, sides.left, sides.length)
    key = ctx.condition(node) if len(node.comparisons) == 1 else None
    ctx.builder.branch(Test(question, key), node, if_true, if_false, negated=not positive)


def branch_on_none(ctx: Context, node: cst.BaseExpression, if_none: int, if_not: int) -> None:
    """Evaluates an expression and branches as for ``node is None``."""
    text = ctx.condition(node)
    key = Condition(f"{text} is None") if text is not None else None
    question = Compare(Op.IS, ctx.operand(node), Lit(None))
    ctx.builder.branch(Test(question, key), node, if_none, if_not)


def _asked_for(ctx: Context, left: cst.BaseExpression, single: cst.ComparisonTarget) -> Question | None:
    """Returns the question of ``"fd" in locals()`` and of ``type(x) is T``; None for any other comparison."""
    match left, single:
        case cst.SimpleString(), cst.ComparisonTarget(
            operator=cst.In() | cst.NotIn(), comparator=cst.Call(func=function, args=[])
        ) if ctx.resolve(function) in _LOCALS:
            return IsBound(ctx.local_name(str(string(left))))
        case cst.Call(), cst.ComparisonTarget(comparator=types) if typed := _argument_of(ctx, "type", left):
            return Kind(ctx.operand(typed), kinds(types, ctx.unit.resolver, ctx.scope))
    return None


def _argument_of(ctx: Context, name: str, node: cst.BaseExpression) -> cst.BaseExpression | None:
    """Returns ``x`` of ``len(x)`` or of ``type(x)``, the only calls whose meaning comparisons need."""
    match node:
        case cst.Call(func=cst.Name(), args=[cst.Arg(value=value, keyword=None, star="")]):
            return value if ctx.resolve(node.func) == f"builtins.{name}" else None
    return None


def _chain(ctx: Context, node: cst.Comparison, if_true: int, if_false: int) -> None:
    """Lowers ``a < b < c``. Evaluates each operand once, and only if all comparisons before it hold."""
    left = ctx.operand(node.left)
    for index, single in enumerate(node.comparisons):
        last = index == len(node.comparisons) - 1
        following = if_true if last else ctx.builder.new_block()
        right = ctx.operand(single.comparator)
        _decide(ctx, node, single, Sides(left, right), following, if_false)
        if not last:
            ctx.builder.go_on(following)
        left = right


def _call(ctx: Context, node: cst.Call, if_true: int, if_false: int) -> None:
    plain = [arg.value for arg in node.args if not arg.star]
    match ctx.resolve(node.func) if len(plain) == len(node.args) else None, plain:
        case "builtins.bool", [subject]:
            branch(ctx, subject, if_true, if_false)
        case "builtins.callable", [subject]:
            _leave(ctx, Has(ctx.operand(subject), PYTHON.methods.call), node, if_true, if_false)
        case "builtins.hasattr", [subject, cst.SimpleString() as name]:
            _leave(ctx, Has(ctx.operand(subject), str(string(name))), node, if_true, if_false)
        case "builtins.isinstance", [subject, types]:
            operand = ctx.operand(subject)
            _leave(ctx, Kind(operand, kinds(types, ctx.unit.resolver, ctx.scope)), node, if_true, if_false)
        case _:
            _called(ctx, node, if_true, if_false)


def _called(ctx: Context, node: cst.Call, if_true: int, if_false: int) -> None:
    if (measured := _argument_of(ctx, "len", node)) is not None:
        _leave(ctx, Compare(Op.GT, ctx.operand(measured), Lit(0), length=True), node, if_true, if_false)
    else:
        value = ctx.operand(node)
        asks = isinstance(node.func, cst.Attribute) or ctx.is_pure(node)  # of an object, which most likely stays
        ctx.builder.branch(Test(Truth(value), ctx.condition(node) if asks else None), node, if_true, if_false)


def as_value(ctx: Context, node: cst.BaseExpression) -> Operand:
    """Lowers a condition as a value: True on one edge, False on the other."""
    builder = ctx.builder
    if not ctx.splits:
        for child in _operands(node):
            ctx.operand(child)
        return ctx.assign(Opaque(some=True), node)
    result = builder.temporary()
    after = builder.new_block()
    targets = builder.new_block(), builder.new_block()
    branch(ctx, node, *targets)
    for block, value in zip(targets, (True, False), strict=True):
        builder.go_on(block)
        builder.emit(Assign(result, Lit(value)), node)
        builder.jump(after)
    builder.go_on(after)
    return result


def _operands(node: cst.BaseExpression) -> list[cst.BaseExpression]:
    if isinstance(node, cst.Comparison):
        return [node.left, *(single.comparator for single in node.comparisons)]
    if isinstance(node, cst.UnaryOperation):
        return [node.expression]
    return []


def boolean(ctx: Context, node: cst.BooleanOperation) -> Operand:
    """Lowers ``a and b`` or ``a or b`` as a value: the operand that decides."""
    builder = ctx.builder
    result = builder.temporary()
    right, decided, after = builder.new_block(), builder.new_block(), builder.new_block()
    targets = (right, decided) if isinstance(node.operator, cst.And) else (decided, right)
    if isinstance(node.left, (cst.Comparison, cst.UnaryOperation, cst.BooleanOperation)):
        branch(ctx, node.left, *targets)
        value: Operand | None = None
    else:
        value = ctx.operand(node.left)
        builder.branch(Test(Truth(value), ctx.condition(node.left)), node.left, *targets)
    builder.go_on(decided)
    builder.emit(Assign(result, value if value is not None else Lit(isinstance(node.operator, cst.Or))), node)
    builder.jump(after)
    builder.go_on(right)
    builder.emit(Assign(result, ctx.operand(node.right)), node)
    builder.fall_into(after)
    return result
