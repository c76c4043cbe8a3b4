"""Lowers Go's loops. One that counts through a slice goes through its items, like one with ``range``."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from fdlint.core.ir import Assign, Bound, Lit, Opaque, Operand, Place, Slice
from fdlint.core.ir import Iterator as IteratorOver
from fdlint.languages.go.lowering.assignment import bind_new, store
from fdlint.languages.go.lowering.builder import Frame
from fdlint.languages.go.lowering.constants import Node, inside, text
from fdlint.languages.go.lowering.context import Context
from fdlint.languages.go.lowering.deferring import prepare
from fdlint.languages.go.lowering.expressions import PLAIN, SOME, branch, holds_in_last, kind_of, measured, operand
from fdlint.languages.go.lowering.type_names import MAP, item_type
from fdlint.languages.rounds import Rounds, forget, lay_head

Run: TypeAlias = Callable[[Context, Node], None]
"""Lays a statement."""

_ASSIGNING = frozenset({"assignment_statement", "short_var_declaration", "range_clause", "receive_statement"})
_STEPPING = frozenset({"inc_statement", "dec_statement"})
_NO_ITEMS = frozenset({"nil", "-1", "0"})
"""What an item is set to once it is closed."""
_SMALL = re.compile(r"[0-9]{1,3}")


class _Counted(NamedTuple):
    """A loop through the positions of a slice: the position, the slice, and the first position. ``part``: it ends
    before a position that is not known to be the end."""

    position: Node
    over: Node
    start: int = 0
    part: bool = False


def lower_for(ctx: Context, node: Node, run: Run) -> None:
    """Lays a loop of any kind."""
    clause = next((one for one in node.named_children if one.type in ("for_clause", "range_clause")), None)
    body = node.child_by_field_name("body")
    if not ctx.loops and body is not None:
        prepare(ctx, body)
    with ctx.scope():
        counted = _counted(ctx, clause, body) if clause is not None else None
        if clause is not None and counted is not None and _walks(body, counted.position, counted.over):
            _count(ctx, node, counted, body, run)
        elif clause is not None and clause.type == "range_clause":
            _range(ctx, node, clause, body, run)
        else:
            condition = next((one for one in node.named_children if one not in (body, clause)), None)
            asked = condition if clause is None else clause.child_by_field_name("condition")
            _while(ctx, node, clause, asked, body, run)


def label_of(node: Node) -> str | None:
    """Returns the label of a statement."""
    parent = node.parent
    if parent is None or parent.type != "labeled_statement":
        return None
    return text(parent.child_by_field_name("label"))


def _while(ctx: Context, node: Node, clause: Node | None, condition: Node | None, body: Node | None, run: Run) -> None:
    builder = ctx.builder
    initializer = clause.child_by_field_name("initializer") if clause is not None else None
    update = clause.child_by_field_name("update") if clause is not None else None
    if initializer is not None:
        run(ctx, initializer)
    head, inside, again, after = (builder.new_block() for _ in range(4))
    counter = _counter(clause, body)
    rounds = _rounds(ctx, body, counter[0], {text(counter[1])}) if counter is not None else None
    if rounds is not None:
        forget(builder, rounds, node)
    builder.fall_into(head)
    builder.note_loop(head, Bound.ENDS if condition is not None else Bound.ENDLESS, node, done=after)
    if rounds is not None:
        lay_head(builder, rounds, node, after, lambda: builder.jump(inside), lambda: None)
    if condition is not None and condition.type != "comment":
        outer = builder.begin_statement(condition)
        branch(ctx, condition, inside, after)
        builder.go_on(inside)
        builder.end_statement(outer, condition, also=after)
    else:
        builder.fall_into(inside)
    _loop_body(ctx, body, Frame(after, again, label_of(node)), run, rounds)
    builder.fall_into(again)
    if counter is not None:
        store(ctx, counter[0], ctx.assign(Opaque(some=True, positive=True), node))
    elif update is not None:
        run(ctx, update)
    builder.jump(head)
    builder.go_on(after)


def _range(ctx: Context, node: Node, clause: Node, body: Node | None, run: Run) -> None:
    left, right = clause.child_by_field_name("left"), clause.child_by_field_name("right")
    assert right is not None
    targets = left.named_children if left is not None else []
    kind = ctx.package.spelled_out(kind_of(ctx, right))
    declares = ":=" in text(clause).partition("range")[0]
    numbered = _number(ctx, node, body, targets[0], 0) if targets and not _is_map(kind) else _unnumbered(ctx, node)

    def bind(item: Place) -> None:
        for number, target in enumerate(targets):
            value = item if number == 1 else numbered()
            if declares:
                bind_new(ctx, target, value, item_type(kind) if number == 1 else "")
            else:
                store(ctx, target, value)
        if targets and declares and right.type in PLAIN and _walks(body, targets[0], right):
            _name_item(ctx, targets[0], right, item)

    rounds = _rounds(ctx, body, targets[0], {text(right), f"len({text(right)})"}) if targets else None
    _go_through(ctx, node, right, operand(ctx, right), bind, body, run, rounds)


def _count(ctx: Context, node: Node, counted: _Counted, body: Node | None, run: Run) -> None:
    """Lays a loop through the positions of a slice."""

    numbered = _number(ctx, node, body, counted.position, counted.start)

    def bind(item: Place) -> None:
        bind_new(ctx, counted.position, numbered(), "int")
        _name_item(ctx, counted.position, counted.over, item)

    source = operand(ctx, counted.over)
    if counted.start or counted.part:
        source = ctx.assign(Slice(source, counted.start, None, not counted.part), node)
    rounds = _rounds(ctx, body, counted.position, {f"len({text(counted.over)})"}) if not counted.part else None
    _go_through(ctx, node, counted.over, source, bind, body, run, rounds)


def _go_through(
    ctx: Context,
    node: Node,
    origin: Node,
    source: Operand,
    bind: Callable[[Place], None],
    body: Node | None,
    run: Run,
    rounds: Rounds | None,
) -> None:
    """Lays a loop through a container. ``bind`` gives an item to the variables of the loop."""
    builder = ctx.builder
    iterator = ctx.assign(IteratorOver(source, values=True), node)
    builder.drop_temporaries(node, keep=iterator)
    head, inside, after = (builder.new_block() for _ in range(3))
    if rounds is not None:
        forget(builder, rounds, node)
    builder.fall_into(head)
    builder.note_loop(head, Bound.ENDS, node, source)
    item = builder.temporary()
    if rounds is not None:
        never = builder.new_block()
        another = functools.partial(builder.go_round, iterator, item, origin, inside, never)
        lay_head(builder, rounds, node, after, another, lambda: None)
    builder.go_round(iterator, item, origin, inside, after)
    builder.go_on(inside)
    bind(item)
    builder.drop_temporaries(node, keep=iterator)
    _loop_body(ctx, body, Frame(after, head, label_of(node)), run, rounds)
    builder.jump(head)
    builder.go_on(after)


def _loop_body(ctx: Context, body: Node | None, frame: Frame, run: Run, rounds: Rounds | None) -> None:
    ctx.builder.jumps.frames.append(frame)
    ctx.loops += 1
    if body is not None:
        asking = [rounds] if rounds is not None else []
        ctx.rounds.extend(asking)
        for one in asking:
            forget(ctx.builder, one, body)
        with ctx.maybe():
            run(ctx, body)
        del ctx.rounds[len(ctx.rounds) - len(asking) :]
    ctx.loops -= 1
    ctx.builder.jumps.frames.pop()


def _counter(clause: Node | None, body: Node | None) -> tuple[Node, Node] | None:
    """Returns ``i`` and ``n`` of ``i := 0; i < n; i++``, if nothing else changes ``i``; None for any other clause."""
    if clause is None or (asked := clause.child_by_field_name("condition")) is None:
        return None
    position, end = asked.child_by_field_name("left"), asked.child_by_field_name("right")
    if position is None or end is None or _changes(body, position, position):
        return None
    written = [text(clause.child_by_field_name(one)) for one in ("initializer", "condition", "update")]
    name = text(position)
    return (position, end) if written == [f"{name} := 0", f"{name} < {text(end)}", f"{name}++"] else None


def _rounds(ctx: Context, body: Node | None, position: Node, numbers: set[str]) -> Rounds | None:
    """Returns the rounds of a loop whose body asks whether one of them is the last; None for any other loop.
    ``numbers``: how the number of rounds may be written."""
    equal = [{f"len({one})", length} for one, length in ctx.lengths.items()]
    same = numbers.union(*(one for one in equal if not one.isdisjoint(numbers)))
    index = text(position)
    pairs = frozenset(pair for one in same for pair in ((index, f"{one}-1"), (f"{index}+1", one)))
    found = Rounds(pairs, ctx.builder.held())
    asks = any(one.type == "binary_expression" and holds_in_last(found, one) is not None for one in inside(body))
    return found if asks else None


# -- positions


def _counted(ctx: Context, clause: Node, body: Node | None) -> _Counted | None:
    """Returns the parts of ``i := 0; i < len(x); i++`` and of ``i := range len(x)``; None for any other clause. The
    limit may also be the length with which a slice or an array was made that the body reads, or a variable: such a loop
    goes through what was put there so far."""
    if clause.type == "range_clause":
        names, right = clause.child_by_field_name("left"), clause.child_by_field_name("right")
        start = "0" if ":=" in text(clause) else ""
    else:
        first, asked = clause.child_by_field_name("initializer"), clause.child_by_field_name("condition")
        if first is None or asked is None or first.type != "short_var_declaration":
            return None
        names, right = first.child_by_field_name("left"), asked.child_by_field_name("right")
        position = text(names)
        if text(clause.child_by_field_name("update")) == f"{position}--":
            return _counted_down(names, first.child_by_field_name("right"), text(asked), body)
        counts = text(clause.child_by_field_name("update")) == f"{position}++"
        asks = text(asked.child_by_field_name("left")), text(asked.child_by_field_name("operator"))
        start = text(first.child_by_field_name("right")) if counts and asks == (position, "<") else ""
    over = measured(right) if right is not None else None
    part = False
    if over is None and right is not None and names is not None:
        read = [*_read_at(body, text(names))]
        over = next((one for one in read if ctx.lengths.get(text(one)) == text(right)), None)
        part = over is None and right.type in PLAIN and clause.type != "range_clause"
        over = read[0] if part and read else over
    if names is None or len(names.named_children) != 1 or not _SMALL.fullmatch(start) or over is None:
        return None
    return _Counted(names.named_children[0], over, int(start), part) if over.type in PLAIN else None


def _counted_down(names: Node | None, first: Node | None, asked: str, body: Node | None) -> _Counted | None:
    """Returns the parts of ``i := len(x) - 1; i >= 0; i--``; None for any other clause, and for a body that compares
    the position: it begins with the last one."""
    if names is None or first is None or len(names.named_children) != 1 or len(first.named_children) != 1:
        return None
    begin, position = first.named_children[0], names.named_children[0]
    length, one = begin.child_by_field_name("left"), begin.child_by_field_name("right")
    over = measured(length) if length is not None else None
    down = text(begin.child_by_field_name("operator")) == "-" and text(one) == "1"
    whole = down and asked in (f"{text(position)} >= 0", f"{text(position)} > -1")
    if not whole or over is None or any(_compares(part, text(position)) for part in inside(body)):
        return None
    return _Counted(position, over) if over.type in PLAIN else None


def _read_at(body: Node | None, position: str) -> Iterator[Node]:
    """Yields the slices from which a body reads the item at a position, in the order of the text."""
    for one in sorted(inside(body), key=lambda one: one.start_byte):
        base = one.child_by_field_name("operand") if one.type == "index_expression" else None
        if base is not None and text(one.child_by_field_name("index")) == position:
            yield base


def _unnumbered(ctx: Context, node: Node) -> Callable[[], Operand]:
    return lambda: ctx.assign(SOME, node)


def _number(ctx: Context, node: Node, body: Node | None, position: Node, start: int) -> Callable[[], Operand]:
    """Returns what lays the position of an iteration, inside the loop: the first one, and from then on a number above
    zero. It matters only to a body that compares it with a number."""
    if not any(_compares(one, text(position)) for one in inside(body)):
        return _unnumbered(ctx, node)
    coming = ctx.builder.held()
    ctx.builder.add(Assign(coming, Lit(start)), node)

    def lay() -> Operand:
        here = ctx.assign(coming, node)
        ctx.builder.add(Assign(coming, Opaque(some=True, positive=True)), node)
        return here

    return lay


def _compares(node: Node, name: str) -> bool:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if node.type != "binary_expression" or left is None or right is None:
        return False
    return (text(left) == name and right.type == "int_literal") or (text(right) == name and left.type == "int_literal")


def _is_map(kind: str) -> bool:
    """Whether a loop goes through something without positions, as far as its type tells."""
    return kind.startswith((MAP, "chan ")) or kind == "string"


def _name_item(ctx: Context, position: Node, over: Node, item: Place) -> None:
    """Gives the item of an iteration the name that the body reads it under."""
    ctx.builder.add(Assign(ctx.declare(_item(position, over)), item), position)


def _item(position: Node, over: Node) -> str:
    return f"{text(over)}[{text(position)}]"


def _walks(body: Node | None, position: Node, over: Node) -> bool:
    """Whether the body of a loop reads the item at its position, and each iteration has the next item there."""
    return _item(position, over) in text(body) and not _changes(body, position, over)


def _changes(body: Node | None, position: Node, over: Node) -> bool:
    """Whether the body of a loop assigns to its position, to what it goes through, or puts something there."""
    names = {text(position), text(over), text(over).partition(".")[0]}
    for one in inside(body):
        if one.type in _STEPPING and text(one.named_children[0] if one.named_children else None) in names:
            return True
        left, right = one.child_by_field_name("left"), one.child_by_field_name("right")
        if one.type not in _ASSIGNING or left is None:
            continue
        filled = right is not None and not all(text(value) in _NO_ITEMS for value in right.named_children)
        for target in left.named_children:
            base = target.child_by_field_name("operand") if target.type == "index_expression" else None
            if text(target) in names or (filled and base is not None and text(base) == text(over)):
                return True
    return False
