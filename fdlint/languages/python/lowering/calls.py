"""Lowers calls: the callee, the arguments, and the possible exceptions."""

from __future__ import annotations

from sys import stdlib_module_names

import libcst as cst

from fdlint.catalog.model import Insisted
from fdlint.catalog.naming import is_constructor
from fdlint.core.ir import Arg, Call, Callee, Lit, Member, Operand
from fdlint.languages.python.lowering import indexing, reflection
from fdlint.languages.python.lowering.context import Context
from fdlint.languages.python.lowering.exceptions import ANY, OS_ERROR, TYPE_ERROR
from fdlint.languages.python.lowering.language import RECEIVER
from fdlint.languages.python.lowering.names import dotted_text


def call(ctx: Context, node: cst.Call) -> Operand:
    """Evaluates receiver and arguments, then calls."""
    if (attribute := reflection.attribute(ctx, node)) is not None:
        return attribute
    if (item := indexing.stepped(ctx, node)) is not None:
        return item
    unused, ctx.unused = ctx.unused is node, None
    thrown, ctx.thrown = ctx.thrown is node, None
    target = callee(ctx, node.func)
    args = tuple(argument(ctx, one) for arg in node.args for one in _spelled_out(arg))
    result = ctx.builder.temporary()
    ctx.builder.emit(Call(result, target, args, unused, thrown), node, *exceptions(ctx, target, args))
    return result


def _spelled_out(arg: cst.Arg) -> list[cst.Arg]:
    """Returns the arguments that ``*(a, b)`` stands for; any other argument as it is."""
    match arg:
        case cst.Arg(value=cst.Tuple(elements=items) | cst.List(elements=items), star="*"):
            if not any(isinstance(item, cst.StarredElement) for item in items):
                return [cst.Arg(item.value) for item in items]
    return [arg]


def callee(ctx: Context, func: cst.BaseExpression) -> Callee:
    """Returns the target of a call. Evaluates the object that a method belongs to."""
    text = dotted_text(func)
    own = False
    if text is not None:
        root = text.partition(".")[0]
        on_object = root in ("self", "cls", ctx.builder.graph.receiver) and ctx.class_name is not None
        own = ctx.scope.find(root)[1] or (text.count(".") == 1 and on_object)
    if ctx.class_name is not None and _is_own_class(ctx, func):
        return Callee("cls", None, None, own=True, constructs=True, owner=ctx.class_name)
    dotted = ctx.resolve(func)
    if dotted is not None:
        return Callee(dotted.rpartition(".")[2], dotted, None, own)
    if isinstance(func, cst.Attribute) and _is_super(ctx, func.value):
        return Callee(func.attr.value, None, ctx.builder.graph.receiver or RECEIVER, own=True, inherited=True)
    if isinstance(func, cst.Attribute):
        own = own and not ctx.scope.is_table(dotted_text(func.value) or "")
        return Callee(func.attr.value, None, ctx.operand(func.value), own, owner=_class_of_the_file(ctx, func.value))
    if isinstance(func, cst.Name) and own:
        return Callee(func.value, None, None, own, ctx.scope.is_class(func.value))
    if isinstance(func, cst.Name):
        return Callee(func.value, variable=ctx.operand(func))
    written_here = isinstance(func, cst.Subscript | cst.Lambda)  # a table of functions, or a function without a name
    return Callee("", own=own or written_here, variable=ctx.operand(func))


def _is_own_class(ctx: Context, func: cst.BaseExpression) -> bool:
    """Whether an expression is the class of the object: ``cls``, ``type(self)``, ``self.__class__``."""
    match func:
        case cst.Call(func=cst.Name("type"), args=[cst.Arg(value=cst.Name("self"))]):
            return ctx.resolve(func.func) == "builtins.type"
    return dotted_text(func) in ("cls", f"{RECEIVER}.__class__")


def _class_of_the_file(ctx: Context, node: cst.BaseExpression) -> str | None:
    text = dotted_text(node)
    root = text.partition(".")[0] if text is not None else ""
    return text if root not in ctx.scope.bound and ctx.scope.is_class(root) else None


def _is_super(ctx: Context, node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Call) and ctx.resolve(node.func) == "builtins.super"


def argument(ctx: Context, arg: cst.Arg) -> Arg:
    """Evaluates an argument of a call."""
    value = ctx.iterated(arg.value)
    keyword = arg.keyword.value if arg.keyword is not None else None
    dotted = ctx.resolve(arg.value)
    plain = isinstance(value, Lit) and not isinstance(value.value, Member)
    mentions = frozenset() if plain else mentioned(ctx, arg.value)
    function = isinstance(arg.value, cst.Name) and ctx.scope.find(arg.value.value)[1]
    flags = bool(mentions) and _is_flags(ctx, arg.value)
    return Arg(value, keyword, len(arg.star), dotted, mentions, function, flags=flags)


def _is_flags(ctx: Context, node: cst.BaseExpression) -> bool:
    """Whether an expression consists of numbers and of names in modules that the catalog knows."""
    match node:
        case cst.Integer():
            return True
        case cst.BinaryOperation():
            return _is_flags(ctx, node.left) and _is_flags(ctx, node.right)
    dotted = ctx.resolve(node)
    return dotted is not None and ctx.unit.catalog.knows_module(dotted.rpartition(".")[0])


def function_named(ctx: Context, node: cst.BaseExpression) -> Callee | None:
    """Returns the function that an expression names, if the catalog knows it or it may belong to the project."""
    text = dotted_text(node)
    if text is None:
        return None
    dotted, own = ctx.resolve(node), ctx.scope.find(text.partition(".")[0])[1]
    if dotted is not None:
        last = dotted.rpartition(".")[2]
        may_be = dotted.partition(".")[0] not in stdlib_module_names and is_constructor(last)
        known = own or bool(ctx.unit.catalog.lookup(dotted)) or may_be
        return Callee(last, dotted, own=own) if known else None
    if "." in text or not own or ctx.local_name(text) != text:
        return None
    if ctx.scope.is_table(text):
        return Callee("", own=True)
    return Callee(text, own=True, constructs=ctx.scope.is_class(text))


def mentioned(ctx: Context, node: cst.BaseExpression) -> frozenset[str]:
    """Returns the dotted names in an expression of names, operators, tuples and lists. A call of a function with one
    text counts as a name, too: ``ctypes.util.find_library(c)``."""
    match node:
        case cst.Name() | cst.Attribute():
            dotted = ctx.resolve(node)
            return frozenset({dotted}) if dotted else frozenset()
        case cst.BinaryOperation() | cst.BooleanOperation():
            return mentioned(ctx, node.left) | mentioned(ctx, node.right)
        case cst.Call(func=func, args=[cst.Arg(value=cst.SimpleString() as text)]) if dotted := ctx.resolve(func):
            return frozenset({f"{dotted}({text.raw_value})"})
        case cst.Tuple() | cst.List():
            return frozenset().union(*(mentioned(ctx, element.value) for element in node.elements))
    return frozenset()


def exceptions(ctx: Context, callee: Callee, args: tuple[Arg, ...]) -> tuple[str, ...]:
    """Returns the exceptions of all alternatives of the call. The analysis later chooses the alternative for each
    path."""
    catalog = ctx.unit.catalog
    apis = catalog.lookup(callee.dotted) if callee.dotted is not None else ()
    if not apis:
        return tuple(dict.fromkeys((ANY, OS_ERROR, *ctx.builder.handled())))
    applied = [api for arg in args if arg.dotted for api in catalog.lookup(arg.dotted)] if apis[0].applies else []
    kinds = {api.raises for api in (*apis, *applied)}
    if ANY in kinds:
        kinds.add(OS_ERROR)  # a handler of that may be what expects it
    if any(api.adopts for api in apis):
        kinds.add(TYPE_ERROR)
    if any(api.closed for api in apis):
        kinds |= {OS_ERROR, TYPE_ERROR}  # os.close(-1), os.close(None)
    return tuple(sorted(kind for kind in kinds if kind is not None))


def insisted(ctx: Context, node: cst.Call) -> Insisted | None:
    """Returns the property of its first argument that an assert method checks; None for any other call."""
    match node:
        case cst.Call(func=cst.Attribute(attr=cst.Name(value=name)), args=[cst.Arg(keyword=None, star=""), *_]):
            apis = ctx.unit.catalog.method(name) if ctx.resolve(node.func) is None else ()
            return apis[0].asserts if apis else None
    return None


def awaited(ctx: Context, node: cst.Call) -> Operand | None:
    """Lowers an awaited call that runs a function elsewhere, as a call of that function: its result comes back. None
    for any other call."""
    apis = ctx.apis(node)
    if not (apis and apis[0].awaited) or any(arg.star for arg in node.args):
        return None
    params, by_position = apis[0].params, [arg for arg in node.args if arg.keyword is None]
    before = params.index(apis[0].callee or "")
    function = by_position[before].value if before < len(by_position) else None
    if not isinstance(function, cst.Name | cst.Attribute):
        return None
    for other in by_position[:before]:
        ctx.operand(other.value)
    named = [arg for arg in node.args if arg.keyword is not None and arg.keyword.value not in params]
    target = callee(ctx, function)
    args = tuple(argument(ctx, arg) for arg in (*by_position[before + 1 :], *named))
    result = ctx.builder.temporary()
    ctx.builder.emit(Call(result, target, args), node, *exceptions(ctx, target, args))
    return result


def is_nothrow(ctx: Context, node: cst.Call) -> bool:
    """Whether the catalog knows that a call does not raise."""
    apis = ctx.apis(node)
    return bool(apis) and all(api.raises is None for api in apis)
