"""Lowers assignments to any target: names, attributes, items, nested and starred tuples."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from fdlint.core.ir import (
    AccessPath,
    Assign,
    Delete,
    DeleteItem,
    Item,
    Lit,
    Opaque,
    Operand,
    Place,
    Slice,
    Store,
    StoreItem,
    Unpack,
)
from fdlint.languages.python.lowering.context import Context
from fdlint.languages.python.lowering.names import path_text


def assign_target(ctx: Context, target: cst.BaseExpression, value: Operand, origin: cst.CSTNode) -> None:
    """Binds ``value`` to ``target``."""
    match target:
        case cst.Name():
            bind_name(ctx, ctx.local_name(target.value), value, origin)
        case cst.Attribute():
            base = ctx.operand(target.value)
            lasting = ctx.resolve(target) is not None
            ctx.builder.emit(Store(ctx.member(base, target.attr.value), value, lasting), origin)
        case cst.Subscript(value=sequence, slice=[cst.SubscriptElement(slice=cst.Slice() as bounds)]):
            base = ctx.operand(sequence)
            ctx.builder.emit(StoreItem(base, None, value, sliced(ctx, base, bounds)), origin)
            ctx.rebound(path_text(sequence) or "?")
        case cst.Subscript():
            base, index = _item(ctx, target)
            ctx.builder.emit(StoreItem(base, index, value), origin)
            ctx.rebound(path_text(target.value) or "?")
        case cst.Tuple() | cst.List():
            _unpack(ctx, target, value, origin)
        case cst.StarredElement():
            assign_target(ctx, target.value, value, origin)


def bind_name(ctx: Context, name: Place, value: Operand, origin: cst.CSTNode) -> None:
    """Binds a plain name. A name that outlives the call takes over the value."""
    ctx.rebound(name)
    if isinstance(value, Lit) and value.value == 0:
        ctx.zero.add(name)
    else:
        ctx.zero.discard(name)
    if ctx.class_body is not None:
        ctx.builder.emit(Store(AccessPath(ctx.class_body).attribute(name), value), origin)
    elif ctx.outlives(name):
        ctx.builder.emit(Store(name, value), origin)
    else:
        ctx.scope.bound.add(name)
        ctx.scope.stands_for.pop(name, None)
        ctx.builder.emit(Assign(name, value), origin)


def _item(ctx: Context, target: cst.Subscript) -> tuple[Operand, Operand | None]:
    """Evaluates the base and the index of an item; the index is None if it is not a plain one."""
    base = ctx.operand(target.value)
    index = subscript(ctx, target)
    return base, index


def subscript(ctx: Context, target: cst.Subscript) -> Operand | None:
    """Evaluates the expressions in the brackets. Returns the index if it is a single plain one."""
    found: list[Operand] = []
    for element in target.slice:
        if isinstance(element.slice, cst.Index):
            found.append(ctx.operand(element.slice.value))
        elif isinstance(element.slice, cst.Slice):
            for bound in (element.slice.lower, element.slice.upper, element.slice.step):
                if bound is not None:
                    ctx.operand(bound)
    plain = len(target.slice) == 1 and isinstance(target.slice[0].slice, cst.Index)
    return found[0] if plain else None


def sliced(ctx: Context, base: Operand, node: cst.Slice) -> Slice:
    """Returns the part of a sequence between two bounds."""
    bounds: list[int | None] = []
    exact = node.step is None
    for bound in (node.lower, node.upper):
        value = ctx.operand(bound) if bound is not None else Lit(None)
        known = value.value if isinstance(value, Lit) else ...
        bounds.append(known if isinstance(known, int) else None)
        exact = exact and (known is None or isinstance(known, int))
    if node.step is not None:
        ctx.operand(node.step)
    return Slice(base, bounds[0], bounds[1], exact)


def assign_in_place(
    ctx: Context, target: cst.BaseExpression, change: Callable[[Operand], Operand], origin: cst.CSTNode
) -> None:
    """Lowers ``target op= …``. Evaluates the parts of the target once; ``change`` returns the new value for the old
    one."""
    match target:
        case cst.Subscript():
            base, index = _item(ctx, target)
            ctx.builder.emit(StoreItem(base, index, change(ctx.assign(Item(base, index), target))), origin)
        case cst.Attribute():
            path = ctx.member(ctx.operand(target.value), target.attr.value)
            ctx.builder.emit(Store(path, change(path if path is not None else ctx.assign(Opaque(), target))), origin)
        case _:
            assign_target(ctx, target, change(ctx.operand(target)), origin)


def _unpack(ctx: Context, target: cst.Tuple | cst.List, value: Operand, origin: cst.CSTNode) -> None:
    elements = target.elements
    stars = [index for index, element in enumerate(elements) if isinstance(element, cst.StarredElement)]
    star = stars[0] if stars else None
    items = [ctx.assign(Unpack(value, index, len(elements), star), origin) for index in range(len(elements))]
    for element, item in zip(elements, items, strict=True):
        assign_target(ctx, element.value, item, origin)


def delete_target(ctx: Context, target: cst.BaseExpression, origin: cst.CSTNode) -> None:
    """Lowers ``del target``."""
    match target:
        case cst.Name():
            ctx.builder.emit(Delete(ctx.local_name(target.value)), origin)
        case cst.Attribute():
            path = ctx.member(ctx.operand(target.value), target.attr.value)
            if path is not None:
                ctx.builder.emit(Store(path, Lit(None)), origin)
        case cst.Subscript():
            base, index = _item(ctx, target)
            whole = isinstance(target.slice[0].slice, cst.Slice)
            ctx.builder.emit(DeleteItem(base, index, whole), origin)
        case cst.Tuple() | cst.List():
            for element in target.elements:
                delete_target(ctx, element.value, origin)
