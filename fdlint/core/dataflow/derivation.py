"""Tracks the values of a function's places: where they come from, and where they go (closed, taken, stored, returned,
passed).

The order of steps does not matter here, only the derivation: ``for fd in fds: close(fd)`` closes the descriptors in
``fds``.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from typing import NamedTuple

from fdlint.catalog import Catalog
from fdlint.catalog.model import (
    REMOVING,
    Api,
    Argument,
    ContainerOp,
    Counted,
    ElementsOf,
    FlatOf,
    Keywords,
    NumberIn,
    OfParameter,
    PairsOf,
    Shape,
    SomeOf,
    TupleOf,
    Zipped,
)
from fdlint.catalog.naming import closes_object
from fdlint.catalog.shape import acquires
from fdlint.core.dataflow.liveness import places_of
from fdlint.core.dataflow.reachability import closure
from fdlint.core.domain.event import Event
from fdlint.core.ir import (
    AccessPath,
    Advance,
    Assign,
    Build,
    Call,
    Catch,
    DeleteItem,
    Enter,
    Graph,
    Item,
    Leaving,
    Lit,
    Operand,
    Place,
    RValue,
    Slice,
    Step,
    Store,
    StoreItem,
    Unpack,
    Yield,
    places_in,
)
from fdlint.core.ir import Iterator as IteratorOver

_DERIVED = (Argument, NumberIn, ElementsOf, FlatOf, SomeOf, PairsOf, Keywords, Zipped)
_ADDING = frozenset({ContainerOp.ADD, ContainerOp.EXTEND, ContainerOp.SETDEFAULT})


class How(enum.Enum):
    """The way in which a place gets the value of another place."""

    COPY = "the value itself"
    ITEM = "an item of it"
    SLICE = "some of its items"
    BUILT = "a container with it"
    ITERATOR = "an iterator over it"
    NEXT = "the next item of an iterator"
    ENTERED = "what it gives as a context manager"
    CALLED = "the result of one of its methods"
    PASSED = "the result of a call that it is an argument of"
    ADDED = "another item, by a method"


class ValueFlow(NamedTuple):
    """A value that goes from one place to another. ``position``: its index at the source, if that is known."""

    source: Place
    target: Place
    how: How
    position: int | None = None


def flows(graph: Graph, catalog: Catalog | None) -> Iterator[ValueFlow]:
    """Yields all flows of a function. Without a catalog, any call may return its arguments."""
    for effect in graph.effects():
        match effect:
            case Assign(target, value):
                yield from assigned(target, value)
            case Enter(AccessPath() as manager, result):
                yield ValueFlow(manager, result, How.ENTERED)
            case Call(result, callee) as call:
                if isinstance(callee.receiver, AccessPath):
                    yield ValueFlow(callee.receiver, result, How.CALLED)
                if catalog is None or _derives(call, catalog):
                    yield from (ValueFlow(place, result, How.PASSED) for place in arguments(call))
    for block in graph.blocks:
        if isinstance(block.end, Advance):
            yield next_item(block.end)


def assigned(target: Place, value: RValue) -> Iterator[ValueFlow]:
    """Yields the flows of one assignment."""
    match value:
        case AccessPath():
            yield ValueFlow(value, target, How.COPY)
        case Build(_, items):
            yield from (ValueFlow(one, target, How.BUILT) for one in items if isinstance(one, AccessPath))
        case Item(AccessPath() as base, index):
            known = index.value if isinstance(index, Lit) and isinstance(index.value, int) else None
            yield ValueFlow(base, target, How.ITEM, known)
        case Unpack(AccessPath() as base, index):
            yield ValueFlow(base, target, How.ITEM, index)
        case Slice(base, size=size):
            yield from (ValueFlow(one, target, How.SLICE) for one in (base, size) if isinstance(one, AccessPath))
        case IteratorOver(AccessPath() as base):
            yield ValueFlow(base, target, How.ITERATOR)


def next_item(end: Advance) -> ValueFlow:
    """Returns the flow of one iteration of a loop."""
    return ValueFlow(end.iterator, end.item, How.NEXT)


def assignments(graph: Graph) -> Iterator[ValueFlow]:
    """Yields the flows of a function's assignments, and of the loops over a display: ``for fd in (r, w)``."""
    for effect in graph.effects():
        if isinstance(effect, Assign):
            yield from assigned(effect.target, effect.value)
    shown = shown_items(graph)
    for end in (block.end for block in graph.blocks if isinstance(block.end, Advance)):
        yield from (ValueFlow(one, end.item, How.COPY) for _, one in shown.get(end.iterator, ()))


def shown_items(graph: Graph) -> dict[Place, list[tuple[Step, AccessPath]]]:
    """Returns the places that each display holds, or an iterator over it, with the step that makes it."""
    shown: dict[Place, list[tuple[Step, AccessPath]]] = {}
    for step in graph.steps():
        match step.effect:
            case Assign(target, Build(_, items)):
                shown[target] = [(step, one) for one in items if isinstance(one, AccessPath)]
            case Assign(target, IteratorOver(AccessPath() as base)) if base in shown and base.is_temporary:
                shown[target] = shown[base]
    return shown


def _derives(call: Call, catalog: Catalog) -> bool:
    """Whether the result of a call may hold the values of its arguments: ``list(fds)``, ``enumerate(fds)``,
    ``Owner(fd)``."""
    apis = apis_of(call, catalog)
    if apis:
        return any(isinstance(api.returns, _DERIVED) for api in apis)
    return catalog.naming.takes_over(call.callee.name)


def origins(places: Iterable[Place], flows: Iterable[ValueFlow]) -> frozenset[Place]:
    """Returns the given places, and the places that their values may come from."""
    return _closure(places, ((one.target, one.source) for one in flows))


def destinations(places: Iterable[Place], flows: Iterable[ValueFlow]) -> frozenset[Place]:
    """Returns the given places, and the places that their values may go to."""
    return _closure(places, ((one.source, one.target) for one in flows))


def copied_to(graph: Graph, places: Iterable[Place]) -> frozenset[Place]:
    """Returns the given places, and those that get their values as they are."""
    return destinations(places, (one for one in assignments(graph) if one.how is How.COPY))


def _closure(places: Iterable[Place], pairs: Iterable[tuple[Place, Place]]) -> frozenset[Place]:
    start = set(places)
    following: dict[Place, set[Place]] = {}
    for one, other in pairs if start else ():
        following.setdefault(one, set()).add(other)
    return frozenset(closure(start, lambda place: following.get(place, ())))


class Aliases:
    """Groups places that may stand for the same values. Each group has one representative."""

    def __init__(self, graph: Graph, catalog: Catalog) -> None:
        self._parents: dict[Place, Place] = {}
        for one in flows(graph, catalog):
            if one.how is not How.CALLED:
                self._parents[self.root(one.target)] = self.root(one.source)

    def root(self, place: Place) -> Place:
        """Returns the representative of a place."""
        while (parent := self._parents.get(place, place)) != place:
            place = parent
        return place


# -- the effects of calls on their arguments


def apis_of(call: Call, catalog: Catalog) -> tuple[Api, ...]:
    """Returns the catalog entries that a call may mean, by its name alone."""
    callee = call.callee
    if callee.dotted is None and callee.receiver is None:
        return ()  # `log(text)` is no method of a logger
    return catalog.lookup(callee.dotted) if callee.dotted else catalog.method(callee.name, callee.receiver)


def arguments(call: Call) -> set[Place]:
    """Returns the places that are arguments of a call."""
    return set(call.given)


def closed_by(call: Call, catalog: Catalog) -> set[Place]:
    """Returns the arguments of a call that closes; none for any other call."""
    apis = catalog.lookup(call.callee.dotted) if call.callee.dotted is not None else ()
    return arguments(call) if any(api.closed and not _is_of_others(api, call) for api in apis) else set()


def _is_of_others(api: Api, call: Call) -> bool:
    """Whether an argument has a name that an entry does not ask for: a system call by the number of another one."""
    for one in api.when:
        number = api.params.index(one.argument) if one.argument in api.params and not one.negated else len(call.args)
        name = call.args[number].dotted if number < len(call.args) else None
        if name is not None and one.values and not {name, f"*.{name.rpartition('.')[2]}"}.intersection(one.values):
            return True
    return False


def sweeping(graph: Graph, catalog: Catalog, closed: frozenset[Place]) -> frozenset[Place]:
    """Returns the items of the loops that close each number of a range: ``for fd in range(3, most): os.close(fd)``.
    ``closed``: the places that the function closes."""
    ranges = [
        one.result
        for one in graph.calls()
        if any(isinstance(api.returns, Counted) for api in catalog.lookup(one.callee.dotted or ""))
    ]
    if not ranges:
        return frozenset()
    names = Aliases(graph, catalog)
    roots = {names.root(place) for place in ranges}
    items = (block.end.item for block in graph.blocks if isinstance(block.end, Advance))
    return frozenset(item for item in items if item in closed and names.root(item) in roots)


def adopted_by(call: Call, catalog: Catalog) -> set[Place]:
    """Returns the arguments of a call that creates an object which owns them; none for any other call."""
    return arguments(call) if any(api.adopts for api in catalog.lookup(call.callee.dotted or "")) else set()


def ends_items_of(graph: Graph, catalog: Catalog, holder: Place, closed: Set[Place]) -> bool:
    """Whether a function closes or hands over a part of what the methods of an object return: ``key.fd`` of a key that
    ``selector.select()`` returned, or ``key.fileobj``, if that is an object."""
    every = list(flows(graph, catalog))
    ended = (call.callee.receiver for call in graph.calls() if closes_object(call.callee.name))
    parts = {base for one in (*ended, *closed) if isinstance(one, AccessPath) for base in one.prefixes}
    found = let_go(graph, catalog, parts=True) | origins(parts, every)
    return not found.isdisjoint(origins({holder}, every))  # the item of a list has a new name each time


def _released_by(call: Call, catalog: Catalog) -> set[Place]:
    """Returns the arguments whose descriptors a call closes, takes or leaves to the collector, or may close or take if
    nothing is known of it."""
    callee, apis = call.callee, apis_of(call, catalog)
    if not apis:
        known = any(_closes(catalog, arg.dotted) for arg in call.args)
        return arguments(call) if known or callee.own or catalog.unknown_takes(callee.name) else set()
    found: set[Place] = set()
    for api in (one for one in apis if not _is_of_others(one, call)):
        later = api.lazy or api.registers
        if later and not call.unused and call.args and _closes(catalog, call.args[0].dotted):
            found |= arguments(call)
        for index, arg in enumerate(call.args):
            name = arg.keyword or (
                api.params[index] if index < len(api.params) else api.params[-1] if api.params else ""
            )
            ends = name in api.ended or api.marks.get(name) is Event.FINALIZED  # the collector closes it later
            if ends and isinstance(arg.value, AccessPath):
                found.add(arg.value)
    return found


def _closes(catalog: Catalog, dotted: str | None) -> bool:
    return dotted is not None and any(api.closed for api in catalog.lookup(dotted))


def _does(call: Call, catalog: Catalog, how: frozenset[ContainerOp]) -> bool:
    """Whether a call is a container method of a kind."""
    return any(api.container in how for api in catalog.method(call.callee.name))


def adds_to(call: Call, catalog: Catalog) -> bool:
    """Whether a call is a container method that may put its arguments into the container."""
    return _does(call, catalog, _ADDING)


def taking(graph: Graph, catalog: Catalog) -> bool:
    """Whether a function may take an item out of a container."""
    return any(
        isinstance(one, DeleteItem) or (isinstance(one, Call) and _does(one, catalog, REMOVING))
        for one in graph.effects()
    )


# -- the effects of a function on its values


def let_go(
    graph: Graph,
    catalog: Catalog,
    lends: bool = False,
    stows: bool = False,
    only_uses: Callable[[Call], bool] = lambda _: False,
    elsewhere: Callable[[Call], bool] = lambda _: False,
    parts: bool = False,
) -> frozenset[Place]:
    """Returns the places whose descriptors this function, or one nested in it, closes, hands over, stores or, unless it
    ``lends``, returns or yields. ``stows``: includes those that it puts into containers. ``only_uses``: whether a call
    of a project function leaves its arguments open, and keeps none. ``elsewhere``: whether it is a call of a function
    that another module of the project defines: like one of this module, it may close any argument. ``parts``: includes
    the objects of whose attributes it lets go, but for that of a method."""
    wanted: set[Place] = set().union(*graph.sinks.values())
    stored: list[tuple[Place | None, Place]] = []
    for effect in graph.effects():
        match effect:
            case Call(_, callee) if effect.thrown or (callee.own and only_uses(effect)):
                pass  # the text of an exception takes nothing
            case Call():
                wanted |= (
                    arguments(effect).union(effect.captured) if elsewhere(effect) else _released_by(effect, catalog)
                )
                if stows and _does(effect, catalog, frozenset({ContainerOp.ADD})):
                    wanted |= arguments(effect)
            case Store(target, AccessPath() as value):
                stored.append((target, value))
            case StoreItem(_, _, AccessPath() as value) if stows:
                wanted.add(value)
            case Leaving(AccessPath() as value) | Yield(AccessPath() as value) if not lends:
                wanted.add(value)
    every = list(flows(graph, catalog))
    found = origins(wanted.union(value for _, value in stored), every)
    if parts:
        found |= origins((base for one in found for base in one.prefixes if one.root != graph.receiver), every)
    if all(target not in found for target, _ in stored):
        return found
    # ``p.items = append(p.items, one)`` leaves in the attribute what was there
    return origins(wanted, every).union(*(origins([value], every) - {target} for target, value in stored))


def given_away(graph: Graph, catalog: Catalog, ends: Callable[[str], bool], parts: frozenset[str]) -> frozenset[Place]:
    """Returns the places whose objects a function ends, enters, stores, returns, or gives to a call that may keep them.
    ``ends``: whether a method of this name ends its object. ``parts``: the attributes that stand for the object."""
    wanted: set[Place] = set()
    for effect in graph.effects():
        match effect:
            case Call(_, callee):
                known = callee.dotted is not None and catalog.lookup(callee.dotted)
                if known or not catalog.naming.tells(callee.name):
                    wanted |= _released_by(effect, catalog) if known else arguments(effect)
                if isinstance(callee.receiver, AccessPath) and ends(callee.name):
                    wanted.add(callee.receiver)
            case (
                Enter(AccessPath() as value) | Store(_, AccessPath() as value) | StoreItem(_, _, AccessPath() as value)
            ):
                wanted.add(value)
            case Leaving(AccessPath() as value) | Yield(AccessPath() as value):
                wanted.add(value)
    items = {call.result for call in graph.calls() if any(api.container for api in catalog.method(call.callee.name))}
    every = [one for one in flows(graph, catalog) if one.how is not How.CALLED or one.target in items]
    every += [
        ValueFlow(place.base, place, How.COPY)
        for place in places_of(graph)
        if place.is_attribute and place.name in parts
    ]
    return origins(wanted, every)


def closed_places(graph: Graph, closed: Callable[[Call], Iterable[Place]]) -> frozenset[Place]:
    """Returns the places that a function passes to calls that close, directly or through local names. Leaves out an
    attribute if the function passes only an item or a slice of it. ``closed``: returns what a call closes."""
    whole = (one for one in assignments(graph) if one.how not in (How.ITEM, How.SLICE) or not one.source.is_attribute)
    return origins(_given(graph, closed), whole)


def given_places(graph: Graph, given: Callable[[Call], Iterable[Place]]) -> frozenset[Place]:
    """Returns the places that a function passes to calls, directly or through local names. ``given``: returns the
    arguments of a call that count."""
    return origins(_given(graph, given), assignments(graph))


def _given(graph: Graph, given: Callable[[Call], Iterable[Place]]) -> set[Place]:
    return {place for call in graph.calls() for place in given(call)}


class Filled(NamedTuple):
    """The attributes and containers that a function fills. ``stored``: those that it stores the value in. ``added``:
    those that it adds the value to, as an item or by a method."""

    stored: frozenset[Place]
    added: frozenset[Place]


def stored_from(
    graph: Graph, catalog: Catalog, is_source: Callable[[Call], bool], apart: Mapping[Place, set[int]] = {}
) -> Filled:
    """Returns the places that a function fills with the results of certain calls, with items of these results, or with
    containers of them. ``apart``: the results with only some items that count, each with their positions."""
    made: set[Place] = set()
    own: set[Place] = set()
    stored: list[tuple[Place, Operand]] = []
    added: list[tuple[Place, Operand]] = []
    for effect in graph.effects():
        match effect:
            case Call(result, callee) as call:
                if is_source(call):
                    made.add(result)
                if isinstance(callee.receiver, AccessPath) and adds_to(call, catalog):
                    added.extend((callee.receiver, place) for place in arguments(call))
            case Store(AccessPath() as target, value):
                stored.append((target, value))
            case StoreItem(AccessPath() as target, _, value):
                added.append((target, value))
            case Assign(target, Build(_, held, keys=keys, type=kind)):
                own.add(target)
                named = [(str(key.value), one) for key, one in zip(keys, held, strict=False) if isinstance(key, Lit)]
                stored.extend((target.attribute(key), one) for key, one in (named if kind else ()))
    items = [
        one
        for one in assignments(graph)
        if one.how is not How.ITEM or one.position in apart.get(one.source, (one.position,))
    ]
    items += [ValueFlow(one, into, How.ADDED) for into, one in added if into in own and isinstance(one, AccessPath)]
    derived = destinations(made, items)
    by_kind = [frozenset(target for target, value in some if value in derived) for some in (stored, added)]
    return Filled(*by_kind)


def taken_apart(graph: Graph, catalog: Catalog) -> dict[Place, set[int]]:
    """Returns the results of calls that give a tuple according to the catalog, each with the positions of the items
    that may be descriptors or come from arguments."""
    found: dict[Place, set[int]] = {}
    rest: set[Place] = set()
    for effect in graph.effects():
        match effect:
            case Call(result, callee) if (shapes := _tuples(callee.dotted, catalog)) is not None:
                found.setdefault(result, set()).update(n for one in shapes for n in _mattering(one))
            case Call(result) | Assign(result) | Enter(_, result):
                rest.add(result)
    return {place: items for place, items in found.items() if place.is_temporary and place not in rest}


def _tuples(dotted: str | None, catalog: Catalog) -> list[TupleOf] | None:
    """Returns the result shapes of a call in the catalog if all of them are tuples, otherwise None."""
    shapes = [api.returns for api in catalog.lookup(dotted or "")]
    tuples = [one for one in shapes if isinstance(one, TupleOf)]
    return tuples if tuples and len(tuples) == len(shapes) else None


def _mattering(shape: TupleOf) -> Iterator[int]:
    return (n for n, item in enumerate(shape.items) if acquires(item) or is_made_of_arguments(item))


def is_made_of_arguments(shape: Shape) -> bool:
    """Whether a result is an argument, or holds a part of one."""
    if isinstance(shape, TupleOf):
        return any(map(is_made_of_arguments, shape.items))
    return isinstance(shape, OfParameter | Keywords)


def lasting_places(graph: Graph) -> frozenset[Place]:
    """Returns the places whose values may live as long as the process: a global or an attribute of a module holds them,
    or holds something that was made from them."""
    wanted: set[Place] = set()
    for one in graph.effects():
        if isinstance(one, Store) and (one.lasting or _is_global(graph, one.target)):
            wanted.update(places_in(one.value))
    return origins(wanted, flows(graph, None))


def _is_global(graph: Graph, place: Place | None) -> bool:
    return place is not None and not place.is_attribute and (graph.module or place in graph.globals)


def kept_places(graph: Graph, catalog: Catalog, passed: Callable[[Call], set[Place]]) -> frozenset[Place]:
    """Returns the places that may be the origin of a value that the function stores where it outlives the call. The
    value may be made from them in any way.

    ``passed``: returns the arguments that a call keeps.
    """
    wanted: set[Place] = set()
    every = list(flows(graph, None))
    for effect in graph.effects():
        match effect:
            case Store(_, AccessPath() as value) | StoreItem(_, _, AccessPath() as value):
                wanted.add(value)
            case Call(_, callee):
                wanted |= passed(effect)
                into = callee.receiver
                if isinstance(into, AccessPath) and _does(effect, catalog, _ADDING):
                    wanted |= {into} if into.is_attribute else set()
                    every.extend(ValueFlow(place, into, How.ADDED) for place in arguments(effect))
    return origins(wanted, every)


# -- the names that it binds


def bound_places(graph: Graph) -> Iterator[Place]:
    """Yields the names that a function binds, each as often as it is bound."""
    yield from graph.parameters
    for effect in graph.effects():
        match effect:
            case Assign(target) | Call(target) | Enter(_, target) | Catch(target):
                yield target
