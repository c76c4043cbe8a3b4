"""Finds calls that always raise, because a value has the wrong type: ``os.close(None)``, ``open((fd, path))``,
``os.open(path, "w")``, ``fd.close()`` and ``with fd:`` on a number."""

from __future__ import annotations

from dataclasses import dataclass

from fdlint.core.domain.apply_event import apply_event
from fdlint.core.domain.assumption import GUESSED, kinds_of
from fdlint.core.domain.event import Event
from fdlint.core.domain.state import State
from fdlint.core.domain.values import UNKNOWN, Box, Const, Descriptor, Fd, Seq, Value
from fdlint.core.engine.eval import value_of
from fdlint.core.engine.log import Log
from fdlint.core.engine.match_api import Reading
from fdlint.core.engine.objects import of
from fdlint.core.ir import Call, Graph, Member
from fdlint.core.ir.language import Exceptions


@dataclass(frozen=True, slots=True)
class CertainFailure:
    """An exception that a call raises for sure: its name, its event in the story, the descriptors it leaves open."""

    raises: str
    event: Event
    fds: tuple[Descriptor, ...] = ()


def failing_call(state: State, graph: Graph, reading: Reading) -> CertainFailure | None:
    """Returns the exception of a call that needs a number, but gets something else. None if the call may succeed.

    The number is one that the call closes or wraps in an object, or one that it uses if only a number can make it fail,
    or any that the catalog calls a number.
    """
    api = reading.api
    if api is None:
        return None
    if api.numbers and _gets_text(state, graph, reading, api.numbers):
        return CertainFailure(graph.language.exceptions.wrong_type, Event.RAISED)
    exceptions = graph.language.exceptions
    closes = {one for one in api.closed if not one.startswith("*")}
    needs = api.actions.keys() if api.raises == exceptions.of_number else closes
    if not (api.adopts or needs):
        return None
    if reading.applied is not None or api.registers or any(arg.stars for _, arg in reading.bound):
        return None  # `open(*args)` gets the items of `args`
    for name, arg in reading.bound:
        value = value_of(state, graph, arg.value)
        if name in needs and isinstance(value, Const) and (refusal := _refusal(exceptions, value)) is not None:
            return CertainFailure(refusal, Event.REFUSED)
        wraps = reading.action(name) is Event.TRANSFERRED and api.adopts
        if (name in closes or wraps) and isinstance(value, Seq | Box):
            return CertainFailure(exceptions.wrong_type, Event.NO_NUMBER, tuple(sorted(state.reachable([value]))))
    return None


def _gets_text(state: State, graph: Graph, reading: Reading, numbers: tuple[str, ...]) -> bool:
    given = [value_of(state, graph, arg.value) for name, arg in reading.bound if name in numbers and not arg.stars]
    return any(isinstance(value, Const) and isinstance(value.value, str) for value in given)


def _refusal(exceptions: Exceptions, value: Const) -> str | None:
    if isinstance(value.value, Member):
        return None
    if not isinstance(value.value, int):
        return exceptions.wrong_type
    return exceptions.system if value.value < 0 else None


def failing_method(state: State, graph: Graph, log: Log, call: Call) -> CertainFailure | None:
    """Returns the exception of a method call on a number, if numbers have no such method; None for any other call."""
    receiver = call.callee.receiver
    value = value_of(state, graph, receiver) if receiver is not None else UNKNOWN
    if not _is_number(state, log, value) or graph.language.types.number_has(call.callee.name):
        return None
    if refuted(state, value):
        return None
    return CertainFailure(graph.language.exceptions.no_member, Event.NO_METHOD, tuple(state.reachable([value])))


def failing_entry(state: State, graph: Graph, log: Log, manager: Value) -> CertainFailure | None:
    """Returns the exception of a ``with`` statement on a number; None for any other manager."""
    if not _is_number(state, log, manager) or refuted(state, manager):
        return None
    return CertainFailure(graph.language.exceptions.wrong_type, Event.NO_MANAGER, tuple(state.reachable([manager])))


def refuted(state: State, value: Value) -> bool:
    """Lets go of a descriptor that only the name of a function gives, because it is used as an object: it is another
    function. Returns whether it is so."""
    if not isinstance(value, Fd) or GUESSED.isdisjoint(kinds_of(state.resources.get(value.descriptor))):
        return False
    apply_event(state, None, value.descriptor, Event.DISOWNED)
    return True


def _is_number(state: State, log: Log, value: Value) -> bool:
    return isinstance(value, Fd) and not log.is_stranger(value.descriptor) and of(state, value.descriptor) is None
