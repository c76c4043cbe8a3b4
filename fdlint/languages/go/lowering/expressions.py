"""Lowers Go's expressions to operands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest

from fdlint.catalog.model import Instance
from fdlint.catalog.shape import acquires
from fdlint.core.ir import (
    MIRRORED,
    AccessPath,
    Assign,
    Build,
    Callee,
    Compare,
    Condition,
    Item,
    Lit,
    Named,
    Op,
    Opaque,
    Operand,
    Slice,
    Store,
    Test,
    Truth,
)
from fdlint.languages.go.lowering.constants import Node, arguments_of, literal, text
from fdlint.languages.go.lowering.context import Context, Pointed
from fdlint.languages.go.lowering.targets import only_method
from fdlint.languages.go.lowering.type_names import is_foreign, item_type
from fdlint.languages.go.naming import makes_error
from fdlint.languages.rounds import Rounds, remember

SOME = Opaque(some=True)
PLAIN = frozenset({"identifier", "selector_expression"})
"""The expressions that do nothing, however often they are evaluated."""
LISTS = frozenset({"slice_type", "array_type", "implicit_length_array_type"})
_KEEPING = frozenset({"return_statement", "short_var_declaration", "assignment_statement", "var_spec", "keyed_element"})
_MAX_FACTOR = 1 << 16
_MAX_FLAGS = 20  # the fields of a struct that are looked at
_CONSTANTS = {"nil": None, "true": True, "false": False}
_OPERATORS = {
    "==": (Op.EQ, True),
    "!=": (Op.EQ, False),
    "<": (Op.LT, True),
    "<=": (Op.LE, True),
    ">": (Op.GT, True),
    ">=": (Op.GE, True),
}


def operand(ctx: Context, node: Node) -> Operand:
    """Evaluates an expression and lays its steps."""
    with ctx.deeper():
        lower = _EXPRESSIONS.get(node.type)
        if lower is not None:
            return lower(ctx, node)
        for child in node.named_children:
            if child.type in _EXPRESSIONS:
                operand(ctx, child)
        return ctx.assign(Opaque(), node)


def _identifier(ctx: Context, node: Node) -> Operand:
    name = text(node)
    if name in _CONSTANTS:
        return Lit(_CONSTANTS[name])
    found = ctx.variable(name)
    if found is not None:
        ctx.read.add(found.place)
        return found.place
    if name in ctx.package.functions:
        return ctx.assign(Named(Callee(name, own=True, function=ctx.package.for_file(name, ctx.file))), node)
    if name in ctx.package.numbers:
        return Lit(ctx.package.numbers[name])
    if name in ctx.package.forwards:
        return _elsewhere(ctx, node, ctx.package.forwards[name])
    return ctx.assign(SOME if ctx.unit.nonnil.variable(name) else Opaque(), node)


def _number(_: Context, node: Node) -> Operand:
    value = literal(text(node))
    return Lit(value if value is not None else "")


def _string(_: Context, node: Node) -> Operand:
    return Lit(text(node)[1:-1])


def _selector(ctx: Context, node: Node) -> Operand:
    base, name = node.child_by_field_name("operand"), text(node.child_by_field_name("field"))
    assert base is not None
    known = dotted(ctx, node)
    if known is not None:
        return _elsewhere(ctx, node, known)
    function = _of_type(ctx, base, name)
    if function is not None:
        return ctx.assign(Named(Callee(name, own=True, function=function)), node)
    value = operand(ctx, base)
    method = ctx.package.method(kind_of(ctx, base), name) if not isinstance(value, Lit) else None
    if method is not None and value == ctx.builder.graph.receiver and "/" not in method[0]:
        function = ctx.package.for_file(method[0], ctx.file)
        return ctx.assign(Named(Callee(name, own=True, receiver=value, function=function)), node)
    if not isinstance(value, Lit) and (method is not None or _is_closer(ctx, base, name)):
        ctx.hand_over(value, node)  # whoever gets the method has the object
        return ctx.assign(SOME, node)
    value = embedded(ctx, base, value, name)
    place = ctx.member(value, name)
    return place if place is not None else ctx.assign(Item(value, Lit(name)), node)


def _of_type(ctx: Context, base: Node, name: str) -> str | None:
    """Returns the method that ``T.name`` or ``(*T).name`` means, as a function that gets the object first."""
    spelled = text(base).strip("(*)")
    if spelled not in ctx.package.types or ctx.variable(spelled) is not None:
        return None
    method = ctx.package.method(spelled, name)
    return ctx.package.for_file(method[0], ctx.file) if method is not None and "/" not in method[0] else None


def _elsewhere(ctx: Context, node: Node, known: str) -> Operand:
    """Returns the value of a name in another package: a number, or something that is not nil."""
    module, _, last = known.rpartition(".")
    catalog = ctx.unit.catalog
    number = catalog.constants.get(catalog.canonical(known), ctx.package.number(module, last))
    if isinstance(number, int):
        return Lit(number)
    apis = catalog.lookup(known)
    followed = apis and not any(acquires(one.returns) for one in apis)  # one call cannot return it beside an error
    return ctx.assign(Named(Callee(last, known)) if followed else SOME, node)


def embedded(ctx: Context, node: Node, value: Operand, name: str) -> Operand:
    """Returns the part of a struct that has a field or method: the struct itself, or one that it embeds. ``node``: the
    expression of the struct. The object of a method has what it embeds as its own."""
    if value == ctx.builder.graph.receiver:
        return value
    for field in ctx.package.way_to(kind_of(ctx, node), name):
        place = ctx.member(value, field)
        value = place if place is not None else ctx.assign(Item(value, Lit(field)), node)
    return value


def _is_closer(ctx: Context, base: Node, name: str) -> bool:
    """Whether ``x.name`` is a method that closes ``x``: whoever gets it as a value may call it."""
    kind = kind_of(ctx, base)
    if kind and ctx.package.field_type(kind, name):
        return False
    apis = ctx.unit.catalog.lookup(f"*.{name}")
    return bool(apis) and bool(apis[0].closed)


def dotted(ctx: Context, node: Node) -> str | None:
    """Returns the dotted name of a selector on an imported package: ``unix.Open``; None for any other expression."""
    base = node.child_by_field_name("operand") if node.type == "selector_expression" else None
    if base is None or base.type != "identifier" or ctx.variable(text(base)) is not None:
        return None
    module = ctx.package.imports[ctx.file].get(text(base))
    return ctx.package.meant(module, text(node.child_by_field_name("field"))) if module is not None else None


def _unary(ctx: Context, node: Node) -> Operand:
    inner, operator = node.child_by_field_name("operand"), text(node.child_by_field_name("operator"))
    assert inner is not None
    value = operand(ctx, inner)
    if operator == "&":
        _point(ctx, node, value)
        _keep_around(ctx, node, inner)
    if operator in ("&", "*", "+"):
        return value
    if operator == "-" and isinstance(value, Lit) and isinstance(value.value, int):
        return Lit(-value.value)
    return ctx.assign(Opaque(), node)


def _keep_around(ctx: Context, node: Node, inner: Node) -> None:
    """Gives a struct away if a pointer to a field is stored or returned: whoever has that keeps the struct."""
    base = inner.child_by_field_name("operand") if inner.type == "selector_expression" else None
    outer = node.parent
    while outer is not None and outer.type in ("expression_list", "literal_element", "parenthesized_expression"):
        outer = outer.parent
    if base is None or base.type != "identifier" or outer is None or outer.type not in _KEEPING:
        return
    found = ctx.variable(text(base))
    if found is not None and found.place in ctx.bound and found.place not in ctx.builder.graph.parameters:
        ctx.hand_over(found.place, node)


def _point(ctx: Context, node: Node, value: Operand) -> None:
    """Forgets the plain value of a variable, or of its field, whose address is taken: others may set it."""
    if not isinstance(value, AccessPath) or AccessPath(value.root) not in ctx.bound:
        return
    if not value.is_attribute:
        ctx.builder.add(Assign(value, Opaque(unless=value)), node)
    elif AccessPath(value.root) not in ctx.builder.graph.parameters:
        ctx.builder.add(Store(value, ctx.assign(Opaque(unless=value), node)), node)


def _binary(ctx: Context, node: Node) -> Operand:
    if text(node.child_by_field_name("operator")) in ("&&", "||", *_OPERATORS):
        return _truth_value(ctx, node)
    sides = [inner for name in ("left", "right") if (inner := node.child_by_field_name(name)) is not None]
    values = [operand(ctx, one) for one in sides]
    if text(node.child_by_field_name("operator")) == "+" and any(_is_string(ctx, one) for one in sides):
        return ctx.assign(Build("sum", tuple(values), frozenset(range(len(values)))), node)
    return _product(node, values) or ctx.assign(SOME, node)


def _product(node: Node, values: Sequence[Operand]) -> Operand | None:
    """Returns the product of two small numbers; None for anything else."""
    numbers = [one.value for one in values if isinstance(one, Lit) and isinstance(one.value, int)]
    if text(node.child_by_field_name("operator")) != "*" or len(numbers) != 2 or max(map(abs, numbers)) > _MAX_FACTOR:
        return None
    return Lit(numbers[0] * numbers[1])


def _is_string(ctx: Context, node: Node) -> bool:
    if node.type == "binary_expression":
        node = node.named_children[-1]
    return node.type.endswith("string_literal") or kind_of(ctx, node) == "string"


def _truth_value(ctx: Context, node: Node) -> Operand:
    """Lowers a condition as a value: True on one edge, False on the other."""
    builder = ctx.builder
    result = builder.temporary()
    yes, no, after = (builder.new_block() for _ in range(3))
    branch(ctx, node, yes, no)
    for block, value in ((yes, True), (no, False)):
        builder.go_on(block)
        builder.add(Assign(result, Lit(value)), node)
        builder.jump(after)
    builder.go_on(after)
    return result


def _first(ctx: Context, node: Node) -> Operand:
    """Lowers an expression whose value is that of its first part: parentheses, a type assertion."""
    return operand(ctx, node.named_children[0]) if node.named_children else ctx.assign(Opaque(), node)


def _index(ctx: Context, node: Node) -> Operand:
    base, index = node.child_by_field_name("operand"), node.child_by_field_name("index")
    assert base is not None
    current = ctx.variable(text(node))  # the item of a loop's iteration
    if current is not None:
        ctx.read.add(current.place)
        return current.place
    return ctx.assign(Item(operand(ctx, base), operand(ctx, index) if index is not None else None), node)


def _slice(ctx: Context, node: Node) -> Operand:
    base = node.child_by_field_name("operand")
    assert base is not None
    value = operand(ctx, base)
    ends = [node.child_by_field_name(name) for name in ("start", "end")]
    bounds = [operand(ctx, one) if one is not None else None for one in ends]
    known = [one.value if isinstance(one, Lit) and type(one.value) is int else None for one in bounds]
    exact = all(one is None or number is not None for one, number in zip(bounds, known, strict=True))
    size = bounds[1] if known[1] is None else None
    return ctx.assign(Slice(value, known[0], known[1], exact, size), node)


def _composite(ctx: Context, node: Node) -> Operand:
    return _filled_in(ctx, node, node.child_by_field_name("type"), node.child_by_field_name("body"))


def _filled_in(ctx: Context, node: Node, kind: Node | None, body: Node | None) -> Operand:
    """Lowers a literal. A list, a map or a struct without a name holds its items; any other struct takes them over.
    ``kind``: its type, which a literal inside another one may leave out."""
    kind = ctx.package.written(kind)
    inner = kind.child_by_field_name("element" if kind.type in LISTS else "value") if kind is not None else None
    keys, items = [], []
    for key, item in elements(body):
        keys.append(key)
        items.append(_element(ctx, item, inner))
        if kind is not None and key is not None:
            _note_pointer(ctx, f"{ctx.package.type_name(ctx.file, kind)}.{text(key)}", item, items[-1])
    if kind is not None and kind.type in (*LISTS, "struct_type"):
        return ctx.assign(Build("list", tuple(items)), node)
    if kind is not None and kind.type == "map_type":
        named = tuple(_element(ctx, key, None) if key is not None else Lit(None) for key in keys)
        return ctx.assign(Build("dict", tuple(items), keys=named), node)
    name = ctx.package.type_name(ctx.file, kind)
    return _struct(ctx, node, name, [text(key) if key is not None else None for key in keys], items)


def _note_pointer(ctx: Context, field: str, node: Node, value: Operand) -> None:
    """Notes the variable whose address a field of a struct gets, if a call fills it."""
    node = node.named_children[0] if node.type == "literal_element" and node.named_children else node
    if node.type == "unary_expression" and isinstance(value, AccessPath) and value in ctx.bound:
        apis = ctx.unit.catalog.lookup(field)
        if apis and apis[0].filled_by:
            ctx.pointed.append(Pointed(value, apis[0]))


def _struct(ctx: Context, node: Node, kind: str, keys: list[str | None], items: list[Operand]) -> Operand:
    """Lowers the literal of a struct. One of a type in the module is a record; any other takes its values over, except
    an error, which only tells them, and what keeps none by the catalog."""
    fields = ctx.package.followed(kind) if kind else None
    if not fields:
        for one in () if fields is not None or makes_error(kind.rpartition(".")[2]) else items:
            if not isinstance(one, Lit):
                ctx.hand_over(one, node)
        return ctx.assign(SOME, node)
    names = [key if key is not None else name for key, name in zip_longest(keys, fields)]
    given = dict(zip(names, items, strict=False))
    if ctx.package.struct(kind) is None and all(isinstance(one, Lit) for one in items):
        return ctx.assign(SOME, node)
    return ctx.assign(record(ctx, kind, given), node)


def record(ctx: Context, kind: str, given: Mapping[str | None, Operand]) -> Build:
    """Returns a struct with these fields; its other flags are false, and its other files and errors are nil."""
    fields = dict(given)
    for name in (ctx.package.followed(kind) or ())[:_MAX_FLAGS]:
        declared = ctx.package.field_type(kind, name)
        if declared in ("bool", "error") or is_foreign(declared):
            fields.setdefault(name, Lit(False if declared == "bool" else None))
    return Build("record", tuple(fields.values()), keys=tuple(map(Lit, fields)), type=kind)


def elements(body: Node | None) -> Iterator[tuple[Node | None, Node]]:
    """Yields the keys and values in the braces of a literal."""
    for one in body.named_children if body is not None else ():
        if one.type == "keyed_element":
            key, value = one.child_by_field_name("key"), one.child_by_field_name("value")
            if value is not None:
                yield key, value
        elif one.type != "comment":
            yield None, one


def _element(ctx: Context, node: Node, kind: Node | None) -> Operand:
    inner = node.named_children[0] if node.type == "literal_element" and node.named_children else node
    return _filled_in(ctx, node, kind, inner) if inner.type == "literal_value" else operand(ctx, inner)


# -- conditions


def branch(ctx: Context, node: Node, if_true: int, if_false: int) -> None:
    """Evaluates a condition and branches to one of two blocks."""
    operator = text(node.child_by_field_name("operator"))
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if node.type == "parenthesized_expression" and node.named_children:
        branch(ctx, node.named_children[0], if_true, if_false)
    elif node.type == "unary_expression" and operator == "!":
        inner = node.child_by_field_name("operand")
        assert inner is not None
        branch(ctx, inner, if_false, if_true)
    elif left is None or right is None or operator not in ("&&", "||", *_OPERATORS):
        _truth(ctx, node, if_true, if_false)
    elif operator in _OPERATORS:
        _compare(ctx, node, (left, right), operator, if_true, if_false)
    else:
        middle = ctx.builder.new_block()
        branch(ctx, left, *((middle, if_false) if operator == "&&" else (if_true, middle)))
        ctx.builder.go_on(middle)
        branch(ctx, right, if_true, if_false)


def _compare(ctx: Context, node: Node, sides: tuple[Node, Node], operator: str, if_true: int, if_false: int) -> None:
    op, positive = _OPERATORS[operator]
    for rounds in reversed(ctx.rounds):
        if (holds := holds_in_last(rounds, node)) is not None:
            if_true, if_false = remember(ctx.builder, rounds, node, holds, if_true, if_false)
            break
    if measured(sides[0]) is None and measured(sides[1]) is not None:
        sides, op = (sides[1], sides[0]), MIRRORED.get(op, op)
    of_length = measured(sides[0])
    left = operand(ctx, of_length if of_length is not None else sides[0])
    right = operand(ctx, sides[1])
    if not positive:
        if_true, if_false = if_false, if_true
    test = comparison(op, left, right, of_length is not None)
    ctx.builder.branch(test, node, if_true, if_false, negated=not positive)


def holds_in_last(rounds: Rounds, node: Node) -> bool | None:
    """Returns whether a condition holds in the last round of a loop alone, or in all others; None for any other."""
    operator = text(node.child_by_field_name("operator"))
    if operator not in _OPERATORS:
        return None
    op, positive = _OPERATORS[operator]
    left, right = (text(node.child_by_field_name(side)).replace(" ", "") for side in ("left", "right"))
    return rounds.hold(left, op, right, positive)


def comparison(op: Op, left: Operand, right: Operand, length: bool = False) -> Test:
    """Returns the test of a comparison of two values that are evaluated already. ``length``: the first one's length."""
    if length:
        return Test(Compare(op, left, right, length=True), None)
    key = _key(f"{left} {op.value} {right}", left, right)
    return Test(Compare(Op.IS if right == Lit(None) and op is Op.EQ else op, left, right), key)


def measured(node: Node) -> Node | None:
    """Returns ``x`` of ``len(x)``."""
    if node.type != "call_expression" or text(node.child_by_field_name("function")) != "len":
        return None
    return next(iter(arguments_of(node)), None)


def _truth(ctx: Context, node: Node, if_true: int, if_false: int) -> None:
    if node.type == "call_expression":
        _ask_of_nil(ctx, node, if_false)
    value = operand(ctx, node)
    if isinstance(value, Lit):
        ctx.builder.jump(if_true if value.value else if_false)
    else:
        asked = node.child_by_field_name("function") or node
        of_object = asked.type == "selector_expression"  # which most likely stays as it is
        key = _key(str(value), value) or (Condition(text(node)) if of_object else None)
        ctx.builder.branch(Test(Truth(value), key), node, if_true, if_false)


def _ask_of_nil(ctx: Context, node: Node, if_false: int) -> None:
    """Branches to ``if_false`` if a call is false because its argument is nil: ``errors.Is(err, …)``."""
    told = _error_told(ctx, node)
    if told is not None:
        asked = operand(ctx, told)
        other = ctx.builder.new_block()
        ask_for_nil(ctx, asked, node, if_false, other)
        ctx.builder.go_on(other)


def _error_told(ctx: Context, node: Node) -> Node | None:
    """Returns the argument that makes a call false if it is nil. One that does something is left alone, because the
    call evaluates it again."""
    function, given = node.child_by_field_name("function"), arguments_of(node)
    if function is None:
        return None
    known = dotted(ctx, function)
    apis = ctx.unit.catalog.lookup(known) if known is not None else ()
    found = given[:1] if apis and apis[0].false_of_nil is not None else []
    return found[0] if found and found[0].type in PLAIN else None


def ask_for_nil(ctx: Context, asked: Operand, node: Node, if_nil: int, if_not: int) -> None:
    """Branches on whether a value is nil."""
    if isinstance(asked, Lit):
        ctx.builder.jump(if_nil if asked.value is None else if_not)
        return
    ctx.builder.branch(comparison(Op.EQ, asked, Lit(None)), node, if_nil, if_not)


def _key(key: str, *operands: Operand) -> Condition | None:
    """Returns a condition's text if it may be asked again; None if it uses a temporary."""
    return Condition(key) if all(isinstance(one, Lit) or one.is_named for one in operands) else None


# -- types


def kind_of(ctx: Context, node: Node) -> str:
    """Returns the type of an expression, without ``*``; empty if it is unknown."""
    with ctx.deeper():
        return _kind_of(ctx, node)


def _kind_of(ctx: Context, node: Node) -> str:
    match node.type:
        case "identifier":
            found = ctx.variable(text(node))
            return found.type if found is not None else ""
        case "selector_expression":
            base = node.child_by_field_name("operand")
            owner = kind_of(ctx, base) if base is not None else ""
            return ctx.package.field_type(owner, text(node.child_by_field_name("field"))) if owner else ""
        case "unary_expression" | "parenthesized_expression" if node.named_children:
            return kind_of(ctx, node.named_children[-1])
        case "composite_literal" | "type_assertion_expression" | "type_conversion_expression":
            return ctx.package.type_name(ctx.file, node.child_by_field_name("type"))
        case "index_expression":
            base = node.child_by_field_name("operand")
            return item_type(ctx.package.spelled_out(kind_of(ctx, base))) if base is not None else ""
        case "call_expression":
            found_types = results_of(ctx, node)
            return found_types[0] if found_types else ""
    return ""


def results_of(ctx: Context, node: Node) -> tuple[str, ...]:
    """Returns the types of a call's results, as far as they are known."""
    function = node.child_by_field_name("function")
    if function is None:
        return ()
    name = text(function)
    if function.type == "identifier" and ctx.variable(name) is None:
        if name == "new":
            return tuple(ctx.package.type_name(ctx.file, one) for one in arguments_of(node)[:1])
        if name in ctx.package.types:
            return (name,)
        return ctx.package.results("", name)
    known = dotted(ctx, function)
    if known is not None:
        path, _, last = known.rpartition(".")
        apis = ctx.unit.catalog.lookup(known)
        if apis and apis[0].kind is not None:
            return (apis[0].kind,)
        shape = apis[0].returns if apis else None
        return (shape.type,) if isinstance(shape, Instance) else ctx.package.results(path, last)
    if function.type == "selector_expression":
        base = function.child_by_field_name("operand")
        owner = kind_of(ctx, base) if base is not None else ""
        name = text(function.child_by_field_name("field"))
        method = ctx.package.method(owner, name) if owner else None
        only = only_method(ctx.package, owner, name) if method is None else None
        return method[1] if method is not None else ctx.package.functions[only].results if only is not None else ()
    return ()


_EXPRESSIONS: dict[str, Callable[[Context, Node], Operand]] = {
    "identifier": _identifier,
    "nil": _identifier,
    "true": _identifier,
    "false": _identifier,
    "int_literal": _number,
    "interpreted_string_literal": _string,
    "raw_string_literal": _string,
    "selector_expression": _selector,
    "unary_expression": _unary,
    "binary_expression": _binary,
    "parenthesized_expression": _first,
    "type_assertion_expression": _first,
    "index_expression": _index,
    "slice_expression": _slice,
    "composite_literal": _composite,
}


def register(kind: str, lower: Callable[[Context, Node], Operand]) -> None:
    """Adds the lowering of a kind of expression that needs statements: calls and function literals."""
    _EXPRESSIONS[kind] = lower
