"""Follows one function for one of its callers. The ways in which it can end are its summary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Protocol

from fdlint.core.dataflow.worklist import Limits
from fdlint.core.domain.event import LET_GO_EVENTS, SINGLE, Chance, Event
from fdlint.core.domain.raising import Raising
from fdlint.core.domain.state import State
from fdlint.core.domain.typestate import Violation
from fdlint.core.domain.values import UNDECODED, UNKNOWN, Fd, Seq, Value, mentions_any
from fdlint.core.engine.context import AnalysisContext
from fdlint.core.engine.explore import run
from fdlint.core.engine.log import History, Home, Log, Occurrence
from fdlint.core.engine.path_conditions import has_path_conditions, joined
from fdlint.core.engine.remap_trace import occurrence_in_callee, outcome_in_callee
from fdlint.core.engine.summary import Callees, Outcome, Shared, Summary, constructed, outcome_of
from fdlint.core.engine.transfer import RunOptions
from fdlint.core.ir import Field, Graph, Place
from fdlint.program.units import Function

_LIMITS = Limits(soft=32, budget=3_000)
_REPLAYED = (*LET_GO_EVENTS, Event.STRANDED, Violation.DOUBLE_CLOSE, *SINGLE)
_START = 50  # the work of starting to follow a function, in steps
_MAX_OUTCOMES = 16
_MAX_FRESH = 64  # the descriptors that one call gives: mutual recursion multiplies them


class Inside(Callees, Protocol):
    """The functions that the followed function can call."""

    @property
    def fields(self) -> frozenset[Field]:
        """Returns the paths of the attributes and globals that are followed."""

    def portable(self, state: State, caller: Graph, value: Value) -> Value:
        """Returns a value in a form that other functions understand."""


@dataclass(frozen=True, slots=True)
class Task:
    """A function to follow, the state in which it starts, and the fields that go along, by the function's own names.

    ``kept``: for a constructor, the parameters that it may keep in some form; None for any other function; ``told``:
    the attributes about which the caller wants to learn.
    """

    target: Function
    start: State
    inside: Inside
    shared: Shared | None
    kept: frozenset[Place] | None
    told: frozenset[Field] = frozenset()


@dataclass(slots=True)
class _Ways:
    """Collects the outcomes of a function. ``doubted``: those of states that may be on no real path."""

    task: Task
    log: Log
    found: dict[Outcome, None] = field(default_factory=dict)
    doubted: dict[Outcome, None] = field(default_factory=dict)

    def observe(self, raised: bool, state: State, result: Value) -> None:
        """Adds the outcome of an exit. Called for every exit."""
        task = self.task
        graph = task.target.graph
        if raised:
            exceptions = graph.language.exceptions
            state.kind = state.kind or exceptions.unknown
            if state.raising is Raising.SPELLED and state.kind == exceptions.wrong_type:
                state.raising = Raising.RARE
        given = UNKNOWN if graph.lends else task.inside.portable(state, graph, self._without_lent(state, result))
        left = (task.shared or Shared(None)).values(state)
        found = self.doubted if state.widened else self.found
        found.setdefault(outcome_of(state, task.start, raised, given, left, self.log.sites))

    def _without_lent(self, state: State, result: Value) -> Value:
        """Returns a result without the numbers of open objects: the object closes such a one, so no caller owes it."""

        def plain(position: int, value: Value) -> Value:
            if position not in self.task.target.graph.numbers or not isinstance(value, Fd):
                return value
            fd = value.descriptor
            lent = fd.site.is_own and state.is_open(fd) and self.log.sites[fd.site].finalized
            return UNKNOWN if lent else value

        if isinstance(result, Seq):
            return replace(result, items=tuple(plain(*one) for one in enumerate(result.items)))
        return plain(0, result)

    def all(self) -> dict[Outcome, None]:
        """Returns the outcomes. If there are too many, they are no longer told apart by their exceptions: first by
        how often these come, then by their names."""
        found = self.found
        if has_path_conditions(self.task.start):
            found = joined(found | {one.doubted(): None for one in self.doubted})
        elif self.doubted:
            certain = set(map(_of_descriptors, found))
            found = found | {one.doubted(): None for one in self.doubted if _of_descriptors(one) not in certain}
        found = dict.fromkeys(one for one in found if one.surer() not in found)
        if len(found) > _MAX_OUTCOMES:
            found = dict.fromkeys(replace(one, chance=Chance.KNOWN) for one in found)
        if len(found) > _MAX_OUTCOMES:
            unknown = self.task.target.graph.language.exceptions.unknown
            found = dict.fromkeys(replace(one, raised=(unknown,) if one.raised else ()) for one in found)
        return found


def _of_descriptors(outcome: Outcome) -> Outcome:
    """Returns the part of an outcome that is about descriptors."""
    env = tuple((place, value if mentions_any(value) else UNKNOWN) for place, value in outcome.env)
    return replace(outcome, raised=("",) if outcome.raised else (), env=env)


def summarise(task: Task, context: AnalysisContext) -> Summary | None:
    """Returns the summary of a function that starts in a certain state; None when it is too much to follow."""
    context.budget.spend(_START)
    graph = task.target.graph
    log = Log(graph.name)
    ways = _Ways(task, log)
    options = RunOptions(task.inside, ways.observe, _fields(task))
    solution = run(graph, context.catalog, log, task.start.copy(), options, _LIMITS)
    found = ways.all()
    if not solution.complete or len(found) > _MAX_OUTCOMES:
        return None
    if any(len(one.fresh) > _MAX_FRESH for one in found):
        return None
    return _told(task, context, log, found)


def _fields(task: Task) -> frozenset[Place]:
    shared = task.shared
    if shared is None:
        return frozenset()
    return frozenset(map(shared.place, {*task.inside.fields, *task.told, *shared.values(task.start)}))


def _told(task: Task, context: AnalysisContext, log: Log, found: dict[Outcome, None]) -> Summary:
    """Returns the summary of some outcomes, in a form that makes sense outside the function."""
    target, start = task.target, task.start
    source, name = target.file.source, target.name
    kept = task.kept
    outcomes = [constructed(one, kept, start) if kept is not None else one for one in _inheritable(log, found)]
    lineages = {one.raised: context.program.lineage(target.file, one.raised[0]) for one in found if one.raised}
    return Summary(
        tuple(
            outcome_in_callee(replace(one, raised=(*one.raised, *lineages.get(one.raised, ()))), source, name)
            for one in outcomes
        ),
        tuple(occurrence_in_callee(one, source, name) for one in _occurrences(task, log)),
        log.lets_go,
        any(one.received and not one.api for one in log.sites),
    )


def _inheritable(log: Log, found: Iterable[Outcome]) -> Iterator[Outcome]:
    """Yields the outcomes. What they give undecoded is marked as open across exec if it was received so."""
    marked = {one.descriptor.site for one in log.of(Event.INHERITABLE)}
    for outcome in found:
        new = tuple(
            one._replace(marks=one.marks | {Event.INHERITABLE})
            if one.descriptor.slot == UNDECODED and one.descriptor.site in marked
            else one
            for one in outcome.new
        )
        yield replace(outcome, new=new) if new != outcome.new else outcome


def _occurrences(task: Task, log: Log) -> list[Occurrence]:
    """Returns what happened to the descriptors that came in. This includes where a constructor stored them, the
    function itself or one that it calls, unless it gave them away."""
    found = [one for one in log.of(*_REPLAYED) if one.descriptor in task.start.resources]
    owner, source = task.target.graph.owner, task.target.file.source
    constructs = task.kept is not None and owner is not None
    histories = log.histories() if constructs or Event.KEPT in log.occurrences else {}
    for fd in task.start.resources:
        history = histories.get(fd.origin_slot, History())
        for one in history.of(Event.KEPT) if not history.given_away else ():
            home = one.detail
            if isinstance(home, Home) and (constructs or home.places is not None):
                home = home if home.owner is not None else Home(home.place, home.whole, owner, source)
                found.append(replace(one, descriptor=fd, detail=home))
    return found
