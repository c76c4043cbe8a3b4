"""Turns single events into facts: what happened at a statement, and what may excuse it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fdlint.core.domain.event import SINGLE, Event
from fdlint.core.domain.facts import Excuse, Happened
from fdlint.core.domain.typestate import Mark, Violation
from fdlint.core.engine.explore import Analysis, qualified
from fdlint.core.engine.feasibility import Correlations
from fdlint.core.engine.log import BY_NAME, RARELY, Elsewhere, History, Log, Occurrence, Places, Slot, bare
from fdlint.core.engine.trace import DEFAULT_END, ENDS, End, since_acquired, span_of, tell, text_of
from fdlint.core.ir import Graph


def happened(graph: Graph, analysis: Analysis, places: Places) -> Iterator[Happened]:
    """Yields the violations of a function and the events that have rules of their own, callees included."""
    correlations = Correlations(graph)
    for log in analysis.logs:
        found = [one for one in log.of(*Violation) if one.certain]
        usual = {_place(one) for one in found if one.detail != RARELY}
        found = [one for one in found if one.detail != RARELY or _place(one) not in usual]
        yield from told(log, [*found, *log.of(*SINGLE)], places, graph.name, correlations)


def _place(one: Occurrence) -> tuple[Mark, Slot, int]:
    return one.event, one.slot, id(bare(one.origin))


def told(
    log: Log,
    occurrences: Iterable[Occurrence],
    places: Places,
    function: str | None,
    correlations: Correlations | None = None,
) -> Iterator[Happened]:
    """Yields facts for the occurrences that concern the function's own descriptors. ``correlations``: the correlations
    of the function's tests."""
    found = [one for one in occurrences if one.descriptor.site.is_own]
    histories = log.histories() if found else {}
    for one in found:
        history, site, origin = histories.get(one.slot, History()), log.sites[one.descriptor.site], one.origin
        text = text_of(origin, places)
        end = ENDS.get(one.event, DEFAULT_END)
        excuses = set[Excuse]()
        if isinstance(one.event, Violation) and correlations and correlations.may_exclude_each_other(one):
            excuses.add(Excuse.CORRELATED)
        if isinstance(one.event, Violation) and any(
            told.event is Event.PERHAPS for told in since_acquired(one.descriptor, one.story)
        ):
            excuses.add(Excuse.PERHAPS)
        if one.detail == BY_NAME:
            excuses.add(Excuse.BY_NAME)
        if one.detail == RARELY:
            excuses.add(Excuse.RARE)
        if site.finalized:
            excuses.add(Excuse.OBJECT)
        if log.is_stranger(one.descriptor):
            excuses.add(Excuse.NOT_ACQUIRED)
        yield Happened(
            event=one.event,
            variable=history.name,
            function=qualified(origin.function if isinstance(origin, Elsewhere) else function),
            span=span_of(origin, places),
            api=site.api or None,
            trace=tell(log, one.slot, End(end.kind, end.message.format(text=text)), origin, one.story, places),
            text=text,
            events=frozenset(other.event for other in history),
            excuses=frozenset(excuses),
            of=site.of,
        )
