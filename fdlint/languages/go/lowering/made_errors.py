"""Tells which results of calls are errors for certain: those of functions that make an error, or wrap one."""

from __future__ import annotations

from collections.abc import Sequence

from fdlint.core.ir import Arg, Assign, Callee, Lit, Op, Operand
from fdlint.languages.go.lowering.constants import Node, arguments_of, text
from fdlint.languages.go.lowering.context import Context
from fdlint.languages.go.lowering.expressions import SOME, ask_for_nil, comparison, kind_of
from fdlint.languages.go.lowering.nonnil import is_named_so
from fdlint.languages.go.naming import makes_error, passes_errors_on

_ERROR = "error"
_NUMBER = "no"  # the end of `errno`, whose zero is no error


def settled(ctx: Context, node: Node, callee: Callee, args: Sequence[Arg], results: list[Operand]) -> list[Operand]:
    """Returns the results of a call with what is known of the last one: it is not nil if the errors are not that the
    function makes it of. If they are, a function of the module tells itself what it returns, and another one, of which
    only the name is known, makes nothing of nothing."""
    needed = _needed(ctx, node, callee, args, len(results))
    if needed is None:
        return results
    builder = ctx.builder
    made, is_nil, after = builder.temporary(), builder.new_block(), builder.new_block()
    for value, is_number in needed:
        following = builder.new_block()
        if is_number:
            builder.branch(comparison(Op.EQ, value, Lit(0)), node, is_nil, following)
        else:
            ask_for_nil(ctx, value, node, is_nil, following)
        builder.go_on(following)
    builder.add(Assign(made, SOME), node)
    builder.jump(after)
    builder.go_on(is_nil)
    builder.add(Assign(made, results[-1] if _known(ctx, callee) is not None else Lit(None)), node)
    builder.jump(after)
    builder.go_on(after)
    return [*results[:-1], made]


def _needed(
    ctx: Context, node: Node, callee: Callee, args: Sequence[Arg], count: int
) -> list[tuple[Operand, bool]] | None:
    """Returns the values that must not be nil, or zero, so that the last result is an error; None if nothing tells."""
    nodes = arguments_of(node)
    given = list(zip(nodes, args[len(args) - len(nodes) :], strict=True))
    known = _known(ctx, callee)
    if known is not None:
        return [(given[one][1].value, False) for one in known if one < len(given)]
    if count != 1 or callee.own or callee.variable is not None:
        return None
    if callee.dotted is not None and makes_error(callee.name):
        return []
    errors = [(arg.value, text(one).endswith(_NUMBER)) for one, arg in given if _is_error(ctx, one)]
    if len(errors) != 1 or isinstance(errors[0][0], Lit) or not passes_errors_on(callee.name):
        return None
    return errors


def _known(ctx: Context, callee: Callee) -> frozenset[int] | None:
    """Returns the numbers of the parameters that a function of the module makes an error of."""
    if isinstance(callee.function, str):
        return ctx.unit.nonnil.result(callee.function)
    if callee.own and callee.dotted is None:
        return ctx.unit.nonnil.result(callee.name)
    head, slash, last = (callee.dotted or "").rpartition("/")
    first, _, name = last.partition(".")
    return ctx.unit.nonnil.result_of(f"{head}{slash}{first}", name) if callee.dotted else None


def _is_error(ctx: Context, node: Node) -> bool:
    kind = kind_of(ctx, node)
    return node.type == "identifier" and (kind == _ERROR or (not kind and is_named_so(text(node))))
