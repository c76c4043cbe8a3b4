"""Models of functions that return an error number beside their result, and of what code does with both."""

from __future__ import annotations

from fdlint.catalog.model import Api, ErrorNumber, TupleOf
from fdlint.core.domain.state import State
from fdlint.core.domain.values import UNKNOWN, Known, Seq, Success, Value
from fdlint.core.engine.eval import value_of
from fdlint.core.engine.models.filled_arguments import FAILED
from fdlint.core.ir import Call, Graph


def failures(state: State, call: Call, api: Api | None) -> list[State]:
    """Returns the states after a call that fails: one if its result tells it, none for any other call."""
    if api is not None and api.fills is not None and api.raises is None and not api.returns_errno:
        failed = state.copy()
        failed.env[call.result] = FAILED
        return [failed]
    shape = api.returns if api is not None else None
    if not isinstance(shape, TupleOf) or ErrorNumber() not in shape.items:
        return []
    failed = state.copy()
    values = (Known.TRUTHY if isinstance(one, ErrorNumber) else UNKNOWN for one in shape.items)
    failed.env[call.result] = Seq(tuple(values))
    return [failed]


def shows_success(state: State, graph: Graph, call: Call) -> bool:
    """Whether an unknown call gets an error number which tells that nothing has failed: it most likely checks that,
    and raises for others."""
    given = (value_of(state, graph, arg.value) for arg in call.args)
    return any(isinstance(one, Success) or _rest(one) is not None for one in given)


def checked(state: State, graph: Graph, call: Call) -> Value | None:
    """Returns the result of an unknown call that gets nothing but such a number and what comes with it: that, without
    the number. None for any other call."""
    return _rest(value_of(state, graph, call.args[0].value)) if len(call.args) == 1 else None


def _rest(value: Value) -> Value | None:
    if not isinstance(value, Seq) or len(value.items) < 2 or not isinstance(value.items[0], Success):
        return None
    return value.items[1] if len(value.items) == 2 else Seq(value.items[1:])
