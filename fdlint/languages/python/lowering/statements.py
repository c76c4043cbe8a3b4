"""Lowers statements, one function per kind."""

from __future__ import annotations

import libcst as cst

from fdlint.catalog.model import Insisted
from fdlint.core.ir import AccessPath, Assign, Opaque, Operand
from fdlint.languages.python.lowering import (
    calls,
    conditions,
    functions,
    indexing,
    loops,
    managers,
    matching,
    try_statements,
)
from fdlint.languages.python.lowering.assignment import assign_in_place, assign_target, delete_target
from fdlint.languages.python.lowering.context import Context, Statement
from fdlint.languages.python.lowering.generated import generate_constructor
from fdlint.languages.python.lowering.names import AnyImport, dotted_text
from fdlint.languages.python.lowering.operators import combined


def _expression(ctx: Context, node: cst.Expr) -> None:
    if isinstance(node.value, cst.Call) and (insisted := calls.insisted(ctx, node.value)) is not None:
        _insist(ctx, node.value, insisted)
        return
    ctx.unused = node.value
    ctx.operand(node.value)


def _insist(ctx: Context, node: cst.Call, insisted: Insisted) -> None:
    """Lowers a call of an assert method like an ``assert`` statement."""
    builder = ctx.builder
    holds, fails = builder.new_block(), builder.new_block()
    subject = node.args[0].value
    if insisted in (Insisted.NONE, Insisted.NOT_NONE):
        conditions.branch_on_none(ctx, subject, *((holds, fails) if insisted is Insisted.NONE else (fails, holds)))
    else:
        conditions.branch(ctx, subject, *((holds, fails) if insisted is Insisted.TRUE else (fails, holds)))
    builder.go_on(fails)
    builder.go_on(holds)  # as for an `assert`
    for arg in node.args[1:]:
        ctx.operand(arg.value)


def _assign(ctx: Context, node: cst.Assign) -> None:
    names = [target.target for target in node.targets]
    if ctx.module and isinstance(node.value, cst.Lambda) and len(names) == 1 and isinstance(names[0], cst.Name):
        functions.name_lambda(ctx, names[0].value, node.value)
        return
    if len(names) == 1 and isinstance(names[0], cst.Name) and _is_alias(ctx, names[0].value, node.value):
        return
    if len(names) == 1 and (pairs := _paired(names[0], node.value)):
        values = [(name, _evaluated(ctx, value)) for name, value in pairs]
        for name, operand in values:
            assign_target(ctx, name, operand, node)
        for name, made in pairs:
            indexing.note_value(ctx, [name], made)
        return
    ctx.splits = any(isinstance(name, (cst.Name, cst.Attribute)) for name in names)
    value = ctx.iterated(node.value) if all(map(_unpacks, names)) else ctx.operand(node.value)
    ctx.splits = False
    for name in names:
        assign_target(ctx, name, value, node)
    indexing.note_value(ctx, names, node.value)


def _unpacks(target: cst.BaseExpression) -> bool:
    match target:
        case cst.Tuple() | cst.List() | cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Slice())]):
            return True
    return False


def _paired(
    target: cst.BaseAssignTargetExpression, value: cst.BaseExpression
) -> list[tuple[cst.BaseExpression, cst.BaseExpression]]:
    """Returns the targets of ``a, b = x, y``, each with its value; none for any other assignment."""
    match target, value:
        case cst.Tuple() | cst.List(), cst.Tuple() | cst.List():
            names, values = target.elements, value.elements
            starred = any(isinstance(one, cst.StarredElement) for one in (*names, *values))
            if not starred and len(names) == len(values):
                return [(name.value, one.value) for name, one in zip(names, values, strict=True)]
    return []


def _evaluated(ctx: Context, node: cst.BaseExpression) -> Operand:
    """Evaluates an expression before others change what it names."""
    value = ctx.operand(node)
    return ctx.assign(value, node) if isinstance(value, AccessPath) and value.is_named else value


def _is_alias(ctx: Context, name: str, value: cst.BaseExpression) -> bool:
    """Whether ``close = os.close`` makes the name an alias of the function: the name must not be a variable already."""
    if not (dotted_text(value) or isinstance(value, cst.Call)) or ctx.class_body is not None or name in ctx.scope.bound:
        return False
    return ctx.unit.resolver.bind_alias(name, value, ctx.scope)


def _annotated(ctx: Context, node: cst.AnnAssign) -> None:
    if node.value is not None:
        ctx.splits = isinstance(node.target, (cst.Name, cst.Attribute))
        value = ctx.operand(node.value)
        ctx.splits = False
        assign_target(ctx, node.target, value, node)
        indexing.note_value(ctx, [node.target], node.value)


def _augmented(ctx: Context, node: cst.AugAssign) -> None:
    def change(old: Operand) -> Operand:
        value = ctx.operand(node.value)
        return ctx.assign(combined(node.operator, old, value), node)

    assign_in_place(ctx, node.target, change, node)


def _assert(ctx: Context, node: cst.Assert) -> None:
    builder = ctx.builder
    holds, fails = builder.new_block(), builder.new_block()
    conditions.branch(ctx, node.test, holds, fails)
    builder.go_on(fails)
    # Python -O leaves assertions out, and a developer asserts that they hold. So the analysis does not follow a
    # failure.
    builder.go_on(holds)


def _delete(ctx: Context, node: cst.Del) -> None:
    delete_target(ctx, node.target, node)


def _import(ctx: Context, node: AnyImport) -> None:
    if not ctx.module:
        ctx.unit.resolver.bind_import(node, ctx.scope)


def _outward(ctx: Context, node: cst.Global | cst.Nonlocal) -> None:
    names = [AccessPath(item.name.value) for item in node.names]
    ctx.scope.outward.update(names)
    if isinstance(node, cst.Global):
        ctx.scope.globals.update(names)


def _nothing(ctx: Context, node: cst.CSTNode) -> None:
    """Lowers ``pass`` and type aliases, which are evaluated lazily, if ever."""


def _if(ctx: Context, node: cst.If) -> None:
    builder = ctx.builder
    yes, no, after = builder.new_block(), builder.new_block(), builder.new_block()
    outer = builder.begin_statement(node)
    conditions.branch(ctx, node.test, yes, no)
    builder.go_on(yes)
    builder.end_statement(outer, node, also=no)
    ctx.run(node.body)
    builder.jump(after)
    builder.go_on(no)
    if isinstance(node.orelse, cst.If):
        _if(ctx, node.orelse)
    elif node.orelse is not None:
        ctx.run(node.orelse.body)
    builder.fall_into(after)


def _class(ctx: Context, node: cst.ClassDef) -> None:
    outer = ctx.builder.begin_statement(node)
    for decorator in node.decorators:
        ctx.operand(decorator.decorator)
    for base in (*node.bases, *node.keywords):
        ctx.operand(base.value)
    functions.lower_class_body(ctx, node)
    generate_constructor(ctx, node)
    if not ctx.module and ctx.class_body is None:
        ctx.scope.own.add(node.name.value)
        ctx.scope.classes.add(node.name.value)
        ctx.builder.emit(Assign(AccessPath(node.name.value), Opaque(some=True)), node)
    ctx.builder.end_statement(outer, node)


def _function(ctx: Context, node: cst.FunctionDef) -> None:
    outer = ctx.builder.begin_statement(node)
    functions.define(ctx, node)
    ctx.builder.end_statement(outer, node)


STATEMENTS: dict[type[cst.CSTNode], Statement] = {
    cst.Expr: _expression,
    cst.Assign: _assign,
    cst.AnnAssign: _annotated,
    cst.AugAssign: _augmented,
    cst.Assert: _assert,
    cst.Del: _delete,
    cst.Import: _import,
    cst.ImportFrom: _import,
    cst.LazyImport: _import,
    cst.LazyImportFrom: _import,
    cst.Global: _outward,
    cst.Nonlocal: _outward,
    cst.Pass: _nothing,
    cst.TypeAlias: _nothing,
    cst.Return: try_statements.lower_return,
    cst.Raise: try_statements.lower_raise,
    cst.Break: loops.lower_jump,
    cst.Continue: loops.lower_jump,
    cst.If: _if,
    cst.While: loops.lower_while,
    cst.For: loops.lower_for,
    cst.Try: try_statements.lower_try,
    cst.TryStar: try_statements.lower_try,
    cst.With: managers.lower_with,
    cst.Match: matching.lower_match,
    cst.FunctionDef: _function,
    cst.ClassDef: _class,
}
