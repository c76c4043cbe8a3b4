"""Lowers ``with`` and ``async with``: enter, leave on every way out, and swallow exceptions."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from fdlint.catalog.naming import expects_failure
from fdlint.core.ir import Assign, Catch, CaughtException, Enter, Leave, Place
from fdlint.languages.python.lowering.assignment import assign_target
from fdlint.languages.python.lowering.builder import CleanupFrame, Handler, TryFrame
from fdlint.languages.python.lowering.context import Context
from fdlint.languages.python.lowering.exceptions import ANY, OS_ERROR, canonical


def lower_with(ctx: Context, node: cst.With) -> None:
    """Enters the items in order, and leaves them in reverse order on every way out of the body."""
    builder = ctx.builder
    frames = builder.frames
    after = builder.new_block()
    managers = [_enter(ctx, node, item, after) for item in node.items]
    if any(api.expects for item in node.items for api in ctx.apis(item.item)):
        _expecting(ctx, _run_failing, node.body)
    elif any(_speaks_of_raising(item.item) for item in node.items):
        _expecting(ctx, Context.run, node.body)
    else:
        ctx.run(node.body)
    for manager in reversed(managers):
        builder.emit(Leave(manager), node)
    builder.frames = frames
    builder.fall_into(after)


def _enter(ctx: Context, node: cst.With, item: cst.WithItem, after: int) -> Place:
    builder = ctx.builder
    outer = builder.begin_statement(item)
    held = builder.held()  # it lives as long as the block, so it is not a temporary of this statement
    builder.emit(Assign(held, ctx.operand(item.item)), item)
    result = builder.temporary()
    nothrow, swallowed = _manner(ctx, item.item)
    builder.emit(Enter(held, result), item, *(() if nothrow and node.asynchronous is None else (ANY, OS_ERROR)))
    if swallowed is not None:
        builder.frames = (*builder.frames, TryFrame((Handler(swallowed, _forget(ctx, item, after)),)))
    builder.frames = (*builder.frames, CleanupFrame(lambda: builder.emit(Leave(held), node)))
    if item.asname is not None:
        assign_target(ctx, item.asname.name, result, item)
    builder.end_statement(outer, item)
    return held


def _forget(ctx: Context, item: cst.WithItem, after: int) -> int:
    """Returns a landing block that swallows the exception and continues after the ``with``."""
    builder = ctx.builder
    here = builder.current
    landing = builder.new_block()
    builder.go_on(landing)
    builder.emit(Catch(CaughtException.by(landing)), item)
    builder.jump(after)
    builder.go_on(here)
    return landing


def _run_failing(ctx: Context, body: cst.BaseSuite) -> None:
    """Lowers a body that should raise: the calls in its last statement do not succeed."""
    statements = list(body.body)
    last = statements.pop() if statements else None
    if isinstance(last, cst.SimpleStatementLine) and len(last.body) == 1:
        ctx.run(statements)  # type: ignore[arg-type]
        small = last.body[0]
        outer = ctx.builder.begin_statement(small)
        if isinstance(small, (cst.Expr, cst.Assign)):
            ctx.operand(small.value)
            ctx.builder.undo_last_success()
        else:
            ctx.unit.statements[type(small)](ctx, small)
        ctx.builder.end_statement(outer, small)
    else:
        ctx.run(body)


def _expecting(ctx: Context, run: Callable[[Context, cst.BaseSuite], None], body: cst.BaseSuite) -> None:
    before, ctx.builder.expecting = ctx.builder.expecting, True
    run(ctx, body)
    ctx.builder.expecting = before


def _speaks_of_raising(node: cst.BaseExpression) -> bool:
    """Whether the manager is a test's own check for exceptions: ``self.assertRaisesErrno(…)``, ``raises(…)``."""
    func = node.func if isinstance(node, cst.Call) else node
    name = func.attr if isinstance(func, cst.Attribute) else func
    return isinstance(name, cst.Name) and expects_failure(name.value)


def _manner(ctx: Context, node: cst.BaseExpression) -> tuple[bool, tuple[str, ...] | None]:
    """Returns whether entering cannot raise, and the exceptions that leaving swallows."""
    apis = ctx.apis(node)
    if not apis or not isinstance(node, cst.Call):
        return False, None
    named = [arg.value for arg in node.args if arg.keyword is None]
    if len(named) == 1 and isinstance(named[0], cst.Tuple):
        named = [element.value for element in named[0].elements]
    types = tuple(canonical(ctx.resolve(value)) or "?" for value in named)
    return apis[0].nothrow_enter, types if apis[0].suppresses else None
