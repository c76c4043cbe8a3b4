"""The typestates of a descriptor, and the one table of what each event makes of them."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import TypeAlias

from fdlint.domain.event import Event


class Status(enum.Enum):
    """The typestate of a descriptor."""

    OPEN = "open"
    BORROWED = "open, and owed by the caller"
    HELD = "open, and owed by the object or module that holds it"
    CLOSED = "closed"
    HANDED = "handed over"

    __hash__ = object.__hash__  # an enumeration's own is written in Python, and asked millions of times


class Violation(enum.Enum):
    """An event that no descriptor in its typestate may meet."""

    DOUBLE_CLOSE = "closed again"
    USE_AFTER_CLOSE = "used after it was closed"
    CLOSE_AFTER_TRANSFER = "closed, though an object had taken it over that closes it"
    CLOSE_OF_BORROWED = "closed, though it is only lent by what closes it, or gives it again"

    __hash__ = object.__hash__


ALIVE = frozenset({Status.OPEN, Status.BORROWED, Status.HELD})
"""Open, whoever owes the close."""

TABLE: Mapping[tuple[Status, Event], Status | Violation] = {
    **{(status, Event.CLOSED): Status.CLOSED for status in ALIVE},
    **{(status, Event.TRANSFERRED): Status.HANDED for status in ALIVE},
    **{(status, Event.STORED): Status.HELD for status in ALIVE},
    (Status.CLOSED, Event.CLOSED): Violation.DOUBLE_CLOSE,
    (Status.CLOSED, Event.USED): Violation.USE_AFTER_CLOSE,
    (Status.CLOSED, Event.SENT): Violation.USE_AFTER_CLOSE,
    (Status.CLOSED, Event.SPAWNED): Violation.USE_AFTER_CLOSE,
    (Status.CLOSED, Event.TRANSFERRED): Violation.USE_AFTER_CLOSE,
    (Status.HANDED, Event.CLOSED): Violation.CLOSE_AFTER_TRANSFER,
}
"""What an event makes of a typestate; what is not here leaves it as it is."""

ENDED = {violation: status for (status, _), violation in TABLE.items() if isinstance(violation, Violation)}
"""The typestate in which an event is a violation."""


def after(status: Status, event: Event) -> Status | Violation:
    """The typestate after an event, or what is wrong with that event."""
    return TABLE.get((status, event), status)


Mark: TypeAlias = Event | Violation
"""What has happened to a descriptor on the way, besides its typestate."""

MUST = frozenset({Event.LENT})
"""Marks of a descriptor that stands for several only if all of them have it; of the others, one is enough."""


def joined_marks(one: frozenset[Mark], other: frozenset[Mark]) -> frozenset[Mark]:
    """The marks of two descriptors that become one. A violation stays with the one that committed it."""
    return frozenset(mark for mark in (one | other) - (MUST - (one & other)) if isinstance(mark, Event))
