"""Turns what was assumed on a path into sentences with places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, takewhile

from fdlint.core.domain.assumption import SENTENCES
from fdlint.core.domain.event import LET_GO_EVENTS, Event
from fdlint.core.domain.state import Story
from fdlint.core.domain.values import Descriptor
from fdlint.core.engine.log import Log, Loss, Occurrence, Places
from fdlint.core.engine.trace import chapters, since_acquired, span_of, text_of
from fdlint.core.finding import Assumption, AssumptionKind, Span

ONLY_USES = {True: AssumptionKind.NAME_TAKES_NOTHING, False: AssumptionKind.ONLY_USES}
"""What is assumed about an unknown call that gets a descriptor, by whether names tell which functions take one."""


def on_path(fd: Descriptor, story: Story | None, places: Places) -> list[Assumption]:
    """Returns what is assumed about a descriptor on a path, in the order of the path."""
    found = (
        assumption(one.event, one.origin, places, one.about)
        for one in since_acquired(fd, story)
        if isinstance(one.event, AssumptionKind)
    )
    return list(dict.fromkeys(found))[::-1]


def assumption(kind: AssumptionKind, origin: object, places: Places, about: str = "") -> Assumption:
    """Returns an assumption about the code at an origin."""
    message = SENTENCES[kind].format(text=f"`{text_of(origin, places)}`", about=about)
    return Assumption(kind, message, span_of(origin, places))


def at(kind: AssumptionKind, span: Span) -> Assumption:
    """Returns an assumption about a whole path, which ends at a place."""
    return Assumption(kind, SENTENCES[kind].format(text="the code before this", about="it"), span)


def about_calls(log: Log, lost: Occurrence, loss: Loss, end: Span, places: Places, *, named: bool) -> list[Assumption]:
    """Returns what is assumed about the unknown calls that got a descriptor before it was lost. ``end``: where.
    ``named``: names tell which functions take a descriptor."""
    only_uses, fd, given = ONLY_USES[named], lost.descriptor, Event.GIVEN in loss.marks
    got = [one.origin for one in since_acquired(fd, lost.story) if one.event is Event.GIVEN]
    if not got:
        return [at(only_uses, end)] if given else []
    if log.origins(Event.UNTAKEN, fd.origin_slot).keys() >= set(got):
        return []
    kind = only_uses if given and not _left_it(log, got) else AssumptionKind.LEFT_BY_CALL
    return list(dict.fromkeys(assumption(kind, origin, places) for origin in reversed(got)))


def about_takers(fd: Descriptor, story: Story | None, places: Places, *, named: bool) -> Iterable[Assumption]:
    """Returns what is assumed about the unknown calls that got a descriptor after a field had let go of it."""
    later = takewhile(lambda one: one.event not in LET_GO_EVENTS, since_acquired(fd, story))
    got = [one.origin for one in later if one.event is Event.GIVEN]
    return dict.fromkeys(assumption(ONLY_USES[named], origin, places) for origin in reversed(got))


def _left_it(log: Log, calls: Iterable[object]) -> bool:
    """Whether the function ends a descriptor itself after each of some unknown calls that got it."""
    return set(calls).issubset(chain.from_iterable(log.marked(Event.UNTAKEN).values()))


def raising(story: Story | None, places: Places) -> Iterator[Assumption]:
    """Yields that the last call which raises on a path can raise."""
    for one in chapters(story):
        if one.event is Event.RAISED:
            yield assumption(AssumptionKind.CALL_RAISES, one.origin, places)
            return
