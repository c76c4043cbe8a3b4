"""A log that keeps what each close finds: whether it closes, on every path, what the function alone must close."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from fdlint.core.domain.event import Event
from fdlint.core.domain.state import State
from fdlint.core.domain.typestate import Status
from fdlint.core.domain.values import UNKNOWN, Age, Const, Descriptor, Fd, Iter, Value
from fdlint.core.engine.explore import qualified
from fdlint.core.engine.log import Log, Places, Slot, bare
from fdlint.core.engine.trace import chapters
from fdlint.core.ir import RESULT, Advance, Assign, Graph, Operand
from fdlint.report.findings.closings import Closing, Standing

_BY_STATUS = {
    Status.OPEN: Standing.OPEN,
    Status.BORROWED: Standing.FOREIGN,
    Status.HELD: Standing.GIVEN,
    Status.HANDED: Standing.GIVEN,
    Status.CLOSED: Standing.UNCLEAR,
}
_HANDS_ON = frozenset({Event.TRANSFERRED, Event.GIVEN})
_ELSEWHERE = frozenset({Status.HANDED, Status.HELD})
_COPIED = frozenset({Event.SPAWNED, Event.SENT, Event.GIVEN})


@dataclass(frozen=True, slots=True)
class _Met:
    """A close, what it finds, and the slots of the descriptors that it closes."""

    origin: object
    found: set[Standing] = field(default_factory=set)
    slots: set[Slot] = field(default_factory=set)


@dataclass(slots=True)
class ClosingLog(Log):
    """A log for fixes. ``closings``: by the ids of the origins of closes, what each finds.
    ``stale``: by the ids of their origins, the calls and returns that come too late. ``ended``: what closes found and
    what no other process has. ``deferred``: what something may use later. ``copied``: what another process, or somebody
    who is not known, has got on some path."""

    closings: dict[int, _Met] = field(default_factory=dict)
    stale: dict[int, object] = field(default_factory=dict)
    ended: set[Descriptor] = field(default_factory=set)
    deferred: set[Slot] = field(default_factory=set)
    copied: set[Slot] = field(default_factory=set)

    def meets(self, graph: Graph, state: State, operand: Operand, value: Value, origin: object) -> None:
        """Keeps what a close finds in a state before it closes anything."""
        met = self.closings.setdefault(id(bare(origin)), _Met(origin))
        met.found.update(self._standings(graph, state, operand, value, origin))
        if isinstance(value, Fd):
            met.slots.add(value.descriptor.origin_slot)

    def acts(self, state: State, value: Value, action: Event, origin: object) -> None:
        """Keeps what comes too late: it hands on what is closed, or uses what has lost its other end."""
        Log.acts(self, state, value, action, origin)
        for fd in state.reachable([value]):
            if action in _COPIED:
                self.copied.add(fd.origin_slot)
            closed = fd in state.resources and state.resources[fd].status is Status.CLOSED
            if (closed and action in _HANDS_ON) or any(not state.is_alive(one) for one in self._ends(fd)):
                self.stale.setdefault(id(bare(origin)), origin)

    def defers(self, state: State, value: Value) -> None:
        """Keeps what something may use later, on some path."""
        self.deferred.update(fd.origin_slot for fd in state.reachable([value]))

    def _ends(self, fd: Descriptor) -> list[Descriptor]:
        """Returns the other ends of a pair that the function closes somewhere, and of which no process has a copy."""
        return [one for one in self.ended if one.site == fd.site and one.slot != fd.slot]

    def _standings(
        self, graph: Graph, state: State, operand: Operand, value: Value, origin: object
    ) -> Iterator[Standing]:
        if any(operand in captured for captured in graph.captures.values()):
            yield Standing.SHARED
        if isinstance(value, Fd) and value.descriptor in state.reachable([state.env.get(RESULT, UNKNOWN)]):
            yield Standing.GIVEN  # a `finally` after the `return`
        if isinstance(value, Const):
            yield Standing.NOTHING
            return
        resource = state.resources.get(value.descriptor) if isinstance(value, Fd) else None
        if not isinstance(value, Fd) or resource is None or self.is_stranger(value.descriptor):
            if not _is_rest(graph, state, operand):
                yield Standing.FOREIGN
            return
        fd = value.descriptor
        if state.has_ended(fd, Status.CLOSED):
            yield Standing.CLOSED
        elif state.has_ended(fd, Status.HANDED):
            yield Standing.OWNED
        elif resource.status is not Status.CLOSED or not (self.is_lot(fd) and _closed_by(state, fd, origin)):
            yield _BY_STATUS[resource.status]
            if fd.age is not Age.NEWEST:
                yield Standing.UNCLEAR
            if Event.GIVEN in resource.marks:
                yield Standing.PASSED
            if Event.SPAWNED not in resource.marks and not self.sites[fd.site].received:
                self.ended.add(fd)
                others = (one for other, one in state.resources.items() if other.site == fd.site and other != fd)
                if any(one.status in _ELSEWHERE or one.marks & _COPIED for one in others):
                    yield Standing.PAIRED


def _closed_by(state: State, fd: Descriptor, origin: object) -> bool:
    """Whether it is a close itself that has ended another one of a lot, in an earlier round of its loop."""
    told = (one for one in chapters(state.story) if one.closes(fd))
    last = next(told, None)
    return last is not None and bare(last.origin) is bare(origin)


def _is_rest(graph: Graph, state: State, operand: Operand) -> bool:
    """Whether an operand is an item of a list that a loop runs over: such a list may have others than are known. A list
    that is not known, or perhaps not bound, may raise."""
    ends = {block.end.item: block.end.iterator for block in graph.blocks if isinstance(block.end, Advance)}
    assigned = {one.value for one in graph.effects() if isinstance(one, Assign) and one.target == operand}
    called = any(call.result == operand for call in graph.calls())
    if operand not in ends and (called or not assigned or not ends.keys() >= assigned):
        return False
    running = [state.env.get(place) for item, place in ends.items() if item == operand or item in assigned]
    return any(running) and all(isinstance(one, Iter) and one.raises is None for one in running if one is not None)


def closings(graph: Graph, log: Log, places: Places, *, complete: bool) -> Iterator[Closing]:
    """Yields what a log for fixes keeps of a function. ``complete``: the log has every path."""
    if not isinstance(log, ClosingLog):
        return
    unclear = frozenset[Standing]() if complete else frozenset({Standing.UNCLEAR})
    name = qualified(graph.name)
    for met in log.closings.values():
        later = unclear if met.slots.isdisjoint(log.deferred) else unclear | {Standing.GIVEN}
        if any(site == other and slot != end for site, slot in met.slots for other, end in log.copied):
            later |= {Standing.PARTED}
        yield Closing(name, places.text(met.origin), places.span(met.origin), later | met.found)
    for origin in log.stale.values():
        text, span = (places.text(origin), places.span(origin)) if origin is not None else ("", None)
        yield Closing(name, text, span, frozenset({Standing.CLOSED}), stale=True)
