"""Lowers Go's calls. A call that acquires may fail: then it returns an error instead of its other results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from fdlint.catalog.model import Ancillary, Api, Argument, Instance, Shape, TupleOf
from fdlint.catalog.shape import acquires
from fdlint.core.domain.event import Event
from fdlint.core.ir import (
    AccessPath,
    Arg,
    Assign,
    Build,
    Call,
    Callee,
    Catch,
    CaughtException,
    DeleteItem,
    Jump,
    Lit,
    Opaque,
    Operand,
    Place,
    Unpack,
)
from fdlint.languages.go.catalog import ERROR
from fdlint.languages.go.lowering.constants import Node, arguments_of, text
from fdlint.languages.go.lowering.context import Context, Pointed
from fdlint.languages.go.lowering.expressions import (
    LISTS,
    PLAIN,
    SOME,
    dotted,
    embedded,
    kind_of,
    operand,
    record,
    register,
    results_of,
)
from fdlint.languages.go.lowering.made_errors import settled
from fdlint.languages.go.lowering.targets import function_of, only_method
from fdlint.languages.go.lowering.type_names import SLICE
from fdlint.languages.go.naming import stores_at

_NOTHING = frozenset[str]()  # always the same object: most arguments mention nothing
_CONVERSIONS = frozenset(
    {"int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr"}
)
_TYPES = _CONVERSIONS | {"any"}
_OF_VALUES = frozenset(
    {"len", "cap", "make", "new", "delete", "clear", "copy", "print", "println", "min", "max", "close"}
)
_ANY = "*."
_SELF = "self"


def lower_call(ctx: Context, node: Node) -> Operand:
    """Lowers a call whose first result is used."""
    return call(ctx, node, 1)[0]


def call(ctx: Context, node: Node, count: int) -> list[Operand]:
    """Lowers a call. Returns its results: ``count`` of them, at least one operand. ``count`` 0: none is used."""
    function = node.child_by_field_name("function")
    assert function is not None
    while function.type == "parenthesized_expression" and function.named_children:
        function = function.named_children[0]
    if function.type == "func_literal":
        values = [operand(ctx, one) for one in arguments_of(node)]
        return ctx.unit.run_literal(ctx, function, values, count) or [Lit(None)]
    special = _special(ctx, node, function)
    if special is not None:
        return [special, *(ctx.assign(Opaque(), node) for _ in range(count - 1))]
    callee, first = callee_of(ctx, function)
    given = [argument(ctx, one) for one in arguments_of(node)]
    if not (callee.dotted and ctx.unit.catalog.lookup(callee.dotted)):
        pairs = list(zip(given, arguments_of(node), strict=True))
        if callee.own or not ctx.unit.catalog.unknown_takes(callee.name):
            given = [Arg(ctx.assign(SOME, one)) if _is_lent(ctx, one) else arg for arg, one in pairs]
        if not callee.own:
            is_method = callee.dotted is None and not first
            stores = stores_at(callee.name, len(given)) if is_method else None
            checks = len(pairs) == 1 and _has_error(ctx, pairs[0][1])
            given = [
                replace(arg, kept=_is_whole(ctx, one) or (stores is not None and number >= stores) or checks)
                for number, (arg, (_, one)) in enumerate(zip(given, pairs, strict=True))
            ]
    return finish_call(ctx, node, callee, (*first, *given), count)


def _is_lent(ctx: Context, node: Node) -> bool:
    """Whether an argument is the number of an object, which still owns it."""
    function = node.child_by_field_name("function") if node.type == "call_expression" else None
    if function is None:
        return False
    if text(function) in _CONVERSIONS and arguments_of(node):
        return _is_lent(ctx, arguments_of(node)[0])
    if function.type != "selector_expression" or dotted(ctx, function) is not None:
        return False
    apis = ctx.unit.catalog.lookup(f"{_ANY}{text(function.child_by_field_name('field'))}")
    return bool(apis) and apis[0].by_number and apis[0].returns == Argument(_SELF) and not arguments_of(node)


def _has_error(ctx: Context, node: Node) -> bool:
    """Whether an argument is a call that also returns an error. A function that gets both, such as ``Must``, tests the
    error and returns the rest."""
    function = node.child_by_field_name("function") if node.type == "call_expression" else None
    known = dotted(ctx, function) if function is not None else None
    apis = ctx.unit.catalog.lookup(known) if known is not None else ()
    return any(api.raises == ERROR and acquires(api.returns) for api in apis) or len(results_of(ctx, node)) > 1


def _is_whole(ctx: Context, node: Node) -> bool:
    """Whether an argument is a struct, or a slice that is written there: an unknown function keeps or closes it."""
    kind = node.child_by_field_name("type") if node.type == "composite_literal" else None
    return (kind is not None and kind.type in LISTS) or ctx.package.followed(kind_of(ctx, node)) is not None


def maybe_converted(ctx: Context, node: Node) -> Node | None:
    """Returns ``x`` of ``other.Name(x)``, if ``Name`` is unknown: it may be a type. ``x`` is a plain name."""
    function = node.child_by_field_name("function") if node.type == "call_expression" else None
    known = dotted(ctx, function) if function is not None else None
    arguments = arguments_of(node)
    if known is None or len(arguments) != 1 or ctx.unit.catalog.lookup(known):
        return None
    return arguments[0] if arguments[0].type in PLAIN else None


def finish_call(ctx: Context, node: Node, callee: Callee, args: tuple[Arg, ...], count: int) -> list[Operand]:
    """Lays a call whose function and arguments are evaluated. Returns its results."""
    results = _finish(ctx, node, callee, args, count)
    called = ctx.unit.catalog.canonical(callee.dotted) if callee.dotted is not None and ctx.pointed else None
    for pointed in [one for one in ctx.pointed if called in one.field.filled_by]:
        ctx.pointed.remove(pointed)
        results = _fill_pointed(ctx, node, pointed, results)
    return results


def _fill_pointed(ctx: Context, node: Node, pointed: Pointed, results: list[Operand]) -> list[Operand]:
    """Lays what a call puts into a variable whose address it found in a struct, unless it returns an error."""
    result, error = ctx.builder.temporary(), ctx.builder.temporary()
    effect = Call(result, Callee(pointed.field.name, pointed.field.name), ())
    _either_way(ctx, node, effect, [(pointed.place, result), (error, Lit(None))], [(error, SOME)])
    return [*results[:-1], error]


def _finish(ctx: Context, node: Node, callee: Callee, args: tuple[Arg, ...], count: int) -> list[Operand]:
    apis = ctx.unit.catalog.lookup(callee.dotted) if callee.dotted is not None else ()
    if apis and not _fits(apis[0], len(args), count):
        callee, apis = Callee(""), ()
    if apis and apis[0].max_bytes is not None and len(args) < len(apis[0].params) and len(ctx.rooms) == 1:
        args = (*args, Arg(ctx.rooms[0]))
    if apis and apis[0].fills is not None:
        return _filling(ctx, node, Call(ctx.builder.temporary(), callee, args), apis[0], count)
    if apis and apis[0].noreturn:
        ctx.builder.add(Call(ctx.builder.temporary(), callee, args, unused=True), node)
        ctx.builder.end(Jump(()))
        return [Lit(None)] * max(count, 1)
    result = ctx.builder.temporary()
    if any(api.raises == ERROR and (acquires(api.returns) or (count and _tells_apart(api))) for api in apis):
        return _failing(ctx, node, Call(result, callee, args, unused=count == 0), apis[0], count)
    ctx.builder.add(Call(result, callee, args, unused=count == 0), node)
    if apis and apis[0].measures:
        is_all = node.parent is None or node.parent.type != "binary_expression"  # not `unix.CmsgSpace(4) * 64`
        ctx.rooms.append(ctx.hold(result if is_all else ctx.assign(SOME, node), node))
    if apis and isinstance(apis[0].returns, Instance) and ctx.package.struct(apis[0].returns.type) is not None:
        result = ctx.assign(record(ctx, apis[0].returns.type, {}), node)
    if apis and not callee.own and count > 1:
        shapes = _shapes(apis[0], count)
        return [_part(ctx, node, result, shapes, number) for number in range(count)]
    results: list[Operand] = [result]
    if count > 1:
        results = [ctx.assign(Unpack(result, number, count), node) for number in range(count)]
    return settled(ctx, node, callee, args, results) if count and not apis else results


def _tells_apart(api: Api) -> bool:
    """Whether the failure of a call that does not acquire needs a path of its own: it hardly ever fails, it sends, or
    it starts a child."""
    return api.raises_rarely or not {Event.SENT, Event.SPAWNED}.isdisjoint(api.actions.values())


def _fits(api: Api, given: int, count: int) -> bool:
    """Whether a call may be of an entry that acquires: one found only by a method's name has as many parameters and
    results as the call."""
    if not api.name.startswith(_ANY) or not acquires(api.returns) or not given:
        return True
    returned = len(api.returns.items) if isinstance(api.returns, TupleOf) else 1
    return given == len(api.params) - (api.max_bytes is not None) and count == returned + (api.raises == ERROR)


def _shapes(api: Api, count: int) -> Sequence[Shape | None]:
    """Returns the shape of each result of a call; None for one that the catalog does not describe."""
    found = api.returns.items if isinstance(api.returns, TupleOf) else (api.returns,)
    return [*found[:count], *([None] * (count - len(found)))]


def _part(ctx: Context, node: Node, result: Place, shapes: Sequence[Shape | None], number: int) -> Operand:
    described = [one for one in shapes if one is not None]
    if shapes[number] is None:
        return ctx.assign(Opaque(), node)
    return result if len(described) == 1 else ctx.assign(Unpack(result, number, len(described)), node)


def _failing(ctx: Context, node: Node, effect: Call, api: Api, count: int) -> list[Operand]:
    """Lays a call whose failure matters: it acquires, or hardly ever fails. On its failing edge the last result is an
    error, and the others are -1 or nil if it is known what it returns."""
    places = [ctx.builder.temporary() for _ in range(max(count, 1))]
    given = places if count else []
    error = count - 1 if count > 1 or not acquires(api.returns) else None
    shapes = _shapes(api, count)

    def worked() -> Iterator[tuple[Place, Operand]]:
        for number, place in enumerate(given):
            if number == error:
                yield place, Lit(0 if api.returns_errno else None)
            else:
                yield place, _part(ctx, node, effect.result, shapes, number)
        yield from _messages(ctx, node, effect, api, shapes)

    known = acquires(api.returns) or isinstance(api.returns, Argument)
    nothing = Lit(-1 if api.fails_with_number else None) if known else Opaque()
    failed = [(place, SOME if number == error else nothing) for number, place in enumerate(given)]
    _either_way(ctx, node, effect, worked(), failed)
    return list(places)


def _messages(
    ctx: Context, node: Node, effect: Call, api: Api, shapes: Sequence[Shape | None]
) -> Iterator[tuple[Place, Operand]]:
    """Yields the buffer into which a call has put control messages, with these: a variable, or a field of one."""
    names = api.params[api.name.startswith(_ANY) :]  # without the object of a method
    given = zip(arguments_of(node), names, strict=False)
    buffers = (_buffer(ctx, one) for one, name in given if name == api.messages)
    number = next((number for number, one in enumerate(shapes) if isinstance(one, Ancillary)), None)
    for buffer in buffers:
        if buffer is not None and number is not None:
            yield buffer, _part(ctx, node, effect.result, shapes, number)


def _filling(ctx: Context, node: Node, effect: Call, api: Api, count: int) -> list[Operand]:
    """Lays a call that puts descriptors into an array, which a local variable names, and returns an error. Any other
    array belongs to somebody else."""
    arrays = (one for one, name in zip(arguments_of(node), api.params, strict=False) if name == api.fills)
    filled = next((_filled(ctx, one) for one in arrays), None)
    if filled is None:
        return [ctx.assign(Opaque(), node)] * max(count, 1)
    error = ctx.builder.temporary()
    _either_way(ctx, node, effect, [(filled, effect.result), (error, Lit(None))], [(error, SOME)])
    return [error] * max(count, 1)


def _either_way(
    ctx: Context,
    node: Node,
    effect: Call,
    worked: Iterable[tuple[Place, Operand]],
    failed: Iterable[tuple[Place, Operand | Opaque]],
) -> None:
    """Lays a call that returns an error or not, and what is assigned then. ``worked`` may lay steps of its own."""
    builder = ctx.builder
    refused, after = builder.new_block(), builder.new_block()
    builder.add(effect, node, {ERROR: (refused,)})
    for place, value in worked:
        builder.add(Assign(place, value), node)
    builder.jump(after)
    builder.go_on(refused)
    builder.add(Catch(CaughtException.by(refused), as_error=True), node)
    for place, other in failed:
        builder.add(Assign(place, other), node)
    builder.jump(after)
    builder.go_on(after)


def _filled(ctx: Context, node: Node) -> Place | None:
    """Returns the local variable of ``p`` or ``p[:]``, which nobody else has."""
    place = _buffer(ctx, node)
    return place if place is not None and place.root == place and place not in ctx.builder.graph.parameters else None


def _buffer(ctx: Context, node: Node) -> Place | None:
    """Returns the place of ``p``, ``p[:]`` or ``x.p``, if the function has a name for it."""
    while node.type in ("slice_expression", "parenthesized_expression") and node.named_children:
        node = node.named_children[0]
    place = operand(ctx, node) if node.type in ("identifier", "selector_expression") else None
    return place if isinstance(place, AccessPath) and AccessPath(place.root) in ctx.bound else None


def _special(ctx: Context, node: Node, function: Node) -> Operand | None:
    """Lowers conversions and builtins; None for any other call."""
    arguments = arguments_of(node)
    name = text(function)
    known = dotted(ctx, function)
    if known is not None and len(arguments) == 1 and _is_type_elsewhere(ctx, known):
        return operand(ctx, arguments[0])
    if function.type.endswith("_type") or (function.type == "identifier" and ctx.variable(name) is None):
        declared = name in ctx.package.functions
        if not declared and (name in _TYPES or name in ctx.package.types or function.type.endswith("_type")):
            return operand(ctx, arguments[0]) if arguments else ctx.assign(Opaque(), node)
        if not declared and name == "append" and arguments:
            return _append(ctx, node, arguments)
        if not declared and name == "panic":
            for one in arguments:
                operand(ctx, one)
            ctx.builder.end(Jump(()))
            return Lit(None)
        if not declared and name == "recover":
            return Lit(None)  # a panic ends every path
        if not declared and name in _OF_VALUES:
            values = [operand(ctx, one) for one in arguments if not _is_type(one)]
            if name == "make" and arguments:
                return _made(ctx, node, arguments[0], values)
            if name == "copy" and len(values) == 2 and isinstance(values[0], AccessPath):
                ctx.builder.add(Assign(values[0], Build("sum", tuple(values), frozenset({0, 1}))), node)
            if name in ("delete", "clear") and values:
                ctx.builder.add(DeleteItem(values[0], values[1] if len(values) > 1 else None), node)
            is_struct = name == "new" and ctx.package.struct(kind_of(ctx, node)) is not None
            return ctx.assign(record(ctx, kind_of(ctx, node), {}) if is_struct else SOME, node)
    return None


def _is_type_elsewhere(ctx: Context, dotted_name: str) -> bool:
    """Whether a name is that of a type in another package of the module, or of an error number."""
    apis = ctx.unit.catalog.lookup(dotted_name)
    converts = bool(apis) and apis[0].returns == Instance(apis[0].name)
    return converts or ctx.package.home(dotted_name) is not None


def _made(ctx: Context, node: Node, kind: Node, values: Sequence[Operand]) -> Operand:
    """Lowers ``make``: an empty map, or a slice of so many zeros."""
    kind = ctx.package.written(kind) or kind
    if kind.type == "map_type":
        return ctx.assign(Build("dict", ()), node)
    if kind.type not in LISTS and not ctx.package.type_name(ctx.file, kind).startswith(SLICE):
        return ctx.assign(SOME, node)
    if values and values[0] != Lit(0):
        return ctx.assign(Build("list", (ctx.assign(Opaque(), node),), frozenset({0})), node)
    return ctx.assign(Build("list", ()), node)


def _append(ctx: Context, node: Node, arguments: Sequence[Node]) -> Operand:
    base = operand(ctx, arguments[0])
    if arguments[-1].type == "variadic_argument":
        more = operand(ctx, arguments[-1].named_children[0])
    else:
        more = ctx.assign(Build("list", tuple(operand(ctx, one) for one in arguments[1:])), node)
    start = ctx.assign(Build("list", ()), node)  # so that the sum is a slice of its own, even if the base is nil
    return ctx.assign(Build("sum", (start, base, more), frozenset({0, 1, 2})), node)


def callee_of(ctx: Context, function: Node) -> tuple[Callee, tuple[Arg, ...]]:
    """Returns the target of a call. A method of the catalog is a function with the receiver as its first argument."""
    name = text(function)
    if function.type == "identifier":
        found = ctx.variable(name)
        if found is not None:
            ctx.read.add(found.place)
            return Callee(name, variable=found.place, function=ctx.literal_of(found.place)), ()
        held = function_of(ctx.package, (name,)) if name in ctx.package.variables else None
        return replace(_named(ctx, held or name), name=name), ()
    if function.type == "selector_expression":
        known = dotted(ctx, function)
        if known is not None:
            return Callee(known.rpartition(".")[2], known), ()
        held = _held(ctx, function)
        return (_named(ctx, held), ()) if held is not None else _method(ctx, function)
    if function.type in ("index_expression", "type_instantiation_expression") and function.named_children:
        return callee_of(ctx, function.named_children[0])  # a generic function with its types
    return Callee("", variable=operand(ctx, function)), ()


def _named(ctx: Context, name: str) -> Callee:
    """Returns the target that a function's qualified or dotted name means."""
    if name in ctx.package.functions:
        return Callee(name, own=True, function=ctx.package.for_file(name, ctx.file))
    return Callee(name.rpartition(".")[2], name if "." in name else None)


def _held(ctx: Context, function: Node) -> str | None:
    """Returns the function in a field of a struct that a variable of the package holds."""
    base = function.child_by_field_name("operand")
    if base is None or base.type != "identifier" or text(base) not in ctx.package.variables or ctx.variable(text(base)):
        return None
    return function_of(ctx.package, (text(base), text(function.child_by_field_name("field"))))


def _method(ctx: Context, function: Node) -> tuple[Callee, tuple[Arg, ...]]:
    base, name = function.child_by_field_name("operand"), text(function.child_by_field_name("field"))
    assert base is not None
    kind = kind_of(ctx, base)
    receiver = operand(ctx, base)
    method = ctx.package.method(kind, name) if kind else None
    implemented = only_method(ctx.package, kind, name) if method is None and kind in ctx.package.interfaces else None
    if implemented is not None:
        implementing = ctx.package.for_file(implemented, ctx.file)
        guess = kind if kind[:1].isupper() else None  # another package may have a type with these methods
        return Callee(name, own=True, owner=guess, function=implementing), (Arg(receiver),)
    if method is not None:
        same = receiver == ctx.builder.graph.receiver
        callee = Callee(name, own=True, receiver=receiver if same else None)
        if "/" in method[0]:
            callee = replace(callee, dotted=method[0])
        else:
            callee = replace(callee, function=ctx.package.for_file(method[0], ctx.file))
        return callee, () if same else (Arg(embedded(ctx, base, receiver, name)),)
    if kind and ctx.package.field_type(kind, name):
        return Callee(name, variable=receiver.attribute(name) if not isinstance(receiver, Lit) else None), ()
    catalog = ctx.unit.catalog
    for dotted_name in (f"{kind}.{name}", f"{_ANY}{name}"):
        apis = catalog.lookup(dotted_name)
        if apis and apis[0].params[:1] == (_SELF,):
            return Callee(name, dotted_name), (Arg(receiver),)
    if ctx.package.followed(kind) is not None and not isinstance(receiver, Lit):
        ctx.hand_over(receiver, base)  # the method belongs to an embedded object that is not known
    return Callee(name, receiver=receiver), ()


def _is_type(node: Node) -> bool:
    return node.type.endswith("_type") or node.type == "type_identifier"


def argument(ctx: Context, node: Node) -> Arg:
    """Lowers an argument of a call."""
    if node.type == "variadic_argument" and node.named_children:
        return Arg(operand(ctx, node.named_children[0]), stars=1)
    if _is_type(node):
        return Arg(Lit(None))
    is_function = node.type == "identifier" and ctx.variable(text(node)) is None and text(node) in ctx.package.functions
    names, known = mentioned(ctx, node), dotted(ctx, _unconverted(ctx, node))
    known = ctx.unit.catalog.canonical(known) if known is not None else None
    flags = bool(names) and _is_flags(ctx, node)
    kind = kind_of(ctx, node) if not names else ""
    names = names or (frozenset({ctx.unit.catalog.canonical(kind)}) if "." in kind else _NOTHING)
    return Arg(operand(ctx, node), None, 0, known, names, is_function, flags=flags)


def mentioned(ctx: Context, node: Node) -> frozenset[str]:
    """Returns the dotted names in an expression of names, operators and conversions."""
    parts = _parts(ctx, node)
    if parts is not None:
        return _NOTHING.union(*(mentioned(ctx, one) for one in parts)) or _NOTHING
    found = dotted(ctx, node)
    return frozenset({ctx.unit.catalog.canonical(found)}) if found is not None else _NOTHING


def _is_flags(ctx: Context, node: Node) -> bool:
    """Whether an expression consists of names in other packages."""
    parts = _parts(ctx, node)
    if parts is not None:
        return all(_is_flags(ctx, one) for one in parts)
    return dotted(ctx, node) is not None


def _parts(ctx: Context, node: Node) -> Sequence[Node] | None:
    """Returns the operands of an operator or a conversion to a number; None for any other expression."""
    if node.type in ("binary_expression", "parenthesized_expression"):
        return node.named_children
    function = node.child_by_field_name("function")
    if node.type != "call_expression" or function is None or text(function) not in _CONVERSIONS:
        return None
    return arguments_of(node) if ctx.variable(text(function)) is None else None


def _unconverted(ctx: Context, node: Node) -> Node:
    """Returns the only operand of parentheses and conversions to numbers."""
    parts = _parts(ctx, node)
    while parts is not None and len(parts) == 1:
        node = parts[0]
        parts = _parts(ctx, node)
    return node


def _conversion(ctx: Context, node: Node) -> Operand:
    inner = node.child_by_field_name("operand")
    return operand(ctx, inner) if inner is not None else ctx.assign(Opaque(), node)


def _literal(ctx: Context, node: Node) -> Operand:
    return ctx.unit.lower_literal(ctx, node)


register("call_expression", lower_call)
register("type_conversion_expression", _conversion)
register("func_literal", _literal)
