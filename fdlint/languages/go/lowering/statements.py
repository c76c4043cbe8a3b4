"""Lowers Go's statements."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest

from fdlint.core.ir import (
    RETURN,
    AccessPath,
    Arg,
    Assign,
    Build,
    Callee,
    Jump,
    Kind,
    Leaving,
    Lit,
    Op,
    Opaque,
    Operand,
    Place,
    RValue,
    Test,
    Truth,
)
from fdlint.languages.go.lowering import calls, loops
from fdlint.languages.go.lowering.assignment import BLANK, bind_new, store
from fdlint.languages.go.lowering.builder import Frame
from fdlint.languages.go.lowering.constants import NUMBERS, TEXTS, Node, arguments_of, inside, number_of, parts, text
from fdlint.languages.go.lowering.context import Context, Deferred
from fdlint.languages.go.lowering.deferring import defer_in_loop
from fdlint.languages.go.lowering.expressions import (
    SOME,
    ask_for_nil,
    branch,
    comparison,
    dotted,
    kind_of,
    measured,
    operand,
    record,
    results_of,
)
from fdlint.languages.go.lowering.language import GO
from fdlint.languages.go.lowering.loops import label_of
from fdlint.languages.go.lowering.package import specs
from fdlint.languages.go.lowering.source import Origin
from fdlint.languages.go.lowering.starting import give_away, go
from fdlint.languages.go.lowering.type_names import SLICE, is_foreign, item_type
from fdlint.languages.go.naming import is_sentinel

_UNNAMED = frozenset({"slice_type", "map_type", "array_type", "function_type", "channel_type"})
_HOLDING_NOTHING = frozenset({"error", "bool", "string"})


def run(ctx: Context, node: Node) -> None:
    """Lays a block, or a single statement."""
    with ctx.deeper():
        if node.type == "statement_list":
            for child in node.named_children:
                run(ctx, child)
            return
        lower = _STATEMENTS.get(node.type)
        if lower is None:
            return
        outer = ctx.builder.begin_statement(node)
        lower(ctx, node)
        ctx.builder.end_statement(outer, node)


def run_body(ctx: Context, body: Node) -> None:
    """Lays the body of a function. It shares a scope with the parameters and the named results: ``:=`` in it assigns to
    those."""
    for child in body.named_children:
        run(ctx, child)


def zero(ctx: Context, kind: str) -> Operand | Opaque:
    """Returns the value of a variable that is not initialised."""
    if kind in NUMBERS or _is_error_number(ctx, kind):
        return Lit(0)
    if kind in ("string", "bool"):
        return Lit("" if kind == "string" else False)
    is_nil = kind == "error" or is_foreign(kind) or kind.startswith(SLICE) or kind in ctx.package.nil_types
    return Lit(None) if is_nil else Opaque()


def _zero(ctx: Context, spec: Node, kind: str) -> Operand | RValue:
    """Returns the value of a declared variable that is not initialised: a struct is a record, an array has items."""
    declared = spec.child_by_field_name("type")
    if declared is not None and declared.type == "array_type":
        return Build("list", (ctx.assign(Opaque(), spec),), frozenset({0}))
    is_struct = declared is not None and declared.type in ("type_identifier", "qualified_type")
    return record(ctx, kind, {}) if is_struct and ctx.package.struct(kind) is not None else zero(ctx, kind)


# -- assignments


def _short(ctx: Context, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    assert left is not None and right is not None
    names, values = left.named_children, _values(ctx, right, len(left.named_children))
    types = _types(ctx, right, len(names))
    _note_lengths(ctx, names, right)
    for name, value, kind in zip(names, values, types, strict=False):
        bind_new(ctx, name, value, kind)


def _note_lengths(ctx: Context, names: Sequence[Node], right: Node) -> None:
    """Notes the lengths of slices that ``make`` makes, and of those that are measured. Any other one is unknown."""
    for name, value in zip(names, right.named_children, strict=False):
        given, of = arguments_of(value), measured(value)
        for changed in [one for one, length in ctx.lengths.items() if text(name) in (one, length)]:
            del ctx.lengths[changed]
        if of is not None:
            ctx.lengths[text(of)] = text(name)
        if len(given) > 1 and text(value.child_by_field_name("function")) == "make":
            ctx.lengths[text(name)] = text(given[1])


def _values(ctx: Context, right: Node, count: int) -> list[Operand]:
    """Evaluates the right side of an assignment to ``count`` targets."""
    nodes = parts(right) if "list" in right.type else [right]
    if len(nodes) == 1 and count > 1:
        if nodes[0].type == "call_expression":
            return calls.call(ctx, nodes[0], count)
        value = operand(ctx, nodes[0])
        if nodes[0].type == "type_assertion_expression":
            return [value, _asserted(ctx, value, nodes[0])]
        return [value, *(ctx.assign(Opaque(), right) for _ in range(count - 1))]
    return [operand(ctx, one) for one in nodes]


def _asserted(ctx: Context, value: Operand, node: Node) -> Operand:
    """Returns whether a type assertion holds: never for nil, always for what each file is."""
    builder, holds = ctx.builder, ctx.builder.temporary()
    is_nil, other, yes, after = (builder.new_block() for _ in range(4))
    ask_for_nil(ctx, value, node, is_nil, other)
    builder.go_on(other)
    _ask_kind(ctx, value, [node.child_by_field_name("type")], node, yes, is_nil)
    for block, answer in ((is_nil, Lit(False)), (yes, Lit(True))):
        builder.go_on(block)
        builder.add(Assign(holds, answer), node)
        builder.jump(after)
    builder.go_on(after)
    return holds


def _ask_kind(
    ctx: Context, value: Operand, types: Sequence[Node | None], node: Node, if_true: int, if_false: int
) -> None:
    """Branches on whether a value is of one of some types. A number or a file is no struct that is followed, nor a
    slice or the like; any other type of an interface may be its own."""
    known = {f"{GO.builtins}{one.type}" for one in types if one is not None and one.type in _UNNAMED}
    for name in {ctx.package.type_name(ctx.file, one) for one in types if one is None or one.type not in _UNNAMED}:
        own = f"{GO.builtins}{name}"
        is_known = name in GO.types.numbers or ctx.package.followed(name) is not None
        known.add(name if is_known else own if own in GO.types.plain else GO.types.unknown)
    ctx.builder.branch(Test(Kind(value, tuple(sorted(known))), None), node, if_true, if_false)


def _types(ctx: Context, right: Node, count: int) -> list[str]:
    nodes = parts(right) if "list" in right.type else [right]
    if len(nodes) == 1 and count > 1:
        found = list(results_of(ctx, nodes[0])) if nodes[0].type == "call_expression" else [kind_of(ctx, nodes[0])]
        return found + [""] * (count - len(found))
    return [kind_of(ctx, one) for one in nodes]


def _assignment(ctx: Context, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    assert left is not None and right is not None
    operator = text(node.child_by_field_name("operator"))
    targets = left.named_children
    values = _values(ctx, right, len(targets))
    if operator not in ("=", ""):
        values = [ctx.assign(SOME, node)]
    if len(values) > 1:
        values = [ctx.assign(one, node) if isinstance(one, AccessPath) else one for one in values]
    _keep_in_result(ctx, targets, right)
    _note_lengths(ctx, targets, right)
    for target, value in zip(targets, values, strict=False):
        store(ctx, target, value)


def _keep_in_result(ctx: Context, targets: Sequence[Node], right: Node) -> None:
    """Gives the old object of ``x = wrap(x)`` away: the new one holds it. A number is replaced by another number."""
    call = right.named_children[0] if right.named_child_count == 1 else None
    given = arguments_of(call) if call is not None and call.type == "call_expression" else ()
    names = {text(one) for one in given if one.type == "identifier"}
    for target in targets:
        found = ctx.variable(text(target)) if target.type == "identifier" and text(target) in names else None
        if found is not None and found.type and item_type(found.type) not in NUMBERS:
            ctx.hand_over(found.place, target)


def _var(ctx: Context, node: Node) -> None:
    _declare(ctx, specs(node))


def _const(ctx: Context, node: Node) -> None:
    """Declares the constants that have a value of their own. One without has the expression of the one before it."""
    _declare(ctx, (spec for spec in specs(node) if spec.child_by_field_name("value") is not None))


def _declare(ctx: Context, listed: Iterable[Node]) -> None:
    for spec in listed:
        names = spec.children_by_field_name("name")
        kind = ctx.package.type_name(ctx.file, spec.child_by_field_name("type"))
        given = spec.child_by_field_name("value")
        values: Sequence[Operand | RValue] = (
            _values(ctx, given, len(names)) if given is not None else [_zero(ctx, spec, kind)] * len(names)
        )
        types = _types(ctx, given, len(names)) if given is not None and not kind else [kind] * len(names)
        for name, value, one in zip(names, values, types, strict=False):
            if text(name) == BLANK:
                ctx.builder.add(Assign(AccessPath(BLANK), value), name)
            else:
                ctx.builder.add(Assign(ctx.declare(text(name), one), value), name)
        declared = spec.child_by_field_name("type")
        length = declared.child_by_field_name("length") if declared is not None else None
        ctx.lengths.update({text(name): text(length) for name in names} if length is not None else {})


def _step_number(ctx: Context, node: Node) -> None:
    if node.named_children:
        store(ctx, node.named_children[0], ctx.assign(SOME, node))


def _expression(ctx: Context, node: Node) -> None:
    for one in node.named_children:
        if one.type == "call_expression":
            calls.call(ctx, one, 0)
        else:
            operand(ctx, one)


def _send(ctx: Context, node: Node) -> None:
    channel, value = node.child_by_field_name("channel"), node.child_by_field_name("value")
    assert channel is not None and value is not None
    operand(ctx, channel)
    ctx.hand_over(operand(ctx, value), node)


# -- calls that run later


def _defer(ctx: Context, node: Node) -> None:
    """Lowers ``defer f(x)``: evaluates ``f`` and ``x`` here, and calls at every way out from here on."""
    call = next((one for one in node.named_children if one.type == "call_expression"), None)
    if call is None:
        return
    if ctx.loops:
        if not defer_in_loop(ctx, call, node):
            give_away(ctx, call, node)
        return
    flag: Place | None = None
    if ctx.conditional:
        flag = ctx.builder.held()
        ctx.builder.add(Assign(flag, Lit(True)), node)
        ctx.builder.initialise(flag, Lit(False), node)
    ctx.deferred.append(Deferred(_later(ctx, call), flag, node, list(ctx.scopes)))


def _later(ctx: Context, call: Node) -> Callable[[], object]:
    function = call.child_by_field_name("function")
    assert function is not None
    values = [ctx.hold(operand(ctx, one), one) for one in arguments_of(call)]
    if function.type == "func_literal":
        return functools.partial(ctx.unit.run_literal, ctx, function, values, 0)
    callee, first = calls.callee_of(ctx, function)
    kept = tuple(Arg(ctx.hold(one.value, function)) for one in first)
    args = (*kept, *map(Arg, values))
    return functools.partial(_call_later, ctx, call, callee, args)


def _call_later(ctx: Context, call: Node, callee: Callee, args: tuple[Arg, ...]) -> None:
    outer = ctx.builder.begin_statement(call)
    calls.finish_call(ctx, call, callee, args, 0)
    ctx.builder.end_statement(outer, call)


def run_deferred(ctx: Context) -> None:
    """Lays the deferred calls, the last one first."""
    deferred, builder, scopes = list(ctx.deferred), ctx.builder, ctx.scopes
    for number in range(len(deferred) - 1, -1, -1):
        one = deferred[number]
        ctx.deferred, ctx.scopes = deferred[:number], list(one.scopes)
        if one.flag is None:
            one.lay()
            continue
        run_it, after = builder.new_block(), builder.new_block()
        builder.branch(Test(Truth(one.flag), None), one.node, run_it, after)
        builder.go_on(run_it)
        one.lay()
        builder.fall_into(after)
    ctx.deferred, ctx.scopes = deferred, scopes


# -- leaving


def _return(ctx: Context, node: Node) -> None:
    nodes = parts(node.named_children[0]) if node.named_children else []
    values: list[Operand] = []
    if len(nodes) == 1 and nodes[0].type == "call_expression" and _count(ctx) > 1:
        values = calls.call(ctx, nodes[0], _count(ctx))
    else:
        values = [operand(ctx, one) for one in nodes]
    if ctx.inlined:
        for place, value in zip(ctx.inlined[-1].results, values, strict=False):
            ctx.builder.add(Assign(place, value), node)
        run_deferred(ctx)
        ctx.builder.jump(ctx.inlined[-1].after)
        return
    if len(nodes) == len(values):
        wanted = zip(nodes, values, ctx.returns, strict=False)
        values = [_as_error(ctx, one, value) if kind == "error" else value for one, value, kind in wanted]
    if ctx.results and values:
        if len(values) > 1:
            values = [ctx.assign(one, node) if isinstance(one, AccessPath) else one for one in values]
        for place, value, kind in zip(ctx.results, values, ctx.returns, strict=False):
            if kind not in _HOLDING_NOTHING and value != place:
                ctx.hold(place, node)  # what is lost here is lost by the return, after the deferred calls
            ctx.builder.add(Assign(place, value), node)
    leave(ctx, node, values, falls_off=False)


def _count(ctx: Context) -> int:
    """Returns the number of results of the function, or of the literal that is laid in place."""
    return len(ctx.inlined[-1].results if ctx.inlined else ctx.returns)


def _as_error(ctx: Context, node: Node, value: Operand) -> Operand:
    """Returns an error number, or the error of another package that has a name, as what it is: never nil."""
    named = dotted(ctx, node)
    known = named is not None and is_sentinel(named.rpartition(".")[2])
    return ctx.assign(SOME, node) if known or _is_error_number(ctx, kind_of(ctx, node)) else value


def _is_error_number(ctx: Context, kind: str) -> bool:
    return ctx.unit.catalog.knows_type(kind) and kind not in ctx.unit.catalog.structs


def _result(ctx: Context, node: Node, values: Sequence[Operand]) -> Operand:
    if len(values) == 1:
        return values[0]
    return ctx.assign(Build("tuple", tuple(values)), node) if values else Lit(None)


def leave(ctx: Context, node: Node, values: Sequence[Operand], *, falls_off: bool) -> None:
    """Lays a return: the deferred calls run after the results are set, and may change named results."""
    builder = ctx.builder
    if ctx.results:
        results = [_final(ctx, place, value) for place, value in zip_longest(ctx.results, values[: len(ctx.results)])]
        run_deferred(ctx)
        builder.add(Leaving(_result(ctx, node, results), falls_off), node)
    else:
        builder.add(Leaving(_result(ctx, node, values), falls_off), node)
        run_deferred(ctx)
    builder.jump(RETURN)


def _final(ctx: Context, place: Place, value: Operand | None) -> Operand:
    """Returns a named result as it is after the deferred calls: a constant that none of them mentions stays, also where
    paths are no longer told apart."""
    if not isinstance(value, Lit) or place == BLANK:
        return value if isinstance(value, Lit) else place
    mentioned = (text(node) for one in ctx.deferred for node in inside(one.node) if node.type == "identifier")
    return place if place in mentioned else value


# -- branches


def _if(ctx: Context, node: Node) -> None:
    builder = ctx.builder
    with ctx.scope():
        initializer, condition = node.child_by_field_name("initializer"), node.child_by_field_name("condition")
        if initializer is not None:
            run(ctx, initializer)
        yes, no, after = (builder.new_block() for _ in range(3))
        if condition is not None:
            branch(ctx, condition, yes, no)
        for block, part in ((yes, "consequence"), (no, "alternative")):
            builder.go_on(block)
            body = node.child_by_field_name(part)
            if body is not None:
                with ctx.maybe():
                    run(ctx, body)
            builder.jump(after)
        builder.go_on(after)


def _switch(ctx: Context, node: Node) -> None:
    builder = ctx.builder
    after = builder.new_block()
    cases = [one for one in node.named_children if one.type in ("expression_case", "default_case")]
    bodies = [builder.new_block() for _ in cases]
    with ctx.scope():
        initializer, tag = node.child_by_field_name("initializer"), node.child_by_field_name("value")
        if initializer is not None:
            run(ctx, initializer)
        of_length = measured(tag) if tag is not None else None
        asked = operand(ctx, of_length if of_length is not None else tag) if tag is not None else None
        for case, body in zip(cases, bodies, strict=True):
            listed = case.child_by_field_name("value")
            for one in listed.named_children if listed is not None else ():
                following = builder.new_block()
                if asked is not None:
                    shown = Origin(builder.file, case.start_byte, one.end_byte)
                    test = comparison(Op.EQ, asked, operand(ctx, one), of_length is not None)
                    builder.branch(test, shown, body, following)
                else:
                    branch(ctx, one, body, following)
                builder.go_on(following)
        default = next((body for case, body in zip(cases, bodies, strict=True) if case.type == "default_case"), after)
        if default is after and tag is not None and _has_each(ctx, tag, cases):
            builder.end(Jump(()))
        else:
            builder.jump(default)
        _bodies(ctx, node, cases, bodies, after)


def _has_each(ctx: Context, tag: Node, cases: Sequence[Node]) -> bool:
    """Whether the cases list each constant of the type of a value."""
    values = ctx.package.values_of(kind_of(ctx, tag))
    listed = (case.child_by_field_name("value") for case in cases)
    named = (one for each in listed if each is not None for one in each.named_children)
    return bool(values) and values <= {_constant(ctx, one) for one in named}


def _constant(ctx: Context, node: Node) -> int | str | None:
    """Returns the value of a constant of this package or another one, the literal of a text."""
    module, _, name = (dotted(ctx, node) or text(node)).rpartition(".")
    number = ctx.package.number(module, name) if module else number_of(node, ctx.package.numbers)
    if number is not None:
        return number
    return text(node) if node.type in TEXTS else ctx.package.literal(module, name)


def _bodies(ctx: Context, node: Node, cases: Sequence[Node], bodies: Sequence[int], after: int) -> None:
    """Lays the bodies of cases. The last statement of one may be ``fallthrough``."""
    builder = ctx.builder
    builder.jumps.frames.append(Frame(after, label=label_of(node)))
    for number, (case, body) in enumerate(zip(cases, bodies, strict=True)):
        builder.go_on(body)
        falls = False
        with ctx.maybe():
            communication = case.child_by_field_name("communication")
            if communication is not None:
                run(ctx, communication)
            for one in _statements_of(case):
                falls = one.type == "fallthrough_statement"
                run(ctx, one)
        builder.jump(bodies[number + 1] if falls and number + 1 < len(bodies) else after)
    builder.jumps.frames.pop()
    builder.go_on(after)


def _statements_of(case: Node) -> Iterator[Node]:
    for one in case.named_children:
        if one.type == "statement_list":
            yield from one.named_children
        elif one.type in _STATEMENTS and one != case.child_by_field_name("communication"):
            yield one


def _choice(ctx: Context, node: Node) -> None:
    """Lowers a ``select`` or a type switch: any case may run."""
    builder = ctx.builder
    after = builder.new_block()
    kinds = ("communication_case", "type_case", "default_case")
    cases = [one for one in node.named_children if one.type in kinds]
    bodies = [builder.new_block() for _ in cases]
    with ctx.scope():
        initializer, value = node.child_by_field_name("initializer"), node.child_by_field_name("value")
        if initializer is not None:
            run(ctx, initializer)
        found = operand(ctx, value) if value is not None else None
        alias = node.child_by_field_name("alias")
        for one in alias.named_children if alias is not None and found is not None else ():
            builder.add(Assign(ctx.declare(text(one)), found if found is not None else Lit(None)), one)
        if isinstance(found, AccessPath):
            _switch_types(ctx, found, cases, bodies, after)
        else:
            complete = node.type == "select_statement" or any(one.type == "default_case" for one in cases)
            builder.end(Jump((*bodies, *(() if complete and bodies else (after,)))))
        _bodies(ctx, node, cases, bodies, after)


def _switch_types(ctx: Context, value: Operand, cases: Sequence[Node], bodies: Sequence[int], after: int) -> None:
    """Branches to the case for the type of a value."""
    for case, body in zip(cases, bodies, strict=True):
        if case.type == "default_case":
            after = body
            continue
        types = case.children_by_field_name("type")
        following = ctx.builder.new_block()
        if any(text(one) == "nil" for one in types):
            asked = ctx.builder.new_block()
            ask_for_nil(ctx, value, case, body, asked)
            ctx.builder.go_on(asked)
        _ask_kind(ctx, value, [one for one in types if one.is_named and text(one) != "nil"], case, body, following)
        ctx.builder.go_on(following)
    ctx.builder.jump(after)


def _receive(ctx: Context, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if right is not None:
        operand(ctx, right)
    for one in left.named_children if left is not None else ():
        bind_new(ctx, one, ctx.assign(Opaque(), node), "")


# -- jumps


def _for(ctx: Context, node: Node) -> None:
    loops.lower_for(ctx, node, run)


def _break(ctx: Context, node: Node) -> None:
    label = text(node.named_children[0]) if node.named_children else None
    target = ctx.builder.jumps.target(label, again=node.type == "continue_statement")
    ctx.builder.end(Jump((target,) if target is not None else ()))


def _labeled(ctx: Context, node: Node) -> None:
    block = _block_of(ctx, text(node.child_by_field_name("label")))
    ctx.builder.fall_into(block)
    for one in node.named_children[1:]:
        run(ctx, one)


def _goto(ctx: Context, node: Node) -> None:
    if node.named_children:
        ctx.builder.jump(_block_of(ctx, text(node.named_children[0])))


def _block_of(ctx: Context, label: str) -> int:
    labels = ctx.builder.jumps.labels
    if label not in labels:
        labels[label] = ctx.builder.new_block()
    return labels[label]


def _block(ctx: Context, node: Node) -> None:
    with ctx.scope():
        for one in node.named_children:
            run(ctx, one)


_STATEMENTS: dict[str, Callable[[Context, Node], None]] = {
    "short_var_declaration": _short,
    "assignment_statement": _assignment,
    "var_declaration": _var,
    "const_declaration": _const,
    "inc_statement": _step_number,
    "dec_statement": _step_number,
    "expression_statement": _expression,
    "send_statement": _send,
    "receive_statement": _receive,
    "go_statement": go,
    "defer_statement": _defer,
    "return_statement": _return,
    "if_statement": _if,
    "expression_switch_statement": _switch,
    "type_switch_statement": _choice,
    "select_statement": _choice,
    "for_statement": _for,
    "break_statement": _break,
    "continue_statement": _break,
    "labeled_statement": _labeled,
    "goto_statement": _goto,
    "block": _block,
}
