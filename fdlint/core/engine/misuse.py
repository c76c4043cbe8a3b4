"""Finds misuses of a number after its end: it is closed again, used, or closed although an object owns it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from fdlint.catalog.naming import works_on
from fdlint.core.domain.apply_event import apply_event
from fdlint.core.domain.assumption import assume, kinds_of
from fdlint.core.domain.event import Event
from fdlint.core.domain.state import State
from fdlint.core.domain.typestate import TABLE, Mark, Marked, Status, Violation, violation_of
from fdlint.core.domain.values import Age, Descriptor, Fd, Value
from fdlint.core.engine.eval import value_of, values_in
from fdlint.core.engine.log import Log, Misuse
from fdlint.core.engine.match_api import Reading
from fdlint.core.engine.trace import chapters
from fdlint.core.finding import AssumptionKind
from fdlint.core.ir import RAISE, Arg, Call, Catch, Graph, Step, Throw

TAKES_BY_NAME = AssumptionKind.TAKES_BY_NAME
WORKS_ON = frozenset({Event.USED, Event.SENT, Event.SPAWNED})
"""The actions of a call that needs an open descriptor and leaves it to the function."""

_IS = {found: event for (_, event), found in TABLE.items() if isinstance(found, Violation) and isinstance(event, Event)}
"""An event that is each violation."""
_USES = (Violation.USE_AFTER_CLOSE, Violation.PROBE_AFTER_CLOSE)


def look(log: Log, graph: Graph, state: State, step: Step, reading: Reading) -> None:
    """Logs the violations of a call that acts on descriptors which have ended."""
    if step.expected:
        return
    for arg, action in _actions(reading):
        for fd in _meant(state, value_of(state, graph, arg.value), closes=action is Event.CLOSED):
            if state.widened:
                _note_blurred(log, state, fd, action)
            else:
                probes = reading.api is not None and reading.api.probes
                judge(log, graph, state, fd, Event.PROBED if probes else action, step)


def _note_blurred(log: Log, state: State, fd: Descriptor, event: Event) -> None:
    """Notes what may be misused in a state that covers several: the call that acquired it is followed alone."""
    resource = state.resources.get(fd)
    if resource is None or not fd.site.is_own:
        return
    ended = resource.status is Status.CLOSED or resource.owner is not None
    if ended and violation_of([resource.status], event) is not None:
        log.mark(Event.BLURRED, fd)


def used_by_name(graph: Graph, state: State, step: Step, call: Call) -> list[Descriptor]:
    """Returns the closed descriptors that an unknown function reads or writes, judged by its name."""
    first = call.args[0] if call.args and call.callee.receiver is None and works_on(call.callee.name) else None
    if first is None or first.stars or first.keyword is not None or state.widened or step.expected:
        return []
    meant = _meant(state, value_of(state, graph, first.value), closes=True)
    return [fd for fd in meant if state.has_ended(fd, Status.CLOSED)]


def judge_callee(
    log: Log, graph: Graph, state: State, fd: Descriptor, marks: Collection[Mark], step: Step, repeated: bool = False
) -> None:
    """Logs the violations of a callee on a descriptor that came in, if what happened before the call makes them such.
    ``marks``: those with which the callee leaves it. ``repeated``: it came in more than once, so the callee alone takes
    it for several descriptors, unless it stands for several here."""
    repeated = repeated and not log.is_lot(fd)
    for violation, event in _IS.items() if not (state.widened or step.expected) else ():
        if violation in marks and (repeated or _violation(log, state, fd, event) is violation):
            note_misuse(log, graph, state, fd, violation, step)


def judge(
    log: Log,
    graph: Graph,
    state: State,
    fd: Descriptor,
    event: Event,
    step: Step,
    guess: AssumptionKind | None = None,
) -> None:
    """Logs the violation that an event is, if it is one. ``guess``: what is assumed for it alone."""
    violation = _violation(log, state, fd, event)
    if violation is not None:
        note_misuse(log, graph, state, fd, violation, step, guess)


def note_misuse(
    log: Log,
    graph: Graph,
    state: State,
    fd: Descriptor,
    violation: Violation,
    step: Step,
    guess: AssumptionKind | None = None,
) -> None:
    """Logs a violation; if the descriptor came in, marks it in the state for the callers to judge. ``guess``: what is
    assumed for it alone.

    A use whose failure the function itself handles is no violation for its callers: it is a test of the number. A
    probe is none for the function that handles its failure, wherever it stands.
    """
    probed = violation is Violation.PROBE_AFTER_CLOSE
    if (probed or not fd.site.is_own) and violation in _USES and _is_answered_for(graph, step):
        return
    if not fd.site.is_own:
        apply_event(state, None, fd, violation)
        if guess is not None:
            assume(state, guess, step.origin, [fd])
    else:
        inside = state.copy() if guess is not None else state
        if guess is not None:
            assume(inside, guess, step.origin, [fd])
        shown = Violation.USE_AFTER_CLOSE if probed else violation
        assumed, caught = kinds_of(inside.resources.get(fd)), _has_failed(fd, state) and _is_answered_for(graph, step)
        log.note(shown, fd, step.origin, Misuse(state.rarely, assumed, caught), inside.story)


def _has_failed(fd: Descriptor, state: State) -> bool:
    """Whether something has failed on a path since a descriptor was acquired."""
    for one in chapters(state.story):
        if one.event is Event.ACQUIRED and one.descriptor == fd:
            break
        if one.event is Event.RAISED:
            return True
    return False


def _violation(log: Log, state: State, fd: Descriptor, event: Event) -> Violation | None:
    """Returns the violation of an event, if the descriptor is certain to be in a typestate that forbids it, or to
    belong to an object that closes it when it is collected."""
    resource = state.resources.get(fd)
    if resource is None:
        return None
    found: Violation | None = None
    if state.has_ended(fd, resource.status):
        found = violation_of([*(resource.marks & {Event.ENDED_WITH_OWNER}), resource.status], event)
    if found is None and Event.FINALIZED in resource.marks and _is_alone(log, state, fd):
        found = violation_of([Marked(resource.status, Event.FINALIZED)], event)
    return found


def _is_alone(log: Log, state: State, fd: Descriptor) -> bool:
    """Whether a descriptor is certain to be the one that an object owns. A loop over several from one call may leave
    out just that one; and one that came in may belong to another object that somebody else has."""
    single = not any(other.site == fd.site and other != fd for other in state.resources)
    sure = single and fd.age is Age.NEWEST and not state.is_among_others(fd)
    if not fd.site.is_own:
        return sure and state.is_alive(fd)
    return sure and not log.sites[fd.site].received


def _is_answered_for(graph: Graph, step: Step) -> bool:
    """Whether a handler around the step catches the error of a closed number and does more than raise it again."""
    exceptions = graph.language.exceptions
    kind = exceptions.base_of(exceptions.system, step.pads)
    return kind is not None and any(_is_stopped(graph, pad, step) for pad in step.pads[kind])


def _is_stopped(graph: Graph, pad: int, step: Step) -> bool:
    """Whether the function may stop an exception that lands in a block: it returns, repeats the step, or raises
    another exception."""
    seen = {pad, RAISE}
    pending = [pad] if pad != RAISE else []
    caught = {one.effect.handler for one in graph.blocks[pad].steps if isinstance(one.effect, Catch)}
    while pending:
        block = graph.blocks[pending.pop()]
        thrown = [one.effect for one in block.steps if isinstance(one.effect, Throw)]
        if thrown and thrown[0].again is not None and (not caught or thrown[0].again in caught):
            continue
        targets = graph.targets(block.end)
        if thrown or not targets or any(one is step for one in block.steps):
            return True
        pending.extend(one for one in targets if one not in seen)
        seen.update(targets)
    return False


def ending(reading: Reading) -> Iterator[tuple[Arg, bool]]:
    """Yields the arguments that a call is known to close (True) or to wrap in an object that owns them (False)."""
    wrapped = {name for name, mark in reading.api.marks.items() if mark is Event.FINALIZED} if reading.api else ()
    for arg, action in _actions(reading):
        if action not in WORKS_ON:
            yield arg, action is Event.CLOSED
    for name, arg in reading.bound if wrapped else ():
        if name in wrapped:
            yield arg, False


def _actions(reading: Reading) -> Iterator[tuple[Arg, Event]]:
    """Yields the arguments that a call is known to close, to wrap in an object that owns them, or to use."""
    api, bound = reading.api, reading.bound
    if api is not None and api.applies and reading.applied is not None:
        api, bound = reading.applied, reading.applied_bound
    if api is None or api.registers or api.by_number or api.container is not None:
        return
    for name, arg in bound:
        action = api.actions.get(name)
        if action in WORKS_ON or action is Event.CLOSED or (action is Event.TRANSFERRED and api.adopts):
            yield arg, action


def _meant(state: State, value: Value, closes: bool) -> list[Descriptor]:
    """Returns the descriptors that a value is certain to mean. ``closes``: a container is not closed with its items."""
    if isinstance(value, Fd):
        return [value.descriptor]
    inside, exact = values_in(state, value)
    return [item.descriptor for item in inside if isinstance(item, Fd)] if exact and not closes else []
