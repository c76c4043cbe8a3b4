"""The picture of a finding's path: a box for each step, and the arrow that must not be there."""

from __future__ import annotations

from typing import NamedTuple

from fdlint.core.finding import Event, EventKind, Finding

_WORDS = {
    EventKind.ACQUIRED: "opened",
    EventKind.RECEIVED: "received",
    EventKind.BRANCH: "this way",
    EventKind.CLOSED: "closed",
    EventKind.SENT: "sent",
    EventKind.SPAWNED: "given to a child",
    EventKind.TRANSFERRED: "given away",
    EventKind.OVERWRITTEN: "overwritten",
    EventKind.RAISED: "raises",
    EventKind.LEAKED: "still open",
}
_ENDS = {
    "FD108": "never closed",
    "FD201": "closed again",
    "FD202": "used afterwards",
    "FD203": "closed again",
    "FD204": "number kept",
    "FD205": "0 counts as none",
    "FD206": "still registered",
    "FD207": "number kept",
    "FD301": "inheritable",
    "FD302": "inheritable",
    "FD401": "never ended",
}
"""What the last step of a rule's path means, if its kind does not tell."""
_FIRST, _LAST = 2, 4
"""How many boxes of a long path are shown at its start and at its end."""


_SHORT = 32  # characters


class Box(NamedTuple):
    """A step: its number in the path (0 for several steps that are left out), where and what it is. ``fatal``: the
    arrow to it is the defect. ``raised``: an exception leads to it."""

    number: int
    place: str
    word: str
    kind: str
    fatal: bool = False
    raised: bool = False


def boxes(finding: Finding) -> list[Box]:
    """Returns the boxes of a path, in order. A long one has one box for its middle."""
    steps = list(enumerate(finding.trace, start=1))
    shown = [_box(number, event, finding) for number, event in steps]
    left_out = len(shown) - _FIRST - _LAST
    if left_out > 1:
        shown[_FIRST:-_LAST] = [Box(0, "", f"{left_out} more steps", "branch")]
    return shown


def _word(event: Event) -> str:
    """Returns what a step is: its own words if they are few, and say what no kind does."""
    own = event.kind in (EventKind.BRANCH, EventKind.RAISED) and len(event.message) <= _SHORT
    return event.message if own else _WORDS[event.kind]


def _box(number: int, event: Event, finding: Finding) -> Box:
    last = number == len(finding.trace) and number > 1
    word = _ENDS.get(finding.code, _WORDS[event.kind]) if last else _word(event)
    own = event.span.path == finding.span.path
    place = f"line {event.span.line}" if own else f"{event.span.path.rpartition('/')[2]}:{event.span.line}"
    before = finding.trace[number - 2].kind if number > 1 else None
    return Box(number, place, word, event.kind.value, last, before is EventKind.RAISED)
