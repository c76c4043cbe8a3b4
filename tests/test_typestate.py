"""The table of typestates: what each event makes of a descriptor, and what it may not meet."""

from __future__ import annotations

import ast

from fdlint.core.domain.event import Event
from fdlint.core.domain.typestate import (
    ALIVE,
    GOALS,
    TABLE,
    Marked,
    Status,
    Violation,
    joined_marks,
    violation_of,
)
from tests.package import modules

MOVES = {
    Event.CLOSED: Status.CLOSED,
    Event.TRANSFERRED: Status.HANDED,
    Event.ENTRUSTED: Status.HANDED,
    Event.STORED: Status.HELD,
    Event.DISOWNED: Status.HANDED,
    Event.OWED: Status.OPEN,
}
VIOLATIONS = {
    (Status.CLOSED, Event.CLOSED): Violation.DOUBLE_CLOSE,
    (Status.CLOSED, Event.USED): Violation.USE_AFTER_CLOSE,
    (Status.CLOSED, Event.SENT): Violation.USE_AFTER_CLOSE,
    (Status.CLOSED, Event.SPAWNED): Violation.USE_AFTER_CLOSE,
    (Status.CLOSED, Event.TRANSFERRED): Violation.USE_AFTER_CLOSE,
    (Event.ENDED_WITH_OWNER, Event.USED): Violation.USE_AFTER_CLOSE,
    (Event.ENDED_WITH_OWNER, Event.SENT): Violation.USE_AFTER_CLOSE,
    (Event.ENDED_WITH_OWNER, Event.SPAWNED): Violation.USE_AFTER_CLOSE,
    (Event.ENDED_WITH_OWNER, Event.TRANSFERRED): Violation.USE_AFTER_CLOSE,
    (Status.CLOSED, Event.PROBED): Violation.PROBE_AFTER_CLOSE,
    (Event.ENDED_WITH_OWNER, Event.PROBED): Violation.PROBE_AFTER_CLOSE,
    (Status.HANDED, Event.CLOSED): Violation.CLOSE_AFTER_TRANSFER,
    (Marked(Status.OPEN, Event.FINALIZED), Event.CLOSED): Violation.CLOSE_AFTER_TRANSFER,
    (Marked(Status.BORROWED, Event.FINALIZED), Event.CLOSED): Violation.CLOSE_AFTER_TRANSFER,
    (Marked(Status.HELD, Event.FINALIZED), Event.CLOSED): Violation.CLOSE_AFTER_TRANSFER,
    (Marked(Status.HANDED, Event.FINALIZED), Event.CLOSED): Violation.CLOSE_OF_COLLECTED,
    (Event.REGISTERED, Event.CLOSED): Violation.CLOSE_WHILE_REGISTERED,
    (Event.WATCHED, Event.CLOSED): Violation.CLOSE_WHILE_REGISTERED,
}


def test_what_an_open_descriptor_becomes() -> None:
    assert {event: {TABLE[status, event] for status in ALIVE} for event in GOALS} == {
        event: {goal} for event, goal in MOVES.items()
    }


def test_what_no_descriptor_may_meet() -> None:
    assert {key: value for key, value in TABLE.items() if isinstance(value, Violation)} == VIOLATIONS


def test_a_mark_forbids_an_event() -> None:
    assert violation_of([Event.BOUND, Event.WATCHED], Event.CLOSED) is Violation.CLOSE_WHILE_REGISTERED
    assert violation_of([Event.BOUND, Event.SENT], Event.CLOSED) is None
    assert violation_of([Event.WATCHED], Event.USED) is None
    assert violation_of([Event.ENDED_WITH_OWNER, Status.HANDED], Event.USED) is Violation.USE_AFTER_CLOSE


def test_only_one_function_changes_a_descriptor() -> None:
    """Other code gives birth to a ``Resource``, or drops one."""
    known = {"core.domain.apply_event", "core.domain.assumption", "core.domain.state"}
    changing = [
        f"{module.name}:{node.lineno}"
        for module in modules()
        if module.name.startswith("core.") and module.name not in known
        for node in module.nodes
        if _replaces(node) or (isinstance(node, ast.Assign) and any(map(_is_resource, node.targets)) and _old(node))
    ]
    assert not changing


def _replaces(node: ast.AST) -> bool:
    """Whether a node is ``…resources[fd]._replace(…)`` or the like."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("_replace", "marked", "unmarked")
        and _is_resource(node.func.value)
    )


def _is_resource(node: ast.expr) -> bool:
    return isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "resources"


def _old(assignment: ast.Assign) -> bool:
    """Whether an assignment gives something other than a new ``Resource`` or a parameter with one."""
    value = assignment.value
    made = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "Resource"
    return not made and not isinstance(value, ast.Name)


class TestMarks:
    def test_one_that_has_it_is_enough(self) -> None:
        assert joined_marks(frozenset({Event.SENT}), frozenset()) == {Event.SENT}

    def test_what_is_lent_is_lent_for_certain(self) -> None:
        assert joined_marks(frozenset({Event.LENT}), frozenset()) == frozenset()
        assert joined_marks(frozenset({Event.LENT}), frozenset({Event.LENT})) == {Event.LENT}

    def test_a_violation_does_not_spread(self) -> None:
        assert joined_marks(frozenset({Violation.DOUBLE_CLOSE}), frozenset()) == frozenset()
