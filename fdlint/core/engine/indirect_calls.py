"""Resolves calls through variables, and finds the functions that another function captured when it was made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from fdlint.core.domain.state import State
from fdlint.core.domain.values import Fn, Value
from fdlint.core.engine.eval import value_of
from fdlint.core.ir import Call, Graph, Place
from fdlint.program.units import Function


def as_called(state: State, graph: Graph, call: Call) -> Call:
    """Returns the call with the function that the called variable holds in place of the variable."""
    callee = call.callee
    held = value_of(state, graph, callee.variable) if callee.variable is not None else None
    if not isinstance(held, Fn):
        return call
    spelled = callee.name if held.callee.function is not None and callee.name else held.callee.name
    return replace(call, callee=replace(held.callee, name=spelled))


def functions_in(captured: Iterable[tuple[Place, Value]]) -> list[Function]:
    """Returns the project's functions among the captured values of another function."""
    held = (value.callee.function for _, value in captured if isinstance(value, Fn))
    return [one for one in held if isinstance(one, Function)]


def depth(captured: Iterable[tuple[Place, Value]]) -> int:
    """Returns how many functions are captured inside each other."""
    return max((1 + depth(one.captured) for one in functions_in(captured)), default=0)
