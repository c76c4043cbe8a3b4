"""Lowers ``while`` and ``for``, with their ``else``."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator as IteratorOf
from collections.abc import Sequence

import libcst as cst

from fdlint.core.ir import AccessPath, Assign, Bound, ComprehensionVariable, Drop, Iterator, Lit, Opaque, Operand, Place
from fdlint.languages.python.lowering import conditions, indexing
from fdlint.languages.python.lowering.assignment import assign_target
from fdlint.languages.python.lowering.builder import LoopFrame
from fdlint.languages.python.lowering.context import Context
from fdlint.languages.python.lowering.exceptions import ANY
from fdlint.languages.python.lowering.texts import condition_text
from fdlint.languages.python.lowering.trees import nodes_in
from fdlint.languages.rounds import Rounds, forget, lay_head


def advance_raises(ctx: Context, node: cst.BaseExpression, asynchronous: object = None) -> tuple[str, ...]:
    """Returns the exceptions of advancing an iterator over this expression: none for a plain container or a range."""
    if asynchronous is not None:
        return (ANY,)
    match node:
        case cst.Tuple() | cst.List() | cst.Set() | cst.Dict() | cst.BaseString():
            return ()
        case cst.Call():
            apis = ctx.apis(node)
            return () if apis and apis[0].nothrow_iteration else (ANY,)
    return (ANY,)


def iterator_over(source: Operand, clause: cst.For | cst.CompFor, *, values: bool = False) -> Iterator:
    """Returns the iterator of a loop over a value; over the values of a dict if ``values``."""
    named = isinstance(clause.iter, cst.Name | cst.Attribute)
    return Iterator(source, values, computed=not named or clause.asynchronous is not None)


def lower_while(ctx: Context, node: cst.While) -> None:
    """Lowers ``while test: … else: …``."""
    stepping = indexing.stepping(ctx, node)
    if stepping is not None:
        _lower_rounds(ctx, node, stepping.loop, stepping.steps, drawing=True)
        return
    counting = indexing.counting(ctx, node)
    if counting is not None:
        _lower_rounds(ctx, node, counting, node.test)
        return
    builder = ctx.builder
    head, body, otherwise, after = (builder.new_block() for _ in range(4))
    builder.fall_into(head)
    builder.note_loop(head, _lasting(node.test), node.test, done=otherwise)
    outer = builder.begin_statement(node)
    conditions.branch(ctx, node.test, body, otherwise)
    builder.go_on(body)
    builder.end_statement(outer, node, also=otherwise)
    _body(ctx, node.body, after, head)
    builder.go_on(otherwise)
    if node.orelse is not None:
        ctx.run(node.orelse.body)
    builder.fall_into(after)


def lower_for(ctx: Context, node: cst.For) -> None:
    """Lowers ``for target in iter: … else: …``, also ``async for``."""
    over = indexing.whole(ctx, node.iter) if node.asynchronous is None else node.iter
    loop = node if over is node.iter else cst.For(node.target, over, node.body, node.orelse)
    _lower_rounds(ctx, node, loop, node.iter)


def _lower_rounds(
    ctx: Context, node: cst.For | cst.While, loop: cst.For, head_of: cst.BaseExpression, drawing: bool = False
) -> None:
    """Lowers ``loop``, which the source writes as ``node``. ``head_of``: the expression that decides about the next
    round. ``drawing``: this is an iterator with a name."""
    builder = ctx.builder
    head, body, otherwise, after = (builder.new_block() for _ in range(4))
    outer = builder.begin_statement(node)
    sequence = indexing.numbering(ctx, loop)
    key: cst.BaseExpression = loop.target
    if sequence is None and (keyed := indexing.keyed(ctx, loop)) is not None:
        sequence, key = keyed
    drawn, iterated = (None, loop.iter) if drawing else _drawn(loop)
    source, iterator = _begin(ctx, node, loop, iterated, sequence, head_of if drawing else None)
    builder.drop_temporaries(node, keep=iterator)
    index, coming = indexing.numbered(ctx, loop), builder.held()
    if index is not None:
        builder.emit(Assign(coming, Lit(0)), node)
    counted = _rounds(ctx, loop)
    if counted is not None:
        forget(builder, counted, node)
    builder.fall_into(head)
    builder.note_loop(head, _length(ctx, loop), head_of, source)
    item, raises = builder.temporary(), advance_raises(ctx, iterated, loop.asynchronous)
    advance = functools.partial(builder.advance, iterator, item, head_of, body)
    if counted is not None:
        never = builder.new_block()
        lay_head(
            builder, counted, node, otherwise, lambda: advance(never, *raises), lambda: advance(otherwise, *raises)
        )
    else:
        advance(otherwise, *raises)
    builder.go_on(body)
    held = builder.held()
    if sequence is not None:
        builder.emit(Assign(held, item), loop.target)
        assign_target(ctx, loop.target, ctx.assign(Opaque(some=True), loop.target), loop.target)
    else:
        assign_target(ctx, loop.target, item if drawn is None else _element(ctx, drawn, item, head), loop.target)
    _number(ctx, index, coming, loop.target)
    builder.drop_temporaries(node, keep=iterator)
    with indexing.by_index(ctx, sequence, key, held), _asking(ctx, counted, node):
        _body(ctx, loop.body, after, head)
    indexing.note_filled(ctx, loop, indexing.entries_of(ctx, loop.body))
    builder.go_on(otherwise)
    builder.end_statement(outer, node)
    if loop.orelse is not None:
        ctx.run(loop.orelse.body)
    builder.fall_into(after)
    if sequence is not None or index is not None:
        builder.emit(Drop((held, coming)), node)
    if counted is not None:
        builder.emit(Drop((counted.last,)), node)


def _begin(
    ctx: Context,
    node: cst.For | cst.While,
    loop: cst.For,
    iterated: cst.BaseExpression,
    sequence: cst.BaseExpression | None,
    steps: cst.BaseExpression | None,
) -> tuple[Operand, Place]:
    """Returns what a loop goes over, and its iterator: one with a name goes on where it was."""
    if sequence is None and steps is not None and isinstance(known := ctx.operand(steps), AccessPath):
        return known, known
    source = ctx.operand(sequence) if sequence is not None else indexing.loop_source(ctx, iterated)
    return source, ctx.assign(iterator_over(source, loop, values=sequence is not None), node)


def _number(ctx: Context, index: cst.Name | None, coming: Place, node: cst.CSTNode) -> None:
    """Gives the variable that has the number of a round this number, if there is one. The next round's is above 0."""
    if index is not None:
        assign_target(ctx, index, coming, node)
        ctx.builder.emit(Assign(coming, Opaque(some=True, positive=True)), node)


def _drawn(node: cst.For) -> tuple[cst.GeneratorExp | None, cst.BaseExpression]:
    """Returns the generator expression that a loop draws from, if each round makes one item; and what is iterated."""
    match node.iter:
        case cst.GeneratorExp(for_in=cst.CompFor(inner_for_in=None, asynchronous=None)) if node.asynchronous is None:
            return node.iter, node.iter.for_in.iter
    return None, node.iter


def _element(ctx: Context, node: cst.GeneratorExp, item: Place, head: int) -> Operand:
    """Makes the next item of a generator expression from one of its source."""
    names: dict[str, Place] = {}
    ctx.renamed.append(names)
    bind_item(ctx, node.for_in, names, item, head)
    made = ctx.operand(node.elt)
    ctx.renamed.pop()
    return made


def bind_item(ctx: Context, clause: cst.CompFor, names: dict[str, Place], item: Place, head: int) -> None:
    """Binds the targets of a comprehension to an item, and goes back to ``head`` if a condition does not hold."""
    _rename(clause.target, names, len(ctx.renamed))
    assign_target(ctx, clause.target, item, clause)
    for condition in clause.ifs:
        passed = ctx.builder.new_block()
        conditions.branch(ctx, condition.test, passed, head)
        ctx.builder.go_on(passed)


def _rename(target: cst.CSTNode, names: dict[str, Place], depth: int) -> None:
    """Gives the targets of a comprehension places of their own, because the function may use the same names."""
    if isinstance(target, cst.Name):
        names[target.value] = ComprehensionVariable.at(depth, target.value)
    elif isinstance(target, (cst.Tuple, cst.List)):
        for element in target.elements:
            _rename(element.value, names, depth)


def _rounds(ctx: Context, node: cst.For) -> Rounds | None:
    """Returns the rounds of a loop whose body asks whether one of them is the last; None for any other loop."""
    match node:
        case cst.For(
            target=cst.Tuple(elements=[cst.Element(value=cst.Name(value=index)), _]),
            iter=cst.Call(func=function, args=[cst.Arg(value=items, star="")]),
        ) if ctx.resolve(function) == "builtins.enumerate":
            number = condition_text(cst.Call(cst.Name("len"), [cst.Arg(items)]))
        case cst.For(
            target=cst.Name(value=index), iter=cst.Call(func=function, args=[cst.Arg(value=end, star="")])
        ) if ctx.resolve(function) == "builtins.range":
            number = condition_text(end)
        case _:
            return None
    lengths = ((name, condition_text(length)) for name, length in ctx.calls_held.items())
    same = {one for pair in lengths if number in pair for one in pair} | {number}
    pairs = [pair for one in same for pair in ((index, f"{{{one} Subtract 1}}"), (f"{{{index} Add 1}}", one))]
    found = Rounds(frozenset(pairs), ctx.builder.held())
    asks = any(conditions.holds_in_last(found, one) is not None for one in nodes_in(node.body))
    return found if asks else None


@contextlib.contextmanager
def _asking(ctx: Context, rounds: Rounds | None, node: cst.For | cst.While) -> IteratorOf[None]:
    """Lets the conditions inside the ``with`` ask about the rounds of a loop."""
    if rounds is not None:
        forget(ctx.builder, rounds, node)
        ctx.rounds.append(rounds)
    yield
    if rounds is not None:
        ctx.rounds.pop()


def _lasting(test: cst.BaseExpression) -> Bound:
    """Guesses how often a ``while`` runs: one with a comparison or a name ends, any other may run forever."""
    match test:
        case cst.Name(value="True"):
            return Bound.ENDLESS
    return Bound.ENDS if isinstance(test, (cst.Comparison, cst.Name)) else Bound.ENDLESS


def _length(ctx: Context, node: cst.For) -> Bound:
    """Guesses how often a ``for`` runs: a display is short, ``async for`` may run forever."""
    if node.asynchronous is not None:
        return Bound.ENDLESS
    return Bound.FEW if _is_short(ctx, node.iter) else Bound.ENDS


def _is_short(ctx: Context, node: cst.BaseExpression) -> bool:
    """Whether an expression has the items of a display: is one, is made from one, or names a tuple of the module."""
    match node:
        case cst.Tuple() | cst.List() | cst.Set() | cst.Dict():
            return True
        case cst.Call(args=[cst.Arg(value=source), *_]):
            return isinstance(source, (cst.Tuple, cst.List, cst.Set, cst.Dict)) or bool(ctx.scope.group(source))
        case cst.GeneratorExp(for_in=clause) | cst.ListComp(for_in=clause):
            return clause.inner_for_in is None and _is_short(ctx, clause.iter)
    return bool(ctx.scope.group(node))


def _body(ctx: Context, body: cst.BaseSuite | Sequence[cst.BaseStatement], after: int, head: int) -> None:
    builder = ctx.builder
    frames = builder.frames
    builder.frames = (*frames, LoopFrame(after, head))
    ctx.run(body)
    builder.frames = frames
    builder.jump(head)


def lower_jump(ctx: Context, node: cst.Break | cst.Continue) -> None:
    """Lowers ``break`` and ``continue``: runs the cleanups inside the loop, then leaves it, or goes to its head."""
    depth = ctx.builder.innermost_loop()
    if depth is not None:
        frame = ctx.builder.frames[depth]
        assert isinstance(frame, LoopFrame)
        ctx.builder.leave_to(depth + 1)
        ctx.builder.jump(frame.on_break if isinstance(node, cst.Break) else frame.on_continue)
