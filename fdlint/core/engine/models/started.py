"""Structs that have started a child, such as Go's ``exec.Cmd``: the child has copies of the files in their fields, and
nobody closes the parent's own.

So whoever gets such a struct gets no duty, and the function owes the close as if the struct did not hold them
(``OWED``).
"""

from __future__ import annotations

from fdlint.core.domain.apply_event import apply_event
from fdlint.core.domain.contents import Contents
from fdlint.core.domain.event import Event
from fdlint.core.domain.state import State
from fdlint.core.domain.values import UNKNOWN, Box, Descriptor, Fd, Seq, Value
from fdlint.core.engine.heap import is_field
from fdlint.core.engine.log import Log
from fdlint.core.ir import RESULT, AccessPath, Graph, Operand, below


def start_child(log: Log, graph: Graph, state: State, operand: Operand, value: Value) -> Value:
    """Notes that a struct starts a child. Returns what the child gets: the struct, and what is in the fields of one
    that came from elsewhere, which owns that no longer."""
    if not graph.language.records or not isinstance(operand, AccessPath):
        return value
    if isinstance(value, Box):
        log.started.add(value.container.site)
        return value
    fields = below(state.env, (operand,))
    elsewhere = state.reachable(
        one for place, one in state.env.items() if is_field(graph, place) and place not in fields
    )
    for fd in state.reachable(state.env[place] for place in fields) - elsewhere:
        if state.is_held(fd) and fd.site.is_own and not log.is_stranger(fd):
            apply_event(state, None, fd, Event.OWED)
            log.note(Event.OWED, fd)
    return Seq((value, *(state.env[place] for place in fields)), False)


def without_copies(log: Log, state: State, value: Value) -> Value:
    """Returns a value without the parent's copies that it only leads to through a struct that has started a child."""
    found = state.reachable([value]) if log.started else set[Descriptor]()
    lent = {fd for fd in found if _is_copy(state, fd)} - state.reachable([value], log.started)
    for fd in lent:
        log.note(Event.OWED, fd)
    return Seq(tuple(Fd(fd) for fd in sorted(found - lent)), False) if lent else value


def take_back(log: Log, state: State) -> None:
    """Takes the parent's copies out of the structs that have started a child, as the function ends."""
    started = [one for one in state.heap if one.site in log.started] if log.started else []
    without_copies(log, state, state.env.get(RESULT, UNKNOWN))
    for container in started:
        contents = state.heap[container]
        pairs = zip(contents.keys or (), contents.items, strict=False)
        kept = [(key, one) for key, one in pairs if not any(_is_copy(state, fd) for fd in state.reachable([one]))]
        names, items = tuple(key for key, _ in kept), tuple(one for _, one in kept)
        state.heap[container] = Contents(items, contents.exact, names, contents.outlives)


def _is_copy(state: State, fd: Descriptor) -> bool:
    return state.is_open(fd) and Event.SPAWNED in state.resources[fd].marks
