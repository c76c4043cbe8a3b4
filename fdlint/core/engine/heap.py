"""Tracks fields: the attributes of objects and the globals, which outlive the function. They own what they hold.

The function need not close a descriptor that a field holds. But a field must not lose it: the descriptor is lost when
the field is overwritten and nothing else holds it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from fdlint.core.dataflow.liveness import is_read_after
from fdlint.core.domain.apply_event import apply_event
from fdlint.core.domain.assumption import kinds_of
from fdlint.core.domain.event import LET_GO_EVENTS, Event
from fdlint.core.domain.state import State, Story
from fdlint.core.domain.typestate import Mark, Status
from fdlint.core.domain.values import NONE, UNKNOWN, Age, Box, Const, Container, Descriptor, Known, Sym, Typed, Value
from fdlint.core.engine.log import LetGo, Log
from fdlint.core.engine.trace import chapters
from fdlint.core.ir import AccessPath, Branch, Call, Compare, Graph, Place, Step, Store, below

_MANY = 3
_EMPTY = (NONE, Const(False, is_bool=True), Const(""), Known.FALSY)
DETACHED = {True: Event.REPLACED, False: Event.DETACHED}
"""The event for a field that lets go of a descriptor, by whether it gets another value or a constant for "none"."""
LET_GO = frozenset[Mark]({*LET_GO_EVENTS, Event.STRANDED})
"""The events by which a field loses a descriptor."""


def is_field(graph: Graph, place: Place) -> bool:
    """Whether a place is a field: whether its value outlives the function."""
    return place.is_named and (graph.module or place.is_attribute or place in graph.globals)


def held(graph: Graph, state: State) -> set[Descriptor]:
    """Returns the descriptors that fields hold."""
    return state.reachable(value for place, value in state.env.items() if is_field(graph, place))


def has_name(graph: Graph, state: State, step: Step, fd: Descriptor) -> bool:
    """Whether a name of the function, and no field, holds a descriptor that the function needs after a step."""
    local = (place for place in state.env if place.is_named and not is_field(graph, place))
    names = {place for place in local if fd in state.reachable([state.env[place]])}
    return bool(names) and is_read_after(graph, step, names)


def field_with(graph: Graph, state: State, container: Container) -> Place | None:
    """Returns a field that leads to a container; None if there is none."""
    found = (
        place for place, value in state.env.items() if is_field(graph, place) and container in state.containers([value])
    )
    return next(found, None)


def keep(log: Log, state: State, value: Value, step: Step) -> None:
    """Gives every descriptor in a value to a field, which owns it from here on."""
    for fd in sorted(state.reachable([value])):
        if state.is_alive(fd) and not state.is_held(fd) and not _is_empty(state, fd):
            apply_event(state, log, fd, Event.STORED, step.origin)


def _is_empty(state: State, fd: Descriptor) -> bool:
    """Whether a descriptor stands for a new object that owns none yet: a method will fill it."""
    return state.resources[fd].of is not None and state.is_borrowed(fd) and fd.site.is_own


def let_go(graph: Graph, log: Log, state: State, step: Step, target: Place, old: Value, new: Value) -> None:
    """Notes what fields lose when a place gets another value. What they held is lost, or only local names hold it."""
    if not any(one.status is Status.HELD for one in state.resources.values()):
        return
    fds = [fd for fd in state.reachable([old]) if state.is_held(fd)]
    if not fds:
        return
    anywhere, inside = state.reachable(state.env.values()), held(graph, state)
    by_field = is_field(graph, target)
    empty = isinstance(new, Const) or (isinstance(new, Box) and not state.reachable([new]))
    event = DETACHED[not empty]
    for fd in sorted(fds):
        if fd in inside:
            continue
        if by_field:
            state.tell(event, step.origin, fd, target)
        if fd not in anywhere:
            lose(log, state, fd)


def strand(log: Log, state: State, fd: Descriptor, rare: bool) -> None:
    """Logs that an exception leaves the function while only its names hold a descriptor that a field once held.
    ``rare``: it hardly ever comes."""
    taken_out = _taken_out(state, fd)
    if taken_out is not None and taken_out.event is Event.DETACHED and not state.widened:
        rare = rare or Event.SPARED in state.resources[fd].marks
        detail = LetGo(taken_out.place or AccessPath(), acquired_before(fd, state.story), rare)
        log.note(Event.STRANDED, fd, taken_out.origin, detail, state.story)


def _taken_out(state: State, fd: Descriptor) -> Story | None:
    """Returns the event by which a field let go of a descriptor; None if none did."""
    names = {fd, fd._replace(age=Age.PREVIOUS)} if fd.age is Age.OLDER else {fd}  # its age when the statement ran
    told = chapters(state.story)
    return next((one for one in told if one.descriptor in names and one.event in LET_GO_EVENTS), None)


def lose(log: Log, state: State, fd: Descriptor) -> None:
    """Logs the loss of a descriptor that a field once held, at the statement that took it out of the field."""
    apply_event(state, None, fd, Event.DISOWNED)
    taken_out = _taken_out(state, fd)
    if taken_out is not None and not state.widened:
        rare = Event.SPARED in state.resources[fd].marks
        assumed = kinds_of(state.resources[fd])
        detail = LetGo(taken_out.place or AccessPath(), acquired_before(fd, state.story), rare, assumed)
        log.note(taken_out.event, fd, taken_out.origin, detail, state.story)


def acquired_before(fd: Descriptor, story: Story | None) -> int:
    """Returns how many descriptors the call that acquired ``fd`` has acquired on this path, counted up to three."""
    acquired = [one.descriptor for one in chapters(story) if one.event is Event.ACQUIRED and one.descriptor is not None]
    return min(sum(one.origin_slot == fd.origin_slot for one in acquired), _MANY)


def note_in_vain(log: Log, state: State, place: Place) -> None:
    """Logs a reset that came too early: a field was set to "none" just before the descriptor in it was to be closed.

    ``place`` is the field, which holds a constant that is about to be closed.
    """
    for one in chapters(state.story):
        if one.descriptor is not None and one.event is DETACHED[False]:
            if one.place == place:
                log.note(Event.RESET, one.descriptor, one.origin, place)
            return


def escape(state: State, roots: Collection[Place]) -> None:
    """Releases the fields of objects that unknown code has got hold of: it may do anything to them."""
    for root in roots:
        state.forget_items(root)
    if any(one.status is Status.HELD for one in state.resources.values()) and (fields := below(state.env, roots)):
        release(state, fields)


def release(state: State, places: Iterable[Place]) -> None:
    """Marks the descriptors in some fields as handed over, because their fate is not known from here on."""
    for fd in state.reachable(state.env[place] for place in places if place in state.env):
        if state.is_held(fd):
            apply_event(state, None, fd, Event.DISOWNED)


def roots_of(call: Call) -> list[Place]:
    """Returns the objects that a call gets hold of."""
    operands = [call.callee.receiver, *(arg.value for arg in call.args)]
    return [one for one in operands if isinstance(one, AccessPath) and not one.is_temporary]


def paths_by_name(graph: Graph) -> dict[Place, tuple[Place, ...]]:
    """Maps each name or path to the attribute paths on it that the function stores to or asks about."""
    stored = (one.target for one in graph.effects() if isinstance(one, Store) and one.target is not None)
    asked = (place for branch in graph.branches() for place in asked_about(branch))
    found: dict[Place, set[Place]] = {}
    for path in (*stored, *asked):
        for prefix in path.prefixes:
            found.setdefault(prefix, set()).add(path)
    return {name: tuple(sorted(paths)) for name, paths in found.items()}


def asked_fields(graph: Graph) -> frozenset[Place]:
    """Returns the fields that a function asks about."""
    asked = {place for branch in graph.branches() for place in asked_about(branch)}
    return frozenset(place for place in asked if is_field(graph, place))


def filled(old: Value | None, new: Value) -> Value:
    """Returns the value of a field that a function asks about, after it got a new one. A field that was empty and gets
    something unknown is filled from then on: code that asks whether it is empty, and fills it, relies on that."""
    if old not in _EMPTY:
        return new
    if isinstance(new, Typed):
        return replace(new, certain=True, full=True)
    return Known.TRUTHY if new is UNKNOWN or new is Known.SOME or isinstance(new, Sym) else new


def asked_about(branch: Branch) -> Iterator[Place]:
    """Yields the places that a condition asks about."""
    question = branch.test.question
    operands = (question.left, question.right) if isinstance(question, Compare) else (question.operand,)
    yield from (one for one in operands if isinstance(one, AccessPath))
