"""Lowers ``go f(x)``, and what else gives a call away that runs at another time."""

from __future__ import annotations

from fdlint.core.ir import AccessPath, Arg, Call, Callee, Lit, Named
from fdlint.languages.go.lowering import calls
from fdlint.languages.go.lowering.constants import Node, arguments_of, text
from fdlint.languages.go.lowering.context import Context
from fdlint.languages.go.lowering.expressions import operand

_STARTS = "go.start"  # in the catalog


def go(ctx: Context, node: Node) -> None:
    """Lowers ``go f(x)``: a function that is known decides what becomes of ``x``; else the new goroutine takes it."""
    for one in node.named_children:
        if one.type == "call_expression" and not _start(ctx, one, node):
            give_away(ctx, one, node)


def _start(ctx: Context, call: Node, node: Node) -> bool:
    """Lays the start of a goroutine that runs a function of the project. Returns False for any other, and lays
    nothing."""
    function, arguments = call.child_by_field_name("function"), arguments_of(call)
    if function is None or function.type != "identifier" or ctx.variable(text(function)) is not None:
        return False
    callee, _ = calls.callee_of(ctx, function)
    if callee.function is None or any(calls.maybe_converted(ctx, one) is not None for one in arguments):
        return False
    given = (calls.argument(ctx, one) for one in arguments)
    args = (Arg(ctx.assign(Named(callee), node)), *given)
    ctx.builder.add(Call(ctx.builder.temporary(), Callee(_STARTS, _STARTS), args, unused=True), node)
    return True


def give_away(ctx: Context, call: Node, node: Node) -> None:
    """Hands over what a call gets that runs at another time: its arguments, its receiver, and what a literal lets
    go."""
    function, arguments = call.child_by_field_name("function"), arguments_of(call)
    assert function is not None
    handed = [operand(ctx, each) for each in arguments]
    if function.type == "selector_expression":
        base = function.child_by_field_name("operand")
        owner = operand(ctx, base) if base is not None else None
        handed.extend([owner] if owner is not None else [])
        if isinstance(owner, AccessPath) and owner.depth == 0:
            handed.append(owner.attribute(text(function.child_by_field_name("field"))))  # the method itself
    elif function.type == "func_literal":
        operand(ctx, function)
    elif function.type == "identifier" and ctx.variable(text(function)) is not None:
        handed.append(operand(ctx, function))
    inner = (calls.maybe_converted(ctx, each) for each in arguments)
    handed.extend(operand(ctx, one) for one in inner if one is not None)
    for value in handed:
        if not isinstance(value, Lit):
            ctx.hand_over(value, node)
