"""The loops of a function: which blocks every round may run, and what differs from round to round."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from fdlint.catalog.naming import is_constructor
from fdlint.dataflow.reachability import closure, reachable
from fdlint.ir import (
    RAISE,
    RETURN,
    AccessPath,
    Advance,
    Assign,
    Branch,
    Call,
    Compare,
    Graph,
    Jump,
    Lit,
    Loop,
    Op,
    Opaque,
    Operand,
    Place,
    Question,
    RValue,
    Step,
    Store,
    Terminator,
    Truth,
    places_in,
)

Definition = RValue | Call


def rounds(graph: Graph) -> list[tuple[Loop, frozenset[int]]]:
    """Each loop with the blocks from which the next round can begin without an exception."""
    before: dict[int, set[int]] = {}
    for index, block in enumerate(graph.blocks):
        for target in _going_on(block.end):
            before.setdefault(target, set()).add(index)
    found = []
    for loop in graph.loops:
        outside = set(reachable(graph, graph.entry, without={loop.head}))
        again = before.get(loop.head, set()) - outside
        if again:
            found.append((loop, frozenset({loop.head, *_leading_to(again, loop.head, before)})))
    return found


def _leading_to(blocks: set[int], head: int, before: Mapping[int, set[int]]) -> Iterator[int]:
    """The blocks that come before some in the same round of a loop."""
    return closure(blocks - {head}, lambda index: before.get(index, set()) - {head})


def _going_on(end: Terminator) -> tuple[int, ...]:
    """Where control goes when nothing is raised."""
    match end:
        case Jump(targets):
            return targets
        case Branch(_, _, if_true, if_false):
            return if_true, if_false
        case Advance(_, _, _, _, body, done):
            return body, done


def every_way_passes(graph: Graph, made: Step, steps: Collection[int]) -> bool:
    """Whether every way from one step to the function's return, or to that step again, passes one of others."""
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


def happens_once(graph: Graph, loop: Loop, blocks: Collection[int], block: int, places: Collection[Place]) -> bool:
    """Whether a block only runs in one round: while a variable is empty, a flag is set, a counter has a value."""
    defined = _definitions(graph, blocks)
    outside = set(range(len(graph.blocks))).difference(blocks)
    for index in blocks:
        end = graph.blocks[index].end
        if isinstance(end, Branch) and _tells_rounds_apart(end.test.question, defined, places):
            for avoided in (end.if_true, end.if_false):
                if block not in reachable(graph, loop.head, outside, cut=(index, avoided)):
                    return True
    return False


def _tells_rounds_apart(question: Question, defined: dict[Place, list[Definition]], places: Collection[Place]) -> bool:
    match question:
        case Compare(Op.EQ, _, Lit(int())):
            return True
        case Compare(_, AccessPath() as operand) | Truth(AccessPath() as operand):
            values = defined.get(operand, [])
            return operand in places or (bool(values) and all(isinstance(value, Lit) for value in values))
    return False


# -- what differs from round to round


def varies(graph: Graph, operands: Iterable[Operand], blocks: Collection[int]) -> bool:
    """Whether what operands hold may be another thing in the next round."""
    items = {end.item for index in blocks if isinstance(end := graph.blocks[index].end, Advance)}
    defined = _definitions(graph, blocks)
    return any(place is None or place in items for place in _sources(operands, defined))


def parameters_behind(graph: Graph, operands: Iterable[Operand]) -> frozenset[Place] | None:
    """The parameters on which operands depend; None when that is not known."""
    sources = list(_sources(operands, _definitions(graph, range(len(graph.blocks)))))
    if None in sources:
        return None
    return frozenset(place for place in sources if place in graph.parameters)


def _definitions(graph: Graph, blocks: Iterable[int]) -> dict[Place, list[Definition]]:
    found: dict[Place, list[Definition]] = {}
    for index in blocks:
        for step in graph.blocks[index].steps:
            match step.effect:
                case Assign(target, value):
                    found.setdefault(target, []).append(value)
                case Store(AccessPath() as target, operand):
                    found.setdefault(target, []).append(operand)
                case Call(result):
                    found.setdefault(result, []).append(step.effect)
    return found


def _sources(operands: Iterable[Operand], defined: dict[Place, list[Definition]]) -> Iterator[Place | None]:
    """Every place that operands are made of; None for something that cannot be told."""

    def made_of(path: Place | None) -> Iterator[Place | None]:
        for definition in defined.get(path, ()) if path is not None else ():
            parts = _parts(definition)
            yield from _and_roots(parts) if parts is not None else (None,)

    return closure(_and_roots(operands), made_of)


def _and_roots(operands: Iterable[Operand]) -> Iterator[Place]:
    """Of ``a.b.c``: itself, ``a.b`` and ``a``."""
    for place in operands:
        if isinstance(place, AccessPath):
            yield place
            yield from place.prefixes


def _parts(definition: Definition) -> list[Operand] | None:
    """What a value is made of; None if it may be something else each time."""
    match definition:
        case Call():
            return given(definition) if is_constructor(definition.callee.name) else None
        case Opaque():
            return None
    return [*places_in(definition)]


def given(call: Call) -> list[Operand]:
    """The arguments of a call that are no functions or classes, by their names."""
    return [arg.value for arg in call.args if arg.dotted is None and not arg.function]
