"""Analyses the loops of a function: the blocks of an iteration, and the values that change between iterations."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from fdlint.catalog.naming import is_constructor
from fdlint.core.dataflow.reachability import closure, reachable
from fdlint.core.ir import (
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
    """Returns each loop with the blocks from which the next iteration can begin without an exception."""
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
    """Yields the blocks before ``blocks`` in the same iteration of a loop."""
    return closure(blocks - {head}, lambda index: before.get(index, set()) - {head})


def _going_on(end: Terminator) -> tuple[int, ...]:
    """Returns the targets without an exception."""
    match end:
        case Jump(targets):
            return targets
        case Branch(_, _, if_true, if_false):
            return if_true, if_false
        case Advance(_, _, _, _, body, done):
            return body, done


def every_way_passes(graph: Graph, made: Step, steps: Collection[int]) -> bool:
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


def happens_once(graph: Graph, loop: Loop, blocks: Collection[int], block: int, places: Collection[Place]) -> bool:
    """Whether a block runs in one iteration only: while a variable is empty, a flag is set, a counter has a value."""
    defined = _definitions(graph, blocks)
    outside = set(range(len(graph.blocks))).difference(blocks)
    for index in blocks:
        end = graph.blocks[index].end
        if isinstance(end, Branch) and _tells_rounds_apart(end.test.question, defined, places):
            for avoided in (end.if_true, end.if_false):
                if block not in reachable(graph, loop.head, outside, cut=(index, avoided)):
                    return True
    return False


def asked_before(graph: Graph, block: int) -> Iterator[tuple[Question, bool]]:
    """Yields the tests that decide whether a function comes to a block, each with the answer that leads there."""
    for index in reachable(graph, graph.entry):
        end = graph.blocks[index].end
        if isinstance(end, Branch):
            for answer, avoided in ((True, end.if_false), (False, end.if_true)):
                target = end.if_true if answer else end.if_false
                if avoided != target and block not in reachable(graph, graph.entry, cut=(index, target)):
                    yield end.test.question, answer


def fills_once(graph: Graph, block: int) -> bool:
    """Whether a function comes to a block only while a field is empty, and fills the field there."""
    later = set(reachable(graph, block))
    filled = {
        step.effect.target
        for index in later
        for step in graph.blocks[index].steps
        if isinstance(step.effect, Store) and step.effect.value != Lit(None)
    }
    for question, answer in asked_before(graph, block) if filled else ():
        match question:
            case Compare(Op.IS | Op.EQ, AccessPath() as place, Lit(None)) if answer and _is_filled(place, filled):
                return True
            case Truth(AccessPath() as place) if not answer and _is_filled(place, filled):
                return True
    return False


def _is_filled(place: AccessPath, filled: Collection[Place | None]) -> bool:
    """Whether a place that was found empty is among those which a function fills. What is read from an object that is
    not followed, such as a class, has no name, and neither has what is stored there."""
    return place in filled or (place.is_temporary and None in filled)


def parameters_asked(graph: Graph, block: int) -> frozenset[tuple[Place, bool]]:
    """Returns the parameters that must be true (or false) for a function to come to a block."""
    rebound = _definitions(graph, range(len(graph.blocks)))
    return frozenset(
        (question.operand, answer)
        for question, answer in asked_before(graph, block)
        if isinstance(question, Truth)
        and isinstance(question.operand, AccessPath)
        and question.operand in graph.parameters
        and question.operand not in rebound
    )


def _tells_rounds_apart(question: Question, defined: dict[Place, list[Definition]], places: Collection[Place]) -> bool:
    match question:
        case Compare(Op.EQ, _, Lit(int())):
            return True
        case Compare(_, AccessPath() as operand) | Truth(AccessPath() as operand):
            values = defined.get(operand, [])
            return operand in places or (bool(values) and all(isinstance(value, Lit) for value in values))
    return False


# -- values that change between iterations


def varies(graph: Graph, operands: Iterable[Operand], blocks: Collection[int]) -> bool:
    """Whether the values of operands may differ in the next iteration."""
    items = {end.item for index in blocks if isinstance(end := graph.blocks[index].end, Advance)}
    defined = _definitions(graph, blocks)
    return any(place is None or place in items for place in _sources(operands, defined))


def parameters_behind(graph: Graph, operands: Iterable[Operand]) -> frozenset[Place] | None:
    """Returns the parameters that operands depend on; None if unknown."""
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
    """Yields every place that contributes to operands; None for an unknown contribution."""

    def made_of(path: Place | None) -> Iterator[Place | None]:
        for definition in defined.get(path, ()) if path is not None else ():
            parts = _parts(definition)
            yield from _and_roots(parts) if parts is not None else (None,)

    return closure(_and_roots(operands), made_of)


def _and_roots(operands: Iterable[Operand]) -> Iterator[Place]:
    """For ``a.b.c``, yields itself, ``a.b`` and ``a``."""
    for place in operands:
        if isinstance(place, AccessPath):
            yield place
            yield from place.prefixes


def _parts(definition: Definition) -> list[Operand] | None:
    """Returns the operands of a value; None if it may differ each time."""
    match definition:
        case Call():
            return given(definition) if is_constructor(definition.callee.name) else None
        case Opaque():
            return None
    return [*places_in(definition)]


def given(call: Call) -> list[Operand]:
    """Returns the arguments of a call without functions or classes that are passed by name."""
    return [arg.value for arg in call.args if arg.dotted is None and not arg.function]
