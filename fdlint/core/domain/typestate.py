"""The typestates of a descriptor, and the one table of transitions."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeAlias

from fdlint.core.domain.event import CARRIED, Event
from fdlint.core.finding import AssumptionKind


class Status(enum.Enum):
    """The typestate of a descriptor."""

    OPEN = "open"
    BORROWED = "open, and owed by the caller"
    HELD = "open, and owed by the object or module that holds it"
    CLOSED = "closed"
    HANDED = "handed over"

    __hash__ = object.__hash__  # the hash of Enum is written in Python, and this runs millions of times


class Violation(enum.Enum):
    """An event that is an error in the descriptor's typestate."""

    DOUBLE_CLOSE = "closed again"
    USE_AFTER_CLOSE = "used after it was closed"
    PROBE_AFTER_CLOSE = "used after it was closed, by a call whose failure may be the answer to a question"
    CLOSE_AFTER_TRANSFER = "closed, though an object had taken it over that closes it"
    CLOSE_WHILE_REGISTERED = "closed, though an event loop or a selector still has the number"
    CLOSE_OF_COLLECTED = "closed, though an object that was made of it closes it when it is collected"
    NUMBER_OUTLIVES = "returned, though nothing keeps the object that closes it"
    CLOSE_OF_BORROWED = "closed, though it is only lent by what closes it, or gives it again"

    __hash__ = object.__hash__


Mark: TypeAlias = Event | Violation | AssumptionKind
"""An event in the past of a descriptor that its typestate does not record, or what was assumed about it."""

ASSUMED = frozenset[Mark](AssumptionKind)
"""The marks for what was assumed about a descriptor."""

ALIVE = frozenset({Status.OPEN, Status.BORROWED, Status.HELD})
"""The typestates of an open descriptor, with any owner."""

GOALS: Mapping[Mark, Status] = {
    Event.CLOSED: Status.CLOSED,
    Event.TRANSFERRED: Status.HANDED,
    Event.ENTRUSTED: Status.HANDED,
    Event.STORED: Status.HELD,
    Event.DISOWNED: Status.HANDED,
    Event.OWED: Status.OPEN,
}
"""The events that change the typestate, and the typestate to which they lead an open descriptor."""

_WORK = (Event.USED, Event.SENT, Event.SPAWNED, Event.TRANSFERRED)


class Marked(NamedTuple):
    """A typestate with a mark."""

    status: Status
    mark: Event


TABLE: Mapping[tuple[Status | Event | Marked, Mark], Status | Violation] = {
    **{(status, event): goal for event, goal in GOALS.items() for status in ALIVE},
    **{(status, Event.DISOWNED): Status.HANDED for status in Status},
    (Status.HANDED, Event.STORED): Status.HELD,
    (Status.CLOSED, Event.CLOSED): Violation.DOUBLE_CLOSE,
    **{(Status.CLOSED, event): Violation.USE_AFTER_CLOSE for event in _WORK},
    **{(Event.ENDED_WITH_OWNER, event): Violation.USE_AFTER_CLOSE for event in _WORK},
    **{(one, Event.PROBED): Violation.PROBE_AFTER_CLOSE for one in (Status.CLOSED, Event.ENDED_WITH_OWNER)},
    (Status.HANDED, Event.CLOSED): Violation.CLOSE_AFTER_TRANSFER,
    **{(Marked(status, Event.FINALIZED), Event.CLOSED): Violation.CLOSE_AFTER_TRANSFER for status in ALIVE},
    (Marked(Status.HANDED, Event.FINALIZED), Event.CLOSED): Violation.CLOSE_OF_COLLECTED,
    (Event.REGISTERED, Event.CLOSED): Violation.CLOSE_WHILE_REGISTERED,
    (Event.WATCHED, Event.CLOSED): Violation.CLOSE_WHILE_REGISTERED,
}
"""The typestate after an event, or the violation that the event is: in a typestate, after a mark, or in a typestate
with a mark. An event without a row leaves the typestate unchanged."""

REMOVES: Mapping[Mark, frozenset[Mark]] = {
    Event.UNREGISTERED: CARRIED | {Violation.CLOSE_WHILE_REGISTERED},
    Event.OUTLIVED: frozenset({Violation.CLOSE_WHILE_REGISTERED}),
    Event.UNSENT: frozenset({Event.SENT}),
    Event.UNTAKEN: frozenset({Event.GIVEN}),
}
"""The marks that an event removes."""
ON_RETURN = frozenset[Mark]({Event.GIVEN, Violation.CLOSE_WHILE_REGISTERED})
"""The marks that count for a caller only if the function returns."""


def violation_of(past: Iterable[Status | Mark | Marked], event: Mark) -> Violation | None:
    """Returns the violation that an event is because of a typestate or a mark, the first that makes it one."""
    found = (TABLE.get((one, event)) for one in past if isinstance(one, Status | Event | Marked))
    return next((one for one in found if isinstance(one, Violation)), None)


MUST = frozenset({Event.LENT, Event.SPARED, *CARRIED})
"""Marks that a merged descriptor has only if all of its parts have them. For other marks, one part is enough."""


def joined_marks(one: frozenset[Mark], other: frozenset[Mark]) -> frozenset[Mark]:
    """Joins the marks of two descriptors. A violation stays with the descriptor that committed it."""
    return frozenset(mark for mark in (one | other) - (MUST - (one & other)) if not isinstance(mark, Violation))
