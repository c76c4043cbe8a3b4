"""Finds the objects with worker processes that each function creates and loses, and the loops around that."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field, replace

from fdlint.core.domain.facts import Rebuilding
from fdlint.core.engine.bind_arguments import argument_of
from fdlint.core.engine.candidates import Candidates
from fdlint.core.engine.context import AnalysisContext, Worth
from fdlint.core.engine.explore import qualified
from fdlint.core.engine.limits import MAX_CALLS
from fdlint.core.finding import Event, EventKind, Span
from fdlint.core.ir import AccessPath, Bound, Call, Graph, Lit, Loop, Operand, Place, Step, Yield
from fdlint.core.objects.workers.constructors import Hop, Made, Produced, count_of, worker_made
from fdlint.core.objects.workers.fate import Fate, course_of
from fdlint.core.objects.workers.loops import (
    fills_once,
    given,
    happens_once,
    parameters_asked,
    parameters_behind,
    rounds,
    varies,
)
from fdlint.program.facts import Kind
from fdlint.program.overrides import may_be_overridden
from fdlint.program.units import File, Function

_NEAR = 1  # calls between a loop that ends and the construction


@dataclass(frozen=True, slots=True)
class _Lost:
    """An object that a block loses, perhaps in each iteration of a loop. ``operands``: its arguments in this function.
    ``places``: the variables that hold it."""

    made: Made
    block: int
    step: Step
    operands: list[Operand] | None
    places: frozenset[Place] = frozenset()


@dataclass(slots=True)
class _Answers:
    """The results so far: ``produced`` by the key of a function, ``loops`` by the ``id`` of its graph."""

    produced: dict[Hashable, Produced] = field(default_factory=dict)
    loops: dict[int, list[tuple[Loop, frozenset[int]]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Workers:
    """Follows the workers of one program."""

    context: AnalysisContext

    def produced(self, function: Function) -> Produced:
        """Returns the objects that a function creates and does not tear down."""
        known = self.context.part(_Answers).produced
        key = function.key
        if key not in known:
            known[key] = Produced()  # the result for a recursive call
            known[key] = self._produced(function)
        return known[key]

    @property
    def _candidates(self) -> Candidates:
        return Candidates(self.context, self._worth)

    def _worth(self, _: Kind, function: Function) -> Worth:
        return Worth.ALL if self.produced(function) != Produced() else Worth.NOTHING

    def names(self, file: File) -> list[str]:
        """Returns the module's functions whose workers a caller may lose."""
        found = [Function(file, graph.name) for graph in self._candidates.lower(file, (Kind.WORKS,))]
        outer = [one for one in found if one.name is not None and "." not in one.name]
        return [one.name or "" for one in outer if self.produced(one) != Produced()]

    def _produced(self, function: Function) -> Produced:
        if not self._candidates.may(Kind.WORKS, function) or function.graph.lends or function.graph.abstract:
            return Produced()
        gives: list[tuple[Made, int | None]] = []
        lost = list(self._lost(function, gives))
        said = {id(one.made) for one in lost if self._loop(function, one) is not None}
        loses = [
            one.made
            for one in lost
            if id(one.made) not in said and len(one.made.way) < MAX_CALLS and not fills_once(function.graph, one.block)
        ]
        return Produced(tuple(one for one in gives if len(one[0].way) < MAX_CALLS), tuple(loses))

    def _lost(self, function: Function, gives: list[tuple[Made, int | None]]) -> Iterator[_Lost]:
        """Yields the objects that a function loses, and appends those that it returns to ``gives``."""
        for index, block in enumerate(function.graph.blocks):
            for step in block.steps:
                if isinstance(step.effect, Call):
                    for made, item, operands in self._made(function, index, step, step.effect):
                        start = step.effect.result
                        course = course_of(self.context, function, made.worker, start, item, step)
                        known = replace(made, shared=made.shared or course.shared)
                        if course.fate is Fate.LOST:
                            yield _Lost(known, index, step, operands, course.places)
                        elif course.fate is Fate.RETURNED:
                            gives.append((known, course.item))
                    yield from self._lost_by_callee(function, index, step, step.effect)

    def _made(
        self, function: Function, block: int, step: Step, call: Call
    ) -> Iterator[tuple[Made, int | None, list[Operand] | None]]:
        """Yields the objects that a call creates, directly or in a function that returns them."""
        graph = function.graph
        worker = worker_made(graph, self.context.catalog, call)
        if worker is not None:
            parts = given(call)
            needs, count = parameters_behind(graph, parts), count_of(worker, graph, call)
            asks = parameters_asked(graph, block)
            yield Made(worker, step, function.file, qualified(graph.name), needs, count, asks), None, parts
            return
        target = self._target(function, call)
        for made, item in self.produced(target).gives if target is not None else ():
            assert target is not None
            for passed, operands in self._passed(function, target, made, step, call):
                yield replace(passed, returned=made.returned + 1), item, operands

    def _lost_by_callee(self, function: Function, index: int, step: Step, call: Call) -> Iterator[_Lost]:
        target = self._target(function, call)
        for made in self.produced(target).loses if target is not None else ():
            assert target is not None
            if not self._collects(function.graph, made):
                for passed, operands in self._passed(function, target, made, step, call):
                    yield _Lost(passed, index, step, operands)

    def _collects(self, graph: Graph, made: Made) -> bool:
        """Whether a function collects the objects that its callees dropped."""
        canonical = self.context.catalog.canonical
        return any(canonical(call.callee.dotted or "") in made.worker.collected_by for call in graph.calls())

    def _target(self, function: Function, call: Call) -> Function | None:
        if call.callee.dotted is not None and self.context.catalog.lookup(call.callee.dotted):
            return None
        found = self.context.program.target(function.file, function.graph, call.callee)
        return found if found is not None and not may_be_overridden(found) else None

    def _passed(
        self, function: Function, target: Function, made: Made, step: Step, call: Call
    ) -> Iterator[tuple[Made, list[Operand] | None]]:
        """Yields a callee's object as the caller sees it, or nothing if the arguments ask for no workers."""
        asks: set[tuple[Place, bool]] = set()
        for parameter, answer in made.asks:
            given_here = argument_of(target, call, parameter)
            if isinstance(given_here, Lit) and bool(given_here.value) is not answer:
                return
            if isinstance(given_here, AccessPath) and given_here in function.graph.parameters:
                asks.add((given_here, answer))
        count: Place | None = None
        if made.count is not None:
            operand = argument_of(target, call, made.count)
            if operand in (Lit(0), Lit(None)) and operand is not None:
                return
            count = operand if isinstance(operand, AccessPath) and operand in function.graph.parameters else None
        operands: list[Operand] | None = None
        if made.needs is not None:
            found = [argument_of(target, call, name) for name in sorted(made.needs)]
            operands = [one for one in found if one is not None]
        needs = parameters_behind(function.graph, operands) if operands is not None else None
        hop = Hop(step, function.file, call.callee.name)
        yield replace(made, needs=needs, count=count, asks=frozenset(asks), way=(hop, *made.way)), operands

    # -- loops

    def rebuilt(self, file: File) -> dict[Rebuilding, File]:
        """Returns the objects that the loops of a file recreate in each iteration, and the file that creates each."""
        found: dict[Span, tuple[Rebuilding, File]] = {}
        for graph in self._candidates.lower(file, (Kind.WORKS,)):
            function = Function(file, graph.name)
            for one in self._lost(function, []) if graph.loops else ():
                loop = self._loop(function, one)
                if loop is not None:
                    fact = _fact(function, one, loop)
                    before = found.setdefault(fact.span, (fact, one.made.file))
                    if len(fact.trace) < len(before[0].trace):
                        found[fact.span] = fact, one.made.file
        return dict(found.values())

    def _loop(self, function: Function, lost: _Lost) -> Loop | None:
        """Returns the loop to report: the innermost endless loop, otherwise the innermost one that matters, or None."""
        graph = function.graph
        around = [(loop, blocks) for loop, blocks in self._rounds(graph) if lost.block in blocks]
        around.sort(key=lambda pair: len(pair[1]))
        near = None
        for loop, blocks in around:
            if (
                loop.bound is Bound.FEW
                or _has_none(graph, lost.made)
                or happens_once(graph, loop, blocks, lost.block, lost.places)
            ):
                continue
            if loop.bound is Bound.ENDLESS or self._is_endless(function, loop):
                return loop
            if near is None and _counts(graph, lost, blocks):
                near = loop
        return near

    def _rounds(self, graph: Graph) -> list[tuple[Loop, frozenset[int]]]:
        known = self.context.part(_Answers).loops
        if id(graph) not in known:
            known[id(graph)] = rounds(graph)
        return known[id(graph)]

    def _is_endless(self, function: Function, loop: Loop) -> bool:
        """Whether a loop iterates over the result of a call that never ends: ``itertools.count()``, the project's own
        poller."""
        for call in function.graph.calls():
            if call.result == loop.over:
                apis = self.context.catalog.lookup(call.callee.dotted or "")
                if apis and apis[0].endless:
                    return not apis[0].when or len(call.args) > 1
                target = self._target(function, call)
                return target is not None and target.graph.generator and self._polls(target.graph)
        return False

    def _polls(self, graph: Graph) -> bool:
        yields = {n for n, block in enumerate(graph.blocks) for step in block.steps if isinstance(step.effect, Yield)}
        return any(loop.bound is Bound.ENDLESS and blocks & yields for loop, blocks in self._rounds(graph))


def _has_none(graph: Graph, made: Made) -> bool:
    """Whether the function creates no workers by default."""
    return made.count is not None and graph.signature.defaults.get(made.count) in (Lit(0), Lit(None))


def _counts(graph: Graph, lost: _Lost, blocks: frozenset[int]) -> bool:
    """Whether to report a loop that ends.

    It does not count an object that the garbage collector ends, unless the code could create it once before the loop.
    """
    made = lost.made
    if made.distance > _NEAR or made.shared:
        return False
    return not made.worker.borrowed or (lost.operands is not None and not varies(graph, lost.operands, blocks))


def _fact(function: Function, lost: _Lost, loop: Loop) -> Rebuilding:
    made, here = lost.made, function.file.source
    span, api = made.file.source.span(made.step.origin), made.worker.api.name
    events = [Event(EventKind.ACQUIRED, span, f"made by {api}(), with pipes and processes of its own")]
    for number, hop in enumerate(reversed(made.way)):
        how = "which returns it" if number < made.returned else "which loses it"
        events.append(Event(EventKind.BRANCH, hop.file.source.span(hop.step.origin), f"{hop.name}() is called, {how}"))
    text = f"{'while' if loop.over is None else 'for … in'} {here.text(loop.origin)}"
    again = "never ends by itself" if loop.bound is Bound.ENDLESS else "starts another iteration"
    events.append(Event(EventKind.BRANCH, here.span(loop.origin), f"the loop `{text}` {again}"))
    end = "the next iteration makes another, and nothing has ended this one"
    events.append(Event(EventKind.LEAKED, here.span(lost.step.origin), end))
    worker, trace = made.worker, tuple(events)
    ends, collectors = worker.torn_down_by, worker.collected_by
    return Rebuilding(api, made.function, span, text, ends, collectors, trace, worker.released)
