"""Tests that take descriptor 0 for none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fdlint.domain.event import Event
from fdlint.domain.facts import TruthTest
from fdlint.engine.explore import qualified
from fdlint.engine.log import Elsewhere, Log, Occurrence, Places
from fdlint.engine.trace import acquired, span_of, text_of
from fdlint.findings.finding import Event as TraceEvent
from fdlint.findings.finding import EventKind


def truth_tests(log: Log, truths: Iterable[Occurrence], places: Places, function: str | None) -> Iterator[TruthTest]:
    """The tests by which a function, or one that it calls, takes a descriptor for none if its number is 0."""
    nonzero = log.slots(Event.NONZERO)
    for one in truths:
        if log.is_stranger(one.descriptor):
            continue
        fd = one.descriptor
        if fd.site < 0 or one.slot in nonzero:
            continue
        site, origin = log.sites[fd.site], one.origin
        span, text = span_of(origin, places), text_of(origin, places)
        where = origin.function if isinstance(origin, Elsewhere) else function
        events = [
            *reversed(acquired(site, places)),
            TraceEvent(EventKind.BRANCH, span, f"`{text}` is false for descriptor 0"),
        ]
        yield TruthTest(site.api or None, qualified(where), span, text, tuple(events))
