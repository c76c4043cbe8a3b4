"""Lowers loops over the indices of a sequence, ``iter`` and ``next`` like loops over the items.

In such a loop ``items[i]`` is the current item: otherwise each round would get an unknown one of them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from collections.abc import Iterator as IteratorOf
from typing import NamedTuple, TypeAlias

import libcst as cst

from fdlint.catalog.model import ElementsOf
from fdlint.catalog.shape import acquires
from fdlint.core.ir import AccessPath, Assign, Iterator, Operand, Place, Throw
from fdlint.languages.python.lowering.assignment import assign_target
from fdlint.languages.python.lowering.constants import integer
from fdlint.languages.python.lowering.context import Context
from fdlint.languages.python.lowering.exceptions import ANY
from fdlint.languages.python.lowering.names import path_text
from fdlint.languages.python.lowering.trees import nodes_in
from fdlint.languages.python.lowering.try_statements import throw

_EXHAUSTED = "StopIteration"
Statements: TypeAlias = Sequence[cst.BaseStatement]


def numbering(ctx: Context, node: cst.For) -> cst.BaseExpression | None:
    """Returns the sequence whose items a loop over indices goes through: that whose length it asks for, or another one
    of as many items, if the loop only reads that. None for any other loop."""
    measured = counted(ctx, node.iter) if isinstance(node.target, cst.Name) else None
    if measured is None or not isinstance(node.target, cst.Name):
        return None
    read = [one.entries for one in map(_entry, nodes_in(node.body)) if one and one.key.value == node.target.value]
    text = path_text(measured)
    if any(path_text(one) == text for one in read):
        return measured
    return next((one for one in read if ctx.filled.get(path_text(one) or "") == (text, _EACH)), measured)


def counted(ctx: Context, node: cst.BaseExpression) -> cst.BaseExpression | None:
    """Returns ``items`` if an expression is ``range(len(items))``, perhaps in reverse or counting down; None for any
    other."""
    match node:
        case cst.Call(args=[cst.Arg(value=only, keyword=None, star="")]):
            function = ctx.resolve(node.func)
            if function == "builtins.reversed":
                return counted(ctx, only)
            return _measured(ctx, only) if function == "builtins.range" else None
        case cst.Call(
            args=[
                cst.Arg(value=cst.BinaryOperation(left=end, operator=cst.Subtract(), right=cst.Integer(value="1"))),
                cst.Arg(value=cst.UnaryOperation(operator=cst.Minus(), expression=cst.Integer(value="1"))),
                cst.Arg(value=cst.UnaryOperation(operator=cst.Minus(), expression=cst.Integer(value="1"))),
            ]
        ):  # from the last one down to the first
            return _measured(ctx, end) if ctx.resolve(node.func) == "builtins.range" else None
        case cst.Call(args=[cst.Arg(value=cst.Integer() as start), cst.Arg(value=end, keyword=None, star="")]):
            return _measured(ctx, end) if ctx.resolve(node.func) == "builtins.range" and not integer(start) else None
    return None


def _measured(ctx: Context, node: cst.BaseExpression) -> cst.BaseExpression | None:
    """Returns ``items`` of ``len(items)``, or of a name that is bound to it, if that is a plain name or path."""
    if isinstance(node, cst.Name) and node.value in ctx.calls_held:
        node = ctx.calls_held[node.value]
    match node:
        case cst.Call(args=[cst.Arg(value=value, keyword=None, star="")]) if ctx.resolve(node.func) == "builtins.len":
            return value if path_text(value) is not None else None
    return None


class Keyed(NamedTuple):
    """A loop that looks up an entry of a dict in each round: the dict, and the variable that is the key."""

    entries: cst.BaseExpression
    key: cst.Name


def keyed(ctx: Context, node: cst.For) -> Keyed | None:
    """Returns ``entries`` of ``for key in entries`` if the loop looks up ``entries[key]``; None for any other loop. An
    earlier loop over the same keys may have filled the dict: ``for key in keys: entries[key] = ...``."""
    text = path_text(_copied(ctx, node.iter))
    if text is None or node.asynchronous is not None:
        return None
    for found in map(_entry, nodes_in(node.body)):
        if found is not None and (place := _place_in(node.target, found.key.value)) is not None:
            name = path_text(found.entries)
            if (name == text and place == _WHOLE) or ctx.filled.get(name or "") == (text, place):
                return found
    return None


def _copied(ctx: Context, node: cst.BaseExpression) -> cst.BaseExpression:
    """Returns the dict whose keys an expression has, in any order: ``sorted(entries.keys(), reverse=True)``."""
    match node:
        case cst.Call(func=cst.Attribute(value=entries, attr=cst.Name("keys")), args=[]):
            return _copied(ctx, entries)
        case cst.Call(args=[cst.Arg(value=entries, keyword=None, star=""), *more]) if all(one.keyword for one in more):
            shapes = [(api.returns, api.params[:1]) for api in ctx.unit.catalog.lookup(ctx.resolve(node.func) or "")]
            if any(isinstance(shape, ElementsOf) and params == (shape.name,) for shape, params in shapes):
                return _copied(ctx, entries)
        case cst.ListComp(
            elt=cst.Name(value=item),
            for_in=cst.CompFor(target=cst.Name(value=target), iter=entries, ifs=[], inner_for_in=None),
        ) if item == target:
            return _copied(ctx, entries)
    return node


def note_value(ctx: Context, names: Iterable[cst.BaseExpression], value: cst.BaseExpression) -> None:
    """Notes what a value tells of its new names: a length, an iterator, a list with an item for each item of another
    sequence, or a dict with the items of one as its keys."""
    match value:
        case cst.Name(value=known):
            ctx.filled.update({one: ctx.filled[known] for one in map(path_text, names) if one and known in ctx.filled})
        case cst.Call(func=function, args=[cst.Arg(value=only)]):
            made = ctx.resolve(function)
            if made in ("builtins.len", "builtins.iter"):
                ctx.calls_held.update({name.value: value for name in names if isinstance(name, cst.Name)})
            elif made == "builtins.dict" and (columns := _zipped(ctx, only)):
                _note_texts(ctx, names, columns[0], _WHOLE)
        case cst.ListComp(for_in=clause) if clause.inner_for_in is None and not clause.ifs:
            _note_texts(ctx, names, clause.iter, _EACH)
        case cst.DictComp(key=cst.Name() as key, for_in=clause):
            note_filled(ctx, clause, (Keyed(name, key) for name in names))


def note_filled(ctx: Context, clause: cst.For | cst.CompFor, entries: Iterable[Keyed]) -> None:
    """Notes the dicts that a loop has filled, with the items of a sequence, or a part of each, as their keys."""
    columns = _zipped(ctx, clause.iter)
    for one in entries:
        place = _place_in(clause.target, one.key.value)
        if columns and place is not None and 0 <= place < len(columns):
            _note_texts(ctx, [one.entries], columns[place], _WHOLE)
        elif place is not None:
            _note_texts(ctx, [one.entries], clause.iter, place)


def _note_texts(ctx: Context, names: Iterable[cst.BaseExpression], sequence: cst.BaseExpression, place: int) -> None:
    text = path_text(sequence)
    if text is not None:
        ctx.filled.update({name: (text, place) for name in map(path_text, names) if name is not None})


def _zipped(ctx: Context, node: cst.BaseExpression) -> list[cst.BaseExpression]:
    """Returns the sequences that ``zip`` goes through together; none for any other expression."""
    if isinstance(node, cst.Call) and ctx.resolve(node.func) == "builtins.zip":
        return [arg.value for arg in node.args if arg.keyword is None and not arg.star]
    return []


def entries_of(ctx: Context, body: cst.BaseSuite) -> Iterable[Keyed]:
    """Yields the ``entries[key]`` that statements assign, except where a call of the catalog gives what is no
    descriptor: a loop may fill several dicts."""
    for node in nodes_in(body):
        if not isinstance(node, cst.Assign) or _gives_nothing(ctx, node.value):
            continue
        yield from filter(None, (_entry(one.target) for one in node.targets))


def _gives_nothing(ctx: Context, node: cst.BaseExpression) -> bool:
    dotted = ctx.resolve(node.func) if isinstance(node, cst.Call) else None
    apis = ctx.unit.catalog.lookup(dotted) if dotted is not None else ()
    return bool(apis) and not any(acquires(api.returns) for api in apis)


def _entry(node: cst.CSTNode) -> Keyed | None:
    match node:
        case cst.Subscript(value=value, slice=[cst.SubscriptElement(slice=cst.Index(value=cst.Name() as key))]):
            return Keyed(value, key)
        case cst.Call(func=cst.Attribute(value=value, attr=cst.Name("pop")), args=[cst.Arg(value=cst.Name() as key)]):
            return Keyed(value, key)
    return None


_WHOLE, _EACH = -1, -2  # the key is the item; there are no keys, but an item for each


def _place_in(target: cst.BaseExpression, name: str) -> int | None:
    """Returns which part of the target of a loop a variable is, ``_WHOLE`` for all of it; None if it is none."""
    match target:
        case cst.Name(value=only):
            return _WHOLE if only == name else None
        case cst.Tuple(elements=parts):
            named = (n for n, one in enumerate(parts) if isinstance(one.value, cst.Name) and one.value.value == name)
            return next(named, None)
    return None


def numbered(ctx: Context, node: cst.For) -> cst.Name | None:
    """Returns the ``i`` of ``for i, item in enumerate(items)`` and of ``for i in range(count)``, if the loop compares
    it with a number; None for any other loop."""
    match node:
        case cst.For(
            target=cst.Tuple(elements=[cst.Element(value=cst.Name() as index), _]),
            iter=cst.Call(func=function, args=[cst.Arg(star="")]),
        ):
            counts = ctx.resolve(function) == "builtins.enumerate"
        case cst.For(target=cst.Name() as index, iter=cst.Call(func=function, args=[cst.Arg(value=end, star="")])):
            counts = not isinstance(end, cst.Integer) and ctx.resolve(function) == "builtins.range"
        case _:
            return None
    return index if counts and any(_asks(one, index.value) for one in nodes_in(node.body)) else None


def _asks(node: cst.CSTNode, name: str) -> bool:
    """Whether a node compares a variable with a number, or asks whether it is 0."""
    match node:
        case (
            cst.Comparison(left=cst.Name(value=asked), comparisons=[cst.ComparisonTarget(comparator=cst.Integer())])
            | cst.Comparison(left=cst.Integer(), comparisons=[cst.ComparisonTarget(comparator=cst.Name(value=asked))])
            | cst.If(test=cst.Name(value=asked))
            | cst.UnaryOperation(operator=cst.Not(), expression=cst.Name(value=asked))
        ):
            return bool(asked == name)
    return False


def counting(ctx: Context, node: cst.While) -> cst.For | None:
    """Returns ``for i in range(len(items))`` for ``while i < len(items): ...; i += 1`` that begins at 0, also if a
    ``break`` in ``while True`` is what ends it, in whatever branch, and for ``while i: i -= 1; ...`` that begins at the
    length; None for other loops."""
    if (down := _counting_down(ctx, node)) is not None:
        return down
    found = _ended_at(node)
    if found is None or node.orelse is not None:
        return None
    comparison, body = found
    match comparison:
        case cst.Comparison(left=cst.Name() as index, comparisons=[cst.ComparisonTarget(comparator=end)]):
            sequence = _measured(ctx, end) if ctx.local_name(index.value) in ctx.zero else None
            steps = any(_steps(one, index) for one in body)
            return _by_range(ctx, sequence, index, body) if sequence is not None and steps else None
    return None


def _by_range(ctx: Context, items: cst.BaseExpression, index: cst.Name, body: Statements) -> cst.For | None:
    numbers = cst.Call(cst.Name("range"), [cst.Arg(cst.Call(cst.Name("len"), [cst.Arg(items)]))])
    return cst.For(index, numbers, cst.IndentedBlock(body)) if counted(ctx, numbers) is not None else None


def _counting_down(ctx: Context, node: cst.While) -> cst.For | None:
    body = _statements(node.body)
    match node.test:
        case (cst.Name() as index) | cst.Comparison(
            left=cst.Name() as index,
            comparisons=[cst.ComparisonTarget(operator=cst.GreaterThan(), comparator=cst.Integer(value="0"))],
        ) if node.orelse is None and index.value in ctx.calls_held:
            sequence = _measured(ctx, index)
            if sequence is not None and body and _steps(body[0], index, cst.SubtractAssign):
                return _by_range(ctx, sequence, index, body[1:])
    return None


_GOES_ON = (cst.LessThan, cst.NotEqual)
_ENDS = (cst.GreaterThanEqual, cst.Equal)


def _ended_at(node: cst.While) -> tuple[cst.BaseExpression, Statements] | None:
    """Returns the comparison with which a loop goes on or ends, and the statements after it."""
    test: cst.BaseExpression | None = node.test
    goes_on, statements = True, _statements(node.body)
    match node.test, statements:
        case cst.Name(value="True"), [cst.If(test=test, orelse=otherwise) as asked, *rest]:
            body = _statements(asked.body)
            other = _statements(otherwise.body) if isinstance(otherwise, cst.Else) else [otherwise] if otherwise else ()
            goes_on = not _is_break(body)
            if goes_on and not _is_break(other):
                return None
            statements = [*(body if goes_on else other), *rest]
    while isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        test, goes_on = test.expression, not goes_on
    return (test, statements) if test is not None and _compares(test, _GOES_ON if goes_on else _ENDS) else None


def _statements(body: cst.BaseSuite) -> Statements:
    return body.body if isinstance(body, cst.IndentedBlock) else ()


def _is_break(block: Statements) -> bool:
    match block:
        case [cst.SimpleStatementLine(body=[cst.Break()])]:
            return True
    return False


def _compares(node: cst.BaseExpression, kinds: tuple[type[cst.BaseCompOp], ...]) -> bool:
    return (
        isinstance(node, cst.Comparison)
        and len(node.comparisons) == 1
        and isinstance(node.comparisons[0].operator, kinds)
    )


def _steps(node: cst.CSTNode, index: cst.Name, sign: type[cst.BaseAugOp] = cst.AddAssign) -> bool:
    """Whether a statement is ``i += 1``, or with another operator."""
    match node:
        case cst.SimpleStatementLine(
            body=[cst.AugAssign(target=cst.Name(value=name), operator=operator, value=cst.Integer(value="1"))]
        ):
            return bool(name == index.value) and isinstance(operator, sign)
    return False


@contextlib.contextmanager
def by_index(
    ctx: Context, sequence: cst.BaseExpression | None, index: cst.BaseExpression, item: Place
) -> IteratorOf[None]:
    """Lets ``sequence[index]`` mean ``item`` inside the ``with``, as long as nothing binds one of them."""
    if sequence is None or not isinstance(index, cst.Name):
        yield
        return
    key = path_text(sequence) or "", ctx.local_name(index.value)
    ctx.indexed[key] = item
    yield
    ctx.indexed.pop(key, None)


def current_item(ctx: Context, sequence: cst.BaseExpression, index: cst.BaseSlice | None) -> Place | None:
    """Returns the current item if an index stands for it; None for any other."""
    match index:
        case cst.Index(value=cst.Name(value=name)):
            return ctx.indexed.get((path_text(sequence) or "", ctx.local_name(name)))
    return None


def stepped(ctx: Context, node: cst.Call) -> Operand | None:
    """Lowers ``iter(items)``, and ``next(steps)`` if its end is met: by a default or a handler. None for any other
    call."""
    match node.args:
        case [cst.Arg(value=items, keyword=None, star="")] if ctx.resolve(node.func) == "builtins.iter":
            return ctx.assign(Iterator(loop_source(ctx, items)), node)
        case [cst.Arg(value=steps, keyword=None, star=""), *rest] if (
            ctx.resolve(node.func) == "builtins.next"
            and (rest or _EXHAUSTED in ctx.builder.handled())
            and _is_at_hand(ctx, steps)
        ):
            return _next(ctx, node, steps, rest[0].value if rest else None)
    return None


def loop_source(ctx: Context, node: cst.BaseExpression) -> Operand:
    """Evaluates what an iterator goes over. Nothing changes a list that only the iterator knows: it is a tuple."""
    return ctx.unit.expressions[cst.Tuple](ctx, node) if isinstance(node, cst.List) else ctx.iterated(node)


def _is_at_hand(ctx: Context, node: cst.BaseExpression) -> bool:
    """Whether an iterator is in a variable of the function, or in what such a variable holds, or over one of them."""
    if isinstance(node, cst.Call) and len(node.args) == 1 and ctx.resolve(node.func) == "builtins.iter":
        node = node.args[0].value
    held = isinstance(node, cst.Attribute | cst.Subscript)
    while isinstance(node, cst.Attribute | cst.Subscript):
        node = node.value
    if not isinstance(node, cst.Name) or ctx.outlives(place := ctx.local_name(node.value)):
        return False
    return not held or (place in ctx.scope.bound and place not in ctx.builder.graph.parameters)


class Stepping(NamedTuple):
    """A loop that draws from an iterator by hand: the iterator, and the loop over what it goes over."""

    steps: cst.Name
    loop: cst.For


def stepping(ctx: Context, node: cst.While) -> Stepping | None:
    """Returns the parts of ``while True`` that begins with ``try: x = next(steps)``, ``except StopIteration: break``;
    None for any other loop."""
    match node:
        case cst.While(
            test=cst.Name(value="True"),
            body=cst.IndentedBlock(
                body=[
                    cst.Try(
                        body=cst.IndentedBlock(body=[cst.SimpleStatementLine(body=[cst.Assign() as drawing])]),
                        handlers=[cst.ExceptHandler(type=cst.Name(value="StopIteration"), body=handler)],
                        orelse=None,
                        finalbody=None,
                    ),
                    *rest,
                ]
            ),
            orelse=None,
        ) if _is_break(_statements(handler)):
            pass
        case _:
            return None
    match drawing:
        case cst.Assign(
            targets=[cst.AssignTarget(target=target)],
            value=cst.Call(func=function, args=[cst.Arg(value=cst.Name() as steps, keyword=None, star="")]),
        ) if ctx.resolve(function) == "builtins.next" and _is_at_hand(ctx, steps):
            made = ctx.calls_held.pop(steps.value, None)  # the next loop over it does not begin at the start
            over = whole(ctx, made) if made is not None else steps
            return Stepping(steps, cst.For(target, over, cst.IndentedBlock(rest)))
    return None


def whole(ctx: Context, node: cst.BaseExpression) -> cst.BaseExpression:
    """Returns what an iterator over all items goes over: ``items`` of ``iter(items)`` and of ``(one for one in
    items)``; any other expression as it is."""
    match node:
        case cst.Call(func=function, args=[cst.Arg(value=items, keyword=None, star="")]):
            return whole(ctx, items) if ctx.resolve(function) == "builtins.iter" else node
        case cst.GeneratorExp(
            elt=cst.Name(value=made),
            for_in=cst.CompFor(target=cst.Name(value=drawn), iter=items, ifs=[], inner_for_in=None, asynchronous=None),
        ) if made == drawn:
            return whole(ctx, items)
    return node


def _next(ctx: Context, node: cst.Call, steps: cst.BaseExpression, otherwise: cst.BaseExpression | None) -> Place:
    builder = ctx.builder
    ctx.calls_held.pop(path_text(steps) or "", None)  # it does not go over all items any more
    source = ctx.operand(steps)
    if isinstance(source, AccessPath) and isinstance(steps, cst.Name):
        iterator: Place = source
    else:
        iterator = ctx.assign(source, node)
    default = ctx.operand(otherwise) if otherwise is not None else None
    item, result = builder.temporary(), builder.temporary()
    body, done, after = builder.new_block(), builder.new_block(), builder.new_block()
    builder.advance(iterator, item, node, body, done, ANY)
    builder.go_on(body)
    builder.emit(Assign(result, item), node)
    if iterator is not source:
        assign_target(ctx, steps, iterator, node)
    builder.jump(after)
    builder.go_on(done)
    if default is None:
        throw(ctx, node, Throw(None, _EXHAUSTED), _EXHAUSTED)
    else:
        builder.emit(Assign(result, default), node)
        builder.jump(after)
    builder.go_on(after)
    return result
