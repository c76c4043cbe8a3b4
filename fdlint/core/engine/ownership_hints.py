"""Finds unknown functions that take over a descriptor: the code closes the descriptor only when the call fails.

``try: register(fd)``, ``except: os.close(fd); raise``, and no use of ``fd`` after that: on success, the function called
owns the descriptor. This does not hold for a parameter or a captured variable, because others may still hold it.

It is the same where a call returns its error: ``if err := register(fd); err != nil { unix.Close(fd); return err }``. A
function that closes its own parameter there owns that, too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from fdlint.catalog import Catalog
from fdlint.core.dataflow.derivation import apis_of, arguments, assignments, origins
from fdlint.core.dataflow.liveness import live_places, read_places
from fdlint.core.dataflow.reachability import closure
from fdlint.core.ir import (
    RAISE,
    RETURN,
    AccessPath,
    Assign,
    Block,
    Branch,
    Call,
    Compare,
    Graph,
    Item,
    Lit,
    Live,
    Op,
    Place,
    Step,
    Throw,
    places_in,
)

Entrusted = dict[int, frozenset[Place]]
"""Maps calls, by ``id`` of the effect, to the variables that they take over when they succeed."""
Closes = Callable[[Call], Collection[Place]]


def entrusted(graph: Graph, catalog: Catalog, closes: Closes) -> Entrusted:
    """Returns the calls of a function that have their arguments closed only when they fail. ``closes``: the arguments
    that a call closes, itself or through functions of the project."""
    found: Entrusted = {}
    live: Live | None = None
    items = _items(graph)
    returns = not graph.language.exceptions.for_mistakes  # calls return their errors
    for index, block in enumerate(graph.blocks):
        for position, step in enumerate(block.steps):
            closed = _alike(items, _closed_on_failure(graph, closes, step))
            if closed and isinstance(step.effect, Call):
                live = live if live is not None else live_places(graph, frozenset())
                given = arguments(step.effect)
                later = _needed_later(graph, live, index, position)
                later |= {place for place, item in items.items() if item.base in later}
                found[id(step.effect)] = frozenset(closed & given - later - {*graph.parameters, *graph.free})
            elif returns and isinstance(step.effect, Call) and step.effect.given and not apis_of(step.effect, catalog):
                test = _test_of_error(block, position, step.effect.result)
                closed = _closed_on_error(graph, closes, test) & arguments(step.effect) if test is not None else set()
                if closed and test is not None:
                    live = live if live is not None else live_places(graph, frozenset())
                    found[id(step.effect)] = frozenset(closed - live.at(test.if_true).places)
    return found


def _items(graph: Graph) -> dict[Place, AccessPath]:
    """Returns the places that hold an item of a list or dict, each with the item: ``held.0``."""
    found: dict[Place, AccessPath] = {}
    for effect in graph.effects():
        match effect:
            case Assign(target, Item(AccessPath() as base, Lit(key))):
                found[target] = base.attribute(str(key))
    return found


def _alike(items: Mapping[Place, Place], closed: set[Place]) -> set[Place]:
    """Returns places, and all others that hold the same items."""
    same = {items[one] for one in closed if one in items}
    return closed.union(place for place, item in items.items() if item in same)


def _test_of_error(block: Block, position: int, result: Place) -> Branch | None:
    """Returns the test at the end of a block whether a call returned no error."""
    question = block.end.test.question if isinstance(block.end, Branch) else None
    if not isinstance(question, Compare) or question.right != Lit(None) or question.op not in (Op.IS, Op.EQ):
        return None
    made = {result}
    for step in block.steps[position + 1 :]:
        match step.effect:
            case Call():
                return None  # its error may be the one that is tested
            case Assign(target, value) if not made.isdisjoint(places_in(value)):
                made.add(target)
    return block.end if isinstance(block.end, Branch) and question.left in made else None


def _closed_on_error(graph: Graph, closes: Closes, test: Branch) -> set[Place]:
    """Returns what the function closes only if there is an error."""
    going_on = set(closure((test.if_true,), graph.successors))
    failing = (one for one in closure((test.if_false,), graph.successors) if one not in going_on)
    calls = (step.effect for index in failing for step in graph.blocks[index].steps if isinstance(step.effect, Call))
    return {place for call in calls for place in closes(call)}


def _closed_on_failure(graph: Graph, closes: Closes, step: Step) -> set[Place]:
    """Returns the variables that every handler of a step's exceptions closes before it raises again."""
    pads = step.pads.get(graph.language.exceptions.unknown, ()) if isinstance(step.effect, Call) else ()
    if not pads or RAISE in pads:
        return set()
    return set.intersection(*(_closed_before_raising(graph, closes, pad) for pad in pads))


def _closed_before_raising(graph: Graph, closes: Closes, start: int) -> set[Place]:
    """Returns what a handler closes, if it always ends by raising; nothing otherwise."""

    def going_on(index: int) -> list[int]:
        raises = any(isinstance(step.effect, Throw) for step in graph.blocks[index].steps)
        return graph.successors(index) if not raises else []

    closed: set[Place] = set()
    for index in closure((start,), going_on):
        if index == RETURN:
            return set()
        for step in graph.blocks[index].steps:
            if isinstance(step.effect, Call):
                closed.update(closes(step.effect))
    return {*origins(closed, assignments(graph))} if closed else closed


def _needed_later(graph: Graph, live: Live, index: int, position: int) -> set[Place]:
    """Returns the variables that are read on some path after a step has succeeded."""
    block = graph.blocks[index]
    rest = block.steps[position + 1 :]
    needed = {place for step in rest for place in read_places(step.effect)}
    landings = {pad for step in rest for pad in step.landings()}
    for target in landings | set(graph.targets(block.end)):
        needed |= live.at(target).places
    return needed
