"""What becomes of an object with worker processes in one function: torn down, handed over, returned, or lost.

The order of steps does not matter: one place that tears it down, or one that may keep it, is enough. Only for an object
that ends when it is dropped and collected, the analysis checks all paths.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

from fdlint.catalog import Catalog
from fdlint.catalog.model import Instance, Keywords, Worker
from fdlint.catalog.naming import takes_over
from fdlint.core.dataflow.derivation import How, ValueFlow, flows, holders
from fdlint.core.dataflow.makers import binding_steps, makers
from fdlint.core.dataflow.reachability import closure
from fdlint.core.engine.bind_arguments import parameter_of
from fdlint.core.engine.candidates import Candidates
from fdlint.core.engine.context import AnalysisContext
from fdlint.core.engine.limits import MAX_CALLS
from fdlint.core.engine.match_api import holds
from fdlint.core.engine.owning_classes import class_without_methods
from fdlint.core.ir import (
    RAISE,
    RETURN,
    AccessPath,
    Arg,
    Assign,
    Build,
    Call,
    Closure,
    Delete,
    Effect,
    Enter,
    Graph,
    Item,
    Leaving,
    Lit,
    Operand,
    Place,
    Step,
    Store,
    StoreItem,
    Yield,
    places_in,
)
from fdlint.program.facts import is_constructor
from fdlint.program.units import Function


def worker_made(graph: Graph, catalog: Catalog, call: Call) -> Worker | None:
    """Returns the worker object that a call creates, or None."""
    names = [call.callee.dotted]
    if call.callee.dotted is None and call.callee.name in catalog.making:
        names = [f"{kind}.{call.callee.name}" for kind in _types(graph, catalog, call.callee.receiver)]
    found = catalog.makers(names[0]) if len(names) == 1 and names[0] is not None else ()
    args = tuple(_known(graph, arg) for arg in call.args) if found else ()
    return next((one for one in found if all(holds(one.api, condition, args) for condition in one.api.when)), None)


def _types(graph: Graph, catalog: Catalog, place: Operand | None) -> set[str]:
    """Returns the types that the value of a variable may have."""
    if not isinstance(place, AccessPath):
        return set()
    if place in graph.types:
        return {graph.types[place]}
    calls = (call for _, call, _ in makers(binding_steps(graph), place))
    shapes = (api.returns for call in calls for api in catalog.lookup(call.callee.dotted or "") or ())
    return {one.type if isinstance(one, Instance) else "" for one in shapes}


def _known(graph: Graph, arg: Arg) -> Arg:
    """Returns an argument with the name of a constant replaced by its value."""
    if isinstance(arg.value, AccessPath) and arg.value in graph.constants and arg.value not in graph.parameters:
        return replace(arg, value=Lit(graph.constants[arg.value]))
    return arg


class Fate(enum.Enum):
    """The fate of an object."""

    LOST = "nobody tears it down"
    GONE = "torn down, or somebody else has it"
    RETURNED = "the caller gets it"


@dataclass(slots=True)
class Course:
    """One object in one function. ``places``: the variables that hold it, each with its position if they hold a tuple
    or list of it. ``item``: its position in what the function returns. ``shared``: one of its workers received it."""

    context: AnalysisContext
    function: Function
    worker: Worker
    start: Place
    item: int | None = None
    made: Step | None = None
    depth: int = 0
    shared: bool = False
    places: dict[Place, int | None] = field(init=False)
    boxes: frozenset[Place] = field(init=False)

    def __post_init__(self) -> None:
        self.boxes = self._local_boxes()
        self.places = holders(self.start, self.item, self._flows())

    def fate(self) -> Fate:
        """Returns what becomes of the object."""
        graph = self.function.graph
        if any(map(self._ends_by, graph.steps())) or any(map(self._strays, self._flows())) or self._is_shown():
            return Fate.GONE
        returned = [
            self.places[one.value] for one in graph.effects() if isinstance(one, Leaving) and one.value in self.places
        ]
        if returned:
            self.item = returned[0]
            return Fate.GONE if self.item == _SOMEWHERE else Fate.RETURNED
        return Fate.GONE if self._is_collected() else Fate.LOST

    def _flows(self) -> Iterator[ValueFlow]:
        """Yields how values go from one place to another, and into objects that die with what they are made of."""
        graph, program = self.function.graph, self.context.program
        yield from (one for one in flows(graph, None) if one.how is not How.PASSED)
        for effect in graph.effects():
            match effect:
                case Store(AccessPath() as target, AccessPath() as value) if graph.module and not target.is_attribute:
                    yield ValueFlow(value, target, How.COPY)
                case Store(AccessPath() as target, value) | StoreItem(AccessPath() as target, _, value):
                    target = _cell(effect) or target
                    if target.base in self.boxes and isinstance(value, AccessPath):
                        yield ValueFlow(value, target, How.COPY)
                        yield ValueFlow(value, target.base, How.BUILT, _SOMEWHERE)
                case Assign(target, Item(AccessPath() as base, Lit(key))) if base in self.boxes:
                    yield ValueFlow(base.attribute(str(key)), target, How.COPY)
                case Call(result, callee) if self.worker.borrowed and effect.given:
                    called = program.target(self.function.file, graph, callee)
                    if called is not None and is_constructor(called.unit):
                        yield from (ValueFlow(one, result, How.COPY) for one in effect.given)

    def _local_boxes(self) -> frozenset[Place]:
        """Returns the lists, dicts and plain objects that the function makes and has by one name: what it puts into
        them goes nowhere else as long as they do not."""
        graph = self.function.graph
        filled = {cell.base for one in graph.effects() if (cell := _cell(one)) is not None}
        bound = binding_steps(graph) if filled else {}
        named = {
            one
            for effect in graph.effects()
            if filled and isinstance(effect, Assign | Store | StoreItem)
            for one in places_in(effect.value)
            if not isinstance(effect, Assign) or isinstance(effect.value, AccessPath | Build)
        }
        made = {one for one in filled & bound.keys() if all(self._makes_box(bound, step) for step in bound[one])}
        return frozenset(made - named - graph.shared)

    def _makes_box(self, bound: dict[Place, list[Step]], step: Step) -> bool:
        match step.effect:
            case Assign(_, Build(kind)):
                return kind in ("list", "dict")
            case Assign(_, AccessPath() as made) if made.is_temporary:
                return all(self._makes_box(bound, one) for one in bound.get(made, ()))
            case Call() as call:
                apis = self.context.catalog.lookup(call.callee.dotted or "")
                keeps = bool(apis) and all(isinstance(one.returns, Keywords) for one in apis)
                return keeps or class_without_methods(self.context, self.function.file, call) is not None
        return False

    def _strays(self, flow: ValueFlow) -> bool:
        """Whether a value that goes from one place to another takes the object, or a part of it, out of sight."""
        going = flow.how in (How.COPY, How.BUILT, How.SLICE)
        return going and flow.target not in self.places and self._keeps(flow.source)

    def _is_shown(self) -> bool:
        """Whether other functions of a module may use one of the places."""
        graph = self.function.graph
        names = [place for place in self.places if place.isidentifier()] if graph.module else []
        others = Candidates(self.context).mentioning(self.function.file, names) if names else []
        return any(one.free & self.places.keys() for one in others if one is not graph)

    def _is_collected(self) -> bool:
        """Whether all paths drop the object, and the function collects it then."""
        graph, canonical = self.function.graph, self.context.catalog.canonical
        if self.made is None or not any(
            canonical(one.callee.dotted or "") in self.worker.collected_by for one in graph.calls()
        ):
            return False
        drops = {id(step) for step in graph.steps() if self._drops(step)}
        return bool(drops) and _every_way_passes(graph, self.made, drops)

    def _drops(self, step: Step) -> bool:
        match step.effect:
            case Assign(place, Lit(None)) | Delete(place):
                return place in self.places
            case Store(_, Lit(None)) | StoreItem(_, _, Lit(None)):
                return _cell(step.effect) in self.places
        return False

    # -- steps

    def _is_part(self, operand: Operand | None) -> bool:
        """Whether an operand is an attribute of the object: its pipe, its number, a method of it."""
        return isinstance(operand, AccessPath) and any(prefix in self.places for prefix in operand.prefixes)

    def _touches(self, operand: Operand | None) -> bool:
        return operand in self.places or self._is_part(operand)

    def _keeps(self, operand: Operand | None) -> bool:
        """Whether the receiver of this operand may be the one to end the object."""
        return operand in self.places or (self._is_part(operand) and not self.worker.borrowed)

    def _ends_by(self, step: Step) -> bool:
        """Whether a step tears the object down, or hands it over."""
        match step.effect:
            case Enter(manager):
                return self._touches(manager)
            case Assign(_, Closure(name)):
                return bool(self._captured(name) & self.places.keys())
            case Store(target, value):
                return target not in self.places and self._keeps(value)
            case StoreItem(_, index, value) if _cell(step.effect) not in self.places:
                return self._keeps(value) or self._keeps(index)
            case Yield(value):
                return self._keeps(value)
            case Leaving(value):
                return self._is_part(value) and not self.worker.borrowed
            case Call() as call:
                return self._ends_by_call(call)
        return False

    def _captured(self, name: str) -> frozenset[Place]:
        """Returns the variables of a nested function that hold the object, captured or as a default."""
        graph = self.function.file.lowered.functions.get(name)
        defaults = graph.signature.defaults.values() if graph is not None else ()
        names = frozenset(one for one in defaults if isinstance(one, AccessPath))
        return self.function.graph.captures.get(name, frozenset()) | names

    def _ends_by_call(self, call: Call) -> bool:
        receiver, dotted = call.callee.receiver, self.context.catalog.canonical(call.callee.dotted or "")
        if self._touches(receiver) and (self._is_inside(receiver) or call.callee.name in self.worker.torn_down_by):
            return True
        given = [arg for arg in call.args if self._touches(arg.value)]
        return dotted in self.worker.all_torn_down_by or any(self._takes(call, arg, dotted) for arg in given)

    def _is_inside(self, operand: Operand | None) -> bool:
        """Whether a place holds a tuple or list of the object."""
        return isinstance(operand, AccessPath) and self.places.get(operand) is not None

    def _takes(self, call: Call, arg: Arg, dotted: str) -> bool:
        """Whether a call may take over the object, a tuple that contains it, or a part of it."""
        graph, name = self.function.graph, call.callee.name
        if worker_made(graph, self.context.catalog, call) is not None:
            self.shared = True
            return False
        if self._is_inside(arg.value) or dotted == "builtins.setattr":
            return True
        if dotted.startswith(graph.language.builtins):
            return False
        target = self.context.program.target(self.function.file, graph, call.callee)
        if target is not None and arg.value in self.places:
            return self._taken_by(target, parameter_of(target, call, arg))
        plain = not call.callee.own and call.callee.receiver is None and not takes_over(name)
        return not (self.worker.borrowed and plain) and self._keeps(arg.value)

    def _taken_by(self, target: Function, parameter: Place | None) -> bool:
        """Whether a function of the project takes over what it gets as a parameter."""
        if is_constructor(target.unit):
            return not self.worker.borrowed
        if parameter is None or self.depth >= MAX_CALLS or target.graph.abstract:
            return True
        return Course(self.context, target, self.worker, parameter, depth=self.depth + 1).fate() is not Fate.LOST


_SOMEWHERE = -1  # the position of what has none in a list: an attribute, or an item of a dict


def _cell(effect: Effect) -> Place | None:
    """Returns the attribute, or the item as an attribute, that an effect sets; None for any other."""
    match effect:
        case Store(AccessPath() as target):
            return target
        case StoreItem(AccessPath() as base, Lit(key)):
            return base.attribute(str(key))
    return None


def _every_way_passes(graph: Graph, made: Step, steps: Collection[int]) -> bool:
    """Whether every path from one step to the function's return, or back to that step, passes one of ``steps``."""
    end = RETURN, 0

    def going_on(spot: tuple[int, int]) -> Iterator[tuple[int, int]]:
        block = graph.blocks[spot[0]]
        for step in block.steps[spot[1] :]:
            if step is made:
                yield end
            if step is made or id(step) in steps:
                return
            yield from ((pad, 0) for pad in step.landings() if pad != RAISE)
        yield from ((target, 0) for target in graph.targets(block.end) if target != RAISE)

    spots = [(n, k + 1) for n, block in enumerate(graph.blocks) for k, step in enumerate(block.steps) if step is made]
    return end not in closure(spots, going_on)
