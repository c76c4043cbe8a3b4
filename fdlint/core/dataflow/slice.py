"""Finds the plain values that the analysis must tell apart in a function: the slice of the tests that decide about
descriptors.

A step *touches* if it may acquire, close or take a descriptor, or if it uses a place that may hold one. A test matters
if some touching step depends on its result. All other values only decide about the rest of the control flow. States
that differ only in such values may be merged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from fdlint.catalog import Catalog
from fdlint.catalog.model import (
    Api,
    Borrowed,
    Counted,
    ForkPid,
    Instance,
    Keywords,
    NoneResult,
    Nothing,
    OfParameter,
    TupleOf,
)
from fdlint.core.dataflow.derivation import How, ValueFlow, adds_to, apis_of, destinations, flows
from fdlint.core.dataflow.liveness import asked_places, read_places
from fdlint.core.dataflow.reachability import closure
from fdlint.core.dataflow.worklist import postorder
from fdlint.core.domain.correlated import Apart, Correlated
from fdlint.core.ir import (
    AccessPath,
    Advance,
    Assign,
    Block,
    Branch,
    Call,
    Effect,
    Enter,
    Graph,
    Lit,
    Place,
    Store,
    StoreItem,
    places_in,
)
from fdlint.core.ir import Iterator as IteratorOver

_HARMLESS = (Nothing, NoneResult, Instance, Counted, Keywords, OfParameter, Borrowed)
"""The results of calls that are no new descriptors."""


def touches(call: Call, catalog: Catalog) -> bool:
    """Whether a call may acquire, close or take a descriptor according to the catalog, whatever its arguments are. A
    call of a variable's value also counts."""
    named = [api for arg in call.args if arg.dotted is not None for api in catalog.lookup(arg.dotted)]
    return call.callee.variable is not None or any(map(_touches, (*apis_of(call, catalog), *named)))


def _touches(api: Api) -> bool:
    if api.container is not None:
        return False
    changes = api.closes_all or api.attribute is not None or bool(api.ended)
    return changes or not isinstance(api.returns, _HARMLESS)


def correlated(
    graph: Graph,
    catalog: Catalog,
    holding: frozenset[Place],
    touching: Callable[[Call], bool],
    followed: object = None,
    filling: Callable[[Call], bool] = lambda _: True,
) -> Correlated:
    """Returns the differences that must keep states of a function apart. ``holding``: the places that hold descriptors
    at its entry. ``touching``: whether a call may acquire, close or take a descriptor, whatever its arguments are.
    ``followed``: the origin of the only acquiring call that counts; None if all count. ``filling``: whether a call may
    put what it acquires into its arguments or its object."""
    blocks = list(postorder(graph.entry, graph.successors))
    calls = {id(call) for call in graph.calls() if touching(call)}
    of_one = _of_one(graph, catalog, calls, followed, filling) if followed is not None else None
    calls, carriers = of_one or (calls, _carriers(graph, catalog, holding, calls))
    relevant = {
        index for index in blocks if any(_is_relevant(one.effect, calls, carriers) for one in graph.blocks[index].steps)
    }
    deciding = _deciding(graph, blocks, relevant)
    tests = {index: end.test for index in deciding if isinstance(end := graph.blocks[index].end, Branch)}
    asked = {index: set(asked_places(test.question)) for index, test in tests.items()}
    given = {index: _given(graph.blocks[index], calls) for index in blocks}
    every_asked, every_given = set().union(*asked.values()), set().union(*given.values())
    again = every_asked & _asked_again(graph)
    flags = _flags(graph)
    ahead = _read_later(graph, blocks, asked, (_sources(graph, every_asked) & flags) | again, carriers)
    called = _read_later(graph, blocks, given, _sources(graph, every_given) & flags, carriers)
    for index, places in called.items():
        ahead[index] = ahead.get(index, frozenset()) | places
    conditions = frozenset(test.key for test in tests.values() if test.key is not None)
    return Correlated(Apart(carriers, frozenset(_typed(graph)), frozenset(_iterated(graph)), conditions), ahead)


def _of_one(
    graph: Graph, catalog: Catalog, calls: set[int], followed: object, filling: Callable[[Call], bool]
) -> tuple[set[int], frozenset[Place]] | None:
    """Returns the touching calls that may matter to what one call acquires, and the places that may hold it. None if
    that call touches nothing.

    These calls are: the call itself, those that read what may hold its result, and those with an effect on descriptors
    that they do not get. If other functions may reach the result by an attribute or a variable of this function, all
    calls of the project's functions are among them."""
    touching = [(id(call), call) for call in graph.calls() if id(call) in calls]
    own = {id(step.effect) for block in graph.blocks for step in block.steps if step.origin is followed}
    reading = [call for one, call in touching if one in own]
    if not reading:
        return None
    filled = {
        place
        for call in reading
        if not apis_of(call, catalog) and filling(call)
        for place in (*call.given, call.callee.receiver)
        if isinstance(place, AccessPath)
    }
    every = _all_flows(graph, catalog)
    while True:
        carriers = destinations({call.result for call in reading} | filled, every)
        found = [call for one, call in touching if one in own or not carriers.isdisjoint(read_places(call))]
        if len(found) == len(reading):
            break
        reading = found
    captured = frozenset[Place]().union(*graph.captures.values())
    within_reach = any(
        place.is_attribute or place == graph.receiver or place in captured or place in graph.globals
        for place in carriers
    )
    about = {
        one for one, call in touching if _is_about_all(call, catalog) or (within_reach and not apis_of(call, catalog))
    }
    return about.union(id(call) for call in reading), carriers


def _is_about_all(call: Call, catalog: Catalog) -> bool:
    """Whether a call has an effect on descriptors that it does not get: it forks, or closes a range."""
    return any(api.closes_all or _forks(api) for api in apis_of(call, catalog))


def _forks(api: Api) -> bool:
    results = api.returns.items if isinstance(api.returns, TupleOf) else (api.returns,)
    return any(isinstance(one, ForkPid) for one in results)


def _given(block: Block, calls: set[int]) -> set[Place]:
    """Returns the places that the touching calls of a block read."""
    return {place for step in block.steps if id(step.effect) in calls for place in read_places(step.effect)}


def _read_later(
    graph: Graph, blocks: list[int], reads: Mapping[int, set[Place]], made: set[Place], carriers: frozenset[Place]
) -> dict[int, frozenset[Place]]:
    """Returns for each block those of the places ``made`` that it reads, or that a block after it reads. To make one of
    them from another is to read that. ``carriers`` are left out: they count everywhere."""
    places = made - carriers
    later = {
        index: (places & reads.get(index, set()))
        | {
            place
            for step in graph.blocks[index].steps
            if isinstance(step.effect, Assign) and step.effect.target in made
            for place in read_places(step.effect)
            if place in places
        }
        for index in (blocks if places else ())
    }
    following = {index: graph.successors(index) for index in later}
    changed = True
    while changed:
        changed = False
        for index in reversed(blocks) if later else ():
            now = later[index].union(*[later[target] for target in following[index] if target in later])
            changed = changed or len(now) != len(later[index])
            later[index] = now
    return {index: frozenset(found) for index, found in later.items() if found}


def _asked_again(graph: Graph) -> set[Place]:
    """Returns the places that more than one test reads: the first result rules out some results of the second test."""
    tests = {id(branch.origin): branch.test.question for branch in graph.branches()}
    times = Counter(place for question in tests.values() for place in set(asked_places(question)))
    return {place for place, number in times.items() if number > 1}


def _carriers(graph: Graph, catalog: Catalog, holding: frozenset[Place], calls: set[int]) -> frozenset[Place]:
    """Returns the places that may hold a descriptor, or a container of descriptors."""
    start = set(holding)
    for call in graph.calls():
        if id(call) in calls:
            start |= {call.result} if apis_of(call, catalog) else {call.result, *call.given}
    return destinations(start, _all_flows(graph, catalog))


def _all_flows(graph: Graph, catalog: Catalog) -> list[ValueFlow]:
    """Returns the flows of a function, those into containers and attributes too."""
    every = list(flows(graph, catalog))
    for effect in graph.effects():
        match effect:
            case Call() as call:
                if isinstance(call.callee.receiver, AccessPath) and adds_to(call, catalog):
                    every.extend(ValueFlow(place, call.callee.receiver, How.ADDED) for place in call.given)
            case Store(AccessPath() as target, AccessPath() as value) | StoreItem(
                AccessPath() as target, _, AccessPath() as value
            ):
                every.append(ValueFlow(value, target, How.ADDED))
    return every


def _is_relevant(effect: Effect, calls: set[int], carriers: frozenset[Place]) -> bool:
    """Whether a step touches: it is a touching call, or it reads or sets a place that may hold a descriptor."""
    if isinstance(effect, Call) and (id(effect) in calls or effect.result in carriers):
        return True
    if not carriers:
        return False
    if isinstance(effect, Assign | Store) and effect.target in carriers:
        return True
    return not carriers.isdisjoint(read_places(effect))


def _flags(graph: Graph) -> frozenset[Place]:
    """Returns the places that the function itself sets to constants, or to the values of such places."""
    assigned = [effect for effect in graph.effects() if isinstance(effect, Assign | Store)]
    start = {one.target for one in assigned if isinstance(one.value, Lit) and one.target is not None}
    copies = [
        ValueFlow(one.value, one.target, How.COPY)
        for one in assigned
        if isinstance(one.value, AccessPath) and one.target is not None
    ]
    return destinations(start, copies)


def _sources(graph: Graph, places: set[Place]) -> set[Place]:
    """Returns the given places, and those that their values are made from."""
    made: dict[Place, set[Place]] = {}
    for effect in graph.effects():
        if isinstance(effect, Assign):
            made.setdefault(effect.target, set()).update(places_in(effect.value))
    return set(closure(places, lambda place: made.get(place, ())))


def _typed(graph: Graph) -> Iterator[Place]:
    """Yields the places whose types determine the effect of a call or a ``with``."""
    for effect in graph.effects():
        match effect:
            case Call(callee=callee):
                yield from (one for one in (callee.receiver, callee.variable) if isinstance(one, AccessPath))
            case Enter(AccessPath() as place, _):
                yield place


def _iterated(graph: Graph) -> Iterator[Place]:
    """Yields the places that the function iterates over."""
    for effect in graph.effects():
        match effect:
            case Assign(value=IteratorOver(AccessPath() as place)):
                yield place


def _deciding(graph: Graph, blocks: list[int], relevant: set[int]) -> set[int]:
    """Returns the blocks whose ends decide whether control reaches a relevant block, or another deciding block. An
    exception from a call is no decision."""
    following = {index: _following(graph, index) for index in blocks}
    after = _postdominators(blocks, following)
    controlled = {index: _controlled(index, after, following[index]) for index in blocks if len(following[index]) > 1}
    found: set[int] = set()
    wanted = sum(1 << index for index in relevant)
    changed = True
    while changed:
        changed = False
        for index, depending in controlled.items():
            if index not in found and depending & wanted:
                found.add(index)
                wanted |= 1 << index
                changed = True
    return found


def _following(graph: Graph, index: int) -> list[int]:
    end = graph.blocks[index].end
    return [end.body, end.done] if isinstance(end, Advance) else graph.targets(end)


def _controlled(index: int, after: dict[int, int], following: list[int]) -> int:
    """Returns, as bits, the blocks that depend on the end of a block: control always reaches them after one of its
    targets, but not always after the block itself."""
    found = 0
    for target in following:
        found |= after[target]
    return found & ~(after[index] & ~(1 << index)) if len(set(following)) > 1 else 0


def _postdominators(blocks: list[int], following: dict[int, list[int]]) -> dict[int, int]:
    """Returns for each block, as bits, the blocks on every path from it to an exit. If it reaches no exit, only the
    block itself, because any block may be the last."""
    leaving = _leaving(blocks, following)
    every = sum(1 << index for index in blocks)
    after = dict.fromkeys(blocks, every)
    changed = True
    while changed:
        changed = False
        for index in reversed(blocks):
            common = every if index in leaving and following[index] else 0
            for target in following[index] if index in leaving else ():
                common &= after[target]
            now = common | 1 << index
            changed = changed or now != after[index]
            after[index] = now
    return after


def _leaving(blocks: list[int], following: dict[int, list[int]]) -> set[int]:
    """Returns the blocks that reach an exit."""
    before: dict[int, list[int]] = {}
    for index in blocks:
        for target in following[index]:
            before.setdefault(target, []).append(index)
    ends = [index for index in blocks if not following[index]]
    return set(closure(ends, lambda index: before.get(index, ())))
