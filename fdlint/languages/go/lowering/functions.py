"""Lowers functions and function literals: each becomes a graph, except for a literal that is called at once."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

from fdlint.catalog import Catalog
from fdlint.core.dataflow.derivation import let_go
from fdlint.core.dataflow.reachability import empty_unreachable
from fdlint.core.dataflow.shortcuts import skip_answered
from fdlint.core.ir import NESTED, AccessPath, Assign, Build, Closure, Graph, Lit, Opaque, Operand, Place, Signature
from fdlint.languages.go.lowering import statements
from fdlint.languages.go.lowering.builder import Builder
from fdlint.languages.go.lowering.constants import NUMBERS, Node, inside, text
from fdlint.languages.go.lowering.context import Context, Inlined, Unit
from fdlint.languages.go.lowering.package import Declared, Package
from fdlint.languages.go.lowering.type_names import SLICE
from fdlint.languages.nested import record_nested


def lower_declared(unit: Unit, name: str, declared: Declared) -> None:
    """Lowers a function or method of the package."""
    ctx = Context(unit, Builder(name, declared.file), declared.file)
    node = declared.node
    receiver = unit.package.receiver_of(declared.file, node)
    parameters = [receiver] if receiver is not None else []
    _lower(ctx, node, parameters, bound=receiver is not None)
    ctx.builder.graph.owner = receiver[1] if receiver is not None else None
    unit.graphs[name] = ctx.builder.graph


def lower_literal(ctx: Context, node: Node) -> Operand:
    """Lowers a function literal as a graph of its own. Returns its value."""
    outermost = ctx
    while outermost.outer is not None:
        outermost = outermost.outer
    outermost.literals += 1
    name = f"{ctx.builder.graph.name}{NESTED}func{outermost.literals}"
    inner = Context(ctx.unit, Builder(name, ctx.file), ctx.file, outer=ctx, taken=ctx.taken)
    _lower(inner, node, [], bound=False)
    ctx.unit.graphs[name] = inner.builder.graph
    ctx.nested.append(inner.builder.graph)
    ctx.read |= inner.builder.graph.free
    for variable in ctx.variables():
        if variable.place in inner.builder.graph.free and ctx.package.followed(variable.type) is not None:
            ctx.hand_over(variable.place, node)  # its methods are not followed in there
    made = ctx.assign(Closure(name), node)
    ctx.made_literals[made] = name
    return made


def _lower(ctx: Context, node: Node, parameters: list[tuple[str, str]], *, bound: bool) -> None:
    builder = ctx.builder
    parameters += ctx.package.parameters(ctx.file, node.child_by_field_name("parameters"))
    places = tuple(ctx.declare(name or "_", kind) for name, kind in parameters)
    variadic = bool(parameters) and parameters[-1][1].startswith(SLICE) and _is_variadic(node)
    plain = places[:-1] if variadic else places
    builder.graph.parameters = places
    kinds = dict(zip(places, (kind for _, kind in parameters), strict=True))
    builder.graph.is_object = functools.partial(_is_object, ctx.package, kinds)
    pointers = filter(None, map(ctx.variable, _declared(node, "pointer_type")))
    builder.graph.classes = {one.place: one.type for one in pointers if one.type in ctx.package.types}
    builder.graph.elsewhere = ctx.package.files[ctx.file].for_others
    builder.graph.signature = Signature(plain, star=places[-1] if variadic else None, bound=bound)
    results = ctx.package.parameters(ctx.file, node.child_by_field_name("result"))
    named, ctx.returns = [one for one in results if one[0]], tuple(kind for _, kind in results)
    builder.graph.returns_error = ctx.returns[-1:] == ("error",)
    builder.graph.numbers = frozenset(number for number, kind in enumerate(ctx.returns) if kind in NUMBERS)
    body = node.child_by_field_name("body")
    with builder.bounded():
        for name, kind in named:
            place = ctx.declare(name, kind)
            ctx.results.append(place)
            builder.add(Assign(place, statements.zero(ctx, kind)), node)
        _copy(ctx, node)
        if body is not None:
            statements.run_body(ctx, body)
        statements.leave(ctx, body if body is not None else node, (), falls_off=True)
    finish(ctx)


def _declared(node: Node, kind: str) -> list[str]:
    """Returns the names of the parameters, the receiver included, whose types are written as a node of some kind."""
    lists = (node.child_by_field_name(name) for name in ("receiver", "parameters"))
    listed = [one for each in lists if each is not None for one in each.named_children]
    typed = ((one, one.child_by_field_name("type")) for one in listed if one.type == "parameter_declaration")
    found = (one for one, declared in typed if declared is not None and declared.type == kind)
    return [text(name) for one in found for name in one.children_by_field_name("name") if text(name) != "_"]


def _filled(body: Node | None) -> set[str]:
    """Returns the names of the structs whose fields a function assigns."""
    assigned = (one.child_by_field_name("left") for one in inside(body) if one.type == "assignment_statement")
    targets = (one for left in assigned if left is not None for one in left.named_children)
    bases = (one.child_by_field_name("operand") for one in targets if one.type == "selector_expression")
    return {text(one) for one in bases if one is not None and one.type == "identifier"}


def _copy(ctx: Context, node: Node) -> None:
    """Makes structs that came in by value the function's own: what it puts into a field dies with it."""
    known = ((name, ctx.variable(name)) for name in _declared(node, "type_identifier"))
    structs = [(name, one, ctx.package.followed(one.type)) for name, one in known if one is not None]
    filled = _filled(node.child_by_field_name("body")) if any(fields for _, _, fields in structs) else ()
    for name, one, fields in structs:
        if fields and name in filled:
            items, keys = tuple(map(one.place.attribute, fields)), tuple(map(Lit, fields))
            ctx.builder.add(Assign(one.place, Build("record", items, keys=keys, type=one.type)), node)


def _is_object(package: Package, kinds: Mapping[Place, str], place: Place) -> bool:
    """Whether the declared types of parameters and fields tell that a place holds no number."""
    root, *names = place.split(".")
    kind = kinds.get(AccessPath(root), "")
    for name in names:
        kind = package.field_type(kind, name) if kind else ""
    return bool(kind) and package.is_object(kind)


def _is_variadic(node: Node) -> bool:
    listed = node.child_by_field_name("parameters")
    return listed is not None and any(one.type.startswith("variadic") for one in listed.named_children)


def finish(ctx: Context) -> None:
    """Fills in the data that needs the whole body."""
    ctx.deferred.clear()  # each refers to the context
    graph = ctx.builder.graph
    skip_answered(graph)
    empty_unreachable(graph)
    graph.free = frozenset(ctx.read - ctx.bound)
    graph.throwaways = frozenset({AccessPath("_")})
    escaping = _escaping(graph, ctx.unit.catalog) if ctx.nested else frozenset()
    record_nested(graph, ctx.nested, ctx.unit.catalog, escaping)


def _escaping(graph: Graph, catalog: Catalog) -> frozenset[str]:
    """Returns the function literals that outlive the function: it returns or stores them. They keep what they use."""
    leaving = let_go(graph, catalog)
    made = (one for one in graph.effects() if isinstance(one, Assign) and isinstance(one.value, Closure))
    return frozenset(one.value.name for one in made if isinstance(one.value, Closure) and one.target in leaving)


def run_literal(ctx: Context, node: Node, values: Sequence[Operand], count: int) -> list[Operand]:
    """Lays the body of a function literal that is called at once, or when the function ends, in place. Returns its
    results, ``count`` of them."""
    builder = ctx.builder
    after = builder.new_block()
    parameters = ctx.package.parameters(ctx.file, node.child_by_field_name("parameters"))
    declared = ctx.package.parameters(ctx.file, node.child_by_field_name("result"))
    before = builder.jumps.frames, ctx.results, ctx.deferred, ctx.loops
    builder.jumps.frames, ctx.results, ctx.deferred, ctx.loops = [], [], [], 0
    with ctx.scope():
        for (name, kind), value in zip(parameters, values, strict=False):
            builder.add(Assign(ctx.declare(name or "_", kind), value), node)
        named = [(ctx.declare(name, kind), kind) for name, kind in declared if name]
        for place, kind in named:
            builder.add(Assign(place, statements.zero(ctx, kind)), node)
        results = tuple(place for place, _ in named) or tuple(builder.temporary() for _ in range(count))
        ctx.inlined.append(Inlined(after, results))
        body = node.child_by_field_name("body")
        if body is not None:
            statements.run_body(ctx, body)
        statements.run_deferred(ctx)
        ctx.inlined.pop()
    builder.jumps.frames, ctx.results, ctx.deferred, ctx.loops = before
    builder.fall_into(after)
    return [*results[:count], *(ctx.assign(Opaque(), node) for _ in range(count - len(results)))]
