"""Finds the fate of an object with worker processes in one function: torn down, handed over, returned, or lost.

The order of steps does not matter: one place that tears it down, or one that may keep it, is enough. Only for an object
that ends when it is dropped and collected, the analysis checks all paths.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from fdlint.catalog.model import Worker
from fdlint.catalog.naming import takes_over
from fdlint.core.dataflow.derivation import How, ValueFlow, assigned, next_item
from fdlint.core.engine.bind_arguments import parameter_of
from fdlint.core.engine.candidates import Candidates
from fdlint.core.engine.context import AnalysisContext
from fdlint.core.engine.limits import MAX_CALLS
from fdlint.core.ir import (
    AccessPath,
    Arg,
    Assign,
    Call,
    Closure,
    Delete,
    Effect,
    Enter,
    Graph,
    Leaving,
    Lit,
    Operand,
    Place,
    Step,
    Store,
    StoreItem,
    Yield,
)
from fdlint.core.ir.graph import Advance
from fdlint.core.objects.workers.constructors import worker_made
from fdlint.core.objects.workers.loops import every_way_passes
from fdlint.program.units import Function


class Fate(enum.Enum):
    """The fate of an object."""

    LOST = "nobody tears it down"
    ENDED = "torn down"
    HANDED = "somebody else has it"
    RETURNED = "the caller gets it"


@dataclass(frozen=True, slots=True)
class Course:
    """An object's fate. ``item``: its index in a returned tuple. ``shared``: one of its workers received it.
    ``places``: the variables that hold it."""

    fate: Fate
    item: int | None = None
    shared: bool = False
    places: frozenset[Place] = frozenset()


def course_of(
    context: AnalysisContext,
    function: Function,
    worker: Worker,
    start: Place,
    item: int | None,
    made: Step | None = None,
) -> Course:
    """Returns the course of an object in a place. ``item``: its index, if the place holds a tuple. ``made``: the call
    that created it."""
    return _Tracker(context, function, worker, {start: item}, made).follow()


@dataclass(slots=True)
class _Tracker:
    """Follows one object. ``places`` map the variables that hold it to None, or to its index if they hold a tuple or
    list."""

    context: AnalysisContext
    function: Function
    worker: Worker
    places: dict[Place, int | None]
    made: Step | None = None
    depth: int = 0
    ended: bool = False
    handed: bool = False
    shared: bool = False
    collects: bool = False
    returned: list[int | None] = field(default_factory=list)
    forgotten: set[int] = field(default_factory=set)  # the steps at which a place drops it
    iterators: set[Place] = field(default_factory=set)

    def follow(self) -> Course:
        graph = self.function.graph
        size = -1
        while size != len(self.places):
            size = len(self.places)
            for block in graph.blocks:
                for step in block.steps:
                    self._step(step, step.effect)
                if isinstance(block.end, Advance):
                    self._flow(next_item(block.end))
        return self._course()

    def _course(self) -> Course:
        graph = self.function.graph
        if self.ended:
            return Course(Fate.ENDED)
        others = self._others() if graph.module else ()
        if self.handed or any(one.free & self.places.keys() for one in others if one is not graph):
            return Course(Fate.HANDED)
        if self.returned:
            return Course(Fate.HANDED if graph.generator else Fate.RETURNED, self.returned[0], self.shared)
        collected = self.collects and self.forgotten and self.made is not None
        if collected and self.made is not None and every_way_passes(graph, self.made, self.forgotten):
            return Course(Fate.ENDED)
        return Course(Fate.LOST, None, self.shared, frozenset(self.places))

    def _others(self) -> list[Graph]:
        """The other functions that may use one of the places."""
        names = [place for place in self.places if place.isidentifier()]
        return Candidates(self.context).mentioning(self.function.file, names) if names else []

    # -- steps

    def _holds(self, operand: Operand | None) -> bool:
        return isinstance(operand, AccessPath) and operand in self.places

    def _is_part(self, operand: Operand | None) -> bool:
        """Whether an operand is an attribute of the object: its pipe, its number, a method of it."""
        return isinstance(operand, AccessPath) and any(prefix in self.places for prefix in operand.prefixes)

    def _keeps(self, operand: Operand | None) -> bool:
        """Whether the receiver of this operand may be the one to end the object."""
        return self._holds(operand) or (self._is_part(operand) and not self.worker.borrowed)

    def _step(self, step: Step, effect: Effect) -> None:
        match effect:
            case Assign(target, Lit(None)) if target in self.places:
                self.forgotten.add(id(step))
            case Assign(_, Closure(name)):
                self.handed |= bool(self._captured(name) & self.places.keys())
            case Assign(target, value):
                for flow in assigned(target, value):
                    self._flow(flow)
            case Store(target, value):
                self._store(step, target, value)
            case StoreItem(_, index, value):
                self.handed |= self._keeps(value) or self._keeps(index)
            case Delete(place) if place in self.places:
                self.forgotten.add(id(step))
            case Enter(manager):
                self.ended |= self._holds(manager) or self._is_part(manager)
            case Yield(value):
                self.handed |= self._keeps(value)
            case Leaving(value):
                if isinstance(value, AccessPath) and value in self.places:
                    self.returned.append(self.places[value])
                self.handed |= self._is_part(value) and not self.worker.borrowed
            case Call():
                self._call(effect)

    def _flow(self, flow: ValueFlow) -> None:
        """Follows a value from one variable to another, as a whole or in part."""
        source, target, how, position = flow
        held, item = source in self.places, self.places.get(source)
        match how:
            case How.COPY:
                if held:
                    self.places.setdefault(target, item)
                self.handed |= self._is_part(source) and not self.worker.borrowed
            case How.BUILT if held and item is None and position is not None:
                self.places.setdefault(target, position)
            case How.BUILT:
                self.handed |= self._keeps(source)
            case How.ITEM if held and (item in (None, position) or position is None):
                self.places.setdefault(target, None)
            case How.ITERATOR if item is not None:
                self.iterators.add(target)
            case How.SLICE:
                self.handed |= item is not None
            case How.NEXT if source in self.iterators:
                self.places.setdefault(target, None)

    def _captured(self, name: str) -> frozenset[Place]:
        """Returns the variables of a nested function that hold the object, captured or as a default."""
        graph = self.function.file.lowered.functions.get(name)
        defaults = graph.signature.defaults.values() if graph is not None else ()
        names = frozenset(one for one in defaults if isinstance(one, AccessPath))
        return self.function.graph.captures.get(name, frozenset()) | names

    def _store(self, step: Step, target: Place | None, value: Operand) -> None:
        to_global = self.function.graph.module and target is not None and not target.is_attribute
        if target in self.places and value == Lit(None):
            self.forgotten.add(id(step))
        elif to_global and target is not None and isinstance(value, AccessPath):
            if value in self.places:
                self.places.setdefault(target, self.places[value])
        else:
            self.handed |= self._keeps(value)

    # -- calls

    def _call(self, call: Call) -> None:
        receiver, dotted = call.callee.receiver, self._canonical(call)
        if self._holds(receiver) or self._is_part(receiver):
            self.ended |= call.callee.name in self.worker.torn_down_by
            self.handed |= isinstance(receiver, AccessPath) and self.places.get(receiver) is not None
        self.ended |= dotted in self.worker.all_torn_down_by
        self.collects |= dotted in self.worker.collected_by
        for arg in call.args:
            if self._holds(arg.value) or self._is_part(arg.value):
                self._given(call, arg, dotted)

    def _canonical(self, call: Call) -> str:
        return self.context.catalog.canonical(call.callee.dotted) if call.callee.dotted is not None else ""

    def _given(self, call: Call, arg: Arg, dotted: str) -> None:
        """Handles a call with the object, a tuple that contains it, or a part of it as an argument."""
        graph, catalog = self.function.graph, self.context.catalog
        if worker_made(graph, catalog, call) is not None:
            self.shared = True
            return
        apis = catalog.lookup(dotted)
        whole = isinstance(arg.value, AccessPath) and arg.value in self.places and self.places[arg.value] is None
        builtin = dotted.startswith(graph.language.builtins) and dotted != "builtins.setattr"
        if builtin and (whole or self._is_part(arg.value)):
            return
        target = self.context.program.target(self.function.file, graph, call.callee)
        if target is not None and whole:
            self._passed(call, arg, target)
        elif apis and (whole or self._is_part(arg.value)):
            self.handed |= any(api.ended or api.registers or api.applies or api.lazy or api.suppresses for api in apis)
        elif self.worker.borrowed and not self._may_keep(call):
            self.handed |= not whole and not self._is_part(arg.value)
        else:
            self.handed |= self._keeps(arg.value)

    def _may_keep(self, call: Call) -> bool:
        """Whether an unknown function may keep its argument."""
        own = call.callee.own or self.context.program.may_be_own(self.function.file, call.callee)
        return own or call.callee.receiver is not None or takes_over(call.callee.name)

    def _passed(self, call: Call, arg: Arg, target: Function) -> None:
        """Follows the object into a function of the project, through its parameter."""
        parameter = parameter_of(target, call, arg)
        if (target.name or "").endswith(target.graph.language.methods.constructor):
            if self.worker.borrowed:
                self.places.setdefault(call.result, None)  # the new object refers to it, and dies with it
            else:
                self.handed = True
            return
        if parameter is None or self.depth >= MAX_CALLS or target.graph.abstract:
            self.handed = True
            return
        found = _Tracker(
            self.context, target, self.worker, {parameter: None}, depth=self.depth + 1
        ).follow()  # fmt: skip
        self.ended |= found.fate is Fate.ENDED
        self.handed |= found.fate is Fate.HANDED and not (target.graph.generator and self.worker.borrowed)
        self.shared |= found.shared
        if found.fate is Fate.RETURNED:
            self.places.setdefault(call.result, found.item)
