"""Finds the plain values that still matter: the places and conditions that a function may read later."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from itertools import chain, dropwhile

from fdlint.core.dataflow.reachability import closure
from fdlint.core.dataflow.worklist import postorder
from fdlint.core.ir import (
    AccessPath,
    Advance,
    Assign,
    Branch,
    Call,
    Catch,
    Closure,
    Compare,
    Condition,
    Delete,
    DeleteItem,
    Effect,
    Enter,
    Graph,
    Has,
    IsBound,
    Kind,
    Leave,
    Leaving,
    Live,
    Operand,
    Place,
    Question,
    Step,
    Store,
    StoreItem,
    Terminator,
    Throw,
    Truth,
    Yield,
    places_in,
)


def live_places(graph: Graph, asked_again: frozenset[Condition]) -> Live:
    """Returns the places and conditions that matter at the entry of each block. Goes backwards through the blocks until
    nothing changes: once, and once more for each loop inside a loop. ``asked_again``: the conditions to track."""
    conditions = {key: 1 << number for number, key in enumerate(sorted(asked_again))}
    numbers: dict[Place, int] = {}
    rank = postorder(graph.entry, graph.successors)
    blocks = sorted(rank, key=rank.__getitem__, reverse=True)
    used, kept = [0] * len(graph.blocks), [0] * len(graph.blocks)
    following = {index: graph.successors(index) for index in blocks}
    for index in blocks:
        reads, kills = _block(graph, index)
        if any(any(step.pads.values()) for step in graph.blocks[index].steps):
            kills -= {place for place in kills if not place.is_temporary}  # an exception may come first
        used[index] = _bits(reads, numbers) << len(conditions) | _asked(graph.blocks[index].end, conditions)
        kept[index] = ~(_bits(kills, numbers) << len(conditions))
    live, changed = list(used), True
    while changed:
        changed = False
        for index in blocks:
            after = 0
            for target in following[index]:
                after |= live[target]
            grown = live[index] | (after & kept[index])
            changed = changed or grown != live[index]
            live[index] = grown
    return Live(tuple(conditions), tuple(numbers), live)


def _bits(places: Iterable[Place], numbers: dict[Place, int]) -> int:
    """Returns a bit for each place, by its number. Gives a new place the next number."""
    found = 0
    for place in places:
        found |= 1 << numbers.setdefault(place, len(numbers))
    return found


def _asked(end: Terminator, conditions: Mapping[Condition, int]) -> int:
    """Returns the bit of the condition at the end of a block; 0 if it is none of these conditions."""
    key = end.test.key if isinstance(end, Branch) else None
    return conditions.get(key, 0) if key is not None else 0


def places_of(graph: Graph) -> frozenset[Place]:
    """Returns every place that a function reads, writes or tests."""
    found: set[Place] = set()
    for effect in graph.effects():
        found.update(read_places(effect))
        found.update(written(effect))
        if isinstance(effect, Store) and effect.target is not None:
            found.add(effect.target)
    for branch in graph.branches():
        found.update(asked_places(branch.test.question))
    return frozenset(found)


def asked_more_than_once(graph: Graph) -> frozenset[Condition]:
    """Returns the conditions that a function may test again: at another place, or in a loop if they only contain plain
    names. A call that a loop asks again and again gives different answers."""
    texts: Counter[Condition] = Counter()
    called: set[Condition] = set()
    seen: set[tuple[Condition, int]] = set()
    again = _in_loops(graph)
    for index, block in enumerate(graph.blocks):
        if isinstance(block.end, Branch) and (key := block.end.test.key) is not None:
            if (key, id(block.end.origin)) not in seen:
                seen.add((key, id(block.end.origin)))
                texts[key] += 1
            if index in again:
                texts[key] += key.is_plain
                called.update({key} if block.end.test.is_call else ())
    return frozenset(text for text, number in texts.items() if number > 1 and text not in called)


def _in_loops(graph: Graph) -> set[int]:
    """Returns the blocks between a loop's head and the jump back to it, in reverse postorder."""
    rank = postorder(graph.entry, graph.successors)
    inside: set[int] = set()
    by_rank = sorted(rank, key=rank.__getitem__)
    for index in rank:
        for target in graph.successors(index):
            if rank.get(target, -1) <= rank[index] and target in rank:
                inside.update(by_rank[rank[target] : rank[index] + 1])
    return inside


def is_read_after(graph: Graph, step: Step, places: Set[Place]) -> bool:
    """Whether a function may read one of some places after one of its steps. Ignores that they can get other values
    before."""
    block = next(block for block in graph.blocks if any(one is step for one in block.steps))
    rest = list(dropwhile(lambda one: one is not step, block.steps))
    landings = (pad for one in rest for pad in one.landings())
    later = closure((*landings, *graph.targets(block.end)), graph.successors)
    reading = chain(rest[1:], chain.from_iterable(graph.blocks[index].steps for index in later))
    return any(not places.isdisjoint(read_places(one.effect)) for one in reading)


def _block(graph: Graph, index: int) -> tuple[set[Place], set[Place]]:
    used: set[Place] = set()
    killed: set[Place] = set()
    block = graph.blocks[index]
    for step in block.steps:
        used |= _with_objects({*read_places(step.effect), *_captured(graph, step.effect)}) - killed
        killed |= set(written(step.effect))
    match block.end:
        case Branch(test):
            used |= _with_objects(set(asked_places(test.question))) - killed
        case Advance(iterator):
            used |= {iterator} - killed
    return used, killed


def _with_objects(places: set[Place]) -> set[Place]:
    """Adds the objects whose attributes are read: they hold the values."""
    return places.union(*(place.prefixes for place in places if place.is_attribute))


def _captured(graph: Graph, effect: Effect) -> Iterable[Place]:
    """Returns the variables whose values a new function may keep: it calls the functions in them."""
    match effect:
        case Assign(_, Closure(name)):
            return graph.captures.get(name, ())
    return ()


def asked_places(question: Question) -> Iterator[Place]:
    """Yields the places that a test reads."""
    match question:
        case Truth(operand) | Kind(operand) | Has(operand) | IsBound(operand):
            yield from _place(operand)
        case Compare(_, left, right):
            yield from _place(left)
            yield from _place(right)


def _place(operand: Operand | None) -> Iterator[Place]:
    if isinstance(operand, AccessPath):
        yield operand


def read_places(effect: Effect) -> Iterator[Place]:
    """Yields the places whose values a step reads."""
    match effect:
        case Assign(_, value):
            yield from places_in(value)
        case Store(target, value):
            yield from _place(value)
            if target is not None and target.is_attribute:
                yield target.root
        case Leaving(value) | Yield(value):
            yield from _place(value)
        case StoreItem(base, index, value):
            for operand in (base, index, value):
                yield from _place(operand)
        case DeleteItem(base, index):
            yield from _place(base)
            yield from _place(index)
        case Call(_, callee, args):
            yield from _place(callee.receiver)
            yield from _place(callee.variable)
            for arg in args:
                yield from _place(arg.value)
            yield from effect.captured
        case Enter(manager) | Leave(manager):
            yield from _place(manager)
        case Throw(again) if again is not None:
            yield again
        case _:
            pass


def written(effect: Effect) -> Iterator[Place]:
    """Yields the places that a step gives another value, except those outside of the function."""
    match effect:
        case Assign(target) | Call(target) | Enter(_, target):
            yield target
        case Delete(place):
            yield place
        case Catch(handler):
            yield handler
        case _:
            pass
