"""What of a state lasts while no method of the object runs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from fdlint.core.domain.contents import Contents, normal
from fdlint.core.domain.event import CARRIED, Event
from fdlint.core.domain.state import BOUND, Resource, State
from fdlint.core.domain.typestate import ASSUMED, Status
from fdlint.core.domain.values import Age, Any_, Box, Const, Descriptor, Fd, Known, Seq, Value
from fdlint.core.engine.trace import chapters

_AT_REST = ASSUMED | CARRIED
_ENDED = frozenset({Status.CLOSED, Status.HANDED})


def at_rest(state: State, fd: Descriptor, owners: Collection[int | None]) -> Resource:
    """Returns a descriptor as it is after a method. A transfer in doubt, while unknown code had the object, does not
    count: the search for code elsewhere that closes it is separate. ``owners``: the calls that created the objects in
    attributes; one of them may own the descriptor."""
    resource = state.resources[fd]
    transfers = (one.descriptor for one in chapters(state.story) if one.event is Event.TRANSFERRED)
    taken = any(one is not None and one.origin_slot == fd.origin_slot for one in transfers)
    if resource.status is Status.HANDED and not taken:
        return Resource(Status.HELD, BOUND | (resource.marks & _AT_REST), of=resource.of)
    owned = resource.status is Status.HANDED and resource.owner is not None and resource.owner in owners
    certain = owned and resource.certain
    return Resource(resource.status, BOUND | (resource.marks & _AT_REST), certain=certain, of=resource.of)


def forget_ended(state: State) -> None:
    """Takes the older descriptors that have ended out of the containers of which not all is known: nobody can ask for
    one of them, and each combination would be another state."""
    ended = {fd for fd, one in state.resources.items() if fd.age is not Age.NEWEST and one.status in _ENDED}
    for container, one in state.heap.items() if ended else ():
        kept = [n for n, item in enumerate(one.items) if not (isinstance(item, Fd) and item.descriptor in ended)]
        if not one.exact and len(kept) < len(one.items):
            keys = one.keys and tuple(one.keys[n] for n in kept)
            state.heap[container] = replace(one, items=tuple(one.items[n] for n in kept), keys=keys)
    held = state.reachable(state.env.values()) if ended else set(state.resources)
    state.resources = {fd: one for fd, one in state.resources.items() if fd in held}


def plain(contents: Contents) -> Contents:
    """Returns contents without what only decides inside a method."""
    return normal(replace(contents, items=tuple(map(_plain_item, contents.items))))


def _plain_item(item: Value) -> Value:
    match item:
        case Seq(items, exact):
            return Seq(tuple(map(_plain_item, items)), exact)
        case Fd() | Any_() | Box() | Const():
            return item
    return Known.UNKNOWN
