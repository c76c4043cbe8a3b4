"""Functions, lambdas and class bodies: each function becomes a graph of its own."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from fdlint.graph import RETURN, Closure, Graph, Leaving, Lit
from fdlint.lower.assignment import bind_name
from fdlint.lower.builder import Builder
from fdlint.lower.captures import sinks_of
from fdlint.lower.context import Context
from fdlint.lower.names import Scope, dotted_text

_CONTEXT_MANAGERS = ("contextmanager", "asynccontextmanager")
_FIXTURES = ("fixture", "yield_fixture")


def define(ctx: Context, node: cst.FunctionDef) -> None:
    """A ``def``: decorators and defaults are evaluated here, the body is lowered apart."""
    for decorator in node.decorators:
        ctx.operand(decorator.decorator)
    for parameter in _parameters(node.params):
        if parameter.default is not None:
            ctx.operand(parameter.default)
    name = lower_function(ctx, node)
    closure = ctx.assign(Closure(name), node)
    if ctx.class_body is None:
        bind_name(ctx, node.name.value, closure, node)


def lower_function(ctx: Context, node: cst.FunctionDef) -> str:
    """Lowers the body; returns the qualified name under which its graph is kept."""
    inner = _context(ctx, node.name.value, node.params)
    decorators = [_decorator_name(one) for one in node.decorators]
    inner.lends = any(name in _CONTEXT_MANAGERS for name in decorators)
    inner.calm_yield = any(name in _FIXTURES for name in decorators)
    inner.run(node.body)
    inner.builder.emit(Leaving(Lit(None), falls_off=True), node)
    inner.builder.jump(RETURN)
    return _finish(ctx, inner)


def lower_lambda(ctx: Context, node: cst.Lambda) -> str:
    """Lowers a lambda; returns the name under which its graph is kept."""
    for parameter in _parameters(node.params):
        if parameter.default is not None:
            ctx.operand(parameter.default)
    inner = _context(ctx, "<lambda>", node.params)
    outer = inner.builder.begin_statement(node)
    inner.builder.emit(Leaving(inner.operand(node.body)), node)
    inner.builder.end_statement(outer, node)
    inner.builder.jump(RETURN)
    return _finish(ctx, inner)


def lower_class_body(ctx: Context, node: cst.ClassDef) -> None:
    """A class body runs where it stands; its names become attributes, its methods graphs."""
    outer = ctx.class_body, ctx.prefix, ctx.class_name
    path = f"{ctx.prefix}{node.name.value}"
    ctx.class_body, ctx.prefix, ctx.class_name = path, f"{path}.", path
    ctx.run(node.body)
    ctx.class_body, ctx.prefix, ctx.class_name = outer


def _context(ctx: Context, name: str, params: cst.Parameters) -> Context:
    qualified = ctx.unit.unique(f"{ctx.prefix}{name}")
    scope = Scope(ctx.scope)
    builder = Builder(qualified)
    inner = Context(ctx.unit, builder, scope, f"{qualified}.<locals>.", ctx.class_name)
    inner.renamed = list(ctx.renamed)
    names = []
    for parameter in _parameters(params):
        place = parameter.name.value
        names.append(place)
        scope.bound.add(place)
        _type_of(ctx, parameter, builder.graph, scope)
    builder.graph.parameters = tuple(names)
    types = ctx.unit.attribute_types.get(ctx.class_name or "", {})
    builder.graph.types.update({f"self.{attribute}": kind for attribute, kind in types.items()})
    return inner


def _type_of(ctx: Context, parameter: cst.Param, graph: Graph, scope: Scope) -> None:
    """An annotation of a type the catalog knows; a default that is a function it knows (``_close=os.close``)."""
    place = parameter.name.value
    if parameter.annotation is not None:
        dotted = ctx.resolve(parameter.annotation.annotation)
        if dotted is not None and ctx.unit.catalog.knows_type(dotted):
            graph.types[place] = dotted
    if parameter.default is not None and dotted_text(parameter.default) is not None:
        dotted = ctx.resolve(parameter.default)
        if dotted is not None and ctx.unit.catalog.lookup(dotted):
            scope.bound.discard(place)
            scope.stands_for[place] = dotted


def _parameters(params: cst.Parameters) -> Sequence[cst.Param]:
    found = [*params.posonly_params, *params.params, *params.kwonly_params]
    for star in (params.star_arg, params.star_kwarg):
        if isinstance(star, cst.Param):
            found.append(star)
    return found


def _decorator_name(node: cst.Decorator) -> str:
    expression = node.decorator
    if isinstance(expression, cst.Call):
        expression = expression.func
    return (dotted_text(expression) or "").rpartition(".")[2]


def _finish(ctx: Context, inner: Context) -> str:
    """Keeps the graph, works out what it captures, and tells the enclosing function."""
    graph = inner.builder.graph
    finish(inner)
    ctx.nested.append(graph)
    ctx.scope.read |= graph.free
    assert graph.name is not None
    ctx.unit.functions[graph.name] = graph
    return graph.name


def finish(ctx: Context) -> None:
    """Fills in what is only known when the whole body has been lowered."""
    graph = ctx.builder.graph
    graph.free = frozenset(ctx.scope.read - ctx.scope.bound) | frozenset(ctx.scope.outward)
    for inner in ctx.nested:
        assert inner.name is not None
        deeper = frozenset().union(*inner.sinks.values()) & inner.free
        graph.sinks[inner.name] = sinks_of(inner, ctx.unit.catalog) | deeper
    read = ctx.scope.read.union(*(inner.free for inner in ctx.nested))
    graph.throwaways = frozenset(name for name in ctx.scope.bound if not name.strip("_") and name not in read)
    graph.module = ctx.module
