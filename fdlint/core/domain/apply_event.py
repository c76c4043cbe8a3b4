"""Applies an event to a descriptor. No other code changes its typestate or its marks, but for what is assumed."""

from __future__ import annotations

from typing import Protocol

from fdlint.core.domain.event import CARRIED, ENDS, Event
from fdlint.core.domain.state import State, Story
from fdlint.core.domain.typestate import ALIVE, GOALS, REMOVES, TABLE, Mark, Status, Violation, violation_of
from fdlint.core.domain.values import Any_, Descriptor, Value, is_any_holder

_STAYING = CARRIED | {Event.ENDED_WITH_OWNER}
"""The marks that a descriptor also gets when it is closed or handed over."""
_ENDING = ENDS | {Event.ENTRUSTED}


class Recorder(Protocol):
    """Notes what happens to descriptors, on any path."""

    def note(
        self,
        event: Mark,
        fd: Descriptor,
        origin: object = None,
        detail: Status | None = None,
        story: Story | None = None,
        certain: bool = True,
    ) -> None:
        """Notes an event of a descriptor."""

    def end(self, state: State, fd: Descriptor, origin: object) -> None:
        """Notes that the function ends a descriptor itself."""

    def is_one(self, state: State, fd: Descriptor) -> bool:
        """Whether a descriptor is known to be a single one, and not any item of a list."""


def apply_event(
    state: State,
    log: Recorder | None,
    fd: Descriptor,
    event: Mark,
    origin: object = None,
    *,
    certain: bool = False,
    owner: int | None = None,
    vouches: bool = True,
) -> None:
    """Changes the typestate and the marks of a descriptor as an event does, and tells of it.

    ``log``: None if neither the log nor the story tells of it; ``certain``: it is this descriptor and no other;
    ``owner``: the object that takes it over and is sure to close it; ``vouches``: this shows that unknown calls which
    got the descriptor before have not taken it.
    """
    if event in GOALS:
        assert isinstance(event, Event)
        _move(state, log, fd, event, origin, certain, owner, vouches)
    elif event in REMOVES:
        _unmark(state, fd, event)
    else:
        _mark(state, log, fd, event, origin)


def _move(
    state: State,
    log: Recorder | None,
    fd: Descriptor,
    event: Event,
    origin: object,
    certain: bool,
    owner: int | None,
    vouches: bool,
) -> None:
    resource = state.resources.get(fd)
    if log is not None and event is Event.CLOSED:
        log.note(event, fd, origin, resource.status if resource is not None else None)
    if resource is None:
        return
    found = TABLE.get((resource.status, event))
    if isinstance(found, Violation) and (resource.of is not None or found is Violation.DOUBLE_CLOSE):
        if log is not None and resource.of is None and not state.widened:
            log.note(found, fd, origin, story=state.story, certain=False)
        return
    if isinstance(found, Status):
        if log is not None and vouches and event in _ENDING:
            log.end(state, fd, origin)
    elif certain:
        found = GOALS[event]  # whatever it was before, this is what it is now
    else:
        if log is not None and event is Event.TRANSFERRED and resource.status is Status.HANDED:
            log.note(event, fd, origin)  # from the container that keeps it on to somebody else
        return
    marks, sure = resource.marks, certain and (log is None or log.is_one(state, fd))
    if certain and not state.widened and (pending := violation_of(marks & CARRIED, event)) is not None:
        marks |= {pending}
    state.resources[fd] = resource._replace(status=found, marks=marks, certain=sure, owner=owner)
    if log is not None:
        if event is not Event.CLOSED:
            log.note(event, fd, origin)
        state.tell(Event.TRANSFERRED if event is Event.ENTRUSTED else event, origin, fd)


def _mark(state: State, log: Recorder | None, fd: Descriptor, event: Mark, origin: object) -> None:
    if log is not None:
        log.note(event, fd, origin, story=state.story)
    resource = state.resources.get(fd)
    if resource is None or (log is not None and resource.status not in ALIVE and event not in _STAYING):
        return
    state.resources[fd] = resource.marked(event)
    if log is not None:
        assert isinstance(event, Event)
        state.tell(event, origin, fd)


def _unmark(state: State, fd: Descriptor, event: Mark) -> None:
    resource = state.resources.get(fd)
    if resource is not None and not resource.marks.isdisjoint(REMOVES[event]):
        state.resources[fd] = resource._replace(marks=resource.marks - REMOVES[event])


def spare(state: State, as_error: bool = False) -> None:
    """Marks what is open on a path that hardly ever runs. ``as_error``: so is what comes later on that path."""
    state.rarely = state.rarely or as_error
    for fd in filter(state.is_alive, list(state.resources)):
        apply_event(state, None, fd, Event.SPARED)


def lend(state: State, value: Value) -> None:
    """Marks what a context manager lends to the body of its ``with``."""
    for fd in filter(state.is_alive, state.reachable([value])):
        apply_event(state, None, fd, Event.LENT)


def pick(state: State, value: Value) -> None:
    """Notes that a descriptor, or what holds some, was taken out of a container by an unknown key."""
    inside = state.reachable([value]) if is_any_holder(value) or not isinstance(value, Any_) else set()
    for fd in inside & state.resources.keys():
        apply_event(state, None, fd, Event.PICKED)
        state.doubt(fd)
