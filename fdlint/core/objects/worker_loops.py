"""The loops around an object with worker processes: the blocks of an iteration, what lets it happen once only, and the
values that change between iterations."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from fdlint.catalog.naming import is_constructor
from fdlint.core.dataflow.derivation import How, ValueFlow, flows, origins
from fdlint.core.dataflow.liveness import places_of
from fdlint.core.dataflow.reachability import closure, reachable
from fdlint.core.ir import (
    AccessPath,
    Advance,
    Assign,
    Bound,
    Branch,
    Build,
    Call,
    Compare,
    Graph,
    Lit,
    Loop,
    Op,
    Opaque,
    Operand,
    Place,
    Question,
    RValue,
    Store,
    Truth,
)
from fdlint.core.ir import Iterator as IteratorOver


def rounds(graph: Graph) -> list[tuple[Loop, frozenset[int]]]:
    """Returns each loop with the blocks from which the next iteration can begin without an exception."""
    before: dict[int, set[int]] = {}
    for index, block in enumerate(graph.blocks):
        targets = graph.targets(block.end)
        for target in targets[:2] if isinstance(block.end, Advance) else targets:
            before.setdefault(target, set()).add(index)
    found = []
    for loop in graph.loops:
        outside = set(reachable(graph, graph.entry, without={loop.head}))
        again = before.get(loop.head, set()) - outside - {loop.head}
        inside = closure(again, lambda index, head=loop.head: before.get(index, set()) - {head})  # type: ignore[misc]
        if again or loop.head in before.get(loop.head, ()):
            found.append((loop, frozenset({loop.head, *inside})))
    return found


def is_short(graph: Graph, loop: Loop) -> bool:
    """Whether a loop runs over the items of a display, also of one in a variable that is bound once."""
    if loop.bound is Bound.FEW:
        return True
    bound: dict[Place, list[RValue]] = {}
    for one in graph.effects():
        if isinstance(one, Assign):
            bound.setdefault(one.target, []).append(one.value)
    filled = {one.callee.receiver for one in graph.effects() if isinstance(one, Call)}
    place: object = loop.over
    for _ in bound:
        match bound.get(place, ()) if isinstance(place, AccessPath) and place not in filled else ():
            case [Build(kind="tuple" | "list" | "set", items=items, stars=stars)]:
                return bool(items) and not stars
            case [IteratorOver(base=place)] | [AccessPath() as place]:
                pass
            case _:
                break
    return False


def asked_before(
    graph: Graph, block: int, start: int, without: Collection[int] = ()
) -> Iterator[tuple[Question, bool]]:
    """Yields the tests that decide whether control comes from one block to another, each with the answer that leads
    there. ``without``: the blocks that it does not enter."""
    for index in reachable(graph, start, without):
        end = graph.blocks[index].end
        if isinstance(end, Branch) and end.if_true != end.if_false:
            for answer, target in ((True, end.if_true), (False, end.if_false)):
                if block not in reachable(graph, start, without, cut=(index, target)):
                    yield end.test.question, answer


def parameters_asked(graph: Graph, block: int) -> frozenset[Place]:
    """Returns the parameters that must be true (or false) for a function to come to a block."""
    rebound = {one.target for one in graph.effects() if isinstance(one, Assign)}
    return frozenset(
        asked.operand
        for asked, _ in asked_before(graph, block, graph.entry)
        if isinstance(asked, Truth) and isinstance(asked.operand, AccessPath)
        if asked.operand in graph.parameters and asked.operand not in rebound
    )


def fills_once(graph: Graph, block: int) -> bool:
    """Whether a function comes to a block only while a field is empty, and fills the field there. What is read from an
    object that is not followed, such as a class, has no name, and neither has what is stored there."""
    later = (step.effect for index in reachable(graph, block) for step in graph.blocks[index].steps)
    filled = {one.target for one in later if isinstance(one, Store) and one.value != Lit(None)}
    for question, answer in asked_before(graph, block, graph.entry) if filled else ():
        match question:
            case Compare(Op.IS | Op.EQ, AccessPath() as place, Lit(None)) if answer:
                pass
            case Truth(AccessPath() as place) if not answer:
                pass
            case _:
                continue
        if place in filled or (place.is_temporary and None in filled):
            return True
    return False


def happens_once(graph: Graph, loop: Loop, blocks: Collection[int], block: int) -> bool:
    """Whether a block runs in one iteration only: while a flag is set, a counter has a value."""
    plain: dict[Place, bool] = {}
    for step in (step for index in blocks for step in graph.blocks[index].steps):
        match step.effect:
            case Assign(target, value) | Store(AccessPath() as target, value):
                plain[target] = isinstance(value, Lit) and plain.get(target, True)
    outside = set(range(len(graph.blocks))).difference(blocks)
    for question, _ in asked_before(graph, block, loop.head, outside):
        match question:
            case Compare(Op.EQ, _, Lit(int())):
                return True
            case Compare(_, AccessPath() as asked) | Truth(AccessPath() as asked) if plain.get(asked):
                return True
    return False


# -- values that change between iterations


def varies(graph: Graph, call: Call, blocks: Collection[int]) -> bool:
    """Whether an argument of a call, other than a function or class by its name, may differ in the next iteration."""
    operands = [arg.value for arg in call.args if arg.dotted is None and not arg.function]
    items = {end.item for index in blocks if isinstance(end := graph.blocks[index].end, Advance)}
    return not _sources(graph, operands).isdisjoint(items | _unknown(graph, blocks))


def _sources(graph: Graph, operands: Iterable[Operand]) -> frozenset[Place]:
    """Returns every place that contributes to operands."""
    every = [place for one in places_of(graph) for place in (one, *one.prefixes) if place.is_attribute]
    stored = (one for one in graph.effects() if isinstance(one, Store))
    more = [ValueFlow(place.base, place, How.COPY) for place in every]
    more += [
        ValueFlow(one.value, one.target, How.COPY)
        for one in stored
        if isinstance(one.value, AccessPath) and one.target is not None
    ]
    return origins((one for one in operands if isinstance(one, AccessPath)), [*flows(graph, None), *more])


def _unknown(graph: Graph, blocks: Collection[int]) -> set[Place]:
    """Returns the places that get a value there which may differ each time."""
    effects = (step.effect for index in blocks for step in graph.blocks[index].steps)
    return {
        one.target if isinstance(one, Assign) else one.result
        for one in effects
        if (isinstance(one, Assign) and isinstance(one.value, Opaque))
        or (isinstance(one, Call) and not is_constructor(one.callee.name))
    }
