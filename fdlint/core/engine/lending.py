"""What becomes of what others get: the borrower of a context manager, or a nested function that runs now or later."""

from __future__ import annotations

from fdlint.core.domain.event import Event
from fdlint.core.domain.state import State
from fdlint.core.domain.values import UNKNOWN, Fd, Value
from fdlint.core.engine.passed_functions import reads_only
from fdlint.core.engine.transfer_call import CallTransfer
from fdlint.core.ir import Call, Step


def leave_to_borrower(caller: CallTransfer, state: State, step: Step, old: Value) -> None:
    """Leaves a lent descriptor to its borrower when a context manager resets the variable that held it."""
    for fd in state.reachable([old]):
        if fd in state.resources and Event.LENT in state.resources[fd].marks:
            caller.hand_over(state, Fd(fd), step)


def give_nested(caller: CallTransfer, state: State, step: Step, name: str) -> None:
    """Gives a nested function that others get what the variables that it closes hold, now and later."""
    graph, callees = caller.graph, caller.objects.callees
    sinks = graph.sinks[name]
    api = caller.read(state, step.effect).api if isinstance(step.effect, Call) else None
    if api is not None and api.once and callees is not None and reads_only(state, graph, callees, name):
        return
    if callees is not None:
        sinks |= callees.captured_ends(graph, name)
    state.armed |= sinks
    for place in sinks:
        caller.hand_over(state, state.env.get(place, UNKNOWN), step)
