"""A path's story as the events of a trace: the acquisition first, then what matters to its descriptor, then the loss."""

from __future__ import annotations

from collections.abc import Callable

from fdlint.facts import Death
from fdlint.finding import Event, EventKind, Span
from fdlint.ownership.record import Record, Slot
from fdlint.state.world import Story

_MAX_BRANCHES = 12  # the branches nearest to the loss say the most

_HOW = {
    Death.RETURN: "still open when the function returns",
    Death.RAISE: "still open when the function raises",
    Death.EXCEPTION: "still open when the exception leaves the function",
    Death.NEXT_ROUND: "overwritten by the next round's descriptor",
    Death.REBOUND: "the last variable that holds it is overwritten",
    Death.DELETED: "the last variable that holds it is deleted",
    Death.DISCARDED: "never bound to anything",
    Death.DROPPED: "nothing holds it any more",
}

_KINDS = {
    "sent": (EventKind.SENT, "sent to another process, which gets a copy"),
    "spawned": (EventKind.SPAWNED, "inherited by a child process, which gets a copy"),
    "forked": (EventKind.SPAWNED, "the forked child gets a copy"),
    "closed": (EventKind.CLOSED, "closed"),
    "transferred": (EventKind.TRANSFERRED, "handed over"),
}


def tell(
    record: Record, slot: Slot, death: Death, origin: object, story: Story | None, locate: Callable[[object], Span]
) -> tuple[Event, ...]:
    """The events that led to a loss. ``origin``: what lost it, None when the function was left."""
    events: list[Event] = []
    branches = 0
    last: Span | None = None
    while story is not None:
        happening, rid = story.happening, story.rid
        mine = rid is not None and (rid.site, rid.slot) == slot
        if happening == "acquired" and mine:
            break
        if happening in ("raised", "raise"):
            message = "an exception can come out of this call" if happening == "raised" else "raised here"
            events.append(Event(EventKind.RAISED, locate(story.origin), message))
        elif happening == "branch" and branches < _MAX_BRANCHES:
            branches += 1
            events.append(Event(EventKind.BRANCH, locate(story.origin), _branch(story.detail)))
        elif mine and happening in _KINDS:
            kind, message = _KINDS[happening]
            events.append(Event(kind, locate(story.origin), message))
        elif happening == "returned":
            last = last or locate(story.origin)
        story = story.before
    site = record.sites[slot[0]]
    start = locate(site.origin)
    if site.received:
        events.append(Event(EventKind.RECEIVED, start, f"received by {site.api}()"))
    else:
        events.append(Event(EventKind.ACQUIRED, start, f"acquired by {site.api}()"))
    events.reverse()
    return (*events, _loss(death, origin, events, last, locate))


def _branch(detail: str) -> str:
    return {
        "true": "taking the branch where this is true",
        "false": "taking the branch where this is false",
        "loop": "another round of the loop",
        "done": "the loop ends",
    }[detail]


def _loss(
    death: Death, origin: object, events: list[Event], last: Span | None, locate: Callable[[object], Span]
) -> Event:
    where = locate(origin) if origin is not None else last or events[-1].span
    overwritten = death in (Death.REBOUND, Death.DELETED, Death.NEXT_ROUND)
    return Event(EventKind.OVERWRITTEN if overwritten else EventKind.LEAKED, where, _HOW[death])
