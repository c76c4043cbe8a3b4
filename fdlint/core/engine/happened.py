"""Turns single events into facts: what happened at a statement, and what may excuse it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fdlint.core.domain.event import SINGLE
from fdlint.core.domain.facts import Excuse, Happened
from fdlint.core.domain.typestate import Violation
from fdlint.core.engine.assumed import on_path
from fdlint.core.engine.explore import Analysis, qualified
from fdlint.core.engine.feasibility import Correlations
from fdlint.core.engine.log import NOTHING, Elsewhere, History, Log, Misuse, Occurrence, Places
from fdlint.core.engine.trace import DEFAULT_END, ENDS, End, span_of, tell, text_of
from fdlint.core.ir import Graph


def happened(graph: Graph, analysis: Analysis, places: Places) -> Iterator[Happened]:
    """Yields the violations of a function and the events that have rules of their own, callees included."""
    for log in analysis.logs:
        found, single = [one for one in log.of(*Violation) if one.certain], log.of(*SINGLE)
        if found or single:
            yield from told(log, [*_surest(found, places), *single], places, graph.name, Correlations(graph))


def _surest(found: Iterable[Occurrence], places: Places) -> Iterator[Occurrence]:
    """Yields the violations, of each at one place only those that do not need more than another one. A deferred call is
    one place, though the graph repeats it for each way out."""
    by_place: dict[object, dict[Misuse, Occurrence]] = {}
    for one in found:
        needs = one.detail if isinstance(one.detail, Misuse) else Misuse(False, NOTHING)
        by_place.setdefault((one.event, one.slot, span_of(one.origin, places)), {}).setdefault(needs, one)
    for group in by_place.values():
        yield from (one for needs, one in group.items() if not any(map(needs.exceeds, group)))


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
        if isinstance(one.event, Violation) and _is_excused(log, one, correlations):
            continue
        history, site, origin = histories.get(one.slot, History()), log.sites[one.descriptor.site], one.origin
        text = text_of(origin, places)
        end = ENDS.get(one.event, DEFAULT_END)
        yield Happened(
            event=one.event,
            variable=history.name,
            function=qualified(origin.function if isinstance(origin, Elsewhere) else function),
            span=span_of(origin, places),
            api=site.api or None,
            trace=tell(log, one.slot, End(end.kind, end.message.format(text=text)), origin, one.story, places),
            text=text,
            events=frozenset(other.event for other in history),
            excuses=frozenset({Excuse.NOT_ACQUIRED} if log.is_stranger(one.descriptor) else ()),
            assumptions=tuple(on_path(one.descriptor, one.story, places)),
            rare=isinstance(one.detail, Misuse) and one.detail.rare,
            caught=isinstance(one.detail, Misuse) and one.detail.caught,
            of=site.of,
        )


def _is_excused(log: Log, misuse: Occurrence, correlations: Correlations | None) -> bool:
    """Whether a misuse may be none: of an object that allows it, or on a path that the conditions may rule out."""
    object_ = log.sites[misuse.descriptor.site].finalized
    return object_ or (correlations is not None and correlations.may_exclude_each_other(misuse))
