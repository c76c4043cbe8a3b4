"""Functions that a function captured when it was made."""

from __future__ import annotations

from collections.abc import Iterable

from fdlint.graph import Place
from fdlint.program import Function
from fdlint.state.values import Fn, Value


def functions_in(captured: Iterable[tuple[Place, Value]]) -> list[Function]:
    """The project's functions among what another one captured."""
    held = (value.callee.function for _, value in captured if isinstance(value, Fn))
    return [one for one in held if isinstance(one, Function)]


def depth(captured: Iterable[tuple[Place, Value]]) -> int:
    """How many functions are captured inside each other."""
    return max((1 + depth(one.captured) for one in functions_in(captured)), default=0)
