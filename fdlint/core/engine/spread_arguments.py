"""Spells out the starred arguments of a call: ``run(*args, **options)`` with a known tuple and a known dict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fdlint.core.domain.state import State
from fdlint.core.domain.values import Box, Const, Seq, Value
from fdlint.core.engine.eval import value_of
from fdlint.core.ir import AccessPath, Arg, Call, Graph, Lit


def spread(state: State, graph: Graph, call: Call) -> Call:
    """Returns the call with an argument for each item of a starred argument whose items are known. Each is named like
    an attribute of the tuple or dict that holds it."""
    if not any(arg.stars for arg in call.args):
        return call
    args = tuple(one for arg in call.args for one in _spelled(state, graph, arg))
    return call if args == call.args else replace(call, args=args)


def _spelled(state: State, graph: Graph, arg: Arg) -> Iterator[Arg]:
    held = starred_items(state, value_of(state, graph, arg.value), arg.stars) if arg.stars else None
    if held is None or not isinstance(arg.value, AccessPath):
        yield arg
        return
    for key, value in held.items():
        operand = Lit(value.value) if type(value) is Const else arg.value.attribute(key)
        yield Arg(operand, key if arg.stars == 2 else None)


def starred_items(state: State, value: Value, stars: int) -> dict[str, Value] | None:
    """Returns the items of a starred argument, by their keys or numbers; None if they are not all known."""
    match value:
        case Seq(items, True) if stars == 1:
            return {str(number): one for number, one in enumerate(items)}
        case Box(container) if stars == 2 and container in state.heap:
            held = state.heap[container]
            keys = [key for key in held.keys or () if isinstance(key, str)]
            return dict(zip(keys, held.items, strict=True)) if held.exact and len(keys) == len(held.items) else None
    return None
