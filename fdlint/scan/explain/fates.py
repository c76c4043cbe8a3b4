"""Finds what became of each descriptor that is acquired on one line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fdlint.core.domain.event import Event
from fdlint.core.domain.facts import Death
from fdlint.core.engine.detailed_log import Departure, DetailedLog
from fdlint.core.engine.explore import Analysis, qualified
from fdlint.core.engine.log import Elsewhere, History, Home, Log, Slot, bare
from fdlint.core.finding import Span
from fdlint.core.ir import Graph
from fdlint.report.findings.explanation import Fate, Reason
from fdlint.scan.analysis import TOO_LARGE
from fdlint.scan.explain.places import Where, ended
from fdlint.scan.explain.reading import Read

_MOST = 12  # sentences of one kind
_LEAKS = "FD1"
_WAYS = {
    Event.RETURNED: "returns",
    Event.FELL_OFF: "ends without a return",
    Event.RAISED: "an exception out of {text}",
    Event.RAISE: "raises: {text}",
    Event.RAISED_AGAIN: "raises the caught exception again",
}
_STATES = {
    Event.CLOSED: "closed",
    Event.TRANSFERRED: "handed over",
    Event.STORED: "stored",
    Event.ENDED_WITH_OWNER: "closed with the object that owns it",
}


class Acquired(NamedTuple):
    """A descriptor that a call acquires: the place of the call, the log that tells of it, its number there, and its
    history."""

    span: Span
    where: Where
    slot: Slot
    history: History
    analysis: Analysis


def acquisitions(read: Read) -> Iterator[Acquired]:
    """Yields each descriptor that a call of the file acquires."""
    search, callees = read.followed
    keepers = search.attributes.keepers
    for graph, analysis in search.followed:
        found: dict[tuple[int, int], Acquired] = {}
        for log in analysis.logs:
            where = Where(graph, log, callees, keepers) if isinstance(log, DetailedLog) else None
            for slot, history in sorted(log.histories().items()) if where is not None else ():
                site = log.sites[slot[0]] if slot[0].is_own else None
                alone = log.only is not None
                if site is None or where is None or site.met or isinstance(site.origin, Elsewhere):
                    continue
                if (alone and site.origin is not log.only) or history.first(Event.ACQUIRED) is None:
                    continue
                span = callees.file.source.span(site.origin)
                if span.path == read.path:
                    found[id(bare(site.origin)), slot[1]] = Acquired(span, where, slot, history, analysis)
        yield from found.values()


def fates(read: Read, line: int, reported: Sequence[tuple[Span, str, str]]) -> Iterator[Fate]:
    """Yields what became of the descriptors that are acquired on a line. ``reported``: the findings of the file: their
    place, their code, and how they are shown or hidden."""
    for one in acquisitions(read):
        if one.span.line <= line <= one.span.end_line:
            yield _fate(one, reported)


def _fate(acquired: Acquired, reported: Sequence[tuple[Span, str, str]]) -> Fate:
    span, where, slot, history, _ = acquired
    site = where.log.sites[slot[0]]
    name = f"`{history.name}`" if history.name is not None else "the descriptor"
    actions = sorted(where.log.actions.get(slot, {}).values(), key=lambda one: _order(where.span(one.origin)))
    kept = {id(bare(one.origin)) for one in actions if isinstance(one.detail, Home)}
    told = [ended(where, one) for one in actions if one.event is not Event.STORED or id(bare(one.origin)) not in kept]
    verdict = _verdict(acquired, reported)
    departures = list(where.log.departures.get(slot, {}).values())
    exits = sorted(dict.fromkeys(_exit(where, one, history) for one in departures), key=lambda one: _order(one.span))
    subject = f"{name} from {site.api}()"
    return Fate(subject, qualified(where.graph.name), span, verdict, _few(dict.fromkeys(told)), _few(exits))


def _few(reasons: Iterator[Reason] | Sequence[Reason] | dict[Reason, None]) -> tuple[Reason, ...]:
    """Returns the first reasons, and how many more there are."""
    found = tuple(reasons)
    more = (Reason(f"and {len(found) - _MOST} more"),) if len(found) > _MOST else ()
    return (*found[:_MOST], *more)


def _order(span: Span | None) -> tuple[bool, str, int, int]:
    return (True, "", 0, 0) if span is None else (False, span.path, span.line, span.column)


def _exit(where: Where, one: Departure, history: History) -> Reason:
    """Returns the sentence about one way out."""
    text = where.quoted(one.left) if one.left is not None else "a call"
    way = _WAYS.get(one.way, "left").format(text=text) if one.way is not None else "left"
    state = _state(where, one, history)
    span = where.span(one.left)
    if span is not None and one.way is Event.FELL_OFF:
        span = Span(span.path, span.end_line, 1, span.end_line, 1)
    return Reason(f"{way}: {state}", span)


def _state(where: Where, one: Departure, history: History) -> str:
    if one.ended is None:
        if history.first(Event.LOST) is not None:
            return "still open"
        return "nothing to close any more: the code tests for it, or something else has it"
    if one.ended is Event.TRANSFERRED and one.at is None:
        return "returned to the caller, which owns it"
    span = where.span(one.at)
    return f"{_STATES[one.ended]} on line {span.line}" if span is not None else _STATES[one.ended]


def _verdict(acquired: Acquired, reported: Sequence[tuple[Span, str, str]]) -> str:
    """Returns why there is no finding, or which one there is."""
    span, where, slot, history, analysis = acquired
    said = [f"{code}: {how}" for place, code, how in reported if place == span and code.startswith(_LEAKS)]
    if said:
        return "; ".join(said)
    if where.graph.too_large:
        return f"no finding: fdlint gave the function up: it is {TOO_LARGE}"
    if analysis.doubts is not None:
        return f"no finding: fdlint did not follow the function to its end: {analysis.doubts}"
    losses = history.losses()
    if losses:
        return f"no finding: a path loses it ({_lost(where.log, slot)}), but no rule reports a loss of this kind here"
    dropped = where.log.dropped(slot)
    if dropped:
        listed = ", ".join(sorted(one.value for one in dropped))
        return f"no finding: a loss was doubted and dropped ({listed}): paths were merged, and others release it"
    return _silent(where, slot, history)


def _silent(where: Where, slot: Slot, history: History) -> str:
    """Returns the verdict on a descriptor that no path loses."""
    events = {one.event for one in where.log.actions.get(slot, {}).values()}
    homes = [one for one in history.of(Event.KEPT) if isinstance(one.detail, Home)]
    if where.graph.module and homes:
        return "no finding: a global holds it, which lives as long as the process"
    if homes and not history.given_away:
        return "no finding: an attribute holds it, which other code releases or may release"
    if Event.CLOSED in events and events <= {Event.CLOSED, Event.GIVEN, Event.SENT, Event.SPAWNED}:
        return "no finding: every path that fdlint followed closes it"
    if events & {Event.TRANSFERRED, Event.ENTRUSTED, Event.CLOSED, Event.STORED}:
        return "no finding: every path that fdlint followed closes it or hands it over"
    if Event.EXCUSED in events:
        return "no finding: it may be the same as another value, whose owner is not known"
    return "no finding: no path loses it: it is a standard stream, or nothing follows where it matters"


def _lost(log: Log, slot: Slot) -> str:
    deaths = {getattr(one.detail, "death", None) for one in log.histories()[slot].losses()}
    return ", ".join(sorted(one.value for one in deaths if isinstance(one, Death)))


def qualified_name(graph: Graph) -> str:
    """Returns the name of a function for a reader."""
    return qualified(graph.name) or "the module's own code"
