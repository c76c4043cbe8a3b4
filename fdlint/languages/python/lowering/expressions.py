"""Lowers expressions to operands: a constant, a place, or a temporary that steps have filled."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import libcst as cst

from fdlint.catalog.naming import is_enumeration
from fdlint.core.ir import Assign, Build, Closure, Item, Lit, Member, Named, Opaque, Operand, Store, Suspend, Yield
from fdlint.languages.python.lowering import (
    calls,
    comprehensions,
    conditions,
    functions,
    indexing,
    partials,
    reflection,
)
from fdlint.languages.python.lowering.assignment import assign_target, sliced, subscript
from fdlint.languages.python.lowering.constants import integer, string
from fdlint.languages.python.lowering.context import Context, Expression
from fdlint.languages.python.lowering.exceptions import ANY
from fdlint.languages.python.lowering.language import is_constant_name
from fdlint.languages.python.lowering.mapped import extended, mapped
from fdlint.languages.python.lowering.names import dotted_text
from fdlint.languages.python.lowering.operators import combined
from fdlint.languages.python.lowering.texts import is_alone, is_program, is_program_text, leads_to_numbers


def _name(ctx: Context, node: cst.Name) -> Operand:
    match node.value:
        case "None":
            return Lit(None)
        case "True":
            return Lit(True)
        case "False":
            return Lit(False)
    place = ctx.local_name(node.value)
    ctx.scope.read.add(place)
    if place in ctx.scope.bound:
        return place
    dotted = ctx.resolve(node)
    number = _number(ctx, dotted)
    if number is not None:
        return number
    if dotted and is_constant_name(place):
        return place  # the module that defines it has its value
    named = calls.function_named(ctx, node)
    if named is not None:
        return ctx.assign(Named(named), node)
    return ctx.assign(Opaque(some=True), node) if dotted else place


def _number(ctx: Context, dotted: str | None) -> Lit | None:
    """Returns the number that a name of another module always stands for; None if that is not known."""
    known = ctx.unit.catalog.constants.get(dotted) if dotted else None
    return Lit(known) if type(known) is int else None


def _attribute(ctx: Context, node: cst.Attribute) -> Operand:
    dotted = ctx.resolve(node)
    constant = _number(ctx, dotted) or _member(ctx, node, dotted)
    if constant is not None:
        return constant
    if dotted:
        named = calls.function_named(ctx, node)
        return ctx.assign(Opaque() if named is None else Named(named), node)
    base, name = ctx.operand(node.value), node.attr.value
    known = ctx.unit.catalog.constants.get(f"*.{name}")
    if base != "self" and isinstance(known, int):
        return Lit(known)
    return reflection.read(ctx, base, name, node)


def _member(ctx: Context, node: cst.Attribute, dotted: str | None) -> Lit | None:
    """Returns the member of an enumeration that a name in capitals means, of a class of the file or of another one."""
    name = node.attr.value
    owner = (dotted_text(node.value) or "").rpartition(".")[2]
    if not is_constant_name(name) or not owner[:1].isupper() or is_constant_name(owner):
        return None
    bases = ctx.unit.classes.get(owner, ())
    known = dotted is not None or any(map(is_enumeration, bases))
    return Lit(Member(owner, name)) if known else None


def _integer(ctx: Context, node: cst.Integer) -> Operand:
    return Lit(integer(node))


def _string(ctx: Context, node: cst.SimpleString) -> Operand:
    value = string(node)
    return Lit(value) if isinstance(value, str) else ctx.assign(Opaque(some=True), node) if value else Lit("")


def _plain(ctx: Context, node: cst.BaseExpression) -> Operand:
    return ctx.assign(Opaque(some=True), node)


def _formatted(ctx: Context, node: cst.FormattedString | cst.TemplatedString) -> Operand:
    filled_in = _format(ctx, node.parts)
    if is_alone(node.parts):
        return ctx.assign(Build("str", (filled_in[0],)), node)
    if is_program(node.parts):
        _give(ctx, filled_in, node)
    if leads_to_numbers(node.parts):
        return ctx.assign(Opaque(some=True), node)
    return ctx.assign(Build("text", tuple(filled_in)), node)


def _format(ctx: Context, parts: Sequence[cst.CSTNode]) -> list[Operand]:
    """Lowers the parts of a string, including the expressions in its format specifications."""
    found: list[Operand] = []
    for part in parts:
        if isinstance(part, (cst.FormattedStringExpression, cst.TemplatedStringExpression)):
            found.append(ctx.operand(part.expression))
            found.extend(_format(ctx, part.format_spec or ()))
    return found


def _give(ctx: Context, values: Iterable[Operand], node: cst.CSTNode) -> None:
    """Gives away descriptors whose numbers are written into a program: that program closes them."""
    for value in values:
        ctx.builder.emit(Store(None, value), node)


def _concatenated(ctx: Context, node: cst.ConcatenatedString) -> Operand:
    ctx.operand(node.left)
    ctx.operand(node.right)
    return ctx.assign(Opaque(some=True), node)


def _binary(ctx: Context, node: cst.BinaryOperation) -> Operand:
    left, right = ctx.operand(node.left), ctx.operand(node.right)
    if isinstance(node.operator, cst.Modulo) and isinstance(left, Lit) and is_program_text(str(left.value)):
        _give(ctx, [right], node)
    if isinstance(node.operator, cst.BitOr) and isinstance(left, Lit) and isinstance(right, Lit):
        flags = left.value, right.value
        if type(flags[0]) is int and type(flags[1]) is int:
            return Lit(flags[0] | flags[1])
    return ctx.assign(combined(node.operator, left, right), node)


def _unary(ctx: Context, node: cst.UnaryOperation) -> Operand:
    if isinstance(node.operator, cst.Not):
        return conditions.as_value(ctx, node)
    value = ctx.operand(node.expression)
    if isinstance(node.operator, cst.Minus) and isinstance(value, Lit) and isinstance(value.value, int):
        return Lit(-value.value)
    return ctx.assign(Opaque(some=True), node)


def _sequence(kind: str) -> Expression:
    def lower(ctx: Context, node: cst.Tuple | cst.List | cst.Set) -> Operand:
        starred = [isinstance(element, cst.StarredElement) for element in node.elements]
        items = tuple(
            ctx.iterated(element.value) if star else ctx.operand(element.value)
            for star, element in zip(starred, node.elements, strict=True)
        )
        stars = frozenset(i for i, star in enumerate(starred) if star)
        return ctx.assign(Build(kind, items, stars), node)

    return lower


def _dict(ctx: Context, node: cst.Dict) -> Operand:
    keys: list[Operand] = []
    values: list[Operand] = []
    stars = set()
    for index, element in enumerate(node.elements):
        if isinstance(element, cst.DictElement):
            keys.append(ctx.operand(element.key))
        else:
            keys.append(Lit(None))
            stars.add(index)
        values.append(ctx.operand(element.value))
    return ctx.assign(Build("dict", tuple(values), frozenset(stars), tuple(keys)), node)


def _subscript(ctx: Context, node: cst.Subscript) -> Operand:
    index = node.slice[0].slice if len(node.slice) == 1 else None
    if ctx.indexed and (item := indexing.current_item(ctx, node.value, index)) is not None:
        return item
    base = ctx.operand(node.value)
    if isinstance(index, cst.Index):
        return ctx.assign(Item(base, ctx.operand(index.value)), node)
    if isinstance(index, cst.Slice):
        return ctx.assign(sliced(ctx, base, index), node)
    subscript(ctx, node)
    return ctx.assign(Item(base, None), node)


def _await(ctx: Context, node: cst.Await) -> Operand:
    elsewhere = calls.awaited(ctx, node.expression) if isinstance(node.expression, cst.Call) else None
    if elsewhere is not None:
        ctx.builder.emit(Suspend(), node)  # other code may run; what raises is the call
        return elsewhere
    value = ctx.operand(node.expression)
    if not isinstance(node.expression, cst.Call) or calls.is_nothrow(ctx, node.expression):
        ctx.builder.emit(Suspend(), node, ANY)  # otherwise the call has the exceptions
    return value


def _yield(ctx: Context, node: cst.Yield) -> Operand:
    value: Operand = Lit(None)
    if isinstance(node.value, cst.From):
        value = ctx.operand(node.value.item)
    elif node.value is not None:
        value = ctx.operand(node.value)
    ctx.builder.graph.generator = True
    ctx.builder.emit(Yield(value, lends=ctx.lends), node, *(() if ctx.nothrow_yield else (ANY,)))
    return ctx.assign(Opaque(), node)


def _walrus(ctx: Context, node: cst.NamedExpr) -> Operand:
    value = ctx.operand(node.value)
    assign_target(ctx, node.target, value, node)
    return ctx.operand(node.target)


def _conditional(ctx: Context, node: cst.IfExp) -> Operand:
    builder = ctx.builder
    result = builder.temporary()
    yes, no, after = builder.new_block(), builder.new_block(), builder.new_block()
    conditions.branch(ctx, node.test, yes, no)
    for block, value in ((yes, node.body), (no, node.orelse)):
        builder.go_on(block)
        builder.emit(Assign(result, ctx.operand(value)), node)
        builder.jump(after)
    builder.go_on(after)
    return result


def _call(ctx: Context, node: cst.Call) -> Operand:
    if ctx.splits and ctx.resolve(node.func) == "builtins.isinstance":
        return conditions.as_value(ctx, node)
    consumed, ctx.consumes = ctx.consumes, False
    items = mapped(ctx, node) if consumed else extended(ctx, node)
    return items if items is not None else partials.call(ctx, node)


def _lambda(ctx: Context, node: cst.Lambda) -> Operand:
    return ctx.assign(Closure(functions.lower_lambda(ctx, node)), node)


EXPRESSIONS: dict[type[cst.CSTNode], Expression] = {
    cst.Name: _name,
    cst.Attribute: _attribute,
    cst.Integer: _integer,
    cst.Float: _plain,
    cst.Imaginary: _plain,
    cst.Ellipsis: _plain,
    cst.SimpleString: _string,
    cst.ConcatenatedString: _concatenated,
    cst.FormattedString: _formatted,
    cst.TemplatedString: _formatted,
    cst.BinaryOperation: _binary,
    cst.BooleanOperation: conditions.boolean,
    cst.UnaryOperation: _unary,
    cst.Comparison: conditions.as_value,
    cst.Tuple: _sequence("tuple"),
    cst.List: _sequence("list"),
    cst.Set: _sequence("set"),
    cst.Dict: _dict,
    cst.Subscript: _subscript,
    cst.Call: _call,
    cst.Await: _await,
    cst.Yield: _yield,
    cst.NamedExpr: _walrus,
    cst.IfExp: _conditional,
    cst.Lambda: _lambda,
    cst.ListComp: comprehensions.collect("list"),
    cst.SetComp: comprehensions.collect("set"),
    cst.GeneratorExp: comprehensions.generator,
    cst.DictComp: comprehensions.collect("dict"),
    cst.StarredDictComp: comprehensions.collect("dict"),
}
