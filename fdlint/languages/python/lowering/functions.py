"""Lowers functions, lambdas and class bodies: each function becomes a graph of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import libcst as cst

from fdlint.catalog.naming import is_constructor
from fdlint.core.dataflow.reachability import empty_unreachable
from fdlint.core.dataflow.shortcuts import skip_answered
from fdlint.core.ir import (
    DEFAULT,
    NESTED,
    RETURN,
    AccessPath,
    Build,
    Callee,
    Closure,
    Graph,
    Leaving,
    Lit,
    Operand,
    Place,
    Signature,
)
from fdlint.languages.nested import record_nested
from fdlint.languages.python.lowering import calls
from fdlint.languages.python.lowering.assignment import bind_name
from fdlint.languages.python.lowering.builder import Builder
from fdlint.languages.python.lowering.constants import integer, string
from fdlint.languages.python.lowering.context import Context
from fdlint.languages.python.lowering.definitions import is_stub
from fdlint.languages.python.lowering.language import FIXTURES, MANAGERS, RECEIVER
from fdlint.languages.python.lowering.names import Scope, dotted_text


def define(ctx: Context, node: cst.FunctionDef) -> None:
    """Lowers a ``def``. Its decorators and defaults are evaluated here; the body is lowered separately."""
    for decorator in node.decorators:
        ctx.operand(decorator.decorator)
    for parameter in _parameters(node.params):
        if parameter.default is not None:
            ctx.operand(parameter.default)
    name = lower_function(ctx, node)
    closure = ctx.assign(Closure(name), node)
    if ctx.builder.graph.name is not None and (node.decorators or ctx.class_body is not None):
        ctx.assign(Build("kept", (closure,)), node)  # a decorator, or whoever uses the class, may call it
    if ctx.class_body is None:
        bind_name(ctx, AccessPath(node.name.value), closure, node)


def lower_function(ctx: Context, node: cst.FunctionDef) -> str:
    """Lowers the body. Returns the qualified name of the graph."""
    inner = context(ctx, node.name.value, node.params, id(node) in ctx.unit.others)
    inner.builder.graph.ruled_out = id(node) in ctx.unit.ruled_out
    if id(node) in ctx.unit.excluded:
        inner.excluded = inner.builder.graph.excluded = True
    decorators = [_decorator_name(one) for one in node.decorators]
    inner.builder.graph.decorators = tuple(decorators)
    inner.builder.graph.wrappers = tuple(_wrappers(ctx, node))
    inner.builder.graph.owner = ctx.class_body
    signature = inner.builder.graph.signature
    if ctx.class_body is not None and "staticmethod" not in decorators:
        inner.builder.graph.signature = replace(signature, bound=True)
    inner.lends = bool(MANAGERS.intersection(decorators))
    inner.nothrow_yield = bool(FIXTURES.intersection(decorators))
    _lay(inner, node)
    if ctx.class_body is not None and (is_stub(node) or "abstractmethod" in decorators):
        inner.builder.graph.abstract = True
    return close(ctx, inner)


def _lay(inner: Context, node: cst.FunctionDef) -> None:
    with inner.builder.bounded():
        inner.run(node.body)
        inner.builder.emit(Leaving(Lit(None), falls_off=True), node)
        inner.builder.jump(RETURN)


def lower_lambda(ctx: Context, node: cst.Lambda) -> str:
    """Lowers a lambda. Returns the name of its graph."""
    for parameter in _parameters(node.params):
        if parameter.default is not None:
            ctx.operand(parameter.default)
    inner = context(ctx, "<lambda>", node.params)
    with inner.builder.bounded():
        outer = inner.builder.begin_statement(node)
        inner.builder.emit(Leaving(inner.operand(node.body)), node)
        inner.builder.end_statement(outer, node)
        inner.builder.jump(RETURN)
    return close(ctx, inner)


def name_lambda(ctx: Context, name: str, node: cst.Lambda) -> None:
    """Lowers ``drop = lambda fd: …`` at module level as a function of that name, unless the name is bound again."""
    graph = lower_lambda(ctx, node)
    if name in ctx.scope.own and name not in ctx.scope.same:
        ctx.scope.same[name] = graph
    else:
        ctx.scope.same[name] = ""
    bind_name(ctx, AccessPath(name), ctx.assign(Closure(graph), node), node)


def lower_class_body(ctx: Context, node: cst.ClassDef) -> None:
    """Lowers a class body in place: its names become attributes, its methods graphs."""
    outer = ctx.class_body, ctx.prefix, ctx.class_name, ctx.excluded
    path = f"{ctx.prefix}{node.name.value}"
    bases = (ctx.resolve(base.value) or dotted_text(base.value) or "?" for base in node.bases if not base.star)
    ctx.unit.add_class(path, tuple(bases))
    ctx.class_body, ctx.prefix, ctx.class_name = path, f"{path}.", path
    ctx.excluded = ctx.excluded or id(node) in ctx.unit.excluded
    ctx.unit.choose(node.body.body, ctx.scope)
    ctx.run(node.body)
    ctx.class_body, ctx.prefix, ctx.class_name, ctx.excluded = outer


def context(ctx: Context, name: str, params: cst.Parameters, other: bool = False) -> Context:
    """Returns the context of a function inside another. ``other``: another definition has its name."""
    qualified = ctx.unit.unique(f"{ctx.prefix}{name}", other)
    scope = Scope(ctx.scope)
    builder = Builder(qualified, ctx.unit.origins)
    inner = Context(ctx.unit, builder, scope, f"{qualified}{NESTED}", ctx.class_name)
    inner.renamed = list(ctx.renamed)
    inner.excluded = builder.graph.excluded = ctx.excluded
    names = []
    for parameter in _parameters(params):
        place = _place(parameter)
        names.append(place)
        scope.bound.add(place)
        _type_of(ctx, parameter, builder.graph, scope)
    builder.graph.parameters = tuple(names)
    builder.graph.signature = _signature(params)
    types = ctx.unit.attribute_types.get(ctx.class_name or "", {})
    builder.graph.types.update({RECEIVER.attribute(attribute): kind for attribute, kind in types.items()})
    return inner


def _signature(params: cst.Parameters) -> Signature:
    return Signature(
        tuple(map(_place, (*params.posonly_params, *params.params))),
        tuple(map(_place, params.kwonly_params)),
        _place(params.star_arg) if isinstance(params.star_arg, cst.Param) else None,
        _place(params.star_kwarg) if params.star_kwarg is not None else None,
        {_place(one): default_of(one.default) for one in _parameters(params) if one.default is not None},
    )


def _place(parameter: cst.Param) -> Place:
    return AccessPath(parameter.name.value)


def default_of(node: cst.BaseExpression) -> Operand:
    """Returns a default value: a constant, a variable by its name, or an unknown value that is not None."""
    match node:
        case cst.Name(value="None" | "True" | "False" as name):
            return Lit({"None": None, "True": True, "False": False}[name])
        case cst.Name(value=name):
            return AccessPath(name)
        case cst.Integer():
            return Lit(integer(node))
        case cst.UnaryOperation(operator=cst.Minus(), expression=cst.Integer() as number):
            return Lit(-integer(number))
        case cst.SimpleString() if isinstance(text := string(node), str):
            return Lit(text)
    return DEFAULT


def _type_of(ctx: Context, parameter: cst.Param, graph: Graph, scope: Scope) -> None:
    """Notes a parameter's type: an annotation with a type the catalog knows, or a default that is a function it knows
    (``_close=os.close``). A default that is a class is what some callers leave it at, unless all callers are near."""
    place = _place(parameter)
    if parameter.annotation is not None:
        name = _annotated(ctx, parameter.annotation.annotation)
        if name is not None and ctx.unit.catalog.knows_type(name):
            graph.types[place] = name
        elif name is not None:
            graph.classes[place] = name
    if parameter.default is not None and dotted_text(parameter.default) is not None:
        dotted = ctx.resolve(parameter.default)
        if dotted is not None and ctx.unit.catalog.lookup(dotted):
            scope.bound.discard(place)
            scope.stands_for[place] = dotted
        elif (
            (named := calls.function_named(ctx, parameter.default)) is not None
            and is_constructor(named.name)
            and NESTED not in (graph.name or "")
        ):
            graph.methods[place] = named


def _annotated(ctx: Context, node: cst.BaseExpression) -> str | None:
    """Returns the type that an annotation names: dotted, or a class of the file."""
    match node:
        case cst.SimpleString() if isinstance(text := string(node), str) and text.isidentifier():
            node = cst.Name(text)
        case cst.BinaryOperation(left=named, operator=cst.BitOr(), right=cst.Name(value="None")):
            node = named
    written = dotted_text(node)
    return ctx.resolve(node) or (written if written is not None and ctx.scope.is_class(written) else None)


def _parameters(params: cst.Parameters) -> Sequence[cst.Param]:
    found = [*params.posonly_params, *params.params, *params.kwonly_params]
    for star in (params.star_arg, params.star_kwarg):
        if isinstance(star, cst.Param):
            found.append(star)
    return found


def _wrappers(ctx: Context, node: cst.FunctionDef) -> Iterator[Callee]:
    """Yields the decorators that may be functions of the project, innermost first."""
    for decorator in reversed(node.decorators):
        text, dotted = dotted_text(decorator.decorator), ctx.resolve(decorator.decorator)
        if dotted is not None and not ctx.unit.catalog.lookup(dotted):
            yield Callee(dotted.rpartition(".")[2], dotted)
        elif dotted is None and text is not None and "." not in text:
            yield Callee(text, own=True)


def _decorator_name(node: cst.Decorator) -> str:
    expression = node.decorator
    if isinstance(expression, cst.Call):
        expression = expression.func
    return (dotted_text(expression) or "").rpartition(".")[2]


def close(ctx: Context, inner: Context) -> str:
    """Stores the graph, finds its captured names, and passes them to the enclosing function."""
    graph = inner.builder.graph
    finish(inner)
    ctx.nested.append(graph)
    ctx.scope.read |= graph.free
    assert graph.name is not None
    ctx.unit.functions[graph.name] = graph
    return graph.name


def finish(ctx: Context) -> None:
    """Fills in the data that needs the whole body."""
    graph = ctx.builder.graph
    skip_answered(graph)
    empty_unreachable(graph)
    graph.free = frozenset(ctx.scope.read - ctx.scope.bound) | frozenset(ctx.scope.outward)
    record_nested(graph, ctx.nested, ctx.unit.catalog, outliving=frozenset(ctx.keeping))
    read = ctx.scope.read.union(*(inner.free for inner in ctx.nested))
    graph.throwaways = frozenset(name for name in ctx.scope.bound if not name.strip("_") and name not in read)
    graph.globals = frozenset(ctx.scope.globals)
    graph.module = ctx.module
    for name, kind in ctx.unit.variable_types.items() if not ctx.module else ():
        if name in ctx.scope.read and not ctx.scope.hides(name):
            graph.types.setdefault(AccessPath(name), kind)
    graph.constants = ctx.unit.constants
