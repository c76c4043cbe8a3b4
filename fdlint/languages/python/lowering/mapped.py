"""Lowers what is iterated at once, item by item: ``map(function, items)``, like a generator expression that calls the
function, and ``extend``, because the list keeps the items from before an exception."""

from __future__ import annotations

import libcst as cst

from fdlint.core.ir import AccessPath, Arg, Build, Call, Iterator, Lit, Operand, Place
from fdlint.languages.python.lowering import calls, comprehensions
from fdlint.languages.python.lowering.context import Context
from fdlint.languages.python.lowering.loops import advance_raises


def extended(ctx: Context, node: cst.Call) -> Operand | None:
    """Lowers ``fds.extend(…)`` with a generator or a ``map``. Returns None for any other call."""
    match node:
        case cst.Call(
            func=cst.Attribute(value=base, attr=cst.Name("extend")), args=[cst.Arg(value=items, keyword=None, star="")]
        ) if ctx.resolve(node.func) is None:
            return _extended(ctx, base, items)
    return None


def _extended(ctx: Context, base: cst.BaseExpression, items: cst.BaseExpression) -> Operand | None:
    match items:
        case cst.GeneratorExp():
            receiver = ctx.operand(base)
            if isinstance(receiver, AccessPath):
                comprehensions.feed(ctx, items, receiver)
        case cst.Call() if _is_map(ctx, items):
            receiver = ctx.operand(base)
            if isinstance(receiver, AccessPath):
                _feed(ctx, items, receiver)
        case _:
            return None
    return Lit(None)


def mapped(ctx: Context, node: cst.Call) -> Operand | None:
    """Lowers a ``map`` of one function over one iterable. Returns None for any other call."""
    if not _is_map(ctx, node):
        return None
    result = ctx.assign(Build("list", ()), node)
    _feed(ctx, node, result)
    return result


def _is_map(ctx: Context, node: cst.Call) -> bool:
    apis = ctx.unit.catalog.lookup(ctx.resolve(node.func) or "")
    lazy = bool(apis) and apis[0].lazy
    return lazy and len(node.args) == 2 and not any(arg.keyword or arg.star for arg in node.args)


def _feed(ctx: Context, node: cst.Call, result: Place) -> None:
    """Adds the items of a ``map`` to a list, one by one."""
    builder = ctx.builder
    function, items = (arg.value for arg in node.args)
    iterator = ctx.assign(Iterator(ctx.iterated(items)), node)
    head, body, done = builder.new_block(), builder.new_block(), builder.new_block()
    item = builder.temporary()
    builder.fall_into(head)
    builder.advance(iterator, item, items, body, done, *advance_raises(ctx, items))
    builder.go_on(body)
    callee, value = calls.callee(ctx, function), builder.temporary()
    given = (Arg(item),)
    builder.emit(Call(value, callee, given), node, *calls.exceptions(ctx, callee, given))
    comprehensions.append(ctx, node, result, value)
    builder.jump(head)
    builder.go_on(done)
