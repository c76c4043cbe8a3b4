"""What a nested function does to the names it captures: those it closes or hands on are its duty, not the outer
function's.

Flow does not matter here, only derivation: ``for fd in fds: close(fd)`` closes what ``fds`` holds.
"""

from __future__ import annotations

from collections.abc import Callable

from fdlint.catalog import Catalog
from fdlint.catalog.model import Argument, ContainerOp, ElementsOf, PairsOf, SomeOf, Zipped
from fdlint.catalog.naming import takes_over
from fdlint.dataflow.reachability import closure
from fdlint.domain.event import Event
from fdlint.ir import (
    AccessPath,
    Advance,
    Assign,
    Build,
    Call,
    Enter,
    Graph,
    Item,
    Iterator,
    Jump,
    Leaving,
    Operand,
    Place,
    Slice,
    Step,
    Store,
    StoreItem,
    Unpack,
    Yield,
)


def sinks_of(graph: Graph, catalog: Catalog) -> frozenset[Place]:
    """The captured names whose descriptors this function closes, keeps or returns."""
    return let_go(graph, catalog) & graph.free


def let_go(graph: Graph, catalog: Catalog, lends: bool = False, stows: bool = False) -> frozenset[Place]:
    """The places whose descriptors this function closes, keeps or, unless it ``lends``, returns. ``stows``: also those
    that it puts into containers."""
    sources = _sources(graph, catalog)
    wanted: set[Place] = set()
    for effect in graph.effects():
        match effect:
            case Call(_, callee) as call:
                wanted |= _released(call, catalog)
                if stows and any(api.container is ContainerOp.ADD for api in catalog.method(callee.name)):
                    wanted.update(call.given)
            case Store(_, value):
                wanted |= _places(value)
            case StoreItem(_, _, value) if stows:
                wanted |= _places(value)
            case Leaving(value) | Yield(value) if not lends:
                wanted |= _places(value)
    return frozenset(_closure(wanted, sources))


def closed_always(graph: Graph, catalog: Catalog) -> dict[Place, Step]:
    """The captured names whose descriptors a function closes on every path, before it asks anything, and where."""
    found: dict[Place, Step] = {}
    if graph.generator:
        return found
    index = graph.entry
    for _ in graph.blocks:
        block = graph.blocks[index]
        for step in block.steps:
            if isinstance(step.effect, Call):
                for place in closed_by(step.effect, catalog) & graph.free:
                    found.setdefault(place, step)
        if not isinstance(block.end, Jump) or len(block.end.targets) != 1:
            break
        (index,) = block.end.targets
    return found


def closed_places(graph: Graph, catalog: Catalog) -> frozenset[Place]:
    """The places that a function gives, under whatever local names, to a call that closes; not those of which it gives
    an item only."""
    return given_places(graph, lambda call: closed_by(call, catalog), _as_a_whole)


def closed_by(call: Call, catalog: Catalog) -> set[Place]:
    """The arguments of a call that closes."""
    dotted = call.callee.dotted
    closes = dotted is not None and _closes(catalog, dotted)
    return set(call.given) if closes else set()


def adopted_by(call: Call, catalog: Catalog) -> set[Place]:
    """The arguments of a call that makes an object which owns what it is given."""
    adopts = any(api.adopts for api in catalog.lookup(call.callee.dotted or ""))
    return set(call.given) if adopts else set()


def _as_a_whole(value: object) -> set[Place]:
    """The places of a right-hand side, but for what lives on: an item of that is not the thing itself."""
    lasting = isinstance(value, (Item, Slice, Unpack)) and any(place.is_attribute for place in _places(value.base))
    return set() if lasting else _operands(value)


def given_places(
    graph: Graph, given: Callable[[Call], set[Place]], of: Callable[[object], set[Place]] | None = None
) -> frozenset[Place]:
    """The places that a function gives, under whatever local names, to certain calls as certain arguments. ``of``: the
    places that the value of a right-hand side may come from."""
    sources: dict[Place, set[Place]] = {}
    wanted: set[Place] = set()
    for effect in graph.effects():
        match effect:
            case Assign(target, value):
                sources.setdefault(target, set()).update((of or _operands)(value))
            case Call() as call:
                wanted |= given(call)
    return frozenset(_closure(wanted, sources))


def stored_from(graph: Graph, is_source: Callable[[Call], bool]) -> frozenset[Place]:
    """The attributes and containers in which a function stores what certain calls return, or an item of it."""
    sources: dict[Place, set[Place]] = {}
    made: set[Place] = set()
    stores: list[tuple[Place, Operand]] = []
    for effect in graph.effects():
        match effect:
            case Assign(target, value):
                sources.setdefault(target, set()).update(_operands(value))
            case Call(result, callee) as call:
                if is_source(call):
                    made.add(result)
                if isinstance(callee.receiver, AccessPath):
                    stores.extend((callee.receiver, arg.value) for arg in call.args)
            case Store(AccessPath() as target, value) | StoreItem(AccessPath() as target, _, value):
                stores.append((target, value))
    return frozenset(target for target, value in stores if made & _closure(_places(value), sources))


def lasting_places(graph: Graph) -> frozenset[Place]:
    """The places whose values may live as long as the process: a global or an attribute of a module holds them, or
    something that was made of them in whatever way."""
    stores = [one for one in graph.effects() if isinstance(one, Store)]
    stores = [one for one in stores if one.lasting or _is_global(graph, one.target)]
    return frozenset(_closure({place for one in stores for place in _places(one.value)}, _sources(graph, None)))


def _is_global(graph: Graph, place: Place | None) -> bool:
    return place is not None and not place.is_attribute and (graph.module or place in graph.globals)


def derives(call: Call, catalog: Catalog) -> bool:
    """Whether the result may hold what the arguments held: ``list(fds)``, ``enumerate(fds)``, ``Owner(fd)``."""
    apis = catalog.lookup(call.callee.dotted) if call.callee.dotted else catalog.method(call.callee.name)
    if apis:
        return any(isinstance(api.returns, (Argument, ElementsOf, SomeOf, PairsOf, Zipped)) for api in apis)
    return takes_over(call.callee.name)


def kept_places(graph: Graph, catalog: Catalog, passed: Callable[[Call], set[Place]]) -> frozenset[Place]:
    """The places from which something that is stored where it outlives the call may have been made, in whatever way.

    ``passed``: the arguments that a call keeps.
    """
    wanted = {place for effect in graph.effects() for place in _stored(effect)}
    wanted |= {place for call in graph.calls() for place in passed(call)}
    sources = _sources(graph, None)
    for call in graph.calls():
        into = call.callee.receiver
        if isinstance(into, AccessPath) and any(api.container in _ADDING for api in catalog.method(call.callee.name)):
            wanted |= {into} if into.is_attribute else set()
            sources.setdefault(into, set()).update(call.given)
    return frozenset(_closure(wanted, sources))


_ADDING = frozenset({ContainerOp.ADD, ContainerOp.EXTEND, ContainerOp.SETDEFAULT})


def _stored(effect: object) -> set[Place]:
    match effect:
        case Store(_, value):
            return _places(value)
        case StoreItem(_, _, value):
            return _places(value)
    return set()


def _closure(wanted: set[Place], sources: dict[Place, set[Place]]) -> set[Place]:
    """The places whose values may have reached one of those wanted."""
    return set(closure(wanted, lambda place: sources.get(place, ())))


def _sources(graph: Graph, catalog: Catalog | None) -> dict[Place, set[Place]]:
    """Place -> the places its value may have come from; without a catalog, any call may return what it was given."""
    sources: dict[Place, set[Place]] = {}
    for effect in graph.effects():
        match effect:
            case Assign(target, value):
                sources.setdefault(target, set()).update(_operands(value))
            case Enter(manager, result):
                sources.setdefault(result, set()).update(_places(manager))
            case Call(result, callee) as call:
                if callee.receiver is not None:
                    sources.setdefault(result, set()).update(_places(callee.receiver))
                if catalog is None or derives(call, catalog):
                    sources.setdefault(result, set()).update(call.given)
    for block in graph.blocks:
        if isinstance(block.end, Advance):
            sources.setdefault(block.end.item, set()).add(block.end.iterator)
    return sources


def _operands(value: object) -> set[Place]:
    match value:
        case AccessPath():
            return {value}
        case Build(_, items):
            return set().union(*(_places(item) for item in items))
        case Item(base) | Slice(base) | Unpack(base) | Iterator(base):
            return _places(base)
    return set()


def _places(operand: Operand) -> set[Place]:
    return {operand} if isinstance(operand, AccessPath) else set()


def _released(call: Call, catalog: Catalog) -> set[Place]:
    """The places whose descriptors this call closes or takes."""
    callee = call.callee
    apis = catalog.lookup(callee.dotted) if callee.dotted else catalog.method(callee.name)
    if not apis:
        known = any(arg.dotted and _closes(catalog, arg.dotted) for arg in call.args)
        takes = known or callee.own or catalog.unknown_takes(callee.name)
        return set(call.given) if takes else set()
    found: set[Place] = set()
    for api in apis:
        for index, arg in enumerate(call.args):
            name = arg.keyword or (
                api.params[index] if index < len(api.params) else api.params[-1] if api.params else ""
            )
            if api.actions.get(name) in (Event.CLOSED, Event.TRANSFERRED):
                found |= _places(arg.value)
            if api.lazy and not call.unused and call.args[0].dotted and _closes(catalog, call.args[0].dotted):
                found |= _places(arg.value)
    return found


def _closes(catalog: Catalog, dotted: str) -> bool:
    return any(Event.CLOSED in api.actions.values() for api in catalog.lookup(dotted))
