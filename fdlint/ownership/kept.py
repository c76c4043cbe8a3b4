"""What a constructor keeps of what it is given, when another method, or a function, does the keeping for it."""

from __future__ import annotations

from collections.abc import Callable

from fdlint.catalog import Catalog
from fdlint.graph import Call, Place
from fdlint.lower.captures import kept_places
from fdlint.ownership.arguments import bind_arguments
from fdlint.program import Function
from fdlint.state.values import Seq, Sym, Value
from fdlint.state.world import World

Ask = Callable[[Function, Call], Function | None]
"""The project's own function that a call in another one means."""
_MAX_DEPTH = 5


def kept_parameters(function: Function, catalog: Catalog, ask: Ask, active: tuple[int, ...] = ()) -> frozenset[Place]:
    """The parameters of which a function, or one that it calls, may store something where it outlives the call."""

    def passed(call: Call) -> set[Place]:
        given = [arg.value for arg in call.args if isinstance(arg.value, str)]
        called = ask(function, call) if given and len(active) < _MAX_DEPTH else None
        if called is None or id(called.graph) in (*active, id(function.graph)):
            return set()
        return passed_as(call, called, kept_parameters(called, catalog, ask, (*active, id(function.graph))))

    return kept_places(function.graph, catalog, passed) & frozenset(function.graph.parameters)


def passed_as(call: Call, called: Function, keeps: frozenset[Place]) -> set[Place]:
    """The arguments that may end up in some parameters; all of them where that cannot be told."""
    values: list[Value] = [Sym(arg.value) if isinstance(arg.value, str) else Sym("") for arg in call.args]
    bound = bind_arguments(World(), called, call, values) if keeps else []
    kept = [value for place, value in bound if place in keeps] if bound is not None else values
    flat = [one for value in kept for one in (value.items if isinstance(value, Seq) else (value,))]
    return {value.name for value in flat if isinstance(value, Sym) and value.name}
