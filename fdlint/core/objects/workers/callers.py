"""Finds the objects with worker processes that each function creates and loses, and the loops around that."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from fdlint.catalog.model import Worker
from fdlint.core.domain.facts import Rebuilding
from fdlint.core.engine.bind_arguments import argument_of
from fdlint.core.engine.candidates import Candidates
from fdlint.core.engine.context import AnalysisContext, Worth
from fdlint.core.engine.explore import qualified
from fdlint.core.engine.limits import MAX_CALLS
from fdlint.core.engine.match_api import bind
from fdlint.core.finding import Event, EventKind, Span
from fdlint.core.ir import AccessPath, Bound, Call, Graph, Lit, Loop, Operand, Place, Step, Yield
from fdlint.core.memo import Memo
from fdlint.core.objects.workers.fate import Course, Fate, worker_made
from fdlint.core.objects.workers.loops import (
    fills_once,
    given,
    happens_once,
    is_short,
    parameters_asked,
    parameters_behind,
    rounds,
    varies,
)
from fdlint.program.facts import Kind
from fdlint.program.overrides import may_be_overridden
from fdlint.program.units import File, Function

_NEAR = 1  # calls between a loop that ends and the construction
_NONE = frozenset[Place]()


class Hop(NamedTuple):
    """A call between a loop and the construction. ``returns``: the function called only returns the object."""

    step: Step
    file: File
    name: str
    returns: bool


@dataclass(frozen=True, slots=True)
class Made:
    """An object as a function sees it that creates it, directly or through a callee, at a step of a block.

    ``operands``: what it depends on there, None if unknown. ``asks``: the parameters that must be true (or false) for
    it to be created. ``item``: its position in the result of the step; ``places``: the variables that hold it.
    ``shared``: one of its own workers received it. ``way``: the calls that led to the construction, outermost first.
    """

    worker: Worker
    origin: Step
    home: File
    function: str | None
    step: Step
    block: int
    operands: list[Operand] | None
    asks: frozenset[tuple[Place, bool]]
    way: tuple[Hop, ...] = ()
    item: int | None = None
    places: frozenset[Place] = _NONE
    shared: bool = False


class Produced(NamedTuple):
    """The objects that a function ``gives`` its caller, and those that it ``loses``."""

    gives: tuple[Made, ...] = ()
    loses: tuple[Made, ...] = ()


class _Answers(Memo[Hashable, Produced]):
    """The results so far, by the keys of functions."""


@dataclass(frozen=True, slots=True)
class Workers:
    """Follows the workers of one program."""

    context: AnalysisContext

    def names(self, file: File) -> list[str]:
        """Returns the module's functions whose workers a caller may lose."""
        found = [Function(file, graph.name) for graph in self._candidates.lower(file, (Kind.WORKS,))]
        outer = [one for one in found if one.name is not None and "." not in one.name]
        return [one.name or "" for one in outer if any(self._passed_on(one))]

    @property
    def _candidates(self) -> Candidates:
        return Candidates(self.context, self._worth)

    def _worth(self, _: Kind, function: Function) -> Worth:
        return Worth.ALL if any(self._passed_on(function)) else Worth.NOTHING

    def _passed_on(self, function: Function) -> Produced:
        """Returns the objects that a function creates, does not tear down, and loses outside of its own loops."""

        def work_out() -> Produced:
            graph = function.graph
            if not self._candidates.may(Kind.WORKS, function) or graph.lends or graph.abstract:
                return Produced()
            gives, loses = self._produced(function)
            again = {id(one.origin) for one in loses if self._loop(function, one) is not None}
            left = (one for one in loses if id(one.origin) not in again and not fills_once(graph, one.block))
            return Produced(gives, tuple(left))

        return self.context.part(_Answers).of(function.key, work_out, Produced())  # it may call itself

    def _produced(self, function: Function) -> Produced:
        gives, loses = [], []
        for number, block in enumerate(function.graph.blocks):
            for step in block.steps:
                call = step.effect
                for made, lost in self._made(function, number, step, call) if isinstance(call, Call) else ():
                    assert isinstance(call, Call)
                    course = Course(self.context, function, made.worker, call.result, made.item, step)
                    fate = Fate.LOST if lost else course.fate()
                    known = replace(made, shared=made.shared or course.shared, item=course.item)
                    if fate is Fate.LOST:
                        loses.append(known if lost else replace(known, places=frozenset(course.places)))
                    elif fate is Fate.RETURNED:
                        gives.append(known)
        return Produced(tuple(gives), tuple(loses))

    def _made(self, function: Function, block: int, step: Step, call: Call) -> Iterator[tuple[Made, bool]]:
        """Yields the objects that a call creates, directly or in a function of the project, and whether that loses
        them."""
        graph, catalog = function.graph, self.context.catalog
        worker = worker_made(graph, catalog, call)
        if worker is not None:
            decides = {condition.argument for condition in worker.api.when if condition.negated}
            count = (arg.value for name, arg in bind(worker.api, call.args) if name in decides)
            asked = {(one, True) for one in count if isinstance(one, AccessPath) and one in graph.parameters}
            asked |= parameters_asked(graph, block)
            name = qualified(graph.name)
            yield Made(worker, step, function.file, name, step, block, given(call), frozenset(asked)), False
            return
        target = self._target(function, call)
        if target is None:
            return
        gives, loses = self._passed_on(target)
        collected = {catalog.canonical(one.callee.dotted or "") for one in graph.calls()} if loses else set()
        kept = [one for one in loses if collected.isdisjoint(one.worker.collected_by)]
        for made, lost in (*((one, False) for one in gives), *((one, True) for one in kept)):
            asks = self._asks(graph, target, made, call)
            if asks is not None and len(made.way) < MAX_CALLS:
                way = Hop(step, function.file, call.callee.name, not lost), *made.way
                needs = self._operands(target, made, call)
                yield replace(made, step=step, block=block, operands=needs, asks=asks, way=way, places=_NONE), lost

    def _target(self, function: Function, call: Call) -> Function | None:
        if call.callee.dotted is not None and self.context.catalog.lookup(call.callee.dotted):
            return None
        found = self.context.program.target(function.file, function.graph, call.callee)
        return found if found is not None and not may_be_overridden(found) else None

    @staticmethod
    def _asks(graph: Graph, target: Function, made: Made, call: Call) -> frozenset[tuple[Place, bool]] | None:
        """Returns what a callee's object asks of the caller's parameters; None if the arguments ask for no workers."""
        passed = [(argument_of(target, call, parameter), answer) for parameter, answer in made.asks]
        if any(isinstance(one, Lit) and bool(one.value) is not answer for one, answer in passed):
            return None
        return frozenset((one, yes) for one, yes in passed if isinstance(one, AccessPath) and one in graph.parameters)

    @staticmethod
    def _operands(target: Function, made: Made, call: Call) -> list[Operand] | None:
        """Returns the arguments of a call that a callee's object depends on; None if it depends on more."""
        needs = parameters_behind(target.graph, made.operands) if made.operands is not None else None
        if needs is None:
            return None
        found = (argument_of(target, call, name) for name in sorted(needs))
        return [one for one in found if one is not None]

    # -- loops

    def rebuilt(self, file: File) -> dict[Rebuilding, File]:
        """Returns the objects that the loops of a file recreate in each iteration, and the file that creates each."""
        found: dict[Span, tuple[Rebuilding, File]] = {}
        for graph in self._candidates.lower(file, (Kind.WORKS,)):
            function = Function(file, graph.name)
            for one in self._produced(function).loses if graph.loops else ():
                loop = self._loop(function, one)
                if loop is not None:
                    fact = _fact(function, one, loop)
                    before = found.setdefault(fact.span, (fact, one.home))
                    if len(fact.trace) < len(before[0].trace):
                        found[fact.span] = fact, one.home
        return dict(found.values())

    def _loop(self, function: Function, lost: Made) -> Loop | None:
        """Returns the loop to report: the innermost endless loop, otherwise the innermost one that matters, or None."""
        graph = function.graph
        defaults = [graph.signature.defaults.get(one) for one, _ in lost.asks]
        if any(isinstance(one, Lit) and one.value in (0, None) and one.value is not False for one in defaults):
            return None  # it creates no workers unless asked for
        around = [(loop, blocks) for loop, blocks in rounds(graph) if lost.block in blocks]
        around.sort(key=lambda pair: len(pair[1]))
        near = None
        for loop, blocks in around:
            if is_short(graph, loop) or happens_once(graph, loop, blocks, lost.block, lost.places):
                continue
            if loop.bound is Bound.ENDLESS or self._is_endless(function, loop):
                return loop
            if near is None and _counts(graph, lost, blocks):
                near = loop
        return near

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
        return any(loop.bound is Bound.ENDLESS and blocks & yields for loop, blocks in rounds(graph))


def _counts(graph: Graph, lost: Made, blocks: frozenset[int]) -> bool:
    """Whether to report a loop that ends.

    It does not count an object that the garbage collector ends, unless the code could create it once before the loop.
    """
    if sum(not one.returns for one in lost.way) > _NEAR or lost.shared:
        return False
    return not lost.worker.borrowed or (lost.operands is not None and not varies(graph, lost.operands, blocks))


def _fact(function: Function, lost: Made, loop: Loop) -> Rebuilding:
    here = function.file.source
    span, api = lost.home.source.span(lost.origin.origin), lost.worker.api.name
    events = [Event(EventKind.ACQUIRED, span, f"made by {api}(), with pipes and processes of its own")]
    for hop in reversed(lost.way):
        told = f"{hop.name}() is called, {'which returns it' if hop.returns else 'which loses it'}"
        events.append(Event(EventKind.BRANCH, hop.file.source.span(hop.step.origin), told))
    text = f"{'while' if loop.over is None else 'for … in'} {here.text(loop.origin)}"
    again = "never ends by itself" if loop.bound is Bound.ENDLESS else "starts another iteration"
    events.append(Event(EventKind.BRANCH, here.span(loop.origin), f"the loop `{text}` {again}"))
    end = "the next iteration makes another, and nothing has ended this one"
    events.append(Event(EventKind.LEAKED, here.span(lost.step.origin), end))
    ends, collectors = lost.worker.torn_down_by, lost.worker.collected_by
    return Rebuilding(api, lost.function, span, text, ends, collectors, tuple(events), lost.worker.released)
