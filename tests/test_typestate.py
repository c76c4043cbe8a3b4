"""The table of typestates: what each event makes of a descriptor, and what it may not meet."""

from __future__ import annotations

import pytest

from fdlint.core.domain.event import Event
from fdlint.core.domain.typestate import ALIVE, ENDED, TABLE, Status, Violation, after, joined_marks, violation_of

LEADS_TO = {Event.CLOSED: Status.CLOSED, Event.TRANSFERRED: Status.HANDED, Event.STORED: Status.HELD}
VIOLATIONS = {
    (Status.CLOSED, Event.CLOSED): Violation.DOUBLE_CLOSE,
    (Status.CLOSED, Event.USED): Violation.USE_AFTER_CLOSE,
    (Status.CLOSED, Event.SENT): Violation.USE_AFTER_CLOSE,
    (Status.CLOSED, Event.SPAWNED): Violation.USE_AFTER_CLOSE,
    (Status.CLOSED, Event.TRANSFERRED): Violation.USE_AFTER_CLOSE,
    (Status.HANDED, Event.CLOSED): Violation.CLOSE_AFTER_TRANSFER,
    (Event.REGISTERED, Event.CLOSED): Violation.CLOSE_WHILE_REGISTERED,
    (Event.WATCHED, Event.CLOSED): Violation.CLOSE_WHILE_REGISTERED,
}


@pytest.mark.parametrize("event", LEADS_TO, ids=lambda event: event.name)
def test_what_an_open_descriptor_becomes(event: Event) -> None:
    assert {after(status, event) for status in ALIVE} == {LEADS_TO[event]}


def test_what_no_descriptor_may_meet() -> None:
    assert {key: value for key, value in TABLE.items() if isinstance(value, Violation)} == VIOLATIONS


def test_each_violation_starts_in_one_typestate() -> None:
    of_status = {key: violation for key, violation in VIOLATIONS.items() if isinstance(key[0], Status)}
    assert all(ENDED[violation] is status for (status, _), violation in of_status.items())


def test_everything_else_leaves_it_as_it_is() -> None:
    rest = [(status, event) for status in Status for event in Event if (status, event) not in TABLE]
    assert rest
    assert all(after(status, event) is status for status, event in rest)


def test_a_mark_forbids_an_event() -> None:
    assert violation_of(frozenset({Event.BOUND, Event.WATCHED}), Event.CLOSED) is Violation.CLOSE_WHILE_REGISTERED
    assert violation_of(frozenset({Event.BOUND, Event.SENT}), Event.CLOSED) is None
    assert violation_of(frozenset({Event.WATCHED}), Event.USED) is None


class TestMarks:
    def test_one_that_has_it_is_enough(self) -> None:
        assert joined_marks(frozenset({Event.SENT}), frozenset()) == {Event.SENT}

    def test_what_is_lent_is_lent_for_certain(self) -> None:
        assert joined_marks(frozenset({Event.LENT}), frozenset()) == frozenset()
        assert joined_marks(frozenset({Event.LENT}), frozenset({Event.LENT})) == {Event.LENT}

    def test_a_violation_does_not_spread(self) -> None:
        assert joined_marks(frozenset({Violation.DOUBLE_CLOSE}), frozenset()) == frozenset()
