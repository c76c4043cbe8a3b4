"""Finds what became of each descriptor that a line acquires, closes or hands over."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from fdlint.core.domain.event import ENDS, Event
from fdlint.core.domain.typestate import Mark
from fdlint.core.engine.detailed_log import Departure, DetailedLog
from fdlint.core.engine.explore import Analysis, qualified
from fdlint.core.engine.log import Elsewhere, History, Home, Loss, Slot, bare
from fdlint.core.engine.trace import message_of
from fdlint.core.finding import Span
from fdlint.report.findings.explanation import Fate, Reason
from fdlint.scan.analysis import TOO_LARGE
from fdlint.scan.explain.followed import Followed
from fdlint.scan.explain.reading import Read

_MOST = 12  # sentences of one kind
_LEAKS = "FD1"
_WAYS: dict[Mark, str] = {
    Event.RETURNED: "returns",
    Event.FELL_OFF: "ends without a return",
    Event.RAISED: "an exception out of {}",
    Event.RAISE: "raises: {}",
    Event.RAISED_AGAIN: "raises the caught exception again",
}
_HANDED = {Event.TRANSFERRED, Event.ENTRUSTED, Event.STORED}

Reported = tuple[Span, str, str]
"""A finding: its place, its code, and how it is shown or hidden."""


class AcquiredDescriptor(NamedTuple):
    """A descriptor that a call acquires: the place of the call, the function with the log that tells of it, its slot
    there, and its history."""

    span: Span
    at: Followed
    slot: Slot
    history: History
    analysis: Analysis

    @property
    def api(self) -> str:
        """The name of the call, of a path of Go only the last part."""
        return self.at.log.sites[self.slot[0]].api.rpartition("/")[2]

    def actions(self) -> list[Reason]:
        """Returns what happened to it, in the order of the places."""
        found = self.at.log.actions.get(self.slot, {}).values()
        kept = {id(bare(one.origin)) for one in found if isinstance(one.detail, Home)}
        said = (self.at.said(one) for one in found if one.event is not Event.STORED or id(bare(one.origin)) not in kept)
        return sorted(dict.fromkeys(said), key=_order)

    def is_touched_on(self, line: int) -> bool:
        """Whether something happens to it on a line of its file."""
        spans = (self.at.span(one.origin) for one in self.at.log.actions.get(self.slot, {}).values())
        return any(one is not None and one.path == self.span.path and one.line <= line <= one.end_line for one in spans)

    def exits(self) -> list[Reason]:
        """Returns the ways out of the function, and its state on each."""
        found = self.at.log.departures.get(self.slot, {}).values()
        return sorted(dict.fromkeys(_exit(self, one) for one in found), key=_order)


def acquisitions(read: Read) -> Iterator[AcquiredDescriptor]:
    """Yields each descriptor that a call of the file acquires."""
    search, callees = read.followed
    for graph, analysis in search.followed:
        found: dict[tuple[int, int], AcquiredDescriptor] = {}
        for log in analysis.logs:
            assert isinstance(log, DetailedLog)
            at = Followed(graph, log, callees, search.attributes.keepers)
            for slot, history in sorted(log.histories().items()):
                site = log.sites[slot[0]] if slot[0].is_own else None
                if site is None or site.met or isinstance(site.origin, Elsewhere):
                    continue
                if log.only not in (None, site.origin) or history.first(Event.ACQUIRED) is None:
                    continue
                span = callees.file.source.span(site.origin)
                if span.path == read.path:
                    found[id(bare(site.origin)), slot[1]] = AcquiredDescriptor(span, at, slot, history, analysis)
        yield from found.values()


def fates(acquired: Iterable[AcquiredDescriptor], line: int, reported: Sequence[Reported]) -> Iterator[Fate]:
    """Yields what became of the descriptors that a line acquires; if it acquires none, of those to which something
    happens there. ``reported``: the findings of the file."""
    known = list(acquired)
    here = [one for one in known if one.span.line <= line <= one.span.end_line]
    for one in here or [one for one in known if one.is_touched_on(line)]:
        name = f"`{one.history.name}`" if one.history.name is not None else "the descriptor"
        function = qualified(one.at.graph.name)
        yield Fate(
            f"{name} from {one.api}()",
            function,
            one.span,
            _verdict(one, reported),
            _few(one.actions()),
            _few(one.exits()),
        )


def _few(reasons: Sequence[Reason]) -> tuple[Reason, ...]:
    """Returns the first reasons, and how many more there are."""
    more = (Reason(f"and {len(reasons) - _MOST} more"),) if len(reasons) > _MOST else ()
    return (*reasons[:_MOST], *more)


def _order(reason: Reason) -> tuple[bool, str, int, int]:
    span = reason.span
    return (True, "", 0, 0) if span is None else (False, span.path, span.line, span.column)


def _exit(acquired: AcquiredDescriptor, one: Departure) -> Reason:
    """Returns the sentence about one way out."""
    if one.way is None:
        return Reason(f"left: {_state(acquired, one)}")
    span = acquired.at.span(one.way.origin)
    text = acquired.at.quoted(one.way.origin) if span is not None else "a call"
    if span is not None and one.way.event is Event.FELL_OFF:
        span = replace(span, line=span.end_line, column=1, end_column=1)
    return Reason(f"{_WAYS.get(one.way.event, 'left').format(text)}: {_state(acquired, one)}", span)


def _state(acquired: AcquiredDescriptor, one: Departure) -> str:
    if one.end is None:
        lost = acquired.history.first(Event.LOST) is not None
        return "still open" if lost else "nothing to close any more: the code tests for it, or something else has it"
    span = acquired.at.span(one.end.origin)
    if one.end.event is Event.TRANSFERRED and span is None:
        return "returned to the caller, which owns it"
    how = message_of(one.end.event, "").removesuffix(": ")
    if span is None:
        return how
    own = span.path == acquired.span.path
    return f"{how} {f'on line {span.line}' if own else f'at {span.path}:{span.line}'}"


def _verdict(acquired: AcquiredDescriptor, reported: Sequence[Reported]) -> str:
    """Returns which finding there is, or why there is none."""
    said = [f"{code}: {how}" for place, code, how in reported if place == acquired.span and code.startswith(_LEAKS)]
    return "; ".join(said) or f"no finding: {_silence(acquired)}"


def _silence(acquired: AcquiredDescriptor) -> str:
    """Returns why no rule reports a loss of the descriptor."""
    history = acquired.history
    if acquired.at.graph.too_large:
        return f"fdlint gave the function up: it is {TOO_LARGE}"
    if acquired.analysis.doubts is not None:
        return f"fdlint did not follow the function to its end: {acquired.analysis.doubts}"
    if history.losses():
        return f"a path loses it ({_deaths(history)}), but no rule reports a loss of this kind here"
    if history.released and history.first(Event.LOST) is not None:
        return f"a loss was doubted and dropped ({_deaths(history)}): paths were merged, and others release it"
    events = {one.event for one in acquired.at.log.actions.get(acquired.slot, {}).values()}
    homes = any(isinstance(one.detail, Home) for one in history.of(Event.KEPT))
    if acquired.at.graph.module and homes:
        return "a global holds it, which lives as long as the process"
    if homes and not history.given_away:
        return "an attribute holds it, which other code releases or may release"
    if events & (_HANDED | ENDS):
        handed = " or hands it over" if events & (_HANDED | {Event.KEPT, Event.EXCUSED, Event.FINALIZED}) else ""
        return f"every path that fdlint followed closes it{handed}"
    if Event.EXCUSED in events:
        return "it may be the same as another value, whose owner is not known"
    return "no path loses it: it is a standard stream, or nothing follows where it matters"


def _deaths(history: History) -> str:
    deaths = {one.detail.death.value for one in history.of(Event.LOST) if isinstance(one.detail, Loss)}
    return ", ".join(sorted(deaths))
