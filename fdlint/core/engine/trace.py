"""Turns the story of a path into the events of a trace: the acquisition, the events that matter to the descriptor, and
the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from fdlint.core.domain.event import LET_GO_EVENTS, Event
from fdlint.core.domain.facts import Death
from fdlint.core.domain.state import Story
from fdlint.core.domain.typestate import Mark, Violation
from fdlint.core.domain.values import Age, Descriptor
from fdlint.core.engine.log import Elsewhere, Log, Places, Site, Slot
from fdlint.core.finding import CAN_RAISE, EventKind, Span
from fdlint.core.finding import Event as TraceEvent
from fdlint.core.ir.source import SourceCode

_MAX_BRANCHES = 12  # the branches nearest to the loss are the most useful

_HOW = {
    Death.RETURN: "still open when the function returns",
    Death.FAILED: "still open when the function returns",
    Death.RAISE: "still open when the function raises",
    Death.RERAISE: "still open when the caught exception is raised again",
    Death.ABANDONED: "still open when the constructor raises, and no caller gets the object",
    Death.NOT_ENTERED: "still open when entering raises: the exit method does not run then",
    Death.EXCEPTION: "still open when the exception leaves the function",
    Death.NEXT_ROUND: "overwritten by the descriptor of the next iteration",
    Death.REBOUND: "the last variable that holds it is overwritten",
    Death.DELETED: "the last variable that holds it is deleted",
    Death.DISCARDED: "never bound to anything",
    Death.DEFERRED: "another iteration begins, and it stays open until the function returns",
    Death.DROPPED: "nothing holds it any more",
}

MISTAKES = {
    Event.NO_METHOD: "is an int: {text} raises AttributeError, and the descriptor stays open",
    Event.NO_MANAGER: "is an int: entering {text} raises TypeError, and the descriptor stays open",
    Event.NO_NUMBER: "stays open: {text} raises TypeError, because the argument is not the number alone",
}
"""Maps each misuse of a number as an object to the rest of a sentence that begins with the descriptor."""

_KINDS: Mapping[Mark, tuple[EventKind, str]] = {
    Event.CALLED: (EventKind.BRANCH, "called here: {text}"),
    Event.REPLACED: (EventKind.OVERWRITTEN, "its attribute is given another value"),
    Event.DETACHED: (EventKind.OVERWRITTEN, "its attribute lets go of it"),
    **dict.fromkeys((Event.TAKEN_OUT, Event.EMPTIED), (EventKind.OVERWRITTEN, "taken out of its attribute")),
    Event.SENT: (EventKind.SENT, "sent to another process, which gets a copy"),
    Event.SPAWNED: (EventKind.SPAWNED, "inherited by a child process, which gets a copy"),
    Event.FORKED: (EventKind.SPAWNED, "the forked child gets a copy"),
    Event.CLOSED: (EventKind.CLOSED, "closed"),
    Event.TRANSFERRED: (EventKind.TRANSFERRED, "handed over"),
    Event.FINALIZED: (EventKind.TRANSFERRED, "taken over by an object that closes it when it is collected"),
    Event.ENDED_WITH_OWNER: (EventKind.CLOSED, "closed with the object that owns it"),
    Event.STORED: (EventKind.TRANSFERRED, "stored: {text}"),
    Event.REGISTERED: (EventKind.BRANCH, "registered: {text}"),
    Event.WATCHED: (EventKind.BRANCH, "registered: {text}"),
    Event.RAISED: (EventKind.RAISED, "{text}" + CAN_RAISE),
    Event.REFUSED: (EventKind.RAISED, "{text} raises: the argument is not a descriptor"),
    Event.NO_METHOD: (EventKind.RAISED, "{text} raises AttributeError: an int has no such method"),
    Event.NO_MANAGER: (EventKind.RAISED, "entering {text} raises TypeError: an int is not a context manager"),
    Event.NO_NUMBER: (EventKind.RAISED, "{text} raises TypeError: it needs a number"),
    Event.RAISED_AGAIN: (EventKind.RAISED, "raised again here"),
    Event.RAISE: (EventKind.RAISED, "raised here"),
    Event.TRUE: (EventKind.BRANCH, "{text} is true"),
    Event.FALSE: (EventKind.BRANCH, "{text} is false"),
    Event.LOOPED: (EventKind.BRANCH, "the loop over {text} starts another iteration"),
    Event.LOOP_ENDED: (EventKind.BRANCH, "the loop over {text} ends"),
}
_OWN = frozenset(
    {
        Event.SENT,
        Event.SPAWNED,
        Event.FORKED,
        Event.CLOSED,
        Event.TRANSFERRED,
        Event.FINALIZED,
        Event.ENDED_WITH_OWNER,
        Event.STORED,
        Event.REGISTERED,
        Event.WATCHED,
        Event.CALLED,
        *LET_GO_EVENTS,
        *MISTAKES,
    }
)  # events that concern one descriptor only


@dataclass(frozen=True, slots=True)
class End:
    """The end of a story."""

    kind: EventKind
    message: str


ENDS: Mapping[Mark, End] = {
    Violation.DOUBLE_CLOSE: End(EventKind.CLOSED, "closed again"),
    Violation.USE_AFTER_CLOSE: End(EventKind.RAISED, "used after that: it fails, or acts on another file"),
    Violation.CLOSE_AFTER_TRANSFER: End(EventKind.CLOSED, "closed, and its new owner will close it again"),
    Violation.CLOSE_OF_COLLECTED: End(EventKind.CLOSED, "closed, and the object that was made of it closes it again"),
    Violation.CLOSE_WHILE_REGISTERED: End(EventKind.CLOSED, "closed, and the registration still has its number"),
    Event.TESTED: End(EventKind.BRANCH, "`{text}` is false for descriptor 0"),
}
"""The ends of traces that lead to one event."""

DEFAULT_END = End(EventKind.BRANCH, "here: `{text}`")
"""The end of a trace that leads to any other event."""

_OVER = End(EventKind.OVERWRITTEN, "overwritten while it is open, and nothing else holds it")
_OUT = End(EventKind.OVERWRITTEN, "taken out while it is open, and nothing else holds it")
LET_GO: Mapping[Mark, End] = {Event.REPLACED: _OVER, Event.DETACHED: _OVER, Event.TAKEN_OUT: _OUT, Event.EMPTIED: _OUT}
"""The end of a descriptor that an attribute or a global lost, by the event."""


def in_callee(origin: object, places: SourceCode, function: str | None) -> object:
    """Returns an origin that says in which file and function it is."""
    return origin if origin is None or isinstance(origin, Elsewhere) else Elsewhere(origin, places, function)


def story_in_callee(story: Story | None, places: SourceCode, function: str | None) -> Story | None:
    """Returns a story with events that say in which file and function they happened."""
    told: Story | None = None
    for chapter in reversed(list(chapters(story))):
        told = chapter._replace(origin=in_callee(chapter.origin, places, function), before=told, place=None)
    return told


def chapters(story: Story | None, until: Story | None = None) -> Iterator[Story]:
    """Yields the entries of a story, newest first. Stops before ``until``."""
    while story is not None and story is not until:
        yield story
        story = story.before


def since_acquired(fd: Descriptor, story: Story | None) -> Iterator[Story]:
    """Yields the entries of a story about one descriptor, newest first, back to its acquisition. For an older one,
    leaves out what happened since the same call acquired a newer one."""
    newer = fd.age is not Age.NEWEST
    for one in chapters(story):
        if one.descriptor is not None and one.descriptor.origin_slot == fd.origin_slot:
            if one.event is Event.ACQUIRED and not newer:
                return
            if one.event is Event.ACQUIRED:
                newer = False
            elif not newer:
                yield one


def span_of(origin: object, places: Places) -> Span:
    """Returns the position of an origin. ``places`` is the file of origins that do not name one."""
    return origin.places.span(origin.origin) if isinstance(origin, Elsewhere) else places.span(origin)


def text_of(origin: object, places: Places) -> str:
    """Returns the source text of an origin."""
    return origin.places.text(origin.origin) if isinstance(origin, Elsewhere) else places.text(origin)


def tell(log: Log, slot: Slot, end: End, origin: object, story: Story | None, places: Places) -> tuple[TraceEvent, ...]:
    """Returns the events that led to an end. ``origin``: the cause of the end, None when the function was left."""
    events: list[TraceEvent] = []
    branches = 0
    last: Span | None = None
    after: Story | None = None
    for entry in chapters(story):
        mine = entry.descriptor is not None and entry.descriptor.origin_slot == slot
        if entry.event is Event.ACQUIRED and mine:
            break
        if entry.event in (Event.RETURNED, Event.FELL_OFF):
            last = last or _end(entry, places)
        elif entry.event in _KINDS and (mine or entry.event not in _OWN):
            kind, _ = _KINDS[entry.event]
            branches += kind is EventKind.BRANCH
            if _is_part(entry, after, places):
                continue
            after = entry
            if kind is not EventKind.BRANCH or branches <= _MAX_BRANCHES:
                events.append(_event(entry, places))
    events.extend(acquired(log.sites[slot[0]], places))
    events.reverse()
    where = span_of(origin, places) if origin is not None else last or events[-1].span
    if events and events[-1].kind is EventKind.OVERWRITTEN and events[-1].span == where:
        del events[-1]
    return (*events, TraceEvent(end.kind, where, end.message))


def mistake(slot: Slot, story: Story | None, places: Places) -> str | None:
    """Returns the message about the misuse of a number as an object on a path; None if there is none.

    The message completes a sentence that begins with the descriptor.
    """
    for entry in chapters(story):
        if entry.event in MISTAKES and entry.descriptor is not None and entry.descriptor.origin_slot == slot:
            return MISTAKES[entry.event].format(text=f"`{text_of(entry.origin, places)}`")
    return None


def message_of(event: Mark, text: str) -> str:
    """Returns the sentence about an event. ``text``: the code where it happens."""
    return _KINDS[event][1].format(text=text) if event in _KINDS else event.value


def _end(entry: Story, places: Places) -> Span:
    """Returns the position where the function is left: its ``return``, or its last line."""
    span = span_of(entry.origin, places)
    return span if entry.event is Event.RETURNED else replace(span, line=span.end_line, column=1)


def _event(entry: Story, places: Places) -> TraceEvent:
    text = f"`{text_of(entry.origin, places)}`"
    return TraceEvent(_KINDS[entry.event][0], span_of(entry.origin, places), message_of(entry.event, text))


def _is_part(entry: Story, after: Story | None, places: Places) -> bool:
    """Whether an entry is the first part of a condition, and the entry ``after`` it tells how the condition came out:
    ``errors.Is(err, one)`` first asks whether there is an error."""
    if after is None or {entry.event, after.event} != {Event.TRUE, Event.FALSE}:
        return False
    return span_of(entry.origin, places) == span_of(after.origin, places)


def acquired(site: Site, places: Places) -> list[TraceEvent]:
    """Returns the events of an acquisition, newest first: the call here, then the acquiring call in its callee.

    There are none for a descriptor that was only met.
    """
    if site.met:
        return []
    kind = EventKind.RECEIVED if site.received else EventKind.ACQUIRED
    where = span_of(site.origin, places)
    if site.inner is not None:
        called = TraceEvent(kind, where, f"called here: {site.api}() returns it")
        return [called, *acquired(site.inner, places)]
    how = f"by {site.api}()" if site.api else "by the caller that made the object, which owns it from here on"
    return [TraceEvent(kind, where, f"{kind.value} {how}")]


def loss(death: Death) -> End:
    """Returns the end for a descriptor that a function lost."""
    overwritten = death in (Death.REBOUND, Death.DELETED, Death.NEXT_ROUND)
    return End(EventKind.OVERWRITTEN if overwritten else EventKind.LEAKED, _HOW[death])
