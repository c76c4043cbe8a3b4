"""Follows the descriptors that an ``ExitStack`` closes at the end of its ``with`` block. A second close is an error,
and so is a use after the block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

from fdlint.catalog.naming import gives_up
from fdlint.core.dataflow.liveness import read_places
from fdlint.core.domain.apply_event import apply_event
from fdlint.core.domain.event import Event
from fdlint.core.domain.state import BOUND, Resource, State
from fdlint.core.domain.typestate import Status, Violation
from fdlint.core.domain.values import UNKNOWN, AllocationSite, Const, Descriptor, Fd, Fn, Typed, Value
from fdlint.core.engine.eval import value_of
from fdlint.core.engine.log import Log
from fdlint.core.engine.match_api import Reading
from fdlint.core.engine.misuse import judge, note_misuse
from fdlint.core.engine.summary import Callees
from fdlint.core.ir import NOWHERE, AccessPath, Assign, Call, Effect, Enter, Graph, Place, Step, Store

Stacks: TypeAlias = Mapping[Place, Step]
"""The variables that ``with … as`` binds and that are only used to call methods which take nothing out, each with the
step that enters the block."""


def settle_exits(
    log: Log,
    graph: Graph,
    state: State,
    stacks: Stacks,
    callees: Callees | None,
    reading: Reading,
    step: Step,
    call: Call,
) -> None:
    """Applies the close of a descriptor that a call registers with an exit stack, which owns it from then on.

    It is a violation if the descriptor is closed already. A later close is then one too many. ``stacks``: the exit
    stacks of the function, see ``stacks_of``.
    """
    receiver = call.callee.receiver
    entering = stacks.get(receiver) if isinstance(receiver, AccessPath) else None
    if entering is None or reading.api is None or not reading.api.on_exit:
        return
    for fd, closing in closed_on_exit(callees, state, graph, reading, step, call):
        if not state.widened:
            judge(log, graph, state, fd, Event.CLOSED, closing)
        if fd in state.resources and state.resources[fd].status is Status.HANDED:
            owner = log.site(entering.origin, call.callee.name, False, entering.statement)
            _own(state, graph, entering, owner)
            apply_event(state, None, fd, Event.TRANSFERRED, certain=log.is_one(state, fd), owner=owner)


def _own(state: State, graph: Graph, entering: Step, owner: AllocationSite) -> None:
    """Notes that a stack owns descriptors, which end with its block."""
    manager = entering.effect.manager if isinstance(entering.effect, Enter) else None
    if isinstance(manager, AccessPath) and isinstance(stack := value_of(state, graph, manager), Typed):
        state.env[manager] = replace(stack, maker=owner)


def judge_adoption(log: Log, graph: Graph, state: State, fd: Descriptor, stacks: Stacks, step: Step) -> None:
    """Logs that a stack will close a descriptor which an object takes over now: the registration is the violation."""
    resource = state.resources[fd]
    sure = not state.widened and state.has_ended(fd, Status.HANDED) and Event.ENDED_WITH_OWNER not in resource.marks
    maker = log.sites[resource.owner].origin if sure and resource.owner is not None else None
    entry = state.story if any(one.origin is maker for one in stacks.values()) else None
    while entry is not None and (entry.event is not Event.TRANSFERRED or entry.descriptor != fd):
        entry = entry.before
    if entry is not None:
        note_misuse(log, graph, state, fd, Violation.CLOSE_AFTER_TRANSFER, replace(step, origin=entry.origin))


def closed_on_exit(
    callees: Callees | None, state: State, graph: Graph, reading: Reading, step: Step, call: Call
) -> Iterator[tuple[Descriptor, Step]]:
    """Yields the descriptors that a call registers to be closed for sure, each with the step that will close it."""
    if reading.applied is not None:
        for name, arg in reading.applied_bound:
            value = value_of(state, graph, arg.value)
            if name in reading.applied.closed and not arg.stars and isinstance(value, Fd):
                yield value.descriptor, step
        return
    if callees is not None:
        yield from _closes(callees, state, graph, step, call)


def _closes(callees: Callees, state: State, graph: Graph, step: Step, call: Call) -> Iterator[tuple[Descriptor, Step]]:
    """Yields the descriptors that a function among the arguments closes whenever it is called, each with the step that
    closes it. By then only those variables are known to be the same that are bound once."""
    values = [value_of(state, graph, arg.value) for arg in call.args]
    function = next(iter(values), None)
    if not isinstance(function, Fn):
        return
    later = state.copy()
    later.env = {place: one for place, one in state.env.items() if isinstance(one, Fd) and _is_bound_once(graph, place)}
    plain = (fd for fd, one in state.resources.items() if one.of is None)
    later.resources = dict.fromkeys(plain, Resource(Status.BORROWED, BOUND))  # whatever they are by now
    given: list[Value] = [one if isinstance(one, Fd | Const) else UNKNOWN for one in values[1:]]
    found = callees.summary(later, graph, Call(NOWHERE, function.callee, call.args[1:]), given)
    ways, fds = (found[0].outcomes, found[1].fds) if found is not None else ((), {})
    for fd, known_as in fds.items() if ways else ():
        if all((known_as, Status.CLOSED) in ((one, left.status) for one, left in way.came_in) for way in ways):
            inside = ways[0].closed_at(known_as) if isinstance(function.callee.function, str) else None
            yield fd, step if inside is None else replace(step, origin=inside)


def stacks_of(graph: Graph) -> Stacks:
    """Returns the stacks of a function."""
    effects = list(graph.effects())
    entering = {step.effect.result: step for step in graph.steps() if isinstance(step.effect, Enter)}
    found = {
        one.target: entering[one.value]
        for one in effects
        if isinstance(one, Assign) and isinstance(one.value, AccessPath) and one.value in entering
    }
    used = {place for one in effects for place in _uses(one)}
    rebound = {one.target for one in effects if isinstance(one, (Assign, Store)) and one.value not in entering}
    captured = frozenset[Place]().union(*graph.captures.values())
    others = captured.union(used, rebound, graph.globals)
    return {place: step for place, step in found.items() if place not in others}


def _uses(effect: Effect) -> Iterator[object]:
    """Yields the places that an effect reads, except the receiver of a call that takes nothing out of it."""
    for place in read_places(effect):
        if not (isinstance(effect, Call) and place == effect.callee.receiver and not gives_up(effect.callee.name)):
            yield place
    if isinstance(effect, Call):
        yield from (arg.value for arg in effect.args)


def _is_bound_once(graph: Graph, place: Place) -> bool:
    """Whether a captured variable still has its value when the block ends."""
    targets = [one.target for one in graph.effects() if isinstance(one, (Assign, Store))]
    return targets.count(place) == 1 and place not in graph.shared
