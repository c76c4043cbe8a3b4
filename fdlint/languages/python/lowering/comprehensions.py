"""Lowers comprehensions and generator expressions as loops.

A generator expression as an argument is laid in place, as if it were consumed at once; ``loops`` has one after ``in``
of a loop.
"""

from __future__ import annotations

import libcst as cst

from fdlint.core.ir import Arg, Build, Call, Callee, Opaque, Operand, Place, StoreItem
from fdlint.languages.python.lowering.context import Context, Expression
from fdlint.languages.python.lowering.loops import advance_raises, bind_item, iterator_over


def generator(ctx: Context, node: cst.GeneratorExp) -> Operand:
    """Lowers a generator expression. It does nothing until it is iterated; an argument counts as iterated at once."""
    if ctx.consumes:
        ctx.consumes = False
        return collect("list")(ctx, node)
    return ctx.assign(Opaque(some=True), node)


def collect(kind: str) -> Expression:
    """Returns the function that lowers a comprehension for a list, set or dict."""

    def lower(ctx: Context, node: cst.BaseComp) -> Operand:
        result = ctx.assign(Build(kind, ()), node)
        feed(ctx, node, result)
        return result

    return lower


def feed(ctx: Context, node: cst.BaseComp, result: Place) -> None:
    """Adds the items of a comprehension to a container, one by one."""
    names: dict[str, Place] = {}
    first = ctx.operand(node.for_in.iter)  # evaluated outside the comprehension's own scope
    ctx.renamed.append(names)
    _loop(ctx, node, node.for_in, result, names, first)
    ctx.renamed.pop()


def _loop(
    ctx: Context, node: cst.BaseComp, clause: cst.CompFor, result: Place, names: dict[str, Place], source: Operand
) -> None:
    builder = ctx.builder
    iterator = ctx.assign(iterator_over(source, clause), clause)
    head, body, done = builder.new_block(), builder.new_block(), builder.new_block()
    item = builder.temporary()
    builder.fall_into(head)
    builder.advance(iterator, item, clause.iter, body, done, *advance_raises(ctx, clause.iter, clause.asynchronous))
    builder.go_on(body)
    bind_item(ctx, clause, names, item, head)
    if clause.inner_for_in is not None:
        _loop(ctx, node, clause.inner_for_in, result, names, ctx.operand(clause.inner_for_in.iter))
    else:
        _add(ctx, node, result)
    builder.jump(head)
    builder.go_on(done)


def _add(ctx: Context, node: cst.BaseComp, result: Place) -> None:
    match node:
        case cst.DictComp():
            key, value = ctx.operand(node.key), ctx.operand(node.value)
            ctx.builder.emit(StoreItem(result, key, value), node)
        case cst.StarredDictComp():
            _method(ctx, node, result, "update", ctx.operand(node.value))
        case cst.BaseSimpleComp(elt=cst.StarredElement(value=elements)):
            _method(ctx, node, result, "extend", ctx.operand(elements))
        case cst.BaseSimpleComp(elt=element):
            append(ctx, node, result, ctx.operand(element))


def append(ctx: Context, node: cst.CSTNode, receiver: Place, value: Operand) -> None:
    """Adds an item to a list."""
    _method(ctx, node, receiver, "append", value)


def _method(ctx: Context, node: cst.CSTNode, receiver: Place, name: str, value: Operand) -> None:
    ctx.builder.emit(Call(ctx.builder.temporary(), Callee(name, None, receiver), (Arg(value),)), node)
