"""What becomes of a descriptor that a context manager lends."""

from __future__ import annotations

from fdlint.core.domain.event import Event
from fdlint.core.domain.state import State
from fdlint.core.domain.values import Fd, Value
from fdlint.core.engine.transfer_call import CallTransfer
from fdlint.core.ir import Step


def leave_to_borrower(caller: CallTransfer, state: State, step: Step, old: Value) -> None:
    """Leaves a lent descriptor to its borrower when a context manager resets the variable that held it."""
    for fd in state.reachable([old]):
        if fd in state.resources and Event.LENT in state.resources[fd].marks:
            caller.hand_over(state, Fd(fd), step)
