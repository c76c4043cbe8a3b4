"""Follows what the programs that a process starts get from it: all that is open without close-on-exec."""

from __future__ import annotations

from typing import TypeAlias

from fdlint.catalog.model import Api
from fdlint.core.domain.event import Event
from fdlint.core.domain.state import Role, State
from fdlint.core.domain.values import Age, AllocationSite, Descriptor, Fd, Value
from fdlint.core.engine.eval import value_of
from fdlint.core.engine.log import Log
from fdlint.core.engine.match_api import operand_of
from fdlint.core.ir import Arg, Graph, Step

Bindings: TypeAlias = tuple[tuple[str, Arg], ...]


def note_exec(
    log: Log, state: State, graph: Graph, api: Api, bound: Bindings, site: AllocationSite, step: Step
) -> None:
    """Notes that a call opens without close-on-exec, or starts a program. A number that the code has chosen for a
    duplicate is meant for the next program, but not the number of another descriptor."""
    if api.inherits:
        expose(log, state)
        _tell(log, state, graph, bound)
    if not api.inheritable:
        return
    if api.duplicates_onto is None:
        log.note(Event.INHERITABLE, Descriptor(site, 0, Age.NEWEST))
        return
    operand = operand_of(bound, api.duplicates_onto)
    onto = value_of(state, graph, operand) if operand is not None else None
    if isinstance(onto, Fd) and state.is_alive(onto.descriptor) and not log.is_stranger(onto.descriptor):
        log.note(Event.INHERITABLE, onto.descriptor, step.origin, api.name)


def become(log: Log, state: State, graph: Graph, api: Api, bound: Bindings) -> list[State]:
    """Returns the states after a call that does not return: none. Notes if the process goes on as another program."""
    if api.inherits:
        log.returning |= {state.role} if isinstance(state.role, Role) else set()
        _tell(log, state, graph, bound)
    return []


def expose(log: Log, state: State) -> None:
    """Notes that a program starts while descriptors are open."""
    if Event.INHERITABLE in log.occurrences:
        for fd in sorted(one for one in state.resources if state.is_alive(one)):
            log.note(Event.EXPOSED, fd)


def tell_number(log: Log, state: State, value: Value) -> None:
    """Notes the descriptors whose numbers a value tells as a text, for whoever gets it."""
    if Event.INHERITABLE in log.occurrences and state.told(value):
        for fd in sorted(state.reachable([value])):
            log.note(Event.TOLD, fd)


def _tell(log: Log, state: State, graph: Graph, bound: Bindings) -> None:
    for _, arg in bound:
        tell_number(log, state, value_of(state, graph, arg.value))
