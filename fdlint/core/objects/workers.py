"""Finds the objects with worker processes that nobody ends, and the loops and functions that create them again.

The engine follows these objects like those of any class that owns a descriptor, but apart from descriptors: in a
context of their own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from fdlint.catalog.model import Worker
from fdlint.core.budget import BudgetSpentError, file_work
from fdlint.core.dataflow.derivation import copied_to
from fdlint.core.dataflow.worklist import Limits
from fdlint.core.domain.event import Event
from fdlint.core.domain.facts import PASSING, Death, Rebuilding
from fdlint.core.domain.values import AllocationSite
from fdlint.core.engine.call_resolution import CallResolver
from fdlint.core.engine.context import AnalysisContext
from fdlint.core.engine.explore import entry_state, qualified, run
from fdlint.core.engine.log import Elsewhere, History, LetGo, Log, Loss, Site
from fdlint.core.engine.match_api import bind
from fdlint.core.engine.trace import span_of
from fdlint.core.engine.transfer import RunOptions
from fdlint.core.finding import Event as TraceEvent
from fdlint.core.finding import EventKind, Repeated
from fdlint.core.ir import (
    AccessPath,
    Bound,
    Call,
    Callee,
    Effect,
    Enter,
    Graph,
    Leaving,
    Lit,
    Loop,
    Place,
    Store,
    Yield,
)
from fdlint.core.ir.source import SourceCode
from fdlint.core.objects.worker_loops import fills_once, happens_once, is_short, parameters_asked, rounds, varies
from fdlint.program.facts import Kind
from fdlint.program.units import File

_LIMITS = Limits(alike=2, soft=8, budget=400)  # few states are told apart: one path that ends the object is enough
_DROPS = frozenset({Death.DELETED, Death.REBOUND, Death.DROPPED})
_ENDED = frozenset({Event.CLOSED, Event.TRANSFERRED, Event.ENTRUSTED, Event.EXCUSED})
_LET_GO = Event.REPLACED, Event.DETACHED
_IN_A_ROUND = _DROPS | {Death.NEXT_ROUND, Death.DISCARDED}


class Lost(NamedTuple):
    """An object that a function creates, directly or in a callee, and loses. ``call``: what creates it here, and in
    which block. ``deaths``: how it is lost. ``shared``: the processes of another object got it."""

    worker: Worker
    site: Site
    call: Call
    block: int
    deaths: frozenset[Death]
    shared: bool


@dataclass(frozen=True, slots=True)
class Workers:
    """Follows the workers of one file. ``callees``: resolves its calls in the context in which only they count."""

    callees: CallResolver

    @classmethod
    def of(cls, context: AnalysisContext, file: File) -> Workers:
        """Returns the search for a file."""
        assert context.workers is not None
        return cls(CallResolver(context.workers, file))

    @property
    def _file(self) -> File:
        return self.callees.file

    @property
    def _context(self) -> AnalysisContext:
        return self.callees.context

    def giving(self) -> list[str]:
        """Returns the module's functions that create an object for their callers."""
        with suppress(BudgetSpentError):
            return self.callees.giving()
        return []

    def rebuilt(self) -> Iterator[tuple[Rebuilding, SourceCode]]:
        """Yields the objects that are created again and again, each with the file that creates it."""
        with suppress(BudgetSpentError):
            self._context.budget.renew(file_work(len(self._file.source.data)))
            for graph in self.callees.candidates.lower(self._file, (Kind.ACQUIRES,)):
                if not graph.excluded and self._may_lose(graph):
                    yield from self._rebuilt_in(graph)

    def _rebuilt_in(self, graph: Graph) -> Iterator[tuple[Rebuilding, SourceCode]]:
        for one in self._lost(graph):
            loop = self._loop(graph, one) if one.deaths & _IN_A_ROUND else None
            if self._is_asked_for(graph, one) and (loop is not None or self._may_be_repeated(graph, one)):
                yield self._fact(graph, one, loop)

    def _may_lose(self, graph: Graph) -> bool:
        """Whether a function may create an object that it does not plainly end or return. It costs much less to ask
        than to follow the function."""
        text, relevance = self._file.source.code, self._context.relevance
        for call in graph.calls():
            if relevance.acquires(call, text) or self.callees.acquires(graph, call):
                places = copied_to(graph, {call.result})
                if not any(self._ends(graph, effect, places) for effect in graph.effects()):
                    return True
        return False

    def _ends(self, graph: Graph, effect: Effect, places: Collection[Place]) -> bool:
        """Whether a step ends or returns the object in some places, or keeps it in an attribute of what others have."""
        match effect:
            case Call(_, Callee(name, receiver=AccessPath() as receiver)):
                return name in self._context.catalog.ending and any(one in places for one in receiver.prefixes)
            case Enter(value) | Leaving(value):
                return value in places
            case Store(AccessPath() as target, value):
                return value in places and target.is_attribute and target.root in graph.parameters
        return False

    def _lost(self, graph: Graph) -> Iterator[Lost]:
        """Yields the objects that a function loses on some path, and ends or hands over on none."""
        log = Log(graph.name)
        if not run(graph, self._context.catalog, log, entry_state(graph), RunOptions(self.callees), _LIMITS).complete:
            return
        found: dict[AllocationSite, list[History]] = {}
        for (number, _), history in sorted(log.histories().items()):
            if number.is_own and log.sites[number].of is not None:
                found.setdefault(number, []).append(history)
        for number, histories in found.items():
            site = log.sites[number]
            assert site.of is not None and isinstance(site.of.home, Worker)
            deaths = self._deaths(graph, histories)
            if deaths and not self._is_ended(graph, site.of.home, deaths):
                shared = any(one.first(Event.SENT) is not None for one in histories)
                call, block = _call_at(graph, site.origin)
                yield Lost(site.of.home, site, call, block, deaths, shared)

    def _deaths(self, graph: Graph, histories: Sequence[History]) -> frozenset[Death]:
        """Returns how an object is lost other than by an exception; nothing if some path ends it or hands it over."""
        if graph.module:
            replaced = [one for each in histories for how in _LET_GO for one in each.of(how)]
            places = {one.detail.place for one in replaced if isinstance(one.detail, LetGo)}
            ended = any(one.event in _ENDED for each in histories for one in each)
            lost = bool(places) and not ended and not self._is_shown(graph, places)
            return frozenset({Death.NEXT_ROUND}) if lost else frozenset()
        if any(one.released for one in histories):
            return frozenset()
        losses = (one.detail for each in histories for one in each.losses())
        return frozenset(one.death for one in losses if isinstance(one, Loss)) - PASSING

    def _is_shown(self, graph: Graph, places: Collection[Place]) -> bool:
        """Whether other functions of a module use one of its variables."""
        others = self.callees.candidates.mentioning(self._file, places)
        return any(not one.free.isdisjoint(places) for one in others if one is not graph)

    def _is_ended(self, graph: Graph, worker: Worker, deaths: Collection[Death]) -> bool:
        """Whether a function ends all objects of a kind at once, or drops one on every path and has it collected."""
        called = {self._context.catalog.canonical(call.callee.dotted or "") for call in graph.calls()}
        if not called.isdisjoint(worker.all_torn_down_by):
            return True
        return _DROPS.issuperset(deaths) and not called.isdisjoint(worker.collected_by)

    def _is_asked_for(self, graph: Graph, lost: Lost) -> bool:
        """Whether a function creates an object also if its callers leave its parameters at their defaults."""
        api = lost.worker.api
        decides = {condition.argument for condition in api.when if condition.negated and lost.site.inner is None}
        count = [arg.value for name, arg in bind(api, lost.call.args) if name in decides]
        asked = parameters_asked(graph, lost.block).union(one for one in count if one in graph.parameters)
        defaults = [graph.signature.defaults.get(one) for one in asked]
        return not any(isinstance(one, Lit) and one.value in (0, None) for one in defaults)

    def _may_be_repeated(self, graph: Graph, lost: Lost) -> bool:
        """Whether it matters that a function may be called again and again."""
        if graph.module or graph.lends or graph.abstract or fills_once(graph, lost.block):
            return False
        called = {call.callee.dotted for call in graph.calls()}
        others = (name for name in lost.worker.collected_by if name not in called)
        return not any(f"{name}(" in self._file.source.code for name in others)

    def _loop(self, graph: Graph, lost: Lost) -> Loop | None:
        """Returns the loop to report: the innermost endless loop, otherwise the innermost one that matters, or None."""
        around = [(loop, blocks) for loop, blocks in rounds(graph) if lost.block in blocks]
        around.sort(key=lambda pair: len(pair[1]))
        near = None
        for loop, blocks in around:
            if is_short(graph, loop) or happens_once(graph, loop, blocks, lost.block):
                continue
            if loop.bound is Bound.ENDLESS or self._is_endless(graph, loop):
                return loop
            if near is None and _counts(graph, lost, blocks):
                near = loop
        return near

    def _is_endless(self, graph: Graph, loop: Loop) -> bool:
        """Whether a loop iterates over the result of a call that never ends: ``itertools.count()``, the project's own
        poller."""
        for call in graph.calls():
            if call.result == loop.over:
                apis = self._context.catalog.lookup(call.callee.dotted or "")
                if apis and apis[0].endless:
                    return not apis[0].when or len(call.args) > 1
                target = self._context.program.target(self._file, graph, call.callee)
                return target is not None and target.graph.generator and _polls(target.graph)
        return False

    def _fact(self, graph: Graph, lost: Lost, loop: Loop | None) -> tuple[Rebuilding, SourceCode]:
        """Returns what is created again and again, by a loop or by whoever calls the function."""
        here, site, worker = self._file.source, lost.site, lost.worker
        calls: list[TraceEvent] = []
        while site.inner is not None:
            told = f"{site.api.rpartition('.')[2]}() is called, which returns it"
            calls.insert(0, TraceEvent(EventKind.BRANCH, span_of(site.origin, here), told))
            site = site.inner
        span, api = span_of(site.origin, here), worker.api.name
        made = TraceEvent(EventKind.ACQUIRED, span, f"made by {api}(), with pipes and processes of its own")
        if loop is not None:
            text = f"{'while' if loop.over is None else 'for … in'} {here.text(loop.origin)}"
            how = "never ends by itself" if loop.bound is Bound.ENDLESS else "starts another iteration"
            calls.append(TraceEvent(EventKind.BRANCH, here.span(loop.origin), f"the loop `{text}` {how}"))
            again, one, counts = f"every iteration of `{text}`", "iteration", Repeated.IN_ANY_CASE
        else:
            again, one = f"each call of `{qualified(graph.name)}()`", "call"
            counts = Repeated.WITHOUT_END if lost.shared or worker.borrowed else Repeated.BY_A_LOOP
        end = f"the next {one} makes another, and nothing has ended this one"
        trace = made, *calls, TraceEvent(EventKind.LEAKED, here.span(lost.site.origin), end)
        ends, collectors, name = worker.torn_down_by, worker.collected_by, qualified(site.function)
        fact = Rebuilding(api, name, span, again, ends, collectors, trace, worker.released, counts)
        return fact, site.origin.places if isinstance(site.origin, Elsewhere) else here


def _call_at(graph: Graph, origin: object) -> tuple[Call, int]:
    """Returns the call with an origin, and its block."""
    steps = ((step, index) for index, block in enumerate(graph.blocks) for step in block.steps)
    return next((one.effect, index) for one, index in steps if one.origin is origin and isinstance(one.effect, Call))


def _polls(graph: Graph) -> bool:
    yields = {n for n, block in enumerate(graph.blocks) for step in block.steps if isinstance(step.effect, Yield)}
    return any(loop.bound is Bound.ENDLESS and blocks & yields for loop, blocks in rounds(graph))


def _counts(graph: Graph, lost: Lost, blocks: frozenset[int]) -> bool:
    """Whether to report a loop that ends.

    It does not count an object that the garbage collector ends, unless the code could create it once before the loop.
    """
    return not lost.shared and not (lost.worker.borrowed and varies(graph, lost.call, blocks))
