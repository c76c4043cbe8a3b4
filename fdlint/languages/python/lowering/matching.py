"""Lowers ``match``: each case is a test of the subject, a capture, and a guard."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from fdlint.core.ir import AccessPath, Compare, Item, Jump, Kind, Lit, Op, Opaque, Operand, Test, Unpack
from fdlint.languages.python.lowering import conditions
from fdlint.languages.python.lowering.assignment import bind_name
from fdlint.languages.python.lowering.context import Context
from fdlint.languages.python.lowering.kinds import kinds


def lower_match(ctx: Context, node: cst.Match) -> None:
    """Tries the cases in order. The last one may be irrefutable."""
    builder = ctx.builder
    after = builder.new_block()
    outer = builder.begin_statement(node)
    subject = ctx.operand(node.subject)
    for number, case in enumerate(node.cases):
        body, following = builder.new_block(), builder.new_block()
        if not _is_the_last_truth_value(case, node.cases[:number]):
            _pattern(ctx, case.pattern, subject, following)
        if case.guard is not None:
            conditions.branch(ctx, case.guard, body, following)
        else:
            builder.jump(body)
        builder.go_on(body)
        ctx.run(case.body)
        builder.jump(after)
        builder.go_on(following)
    builder.fall_into(after)
    builder.end_statement(outer, node)


def _is_the_last_truth_value(case: cst.MatchCase, earlier: Sequence[cst.MatchCase]) -> bool:
    """Whether a case is for True and an earlier one for False, or the other way round: there is no other value."""
    values = {_truth_value(case.pattern), *(_truth_value(one.pattern) for one in earlier if one.guard is None)}
    return _truth_value(case.pattern) is not None and values >= {"True", "False"}


def _truth_value(node: cst.MatchPattern) -> str | None:
    return node.value.value if isinstance(node, cst.MatchSingleton) and node.value.value != "None" else None


def _pattern(ctx: Context, node: cst.MatchPattern, subject: Operand, fails: int) -> None:
    """Continues in a block where the pattern matched. Otherwise jumps to ``fails``."""
    match node:
        case cst.MatchValue():
            _ask(ctx, Compare(Op.EQ, subject, ctx.operand(node.value)), node, fails)
        case cst.MatchSingleton():
            _ask(ctx, Compare(Op.IS, subject, ctx.operand(node.value)), node, fails)
        case cst.MatchAs():
            if node.pattern is not None:
                _pattern(ctx, node.pattern, subject, fails)
            if node.name is not None:
                bind_name(ctx, AccessPath(node.name.value), subject, node)
        case cst.MatchOr():
            _alternatives(ctx, node, subject, fails)
        case cst.MatchClass():
            _class(ctx, node, subject, fails)
        case cst.MatchSequence():
            _sequence(ctx, node, subject, fails)
        case cst.MatchMapping():
            _mapping(ctx, node, subject, fails)


def _ask(ctx: Context, question: Compare | Kind, node: cst.CSTNode, fails: int) -> None:
    matched = ctx.builder.new_block()
    ctx.builder.branch(Test(question, None), node, matched, fails)
    ctx.builder.go_on(matched)


def _maybe(ctx: Context, fails: int) -> None:
    """Lowers an unknown test."""
    matched = ctx.builder.new_block()
    ctx.builder.end(Jump((matched, fails)))
    ctx.builder.go_on(matched)


def _alternatives(ctx: Context, node: cst.MatchOr, subject: Operand, fails: int) -> None:
    builder = ctx.builder
    matched = builder.new_block()
    for index, element in enumerate(node.patterns):
        following = fails if index == len(node.patterns) - 1 else builder.new_block()
        _pattern(ctx, element.pattern, subject, following)
        builder.jump(matched)
        builder.go_on(following)
    builder.go_on(matched)


def _class(ctx: Context, node: cst.MatchClass, subject: Operand, fails: int) -> None:
    types = kinds(node.cls, ctx.unit.resolver, ctx.scope)
    _ask(ctx, Kind(subject, types), node, fails)
    if types[0] in ("builtins.int", "builtins.str") and len(node.patterns) == 1:
        _pattern(ctx, node.patterns[0].value, subject, fails)
        return
    if node.patterns or node.kwds:
        _maybe(ctx, fails)
    for element in (*(one.value for one in node.patterns), *(one.pattern for one in node.kwds)):
        _pattern(ctx, element, ctx.assign(Opaque(), node), fails)


def _sequence(ctx: Context, node: cst.MatchSequence, subject: Operand, fails: int) -> None:
    patterns = node.patterns
    stars = [index for index, one in enumerate(patterns) if isinstance(one, cst.MatchStar)]
    if stars or not patterns:  # a subject that is not a sequence is not empty either
        _ask(ctx, Kind(subject, ("collections.abc.Sequence",)), node, fails)
    if len(patterns) != 1 or not stars:
        least = len(patterns) - len(stars)
        _ask(ctx, Compare(Op.GE if stars else Op.EQ, subject, Lit(least), length=True), node, fails)
    for index, one in enumerate(patterns):
        item = ctx.assign(Unpack(subject, index, len(patterns), stars[0] if stars else None), node)
        if isinstance(one, cst.MatchStar):
            if one.name is not None:
                bind_name(ctx, AccessPath(one.name.value), item, node)
        else:
            _pattern(ctx, one.value, item, fails)


def _mapping(ctx: Context, node: cst.MatchMapping, subject: Operand, fails: int) -> None:
    _maybe(ctx, fails)
    for element in node.elements:
        _pattern(ctx, element.pattern, ctx.assign(Item(subject, ctx.operand(element.key)), node), fails)
    if node.rest is not None:
        bind_name(ctx, AccessPath(node.rest.value), ctx.assign(Opaque(some=True), node), node)
