"""Follows the registrations of descriptors with event loops, selectors, poll objects and signals.

A registration names a descriptor by its number. If the descriptor is closed first, the next one with this number gets
its callbacks. A close is a violation only when it is certain that the registration outlives it: at the next
acquisition or wait, or when the function returns. Until then the descriptor carries the violation as a mark, which the
end of the registration removes.
"""

from __future__ import annotations

from fdlint.core.dataflow.derivation import How, ends_items_of, flows, origins
from fdlint.core.dataflow.makers import binding_steps, makers
from fdlint.core.domain.apply_event import apply_event
from fdlint.core.domain.assumption import kinds_of
from fdlint.core.domain.event import Event
from fdlint.core.domain.state import State, Story
from fdlint.core.domain.typestate import REMOVES, Violation
from fdlint.core.domain.values import Descriptor, Value
from fdlint.core.engine.allocate import Doer
from fdlint.core.engine.eval import value_of
from fdlint.core.engine.heap import is_field
from fdlint.core.engine.log import Log, Misuse
from fdlint.core.engine.match_api import Reading
from fdlint.core.ir import AccessPath, Arg, Call, Graph, Leaving, Operand, Place, Step, Store, StoreItem, Yield

_PENDING = Violation.CLOSE_WHILE_REGISTERED
_WITHOUT_DATA = 2  # arguments: the number and the events
_MARKS = REMOVES[Event.UNREGISTERED]


def ends_with_holder(graph: Graph, receiver: object) -> bool:
    """Whether an object that keeps registrations most likely ends with what it knows. The function made it, or the
    object that has it in an attribute, and neither stores nor returns it; or it made it for its own object."""
    if not isinstance(receiver, AccessPath):
        return False
    if receiver.is_attribute and receiver.root == graph.receiver:
        return any(isinstance(one, Store) and one.target == receiver for one in graph.effects())
    going: set[Place] = set()
    for effect in graph.effects():
        match effect:
            case Store(_, AccessPath() as value) | StoreItem(_, _, AccessPath() as value):
                going.add(value)
            case Leaving(AccessPath() as value) | Yield(AccessPath() as value):
                going.add(value)
    gone = origins(going, (one for one in flows(graph, None) if one.how is not How.CALLED))  # events hold no selector
    root = receiver.root if receiver.is_attribute else receiver
    return bool(makers(binding_steps(graph), root)) and root not in gone


def mark_arguments(doer: Doer, state: State, step: Step, call: Call, reading: Reading) -> None:
    """Applies the additional events of a call that has returned."""
    assert reading.api is not None
    for name, arg in reading.bound:
        value = value_of(state, doer.graph, arg.value)
        if name in reading.api.marks:
            doer.mark(state, state.reachable([value]), step, doer.registered(call, reading.api.marks[name]))
        if reading.api.hands_back and name in reading.api.actions:
            _leave(doer, state, step, call, arg, value)


def _leave(doer: Doer, state: State, step: Step, call: Call, arg: Arg, value: Value) -> None:
    """Leaves a descriptor to the object that it is registered with: whoever asks that object gets its number. Data that
    goes along may be what closes it, and so may the caller that gets it."""
    holder = call.callee.receiver
    if not isinstance(holder, AccessPath) or all(map(state.is_held, state.reachable([value]))):
        return
    if is_field(doer.graph, holder):
        given_out = arg.value in origins(doer.graph.returned(), flows(doer.graph, None))
        alone = len(call.args) <= _WITHOUT_DATA and not given_out
        doer.stow(state, value, step, holder if alone else None)
    elif not _is_made_here(doer.graph, holder) or ends_items_of(doer.graph, doer.catalog, holder, doer.closed):
        doer.hand_over(state, value, step, Event.ENTRUSTED)


def _is_made_here(graph: Graph, operand: Operand) -> bool:
    """Whether a value is in a variable of the function that did not come in."""
    return isinstance(operand, AccessPath) and operand.root not in (graph.receiver, *graph.parameters, *graph.free)


def unregister_all(state: State) -> None:
    """Ends the registrations of all descriptors."""
    for fd in list(state.resources):
        apply_event(state, None, fd, Event.UNREGISTERED)


def any_registered(state: State) -> bool:
    """Whether a descriptor is registered, or was when it was closed."""
    return any(not one.marks.isdisjoint(_MARKS) for one in state.resources.values())


def settle(log: Log, state: State, returning: bool = False) -> None:
    """Logs the closes that a registration outlives: something is acquired or waits now, or the function returns. Then
    only those registrations count that live on."""
    for fd, resource in list(state.resources.items()):
        if _PENDING not in resource.marks or not fd.site.is_own or state.widened or state.raising is not None:
            continue
        if returning and (Event.WATCHED not in resource.marks or (log.lets_go and state.is_held(fd))):
            continue
        apply_event(state, None, fd, Event.OUTLIVED)
        closing = _closing(state.story, fd)
        if closing is not None:
            log.note(_PENDING, fd, closing.origin, Misuse(state.rarely, kinds_of(resource)), closing.before)


def _closing(story: Story | None, fd: Descriptor) -> Story | None:
    """Returns the last close of a descriptor; None if an exception was raised on the way from its acquisition."""
    closing: Story | None = None
    while story is not None:
        if story.event in (Event.RAISED, Event.RAISE):
            return None
        if story.descriptor is not None and story.descriptor.origin_slot == fd.origin_slot:
            if story.event is Event.ACQUIRED:
                break
            if closing is None and story.closes(story.descriptor):
                closing = story
        story = story.before
    return closing
