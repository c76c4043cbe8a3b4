"""Finds the values of a function that may come from an acquiring call. Reads only its graph and those of its callees.

The order of steps does not matter, and no states are followed. Two places are alike if one may get the value of the
other, or an item of it. This cheaply shows that a function never gives its caller a descriptor. Only following a
function shows that it does give one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from fdlint.catalog import Catalog
from fdlint.catalog.model import Api
from fdlint.core.budget import BudgetSpentError
from fdlint.core.dataflow.derivation import assigned, is_made_of_arguments, next_item, taken_apart
from fdlint.core.dataflow.liveness import places_of
from fdlint.core.dataflow.reachability import closure
from fdlint.core.domain.state import State
from fdlint.core.domain.values import UNKNOWN, Box, Fn, Seq, Sym, Value
from fdlint.core.engine.bind_arguments import bind_arguments
from fdlint.core.engine.parameter_effects import passed_as
from fdlint.core.ir import (
    NESTED,
    RESULT,
    AccessPath,
    Advance,
    Assign,
    Build,
    Call,
    Callee,
    Closure,
    Enter,
    Graph,
    Leaving,
    Named,
    Place,
    Store,
    StoreItem,
    Unpack,
)
from fdlint.core.memo import Memo, Reader
from fdlint.program.relevance import Relevance
from fdlint.program.units import Function

_MAX_DEPTH = 30  # of nested calls
_MAX_OPEN = 1_000  # functions that call each other


@dataclass(frozen=True, slots=True)
class Provenance:
    """The facts about the values that cross the border of a function: parameters, captured variables and the result.

    ``alike``: groups of places that may lead to the same descriptors; ``fresh``: the places that may lead to a
    descriptor that the function, or one that it calls, acquired.
    """

    alike: tuple[frozenset[Place], ...] = ()
    fresh: frozenset[Place] = frozenset()


@dataclass(frozen=True, slots=True)
class Calls:
    """Answers questions about the calls of a function.

    ``renamed`` returns a call under the catalog's name; ``target`` returns the project function that a call means;
    ``may_acquire`` says whether a function may acquire, as far as texts tell; ``creates`` whether a call creates an
    object that owns a descriptor, and ``holds`` whether it creates one that only holds what it gets.
    """

    renamed: Callable[[Function, Call], Call]
    target: Callable[[Function, Call], Function | None]
    may_acquire: Callable[[Function], bool]
    creates: Callable[[Function, Call], bool]
    holds: Callable[[Function, Call], bool]


Key = tuple[Hashable, bool]


@dataclass(slots=True)
class Provenances:
    """Finds and remembers where the values of functions come from: the least fixpoint over functions that call each
    other."""

    catalog: Catalog
    relevance: Relevance
    _known: Memo[Key, Provenance] = field(default_factory=Memo)
    _open: dict[Key, _Finder] = field(default_factory=dict)  # the functions with incomplete results
    _round: int = 0
    _changed: bool = False

    def of(self, function: Function, calls: Calls) -> Provenance:
        """Returns where the values at the border of a function may come from."""
        key = function.key, False
        if key not in self._known:
            try:
                self._to_fixpoint(function, calls)
            except BudgetSpentError:
                self._open.clear()
                raise
            for one, finder in self._open.items():
                self._known[one] = finder.result
                self._known.note(one, self._read_for(one))
            self._open.clear()
        self._known.use(key)
        return self._known[key]

    def _read_for(self, key: Key) -> int:
        """Returns the inputs of an incomplete result, and of those that it uses."""
        found = 0
        for one in closure((key,), lambda one: self._open[one].uses):
            found |= self._open[one].read
        return found

    def _to_fixpoint(self, function: Function, calls: Calls) -> None:
        self._changed = True
        while self._changed:
            self._changed = False
            self._round += 1
            self.so_far(function, calls, called_back=False, depth=0)

    def so_far(self, function: Function, calls: Calls, called_back: bool, depth: int) -> Provenance:
        """Returns the result for a function in this round. ``called_back``: it may be given functions."""
        key = function.key, called_back
        if self._known.has(key):
            return self._known[key]
        if key not in self._open:
            if depth >= _MAX_DEPTH or len(self._open) >= _MAX_OPEN:
                return _everything(function.graph)
            with Reader(apart=True) as reader:
                self._open[key] = _Finder(self, function, calls, called_back, depth)
            self._open[key].read = reader.bits
        finder = self._open[key]
        if finder.round < self._round:
            finder.round, before = self._round, finder.result
            with Reader(apart=True) as reader:
                finder.find()
            finder.read |= reader.bits
            self._changed = self._changed or finder.result != before
        return finder.result

    def is_open(self, key: Key) -> bool:
        """Whether a result is incomplete."""
        return key in self._open

    def carries(self, call: Call) -> bool:
        """Whether the result, the receiver or an argument of a call may get a value from one of the others."""
        catalog, callee = self.catalog, call.callee
        if callee.dotted is None and callee.name in _carrying(catalog):
            return True
        named_too = [callee.dotted, *(arg.dotted for arg in call.args)]
        return any(_carries(api) for name in named_too if name is not None for api in catalog.lookup(name))


class _Finder:
    """Reads the steps and the calls of one function until it finds nothing new."""

    def __init__(
        self, provenances: Provenances, function: Function, calls: Calls, called_back: bool, depth: int
    ) -> None:
        self._all = provenances
        self._function = function
        self._graph = function.graph
        self._calls = calls
        self._depth = depth
        self._places = _Alike()
        self._named: list[tuple[Place, Callee]] = list(_functions_in(function))
        self._border = _border(self._graph)
        self._callable: set[Place] = set(self._border) if called_back else set()  # hold unknown functions
        self._may_acquire = called_back or calls.may_acquire(function)
        self._made = [calls.renamed(function, call) for call in self._graph.calls()]
        self.round = self.read = 0
        self.uses: set[Key] = set()
        self.result = Provenance()
        for group in _joined(self._graph, taken_apart(self._graph, provenances.catalog)):
            self._places.join(group)

    def find(self) -> None:
        """Updates ``result`` with what is known of the calls by now."""
        places, before = self._places, -1
        while before != places.changes:
            before = places.changes
            for call in self._made:
                self._call(call)
        groups: dict[Place, set[Place]] = {}
        for place in self._border:
            groups.setdefault(places.root(place), set()).add(place)
        fresh = frozenset(place for place in self._border if self._may_acquire and places.is_fresh(place))
        self.result = Provenance(tuple(frozenset(one) for one in groups.values() if len(one) > 1), fresh)

    def _call(self, call: Call) -> None:
        variable = call.callee.variable
        if not isinstance(variable, AccessPath):
            self._called(call)
            return
        if self._may_hold_unknown(variable):
            self._places.join(_around(call))
            self._places.freshen(call.result)
            return
        root = self._places.root(variable)
        for place, callee in self._named:
            if self._places.root(place) == root:
                self._called(replace(call, callee=callee))
        self._called(replace(call, callee=replace(call.callee, variable=None)))

    def _matters(self, place: Place) -> bool:
        """Whether a place may lead to a new descriptor, or is alike to a place at the border."""
        return self._places.is_fresh(place) or self._places.root(place) in map(self._places.root, self._border)

    def _may_hold_unknown(self, place: Place) -> bool:
        root = self._places.root(place)
        return any(self._places.root(one) == root for one in self._callable)

    def _may_hold_function(self, place: Place) -> bool:
        root = self._places.root(place)
        return self._may_hold_unknown(place) or any(self._places.root(one) == root for one, _ in self._named)

    def _called(self, call: Call) -> None:
        callee, places = call.callee, self._places
        text = self._function.file.source.code
        if self._all.relevance.acquires(call, text) or self._calls.creates(self._function, call):
            places.freshen(call.result)
        if self._all.carries(call) or (call.given and self._calls.holds(self._function, call)):
            places.join(_around(call))
        if callee.dotted is not None and self._all.catalog.lookup(callee.dotted):
            return
        called = self._calls.target(self._function, call)
        if called is None:
            if callee.receiver is None or self._graph.calls_own(call):
                places.join(_around(call))  # the callee may be in a file without descriptors
            return
        nested = NESTED in (called.name or "")
        given = any(arg.function or arg.dotted for arg in call.args)
        around = [*call.given, *(called.graph.free if nested else ())]
        called_back = given or bool(called.captured) or any(map(self._may_hold_function, around))
        if not (called_back or self._calls.may_acquire(called) or any(map(self._matters, around))):
            return  # the callee does not matter here
        if called.graph.captures:
            self._callable.add(call.result)
        inside = self._all.so_far(called, self._calls, called_back, self._depth + 1)
        if self._all.is_open(key := (called.key, called_back)):
            self.uses.add(key)
        _apply(call, called, inside, places)


def _functions_in(function: Function) -> Iterator[tuple[Place, Callee]]:
    """Yields the places that hold functions, with these functions."""
    for place, held in function.captured:
        if isinstance(held, Fn):
            yield place, held.callee
    for effect in function.graph.effects():
        match effect:
            case Assign(target, Named(callee)):
                yield target, callee
            case Assign(target, Closure(name)):
                yield target, Callee(name, own=True, function=name)


def _apply(call: Call, called: Function, inside: Provenance, places: _Alike) -> None:
    """Applies the provenance of the function called to the places of its caller."""
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
    for one in called.graph.parameters if any(arg.stars for arg in call.args) else ():
        given.setdefault(one, [place.root for place in passed_as(call, called, frozenset({one}))])
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


@functools.lru_cache(maxsize=16)
def _carrying(catalog: Catalog) -> frozenset[str]:
    """Returns the last names of the calls that carry values."""
    named = (name for name, apis in catalog.by_name.items() if any(map(_carries, apis)))
    return frozenset(name.rpartition(".")[2] for name in named)


def _carries(api: Api) -> bool:
    lends = api.container is not None or api.attribute is not None or api.lazy or api.fills is not None
    return lends or is_made_of_arguments(api.returns)


def _joined(graph: Graph, apart: Mapping[Place, set[int]]) -> Iterator[list[Place]]:
    """Yields, for each step except calls, the places that it makes alike: the target and its sources.

    A value that is stored where it outlives the function is left out. ``apart`` maps a place that is only unpacked to
    the items that matter.
    """
    records = _records(graph)
    for place in places_of(graph) if records else ():
        if place.is_attribute and place.root in records:
            yield [place, place.root]
    for effect in graph.effects():
        match effect:
            case Assign(target, Build(kind, _)) if kind == "kept":
                continue
            case Assign(_, Unpack(AccessPath() as base, index, _, None)) if base in apart and index not in apart[base]:
                continue
            case Assign(target, value):
                yield [target, *(one.source for one in assigned(target, value))]
            case Enter(AccessPath() as manager, result):
                yield [manager, result]
            case StoreItem(AccessPath() as base, _, AccessPath() as value):
                yield [base, value]
            case Store(AccessPath() as target, AccessPath() as value) if target.root in records:
                yield [target.root, value]
            case Leaving(AccessPath() as value):
                yield [RESULT, value]
    for block in graph.blocks:
        if isinstance(block.end, Advance):
            one = next_item(block.end)
            yield [one.source, one.target]


def _records(graph: Graph) -> frozenset[Place]:
    """Returns the names that may hold a record: all in a language with records, otherwise those of new objects."""
    if graph.language.records:
        return frozenset(place.root for place in places_of(graph))
    bound = frozenset(one.target for one in graph.effects() if isinstance(one, Assign) and one.target.is_named)
    return bound.difference(graph.parameters)


def _around(call: Call) -> list[Place]:
    receiver = call.callee.receiver
    return [call.result, *call.given, *([receiver] if isinstance(receiver, AccessPath) else [])]


def _border(graph: Graph) -> list[Place]:
    return [*graph.parameters, *sorted(graph.free), RESULT]


def _everything(graph: Graph) -> Provenance:
    border = frozenset(_border(graph))
    return Provenance((border,), border)


class _Alike:
    """Groups the places that may lead to the same descriptors, and knows those that may lead to a fresh one."""

    def __init__(self) -> None:
        self._parents: dict[Place, Place] = {}
        self._fresh: set[Place] = set()
        self.changes = 0

    def root(self, place: Place) -> Place:
        """Returns the representative of a place's group."""
        while (parent := self._parents.get(place, place)) != place:
            self._parents[place] = self._parents.get(parent, parent)
            place = parent
        return place

    def join(self, places: Iterable[Place]) -> None:
        """Makes places alike: puts them into one group."""
        first: Place | None = None
        for place in places:
            root = self.root(place)
            if first is None:
                first = root
            elif root != first:
                self._parents[root] = first
                self.changes += 1

    def freshen(self, place: Place) -> None:
        """Records that a place may lead to a fresh descriptor."""
        if place not in self._fresh:
            self._fresh.add(place)
            self.changes += 1

    def is_fresh(self, place: Place) -> bool:
        """Whether a place may lead to a fresh descriptor."""
        return self.root(place) in {self.root(one) for one in self._fresh}
