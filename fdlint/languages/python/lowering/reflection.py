"""Lowers reads and writes of attributes, including calls that name the attribute: ``getattr(self, "_fd", None)``."""

from __future__ import annotations

import libcst as cst

from fdlint.catalog.model import AttributeOp
from fdlint.core.ir import AccessPath, Call, Callee, Lit, Opaque, Operand, Store
from fdlint.core.ir.access_path import MAX_FIELDS
from fdlint.languages.python.lowering.constants import string
from fdlint.languages.python.lowering.context import Context
from fdlint.languages.python.lowering.language import RECEIVER

_COUNTS = {AttributeOp.READ: (2, 3), AttributeOp.WRITE: (3,), AttributeOp.DELETE: (2,)}


def attribute(ctx: Context, node: cst.Call) -> Operand | None:
    """Lowers a call that reads, writes or deletes an attribute by its name. Returns None for any other call, and for an
    attribute of a module."""
    apis = ctx.unit.catalog.lookup(ctx.resolve(node.func) or "")
    operation = apis[0].attribute if apis else None
    if operation is None or len(node.args) not in _COUNTS[operation]:
        return None
    if any(arg.star or arg.keyword for arg in node.args):
        return None
    match node.args:
        case [cst.Arg(value=owner), cst.Arg(value=cst.SimpleString() as text), *rest] if not ctx.resolve(owner):
            name = string(text)
            if not isinstance(name, str) or not name.isidentifier():
                return None
            base = ctx.operand(owner)
            values = [ctx.operand(arg.value) for arg in rest]
            if operation is AttributeOp.READ:
                return read(ctx, base, name, node)
            value = Lit(None) if operation is AttributeOp.DELETE else values[0]
            ctx.builder.emit(Store(ctx.member(base, name), value), node)
            return Lit(None)
    return None


def read(ctx: Context, base: Operand, name: str, node: cst.BaseExpression) -> Operand:
    """Returns the value of an attribute. It does not raise. A getter that only returns another attribute stands for
    that one; the result of any other getter is unknown."""
    own = base == (ctx.builder.graph.receiver or RECEIVER)
    getter = ctx.unit.getters.get(ctx.class_name or "", {}).get(name) if own else None
    if getter == "":
        result = ctx.builder.temporary()
        ctx.builder.emit(Call(result, Callee(name, None, base, own=True), ()), node)
        return result
    path = ctx.member(base, getter or name)
    if path is not None and own and name in ctx.unit.methods.get(ctx.class_name or "", ()):
        ctx.builder.graph.methods[path] = Callee(name, None, base, own=True)
    if path is None and isinstance(base, AccessPath) and base.depth < MAX_FIELDS:
        return base.attribute(name)  # `items[0].reader`, `result[0].value`
    return path if path is not None else ctx.assign(Opaque(), node)
