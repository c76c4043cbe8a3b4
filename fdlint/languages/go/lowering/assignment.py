"""Assigns values to Go's variables, fields and items."""

from __future__ import annotations

from fdlint.core.ir import AccessPath, Assign, Lit, Operand, Place, Store, StoreItem
from fdlint.languages.go.lowering.constants import Node, text
from fdlint.languages.go.lowering.context import Context
from fdlint.languages.go.lowering.expressions import embedded, operand

BLANK = "_"


def bind_new(ctx: Context, name: Node, value: Operand, kind: str) -> None:
    """Assigns a value to a variable that ``:=`` declares, if it is new in its scope."""
    spelled = text(name)
    if spelled != BLANK and ctx.is_new(spelled):
        place = ctx.declare(spelled, kind)
        note_literal(ctx, place, value)
        ctx.builder.add(Assign(place, value), name)
    else:
        store(ctx, name, value)


def note_literal(ctx: Context, place: Place, value: Operand) -> None:
    """Notes that a variable gets a value, which may be a function literal."""
    literal = ctx.made_literals.pop(value, None) if not isinstance(value, Lit) else None
    if literal is not None or place in ctx.held_literals:
        ctx.held_literals[place] = literal if place not in ctx.held_literals else None


def store(ctx: Context, target: Node, value: Operand) -> None:
    """Assigns a value to a variable, a field, an item, or what a pointer points to."""
    builder = ctx.builder
    while target.type == "parenthesized_expression" and target.named_children:
        target = target.named_children[0]
    if target.type == "identifier":
        name = text(target)
        found = ctx.variable(name)
        if name == BLANK:
            builder.add(Assign(AccessPath(BLANK), value), target)
        elif found is None:
            ctx.hand_over(value, target)
        elif found.place in ctx.bound:
            note_literal(ctx, found.place, value)
            builder.add(Assign(found.place, value), target)
        else:
            ctx.read.add(found.place)
            builder.add(Store(found.place, value), target)
    elif target.type == "selector_expression":
        base = target.child_by_field_name("operand")
        assert base is not None
        name = text(target.child_by_field_name("field"))
        owner = embedded(ctx, base, operand(ctx, base), name)
        builder.add(Store(ctx.member(owner, name), value), target)
    elif target.type == "index_expression":
        base, index = target.child_by_field_name("operand"), target.child_by_field_name("index")
        assert base is not None
        key = operand(ctx, index) if index is not None else None
        builder.add(StoreItem(operand(ctx, base), key, value), target)
    else:
        operand(ctx, target)
        ctx.hand_over(value, target)
