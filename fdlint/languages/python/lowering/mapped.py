"""Lowers ``map(function, items)`` that is iterated at once, like a generator expression that calls the function."""

from __future__ import annotations

import libcst as cst

from fdlint.core.ir import Arg, Build, Call, Iterator, Operand
from fdlint.languages.python.lowering import calls
from fdlint.languages.python.lowering.comprehensions import append
from fdlint.languages.python.lowering.context import Context
from fdlint.languages.python.lowering.loops import advance_raises


def mapped(ctx: Context, node: cst.Call) -> Operand | None:
    """Lowers a ``map`` of one function over one iterable. Returns None for any other call."""
    apis = ctx.unit.catalog.lookup(ctx.resolve(node.func) or "")
    if not (apis and apis[0].lazy):
        return None
    match node.args:
        case [cst.Arg(value=function, keyword=None, star=""), cst.Arg(value=items, keyword=None, star="")]:
            return _mapped(ctx, node, function, items)
    return None


def _mapped(ctx: Context, node: cst.Call, function: cst.BaseExpression, items: cst.BaseExpression) -> Operand:
    builder = ctx.builder
    result = ctx.assign(Build("list", ()), node)
    iterator = ctx.assign(Iterator(ctx.iterated(items)), node)
    head, body, done = builder.new_block(), builder.new_block(), builder.new_block()
    item = builder.temporary()
    builder.fall_into(head)
    builder.advance(iterator, item, items, body, done, *advance_raises(ctx, items))
    builder.go_on(body)
    callee, value = calls.callee(ctx, function), builder.temporary()
    given = (Arg(item),)
    builder.emit(Call(value, callee, given), node, *calls.exceptions(ctx, callee, given))
    append(ctx, node, result, value)
    builder.jump(head)
    builder.go_on(done)
    return result
