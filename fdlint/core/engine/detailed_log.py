"""A log that also keeps what a scan does not need: each place where something happened to a descriptor, why each call
did what it did, and how the function was left. It answers why a call is not reported."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import ClassVar, NamedTuple

from fdlint.core.domain.event import ENDS, Event
from fdlint.core.domain.state import State, Story
from fdlint.core.domain.typestate import ALIVE, Mark, Status
from fdlint.core.domain.values import Descriptor
from fdlint.core.engine.log import Detail, Log, Slot, Source, bare
from fdlint.core.engine.trace import chapters

_ACTIONS = frozenset[Mark](
    {
        *ENDS,
        Event.ENTRUSTED,
        Event.STORED,
        Event.KEPT,
        Event.GIVEN,
        Event.SENT,
        Event.SPAWNED,
        Event.EXCUSED,
        Event.FINALIZED,
    }
)
_ENDED = (*ENDS, Event.STORED, Event.ENDED_WITH_OWNER)
_RETURNS = (Event.RETURNED, Event.FELL_OFF)
_RAISES = (Event.RAISED, Event.RAISE, Event.RAISED_AGAIN, Event.NO_METHOD, Event.NO_MANAGER, Event.NO_NUMBER)
_WORK = 300_000  # entries of stories to read for one function
_MOST = 60  # ways out to keep for one descriptor


class Action(NamedTuple):
    """Something that happened to a descriptor at one place. ``origin``: None for what a ``return`` gives away."""

    event: Mark
    origin: object
    detail: Detail


class Departure(NamedTuple):
    """A way out of the function. ``end``: what ended the descriptor before; None if it was still open. ``way``: how the
    function was left."""

    end: Story | None
    way: Story | None


@dataclass(slots=True)
class DetailedLog(Log):
    """A log for explanations.

    ``actions`` and ``departures``: by descriptor, in the order in which they were met. ``sources``: by the ids of the
    origins of calls, where it is known from what the call does, and the name by which it is known.
    """

    actions: dict[Slot, dict[object, Action]] = field(default_factory=dict)
    departures: dict[Slot, dict[object, Departure]] = field(default_factory=dict)
    sources: dict[int, tuple[Source, str]] = field(default_factory=dict)
    _work: int = _WORK
    thorough: ClassVar[bool] = True

    def note(
        self,
        event: Mark,
        fd: Descriptor,
        origin: object = None,
        detail: Detail = None,
        story: Story | None = None,
        certain: bool = True,
    ) -> None:
        """Adds an event of a descriptor, and keeps its place."""
        Log.note(self, event, fd, origin, detail, story, certain)
        if event in _ACTIONS and (not isinstance(detail, Status) or detail in ALIVE):
            found = self.actions.setdefault(fd.origin_slot, {})
            found.setdefault((event, id(bare(origin))), Action(event, origin, detail))

    def remark(self, origin: object, source: Source, name: str) -> None:
        """Keeps where it is known from what a call does. A call that was given up stays so."""
        known = self.sources.get(id(bare(origin)))
        if known is None or known[0] is not Source.GIVEN_UP:
            self.sources[id(bare(origin))] = source, name

    def depart(self, state: State, raising: bool) -> None:
        """Keeps a way out for each descriptor that was acquired on it."""
        ended: dict[Slot, Story] = {}
        done: set[Slot] = set()
        way: Story | None = None
        for one in islice(chapters(state.story), max(0, self._work)):
            self._work -= 1
            if way is None and one.event in (_RAISES if raising else _RETURNS):
                way = one
            slot = one.descriptor.origin_slot if one.descriptor is not None else None
            if slot is None or slot in done:
                continue
            if one.event is Event.ACQUIRED:
                done.add(slot)
                found, end = self.departures.setdefault(slot, {}), ended.get(slot)
                if len(found) < _MOST:
                    found.setdefault((_key(end), _key(way)), Departure(end, way))
            elif one.event in _ENDED:
                ended.setdefault(slot, one)


def _key(story: Story | None) -> object:
    return None if story is None else (story.event, id(bare(story.origin)))
