"""Lowers ``try`` in all its parts, ``raise`` and ``return``."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from fdlint.core.ir import (
    RETURN,
    AccessPath,
    Catch,
    CaughtException,
    IsBound,
    Jump,
    Leaving,
    Lit,
    Opaque,
    Test,
    Throw,
    Truth,
)
from fdlint.languages.python.lowering.assignment import bind_name
from fdlint.languages.python.lowering.builder import CleanupFrame, Handler, TryFrame
from fdlint.languages.python.lowering.context import Context, Handling
from fdlint.languages.python.lowering.exceptions import ANY
from fdlint.languages.python.lowering.names import dotted_text, path_text


def lower_try(ctx: Context, node: cst.Try | cst.TryStar) -> None:
    """Lowers ``try/except/else/finally`` and ``except*``."""
    if node.finalbody is None:
        _guarded(ctx, node)
        return
    builder = ctx.builder
    frames, final = builder.frames, node.finalbody.body
    builder.frames = (*frames, CleanupFrame(lambda: ctx.run(final)))
    _guarded(ctx, node)
    builder.frames = frames
    ctx.run(final)


def _guarded(ctx: Context, node: cst.Try | cst.TryStar) -> None:
    builder = ctx.builder
    frames = builder.frames
    blocks = [builder.new_block() for _ in node.handlers]
    types = [_caught(ctx, handler.type) for handler in node.handlers]
    handlers = tuple(Handler(kinds, block) for kinds, block in zip(types, blocks, strict=True))
    if handlers:
        builder.frames = (*frames, TryFrame(handlers))
    _look_up(ctx, node.body, types)
    ctx.run(node.body)
    builder.frames = frames
    if node.orelse is not None:
        ctx.run(node.orelse.body)
    after = builder.new_block()
    builder.jump(after)
    clauses: Sequence[cst.ExceptHandler | cst.ExceptStarHandler] = node.handlers
    for clause, handler in zip(clauses, handlers, strict=True):
        builder.go_on(handler.block)
        _handler(ctx, clause, handler)
        builder.jump(after)
    builder.go_on(after)


_LACKING = ("AttributeError", "KeyError", "IndexError", "LookupError")


def _look_up(ctx: Context, body: cst.BaseSuite, caught: Sequence[tuple[str, ...] | None]) -> None:
    """Lets a ``try`` raise what it asks by trying, if all that it does is to look something up: ``try: return
    self._fd``, ``except AttributeError``. An attribute that the object has does not raise."""
    kind = next((one for kinds in caught for one in kinds or () if one in _LACKING), None)
    found = _looked_up(body) if kind is not None else None
    if kind is None or found is None:
        return
    builder, place = ctx.builder, path_text(found)
    there, lacking = builder.new_block(), builder.new_block()
    outer = builder.begin_statement(found)
    known = place is not None and kind == _LACKING[0]
    question = IsBound(AccessPath(place)) if known and place is not None else Truth(ctx.assign(Opaque(), found))
    builder.branch(Test(question, None), found, there, lacking)
    builder.go_on(lacking)
    throw(ctx, found, Throw(None, kind), kind)
    builder.go_on(there)
    builder.end_statement(outer, found)


def _looked_up(body: cst.BaseSuite) -> cst.Attribute | cst.Subscript | None:
    """Returns what the only statement of a body returns or binds to a name, if that is an attribute or an item."""
    match body:
        case cst.IndentedBlock(
            body=[
                cst.SimpleStatementLine(
                    body=[
                        cst.Return(value=cst.Attribute() | cst.Subscript() as value)
                        | cst.Assign(
                            targets=[cst.AssignTarget(target=cst.Name())],
                            value=cst.Attribute() | cst.Subscript() as value,
                        )
                    ]
                )
            ]
        ):
            return value
    return None


def _caught(ctx: Context, node: cst.BaseExpression | None) -> tuple[str, ...] | None:
    if node is None:
        return None
    if isinstance(node, cst.Tuple):
        nodes = [element.value for element in node.elements]
    else:
        nodes = [*ctx.scope.group(node)] or [node]
    return tuple(ctx.exception(one) or "?" for one in nodes)


def _handler(ctx: Context, node: cst.ExceptHandler | cst.ExceptStarHandler, handler: Handler) -> None:
    caught = CaughtException.by(ctx.builder.current)
    outer = ctx.builder.begin_statement(node)
    ctx.builder.emit(Catch(caught), node)
    bound = None
    if node.name is not None and isinstance(node.name.name, cst.Name):
        bound = node.name.name.value
        bind_name(ctx, AccessPath(bound), ctx.assign(Opaque(some=True), node), node)
    ctx.builder.end_statement(outer, node)
    ctx.handlers.append(Handling(caught, handler, bound))
    ctx.run(node.body)
    ctx.handlers.pop()


def lower_raise(ctx: Context, node: cst.Raise) -> None:
    """Lowers ``raise``. A bare one, or one of the caught exception itself, raises again what the handler caught."""
    again = _raised_again(ctx, node)
    if again is not None:
        kinds = again.handler.raised_again()
        throw(ctx, node, Throw(again.caught, kinds[0] if len(kinds) == 1 else ANY), *kinds)
        return
    kind = ANY
    if node.exc is not None:
        exception = node.exc.func if isinstance(node.exc, cst.Call) else node.exc
        kind = ctx.exception(exception) or _made_by(ctx, node.exc) or ANY
        ctx.thrown = node.exc
        ctx.operand(node.exc)
    if node.cause is not None:
        ctx.operand(node.cause.item)
    if kind == "NotImplementedError":
        ctx.builder.graph.abstract = True
    if kind == "SystemExit":
        ctx.builder.end(Jump(()))  # the process ends, and all resources with it
        return
    throw(ctx, node, Throw(None, kind), kind)


def _made_by(ctx: Context, node: cst.BaseExpression) -> str:
    """Returns the name of the function of the file that makes an exception; empty for any other expression."""
    text = dotted_text(node.func) if isinstance(node, cst.Call) else None
    root = text.partition(".")[0] if text is not None else ""
    return text if text is not None and ctx.scope.find(root) == (None, True) else ""


def _raised_again(ctx: Context, node: cst.Raise) -> Handling | None:
    if not ctx.handlers:
        return None
    if node.exc is None:
        return ctx.handlers[-1]
    if isinstance(node.exc, cst.Name):
        for handler in reversed(ctx.handlers):
            if handler.name == node.exc.value:
                return handler
    return None


def throw(ctx: Context, node: cst.CSTNode, effect: Throw, *kinds: str) -> None:
    """Ends the path with an exception of one of these kinds."""
    ctx.builder.drop_temporaries(node)
    ctx.builder.emit(effect, node)
    targets = (target for pads in ctx.builder.pads(*kinds).values() for target in pads)
    ctx.builder.end(Jump(tuple(dict.fromkeys(targets))))


def lower_return(ctx: Context, node: cst.Return) -> None:
    """Lowers ``return``: evaluates the value, runs the cleanups, leaves."""
    ctx.splits = True
    value = ctx.operand(node.value) if node.value is not None else Lit(None)
    ctx.splits = False
    ctx.builder.emit(Leaving(value), node)
    ctx.builder.drop_temporaries(node)
    ctx.builder.leave_to(0)
    ctx.builder.jump(RETURN)
