"""A path's story as the events of a trace: the acquisition first, then what matters to its descriptor, then the
loss."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fdlint.domain.facts import Death
from fdlint.domain.state import Story
from fdlint.engine.log import Elsewhere, Log, Places, Site, Slot
from fdlint.findings.finding import Event, EventKind, Span

_MAX_BRANCHES = 12  # the branches nearest to the loss say the most

_HOW = {
    Death.RETURN: "still open when the function returns",
    Death.RAISE: "still open when the function raises",
    Death.RERAISE: "still open when the caught exception is raised again",
    Death.ABANDONED: "still open when the constructor raises, and nobody gets the object",
    Death.EXCEPTION: "still open when the exception leaves the function",
    Death.NEXT_ROUND: "overwritten by the next round's descriptor",
    Death.REBOUND: "the last variable that holds it is overwritten",
    Death.DELETED: "the last variable that holds it is deleted",
    Death.DISCARDED: "never bound to anything",
    Death.DROPPED: "nothing holds it any more",
}

REFUSED, NO_METHOD, NO_MANAGER, NO_NUMBER = "refused", "no method", "no manager", "no number"
MISTAKES = {
    NO_METHOD: "is an int: {text} raises AttributeError, and the descriptor stays open",
    NO_MANAGER: "is an int: entering {text} raises TypeError, and the descriptor stays open",
    NO_NUMBER: "stays open: {text} raises TypeError, because the argument is not the number alone",
}
"""By the kind of a misuse of a number as an object: the rest of a sentence that begins with the descriptor."""

_KINDS = {
    "called": (EventKind.BRANCH, "called here: {text}"),
    "replaced": (EventKind.OVERWRITTEN, "its attribute is given another value"),
    "detached": (EventKind.OVERWRITTEN, "its attribute lets go of it"),
    "sent": (EventKind.SENT, "sent to another process, which gets a copy"),
    "spawned": (EventKind.SPAWNED, "inherited by a child process, which gets a copy"),
    "forked": (EventKind.SPAWNED, "the forked child gets a copy"),
    "closed": (EventKind.CLOSED, "closed"),
    "transferred": (EventKind.TRANSFERRED, "handed over"),
    "stored": (EventKind.TRANSFERRED, "stored: {text}"),
    "raised": (EventKind.RAISED, "{text} can raise"),
    REFUSED: (EventKind.RAISED, "{text} raises: the argument is no descriptor"),
    NO_METHOD: (EventKind.RAISED, "{text} raises AttributeError: an int has no such method"),
    NO_MANAGER: (EventKind.RAISED, "entering {text} raises TypeError: an int is no context manager"),
    NO_NUMBER: (EventKind.RAISED, "{text} raises TypeError: it needs a number"),
    "again": (EventKind.RAISED, "raised again here"),
    "raise": (EventKind.RAISED, "raised here"),
    "true": (EventKind.BRANCH, "{text} is true"),
    "false": (EventKind.BRANCH, "{text} is false"),
    "loop": (EventKind.BRANCH, "the loop over {text} goes round"),
    "done": (EventKind.BRANCH, "the loop over {text} ends"),
}
_OWN = frozenset(
    {"sent", "spawned", "forked", "closed", "transferred", "stored", "called", "replaced", "detached", *MISTAKES}
)  # what concerns one descriptor only


@dataclass(frozen=True, slots=True)
class End:
    """How a story ends."""

    kind: EventKind
    message: str


LET_GO = End(EventKind.OVERWRITTEN, "overwritten while it is open, and nothing else holds it")
"""The end of a descriptor that an attribute or a global lost."""


def abroad(origin: object, places: Places, function: str | None) -> object:
    """An origin that says in which file and function it stands."""
    return origin if origin is None or isinstance(origin, Elsewhere) else Elsewhere(origin, places, function)


def story_in_callee(story: Story | None, places: Places, function: str | None) -> Story | None:
    """A story whose every event says in which file and function it happened."""
    told: Story | None = None
    for chapter in reversed(list(chapters(story))):
        told = Story(chapter.happening, abroad(chapter.origin, places, function), chapter.descriptor, told)
    return told


def chapters(story: Story | None, until: Story | None = None) -> Iterator[Story]:
    """The story's entries, newest first, down to one that is not told any more."""
    while story is not None and story is not until:
        yield story
        story = story.before


def span_of(origin: object, places: Places) -> Span:
    """Where an origin stands; ``places`` is the file of those that do not say."""
    return origin.places.span(origin.origin) if isinstance(origin, Elsewhere) else places.span(origin)


def text_of(origin: object, places: Places) -> str:
    """How an origin reads."""
    return origin.places.text(origin.origin) if isinstance(origin, Elsewhere) else places.text(origin)


def tell(log: Log, slot: Slot, end: End, origin: object, story: Story | None, places: Places) -> tuple[Event, ...]:
    """The events that led to an end. ``origin``: what brought it about, None when the function was left."""
    events: list[Event] = []
    branches = 0
    last: Span | None = None
    for entry in chapters(story):
        mine = entry.descriptor is not None and (entry.descriptor.site, entry.descriptor.slot) == slot
        if entry.happening == "acquired" and mine:
            break
        if entry.happening in ("returned", "ended"):
            last = last or _end(entry, places)
        elif entry.happening in _KINDS and (mine or entry.happening not in _OWN):
            kind, _ = _KINDS[entry.happening]
            branches += kind is EventKind.BRANCH
            if kind is not EventKind.BRANCH or branches <= _MAX_BRANCHES:
                events.append(_event(entry, places))
    events.extend(acquired(log.sites[slot[0]], places))
    events.reverse()
    where = span_of(origin, places) if origin is not None else last or events[-1].span
    if events and events[-1].kind is EventKind.OVERWRITTEN and events[-1].span == where:
        del events[-1]
    return (*events, Event(end.kind, where, end.message))


def mistake(slot: Slot, story: Story | None, places: Places) -> str | None:
    """The misuse of a number as an object on a path, if there is one; it completes a sentence that begins with the
    descriptor."""
    for entry in chapters(story):
        if (
            entry.happening in MISTAKES
            and entry.descriptor is not None
            and (entry.descriptor.site, entry.descriptor.slot) == slot
        ):
            return MISTAKES[entry.happening].format(text=f"`{text_of(entry.origin, places)}`")
    return None


def _end(entry: Story, places: Places) -> Span:
    """Where the function is left: at its ``return``, or after its last line."""
    span = span_of(entry.origin, places)
    return span if entry.happening == "returned" else replace(span, line=span.end_line, column=1)


def _event(entry: Story, places: Places) -> Event:
    kind, message = _KINDS[entry.happening]
    text = f"`{text_of(entry.origin, places)}`"
    return Event(kind, span_of(entry.origin, places), message.format(text=text))


def acquired(site: Site, places: Places) -> list[Event]:
    """The call that acquired, and before that, as it is told backwards, the one in its callee that it came from.

    Nothing is told of a descriptor that was only met.
    """
    if site.met:
        return []
    kind = EventKind.RECEIVED if site.received else EventKind.ACQUIRED
    where = span_of(site.origin, places)
    if site.inner is not None:
        called = Event(kind, where, f"called here: {site.api}() returns it")
        return [called, *acquired(site.inner, places)]
    how = f"by {site.api}()" if site.api else "by whoever made the object, which owns it from here on"
    return [Event(kind, where, f"{kind.value} {how}")]


def loss(death: Death) -> End:
    """The end of a descriptor that a function lost."""
    overwritten = death in (Death.REBOUND, Death.DELETED, Death.NEXT_ROUND)
    return End(EventKind.OVERWRITTEN if overwritten else EventKind.LEAKED, _HOW[death])
