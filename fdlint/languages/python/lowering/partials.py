"""Lowers ``functools.partial(drop, fd)`` as a function of its own, which calls ``drop`` with what was bound and then
with its own arguments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import libcst as cst

from fdlint.core.ir import RETURN, AccessPath, Arg, Assign, BoundArgument, Call, Closure, Leaving, Operand
from fdlint.languages.python.lowering import calls, functions
from fdlint.languages.python.lowering.context import Context

_REST, _NAMED = AccessPath("args"), AccessPath("kwargs")
_PARAMETERS = cst.Parameters(
    star_arg=cst.Param(cst.Name(_REST)), star_kwarg=cst.Param(cst.Name(_NAMED), star="**")
)  # fmt: skip


def call(ctx: Context, node: cst.Call) -> Operand:
    """Lowers a call. One that only binds arguments returns a new function."""
    apis = ctx.unit.catalog.lookup(ctx.resolve(node.func) or "")
    if not (apis and apis[0].binds and node.args) or any(arg.star for arg in node.args) or node.args[0].keyword:
        return calls.call(ctx, node)
    bound = tuple(_kept(ctx, node, calls.argument(ctx, arg)) for arg in node.args[1:])
    return ctx.assign(Closure(_lower(ctx, node, bound)), node)


def _kept(ctx: Context, node: cst.Call, arg: Arg) -> Arg:
    """Keeps an argument for as long as the function may be called."""
    if not isinstance(arg.value, AccessPath):
        return arg
    place = BoundArgument.of(ctx.builder.temporary())
    ctx.scope.bound.add(place)
    ctx.builder.emit(Assign(place, arg.value), node)
    return replace(arg, value=place)


def _lower(ctx: Context, node: cst.Call, bound: tuple[Arg, ...]) -> str:
    inner = functions.context(ctx, "<partial>", _PARAMETERS)
    inner.scope.read.update(_places(bound))
    given = (
        *(arg for arg in bound if arg.keyword is None),
        Arg(_REST, stars=1),
        *(arg for arg in bound if arg.keyword is not None),
        Arg(_NAMED, stars=2),
    )
    with inner.builder.bounded():
        outer = inner.builder.begin_statement(node)
        callee = calls.callee(inner, node.args[0].value)
        result = inner.builder.temporary()
        inner.builder.emit(Call(result, callee, given), node, *calls.exceptions(inner, callee, given))
        inner.builder.emit(Leaving(result), node)
        inner.builder.end_statement(outer, node)
        inner.builder.jump(RETURN)
    name = functions.close(ctx, inner)
    ctx.keeping.add(name)
    return name


def _places(bound: tuple[Arg, ...]) -> Iterator[AccessPath]:
    return (arg.value for arg in bound if isinstance(arg.value, AccessPath))
