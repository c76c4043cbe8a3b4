"""The typestates of a descriptor, and the one table of transitions."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import TypeAlias

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

TABLE: Mapping[tuple[Status | Event, Event], Status | Violation] = {
    **{(status, Event.CLOSED): Status.CLOSED for status in ALIVE},
    **{(status, Event.TRANSFERRED): Status.HANDED for status in ALIVE},
    **{(status, Event.STORED): Status.HELD for status in ALIVE},
    (Status.CLOSED, Event.CLOSED): Violation.DOUBLE_CLOSE,
    (Status.CLOSED, Event.USED): Violation.USE_AFTER_CLOSE,
    (Status.CLOSED, Event.SENT): Violation.USE_AFTER_CLOSE,
    (Status.CLOSED, Event.SPAWNED): Violation.USE_AFTER_CLOSE,
    (Status.CLOSED, Event.TRANSFERRED): Violation.USE_AFTER_CLOSE,
    (Status.HANDED, Event.CLOSED): Violation.CLOSE_AFTER_TRANSFER,
    (Event.REGISTERED, Event.CLOSED): Violation.CLOSE_WHILE_REGISTERED,
    (Event.WATCHED, Event.CLOSED): Violation.CLOSE_WHILE_REGISTERED,
}
"""The typestate after an event, or the violation, by the typestate or a mark. An event without an entry leaves the
typestate unchanged."""

MOVES = frozenset(event for (_, event), found in TABLE.items() if isinstance(found, Status))
"""The events that change the typestate."""

REMOVES: Mapping[Event, frozenset[Mark]] = {
    Event.UNREGISTERED: CARRIED | {Violation.CLOSE_WHILE_REGISTERED},
}
"""The marks that an event removes."""

ENDED = {
    violation: status
    for (status, _), violation in TABLE.items()
    if isinstance(violation, Violation) and isinstance(status, Status)
}
"""The typestate in which an event is each violation."""


def after(status: Status, event: Event) -> Status | Violation:
    """Returns the typestate after an event, or the violation."""
    return TABLE.get((status, event), status)


def violation_of(marks: frozenset[Mark], event: Event) -> Violation | None:
    """Returns the violation that an event is because of a mark."""
    found = (TABLE.get((mark, event)) for mark in marks if isinstance(mark, Event))
    return next((one for one in found if isinstance(one, Violation)), None)


MUST = frozenset({Event.LENT, Event.SPARED, *CARRIED})
"""Marks that a merged descriptor has only if all of its parts have them. For other marks, one part is enough."""


def joined_marks(one: frozenset[Mark], other: frozenset[Mark]) -> frozenset[Mark]:
    """Joins the marks of two descriptors. A violation stays with the descriptor that committed it."""
    return frozenset(mark for mark in (one | other) - (MUST - (one & other)) if not isinstance(mark, Violation))
