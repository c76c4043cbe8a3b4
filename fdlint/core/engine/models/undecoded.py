"""Models what a control message may have brought before the function decodes it: the descriptors are open from the
receive on, whether or not their numbers are known.

The duty ends where the function looks at the messages, gives them away or asks whether anything came. An exception
out of a call ends it, too: nothing shows that descriptors came.
"""

from __future__ import annotations

from fdlint.core.domain.assumption import assume
from fdlint.core.domain.event import Event
from fdlint.core.domain.state import BOUND, Resource, State
from fdlint.core.domain.typestate import Status
from fdlint.core.domain.values import (
    FOREIGN,
    UNDECODED,
    Age,
    AllocationSite,
    Ancillary,
    Box,
    Const,
    Descriptor,
    Fd,
    Known,
    Message,
    Value,
)
from fdlint.core.engine.comparing import compared
from fdlint.core.engine.log import Log
from fdlint.core.finding import AssumptionKind
from fdlint.core.ir import Branch, Compare, Question, Step, Temporary, Truth

_MANY = 1 << 30


def expect(log: Log, state: State, step: Step, site: AllocationSite) -> Message:
    """Begins the duty for what a call has received. Returns the data that came with it."""
    forget(state, site)
    fd = Descriptor(site, UNDECODED, Age.NEWEST)
    log.note(Event.ACQUIRED, fd)
    state.resources[fd] = Resource(Status.OPEN, BOUND)
    state.env[_place(site)] = Fd(fd)
    state.tell(Event.ACQUIRED, step.origin, fd)
    return Message(_place(site), fd)


def forget(state: State, site: AllocationSite | None = None) -> None:
    """Ends the duty for what one call has received, or all calls."""
    for fd in [fd for fd in state.resources if fd.slot == UNDECODED and site in (None, fd.site)]:
        del state.resources[fd]
        state.env.pop(_place(fd.site), None)


def looked_at(state: State, value: Value) -> None:
    """Ends the duty because the function does something with the messages, or with all that it knows of the data."""
    if isinstance(value, Ancillary):
        forget(state, value.site)
    elif isinstance(value, Message):
        state.resources = {fd: one for fd, one in state.resources.items() if state.env.get(value.place) != Fd(fd)}
        state.env.pop(value.place, None)


def answers_about(state: State, branch: Branch, asked: Ancillary | Message, right: Value) -> list[tuple[bool, State]]:
    """Returns both answers to a test of what came. The duty ends with one which shows that nothing did. ``right``: the
    right side of a comparison."""
    answers = [(True, state), (False, state.copy())]
    for truth, answered in answers:
        none, some = _allowed(branch.test.question, asked, right, truth)
        if not some:
            looked_at(answered, asked)
            continue
        answered.tell(Event.TRUE if truth is not branch.negated else Event.FALSE, branch.origin)
        if none and isinstance(asked, Ancillary):
            assume(answered, AssumptionKind.CONDITION, branch.origin, [asked.undecoded])
    return answers


def _allowed(question: Question, asked: Ancillary | Message, right: Value, answer: bool) -> tuple[bool, bool]:
    """Whether an answer is possible if nothing came, and if something did. The size of the messages tells neither.
    Descriptors come in one message: whoever refuses any other number of messages, none among them, got none. Two come
    only beside the credentials that a socket asked for (unix(7), ``SO_PASSCRED``)."""
    if isinstance(question, Truth):
        return not answer, answer
    if not isinstance(question, Compare) or (isinstance(asked, Ancillary) and not question.length):
        return True, False
    if not isinstance(right, Const):
        return not answer, right is Known.SOME
    known = Const(len(right.value)) if isinstance(right.value, str) else right
    none, one, *more = (compared(question.op, Const(number), known) is answer for number in (0, 1, 2, _MANY))
    several = any(more) and not (isinstance(asked, Ancillary) and (asked.single or none))
    return none, one or several


def only_one(state: State, base: Value, first: Value) -> None:
    """Drops the other descriptors of a list that came in, because ``(fd,) = fds`` shows that there was only one."""
    contents = state.heap.get(base.container) if isinstance(base, Box) else None
    if contents is not None and not contents.exact and isinstance(first, Fd):
        for fd in state.reachable(contents.items):
            if fd.site == first.descriptor.site and fd.slot != first.descriptor.slot:
                state.resources.pop(fd, None)


def site_of(log: Log, step: Step, received: AllocationSite) -> AllocationSite:
    """Returns the site of the descriptors that a step makes of messages which came from a site."""
    return log.site(step.origin, "", True, step.statement) if received == FOREIGN else received


def _place(site: AllocationSite) -> Temporary:
    return Temporary(f"%received{site}")
