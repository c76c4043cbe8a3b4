"""The one function that changes a descriptor: its typestate and marks, and what the log and the story tell of it."""

from __future__ import annotations

import pytest

from fdlint.core.domain.apply_event import apply_event, lend, pick, spare
from fdlint.core.domain.event import Event
from fdlint.core.domain.state import Resource, State
from fdlint.core.domain.typestate import Mark, Status, Violation
from fdlint.core.domain.values import Age, Descriptor, Fd, IncomingSite
from fdlint.core.engine.log import Log
from fdlint.core.engine.trace import chapters

FD = Descriptor(IncomingSite.of_lot(0), 0, Age.NEWEST)


def world(status: Status, *marks: Mark, certain: bool = False) -> State:
    return State(resources={FD: Resource(status, frozenset(marks), certain=certain)})


def applied(
    event: Mark, status: Status, *marks: Mark, certain: bool = False, owner: int | None = None, widened: bool = False
) -> Resource:
    """What becomes of a descriptor, which the log tells of."""
    state = world(status, *marks)
    state.widened = widened
    apply_event(state, Log(), FD, event, "here", certain=certain, owner=owner)
    return state.resources[FD]


def told(event: Mark, status: Status, *marks: Mark, certain: bool = False) -> tuple[list[Mark], list[Mark]]:
    """The events in the log and in the story."""
    state, log = world(status, *marks), Log()
    apply_event(state, log, FD, event, "here", certain=certain)
    return list(log.occurrences), [one.event for one in chapters(state.story)]


class TestTypestate:
    @pytest.mark.parametrize("certain", [False, True])
    @pytest.mark.parametrize("status", [Status.OPEN, Status.BORROWED, Status.HELD])
    def test_a_close_closes(self, status: Status, certain: bool) -> None:
        assert applied(Event.CLOSED, status, certain=certain) == Resource(Status.CLOSED, certain=certain)

    def test_what_a_field_stores_is_the_fields(self) -> None:
        assert applied(Event.STORED, Status.BORROWED) == Resource(Status.HELD)

    def test_a_violation_leaves_it_where_it_is(self) -> None:
        assert applied(Event.CLOSED, Status.CLOSED) == Resource(Status.CLOSED)
        assert applied(Event.CLOSED, Status.HANDED) == Resource(Status.HANDED)
        assert applied(Event.TRANSFERRED, Status.CLOSED) == Resource(Status.CLOSED)

    def test_what_is_certainly_closed_is_closed_whoever_owns_it(self) -> None:
        assert applied(Event.CLOSED, Status.HANDED, certain=True) == Resource(Status.CLOSED, certain=True)

    def test_an_object_that_takes_it_is_its_owner(self) -> None:
        taken = Resource(Status.HANDED, certain=True, owner=7)
        assert applied(Event.TRANSFERRED, Status.OPEN, certain=True, owner=7) == taken
        assert applied(Event.TRANSFERRED, Status.HANDED, certain=True, owner=7) == taken

    @pytest.mark.parametrize("status", Status)
    def test_what_is_disowned_is_somebody_elses(self, status: Status) -> None:
        assert applied(Event.DISOWNED, status) == Resource(Status.HANDED)

    def test_where_paths_are_merged_nothing_is_certain(self) -> None:
        assert applied(Event.CLOSED, Status.OPEN, certain=True, widened=True) == Resource(Status.CLOSED)


class TestMarks:
    def test_an_open_descriptor_gets_a_mark(self) -> None:
        assert applied(Event.SENT, Status.OPEN) == Resource(Status.OPEN, frozenset({Event.SENT}))

    def test_a_closed_one_gets_only_those_that_stay(self) -> None:
        assert applied(Event.SENT, Status.CLOSED) == Resource(Status.CLOSED)
        assert applied(Event.WATCHED, Status.CLOSED) == Resource(Status.CLOSED, frozenset({Event.WATCHED}))

    def test_a_close_in_a_registration_is_a_violation_in_waiting(self) -> None:
        waiting = {Event.WATCHED, Violation.CLOSE_WHILE_REGISTERED}
        assert applied(Event.CLOSED, Status.OPEN, Event.WATCHED, certain=True).marks == waiting
        assert applied(Event.CLOSED, Status.OPEN, Event.WATCHED).marks == {Event.WATCHED}
        assert applied(Event.CLOSED, Status.OPEN, Event.WATCHED, certain=True, widened=True).marks == {Event.WATCHED}

    def test_the_end_of_the_registration_removes_both(self) -> None:
        marks = Event.WATCHED, Violation.CLOSE_WHILE_REGISTERED, Event.SENT
        assert applied(Event.UNREGISTERED, Status.CLOSED, *marks).marks == {Event.SENT}

    def test_a_use_shows_that_nobody_took_it(self) -> None:
        assert applied(Event.UNTAKEN, Status.OPEN, Event.GIVEN, Event.SENT).marks == {Event.SENT}

    def test_only_what_is_open_is_lent_or_spared(self) -> None:
        for status, marks in ((Status.OPEN, {Event.LENT, Event.SPARED}), (Status.CLOSED, set())):
            state = world(status)
            lend(state, Fd(FD))
            spare(state)
            assert state.resources[FD].marks == marks

    def test_what_is_picked_is_not_certain(self) -> None:
        state = world(Status.CLOSED, certain=True)
        pick(state, Fd(FD))
        assert state.resources[FD] == Resource(Status.CLOSED, frozenset({Event.PICKED}))


class TestTold:
    def test_what_changes_it(self) -> None:
        assert told(Event.CLOSED, Status.OPEN) == ([Event.CLOSED], [Event.CLOSED])
        assert told(Event.STORED, Status.OPEN) == ([Event.STORED], [Event.STORED])
        assert told(Event.SENT, Status.OPEN) == ([Event.SENT], [Event.SENT])

    def test_what_is_handed_to_an_object_is_handed_over(self) -> None:
        assert told(Event.ENTRUSTED, Status.OPEN) == ([Event.ENTRUSTED], [Event.TRANSFERRED])

    def test_what_is_handed_over_once_more_is_noted(self) -> None:
        assert told(Event.TRANSFERRED, Status.HANDED) == ([Event.TRANSFERRED], [])

    def test_where_the_function_ends_it_itself(self) -> None:
        state, log = world(Status.OPEN), Log()
        apply_event(state, log, FD, Event.CLOSED, "here")
        assert {slot: list(places) for slot, places in log.marked(Event.ENDED).items()} == {FD.origin_slot: ["here"]}

    def test_another_close(self) -> None:
        assert told(Event.CLOSED, Status.CLOSED) == ([Event.CLOSED, Violation.DOUBLE_CLOSE], [])

    def test_what_changes_nothing(self) -> None:
        assert told(Event.UNREGISTERED, Status.OPEN) == ([], [])

    def test_a_descriptor_that_is_not_followed(self) -> None:
        state, log = State(), Log()
        for event in (Event.CLOSED, Event.TRANSFERRED, Event.SENT, Event.UNREGISTERED):
            apply_event(state, log, FD, event, "here")
        assert (list(log.occurrences), state.resources, state.story) == ([Event.CLOSED, Event.SENT], {}, None)

    def test_nothing_without_a_log(self) -> None:
        state = world(Status.OPEN)
        apply_event(state, None, FD, Event.CLOSED, "here")
        assert state.resources[FD] == Resource(Status.CLOSED)
        assert state.story is None
