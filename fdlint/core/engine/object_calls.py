"""What a step does to objects that own a descriptor: it ends them, hands them over, or only uses them."""

from __future__ import annotations

from collections.abc import Sequence

from fdlint.core.domain.event import Event
from fdlint.core.domain.owner import OwnerClass
from fdlint.core.domain.state import BOUND, Resource, State
from fdlint.core.domain.typestate import Status
from fdlint.core.domain.values import Fd
from fdlint.core.engine.eval import value_of
from fdlint.core.engine.misuse import judge
from fdlint.core.engine.objects import Lent, class_of, has_objects, listed_above, of, part_of
from fdlint.core.engine.summary import leaves_alone
from fdlint.core.engine.transfer_call import CallTransfer
from fdlint.core.ir import AccessPath, Call, Operand, Place, Step


def on_object(caller: CallTransfer, state: State, step: Step, call: Call) -> Call:
    """Applies a method call to its object, and a call that gets an object's method or number. Returns the call with the
    method as its target.

    A method that closes has closed even if it then raises. One that the class does not have is an attribute with a
    function, which may do anything. A call on the method's own object changes nothing here: the class knows its effect.
    """
    if not (caller.objects.present and has_objects(state)):
        return call
    lent = [caller.objects.lent(state, arg.value) for arg in call.args]
    taken = any(lent) and _is_taken(caller, state, call, lent)
    for one in lent:
        if one is not None and (one.method or taken):
            caller.hand_over(state, one.object, step)
    found = caller.objects.receiver(state, call)
    if found is None:
        _end_part(caller, state, step, call)
        return call
    value, owner = found
    resolved = caller.objects.resolved(state, call)
    if call.callee.receiver != caller.graph.receiver:
        if resolved is not None:
            _run_method(caller, state, step, call.callee.receiver, value, owner, call.callee.name)
        else:
            caller.hand_over(state, value, step)
    return resolved if resolved is not None else call


def _end_part(caller: CallTransfer, state: State, step: Step, call: Call) -> None:
    """Closes an object if a call ends the object in one of its attributes."""
    receiver = call.callee.receiver
    part = part_of(state, caller.graph, receiver) if receiver is not None else None
    owner = of(state, part.object.descriptor) if part is not None and part.number else None
    if part is not None and owner is not None and call.callee.name in owner.ends_parts:
        caller.close(state, part.object.descriptor, step)
    if isinstance(receiver, AccessPath):
        for whole, ends in listed_above(state, caller.graph, receiver):
            if call.callee.name in ends:
                caller.close(state, whole, step)


def _run_method(
    caller: CallTransfer, state: State, step: Step, place: Operand | None, value: Fd, owner: OwnerClass, name: str
) -> None:
    """Closes the object in a place if the method does so. If the number in it was closed before, the method misuses
    it."""
    fd = value.descriptor
    if state.has_ended(fd, Status.CLOSED) and not state.widened and not step.expected:
        event = Event.CLOSED if name in owner.again else Event.USED
        if name in owner.again | owner.uses:
            judge(caller.log, caller.graph, state, fd, event, step)
    if name in owner.ends:
        if place is not None:
            caller.log.meets(caller.graph, state, place, value, step.origin)
        caller.close(state, fd, step, certain=name in owner.stale)


def _is_taken(caller: CallTransfer, state: State, call: Call, lent: Sequence[Lent | None]) -> bool:
    """Whether a call may do more than use the numbers that it is given. ``lent``: the objects of these, by argument."""
    api, callees = caller.read(state, call).api, caller.objects.callees
    if api is not None or callees is None:
        return api is None or any(action is not Event.USED for action in api.actions.values())
    inside = state.copy()
    inside.resources |= {one.object.descriptor: Resource(Status.BORROWED, BOUND) for one in lent if one is not None}
    pairs = zip(call.args, lent, strict=True)
    values = [one.object if one is not None else value_of(state, caller.graph, arg.value) for arg, one in pairs]
    found = callees.summary(inside, caller.graph, call, values)
    return found is None or not leaves_alone(found[0])


def leave_object(caller: CallTransfer, state: State, step: Step, manager: Operand) -> None:
    """Leaves the ``with`` block of an object, which closes it if its class does so."""
    value = value_of(state, caller.graph, manager)
    owner = class_of(state, value)
    if owner is not None and owner.leaves is not None and isinstance(value, Fd):
        _run_method(caller, state, step, manager, value, owner, owner.leaves)


def lend_objects(caller: CallTransfer, state: State, step: Step) -> dict[Place, Fd]:
    """Hands over the objects of which a step puts a method or the number somewhere else. Returns the numbers that stand
    for their objects where the step puts them."""
    if not (caller.objects.present and has_objects(state)):
        return {}
    numbers = caller.objects.numbers(state, step)
    for value in list(caller.objects.given_by(state, step, numbers, caller.closed)):
        caller.hand_over(state, value, step)
    return numbers
