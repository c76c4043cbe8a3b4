"""What a nested function that others get does, now or later, to the variables that it captures."""

from __future__ import annotations

from fdlint.core.domain.state import State
from fdlint.core.domain.values import UNKNOWN
from fdlint.core.engine.transfer_call import CallTransfer
from fdlint.core.ir import Step


def give_nested(caller: CallTransfer, state: State, step: Step, name: str) -> None:
    """Gives a nested function that others get what the variables that it closes hold, now and later."""
    graph, callees = caller.graph, caller.objects.callees
    sinks = graph.sinks[name]
    if callees is not None:
        sinks |= callees.captured_ends(graph, name)
    state.armed |= sinks
    for place in sinks:
        caller.hand_over(state, state.env.get(place, UNKNOWN), step)
