"""Lowers ``defer f.Close()`` in a loop: it closes only when the function returns, so each iteration opens one more.

One iteration is looked at: it keeps what it defers, and the others hand theirs over to the deferred call. If the loop
comes round to the same statement and nothing else holds the one that was kept, it is open for nobody.
"""

from __future__ import annotations

import functools

from fdlint.core.ir import AccessPath, Assign, Callee, Delete, Jump, Lit, Place, Test, Truth
from fdlint.languages.go.lowering import calls
from fdlint.languages.go.lowering.constants import Node, arguments_of
from fdlint.languages.go.lowering.context import Context, Deferred
from fdlint.languages.go.lowering.expressions import operand


def prepare(ctx: Context, body: Node) -> None:
    """Prepares the deferred calls in an outermost loop: a ``return`` above one may run after it, in another
    iteration."""
    pending = [body]
    while pending:
        node = pending.pop()
        if node.type == "defer_statement":
            flag, kept = ctx.builder.held(), ctx.builder.held()
            ctx.builder.add(Assign(flag, Lit(False)), node)
            ctx.builder.add(Assign(kept, Lit(None)), node)
            ctx.kept_in_loop[node.start_byte] = flag, kept
            ctx.deferred.append(Deferred(functools.partial(ctx.hand_over, kept, node), flag, node, list(ctx.scopes)))
        elif node.type != "func_literal":
            pending.extend(node.named_children)


def defer_in_loop(ctx: Context, call: Node, node: Node) -> bool:
    """Lays a deferred call that closes its receiver, or its only argument. Returns False for any other call, and lays
    nothing."""
    function, given = call.child_by_field_name("function"), arguments_of(call)
    if function is None or function.type not in ("identifier", "selector_expression") or len(given) > 1:
        return False
    callee, first = calls.callee_of(ctx, function)
    values = [*(one.value for one in first), *(operand(ctx, one) for one in given)]
    places = ctx.kept_in_loop.get(node.start_byte)
    if places is None or len(values) != 1 or not isinstance(values[0], AccessPath) or not _closes(ctx, callee):
        return False
    _lay(ctx, node, values[0], *places)
    return True


def _closes(ctx: Context, callee: Callee) -> bool:
    catalog = ctx.unit.catalog
    apis = catalog.lookup(callee.dotted) if callee.dotted is not None else ()
    return any(one.closed for one in apis) or (callee.own and callee.name in catalog.closers)


def _lay(ctx: Context, node: Node, value: AccessPath, flag: Place, kept: Place) -> None:
    builder = ctx.builder
    again, first, keep, give, after = (builder.new_block() for _ in range(5))
    builder.branch(Test(Truth(flag), None), node, again, first)
    builder.go_on(again)
    builder.add(Delete(kept, deferred=True), node)
    builder.end(Jump(()))
    builder.go_on(first)
    builder.end(Jump((keep, give)))
    builder.go_on(give)
    ctx.hand_over(value, node)
    builder.jump(after)
    builder.go_on(keep)
    builder.add(Assign(kept, value), node)
    builder.add(Assign(flag, Lit(True)), node)
    builder.jump(after)
    builder.go_on(after)
