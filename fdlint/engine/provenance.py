"""Which values of a function may come from a call that acquires, by its graph and those of its callees alone.

The order of steps does not matter here, and no states are followed: places of which one may get the value of the other,
or an item of it, are alike. So a function that never gives its caller a descriptor is told cheaply; that one does is
seen by following it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from fdlint.callgraph.modules import Function
from fdlint.callgraph.overrides import on_same_object
from fdlint.callgraph.relevance import Relevance
from fdlint.catalog import Catalog
from fdlint.catalog.model import Api, OfParameter, Shape, TupleOf, Zipped
from fdlint.dataflow.derivation import assigned, next_item
from fdlint.domain.state import State
from fdlint.domain.values import UNKNOWN, Box, Fn, Seq, Sym, Value
from fdlint.engine.bind_arguments import bind_arguments
from fdlint.ir import RESULT, AccessPath, Advance, Assign, Build, Call, Enter, Graph, Leaving, Place, StoreItem

_MAX_DEPTH = 12  # calls inside of each other


@dataclass(frozen=True, slots=True)
class Provenance:
    """What is known of the values that cross the border of a function: of parameters, captured variables and the
    result. ``alike``: places that may lead to the same descriptors; ``fresh``: those that may lead to what it, or one
    that it calls, acquired."""

    alike: tuple[frozenset[Place], ...] = ()
    fresh: frozenset[Place] = frozenset()


@dataclass(frozen=True, slots=True)
class Calls:
    """What has to be known of the calls of a function: what its name stands for in the catalog, and which function of
    the project it means."""

    renamed: Callable[[Function, Call], Call]
    target: Callable[[Function, Call], Function | None]


@dataclass(slots=True)
class Provenances:
    """Finds, and remembers, where the values of functions come from."""

    catalog: Catalog
    relevance: Relevance
    _known: dict[object, Provenance] = field(default_factory=dict)
    _carrying: frozenset[str] | None = None

    def of(self, function: Function, calls: Calls, depth: int = 0) -> Provenance:
        """Where the values at the border of a function may come from."""
        if function.key not in self._known:
            self._known[function.key] = _everything(function.graph)  # for a function that calls itself
            self._known[function.key] = self._find(function, calls, depth)
        return self._known[function.key]

    def _find(self, function: Function, calls: Calls, depth: int) -> Provenance:
        graph, places = function.graph, _Alike()
        for group in _joined(graph):
            places.join(group)
        for call in graph.calls():
            self._call(function, calls.renamed(function, call), calls, places, depth)
        border = _border(graph)
        groups: dict[Place, set[Place]] = {}
        for place in border:
            groups.setdefault(places.root(place), set()).add(place)
        fresh = frozenset(place for place in border if places.is_fresh(place))
        return Provenance(tuple(frozenset(one) for one in groups.values() if len(one) > 1), fresh)

    def _call(self, function: Function, call: Call, calls: Calls, places: _Alike, depth: int) -> None:
        callee, around = call.callee, _around(call)
        if self.relevance.acquires(call, function.file.source.code):
            places.freshen(call.result)
        if self._carries(call):
            places.join(around)
        if callee.dotted is not None and self.catalog.lookup(callee.dotted):
            return
        held = dict(function.captured).get(callee.variable) if isinstance(callee.variable, AccessPath) else None
        called = held.callee.function if isinstance(held, Fn) else None
        if not isinstance(called, Function):
            if callee.variable is not None:  # it may hold any function
                places.join(around)
                places.freshen(call.result)
                return
            called = calls.target(function, call)
        if called is not None:
            inside = self.of(called, calls, depth + 1) if depth < _MAX_DEPTH else _everything(called.graph)
            _apply(function, call, called, inside, places)
        elif callee.receiver is None or on_same_object(function.graph, call):
            places.join(around)  # it may be in a file that has nothing to do with descriptors

    def _carries(self, call: Call) -> bool:
        """Whether the result, the receiver or an argument may get what the others hold, in some reading."""
        catalog, callee = self.catalog, call.callee
        if self._carrying is None:
            named = (name for name, apis in catalog.by_name.items() if any(map(_carries, apis)))
            self._carrying = frozenset(name.rpartition(".")[2] for name in named)
        if callee.dotted is None and callee.name in self._carrying:
            return True
        named_too = [callee.dotted, *(arg.dotted for arg in call.args)]
        return any(_carries(api) for name in named_too if name is not None for api in catalog.lookup(name))


def _apply(function: Function, call: Call, called: Function, inside: Provenance, places: _Alike) -> None:
    """Joins what the function called joins."""
    state = State()
    values: list[Value] = [Sym(arg.value) if isinstance(arg.value, AccessPath) else UNKNOWN for arg in call.args]
    bound = bind_arguments(state, called, call, values)
    around = _around(call)
    if bound is None:
        places.join(around)
        if inside.fresh:
            places.freshen(call.result)
        return
    given = {place: list(_symbols(state, value)) for place, value in bound}
    given[RESULT] = [call.result] if not call.callee.constructs else []
    for name in called.graph.free:
        given.setdefault(name, [name])
    for group in inside.alike:
        places.join([outside for place in group for outside in given.get(place, ())])
    for place in inside.fresh:
        for outside in given.get(place, ()):
            places.freshen(outside)


def _symbols(state: State, value: Value) -> Iterator[Place]:
    match value:
        case Sym(place):
            yield place
        case Seq(items):
            for item in items:
                yield from _symbols(state, item)
        case Box(container):
            for item in state.heap[container].items:
                yield from _symbols(state, item)


def _carries(api: Api) -> bool:
    lends = api.container is not None or api.attribute is not None or api.lazy
    return lends or _is_made_of_arguments(api.returns)


def _is_made_of_arguments(shape: Shape) -> bool:
    if isinstance(shape, TupleOf):
        return any(map(_is_made_of_arguments, shape.items))
    return isinstance(shape, OfParameter | Zipped)


def _joined(graph: Graph) -> Iterator[list[Place]]:
    """The places of which each step, but for calls, makes one from the others. What is stored where it outlives the
    function is not its own any more."""
    for effect in graph.effects():
        match effect:
            case Assign(target, Build(kind, _)) if kind == "kept":
                continue
            case Assign(target, value):
                yield [target, *(one.source for one in assigned(target, value))]
            case Enter(AccessPath() as manager, result):
                yield [manager, result]
            case StoreItem(AccessPath() as base, _, AccessPath() as value):
                yield [base, value]
            case Leaving(AccessPath() as value):
                yield [RESULT, value]
    for block in graph.blocks:
        if isinstance(block.end, Advance):
            one = next_item(block.end)
            yield [one.source, one.target]


def _around(call: Call) -> list[Place]:
    receiver = call.callee.receiver
    return [call.result, *call.given, *([receiver] if isinstance(receiver, AccessPath) else [])]


def _border(graph: Graph) -> list[Place]:
    return [*graph.parameters, *sorted(graph.free), RESULT]


def _everything(graph: Graph) -> Provenance:
    border = frozenset(_border(graph))
    return Provenance((border,), border)


class _Alike:
    """Classes of places that may lead to the same descriptors, and those that may lead to a fresh one."""

    def __init__(self) -> None:
        self._parents: dict[Place, Place] = {}
        self._fresh: set[Place] = set()

    def root(self, place: Place) -> Place:
        """The representative of a place."""
        while (parent := self._parents.get(place, place)) != place:
            self._parents[place] = self._parents.get(parent, parent)
            place = parent
        return place

    def join(self, places: Iterable[Place]) -> None:
        """All of these are alike."""
        first: Place | None = None
        for place in places:
            root = self.root(place)
            if first is None:
                first = root
            elif root != first:
                self._parents[root] = first

    def freshen(self, place: Place) -> None:
        """Something that was acquired is found here."""
        self._fresh.add(place)

    def is_fresh(self, place: Place) -> bool:
        """Whether something that was acquired may be found here."""
        return self.root(place) in {self.root(one) for one in self._fresh}
