"""The loops of a function: which blocks every round may run, and what differs from round to round."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from fdlint.catalog.naming import is_constructor
from fdlint.ir import (
    RAISE,
    RETURN,
    Advance,
    Assign,
    Branch,
    Build,
    Call,
    Compare,
    Graph,
    Item,
    Jump,
    Lit,
    Loop,
    Op,
    Opaque,
    Operand,
    Place,
    Question,
    RValue,
    Slice,
    Step,
    Store,
    Terminator,
    Truth,
    Unpack,
)
from fdlint.ir import Iterator as IteratorOver

Definition = RValue | Call


def rounds(graph: Graph) -> list[tuple[Loop, frozenset[int]]]:
    """Each loop with the blocks from which the next round can begin without an exception."""
    before: dict[int, set[int]] = {}
    for index, block in enumerate(graph.blocks):
        for target in _going_on(block.end):
            before.setdefault(target, set()).add(index)
    found = []
    for loop in graph.loops:
        outside = reached(graph.entry, graph.successors, without=loop.head)
        again = [index for index in before.get(loop.head, ()) if index not in outside]
        inside = {loop.head}
        pending = [index for index in again if index != loop.head]
        while pending:
            index = pending.pop()
            if index not in inside:
                inside.add(index)
                pending.extend(before.get(index, ()))
        if again:
            found.append((loop, frozenset(inside)))
    return found


def reached(start: int, successors: Callable[[int], Iterable[int]], without: int) -> set[int]:
    """The blocks that can be reached without passing one of them."""
    found: set[int] = set()
    pending = [start]
    while pending:
        index = pending.pop()
        if index not in found and index != without:
            found.add(index)
            pending.extend(successors(index))
    return found


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
    pending = [(n, k + 1) for n, block in enumerate(graph.blocks) for k, step in enumerate(block.steps) if step is made]
    seen: set[tuple[int, int]] = set()
    while pending:
        index, start = pending.pop()
        if (index, start) in seen:
            continue
        seen.add((index, start))
        if index == RETURN:
            return False
        block = graph.blocks[index]
        for step in block.steps[start:]:
            if step is made:
                return False
            if id(step) in steps:
                break
            pending.extend((pad, 0) for pads in step.pads.values() for pad in pads if pad != RAISE)
        else:
            pending.extend((target, 0) for target in graph.targets(block.end) if target != RAISE)
    return True


def happens_once(graph: Graph, loop: Loop, blocks: Collection[int], block: int, places: Collection[Place]) -> bool:
    """Whether a block only runs in one round: while a variable is empty, a flag is set, a counter has a value."""
    defined = _definitions(graph, blocks)
    for index in blocks:
        end = graph.blocks[index].end
        if isinstance(end, Branch) and _tells_rounds_apart(end.test.question, defined, places):
            for avoided in (end.if_true, end.if_false):
                if block not in _reached_inside(graph, loop.head, blocks, (index, avoided)):
                    return True
    return False


def _tells_rounds_apart(question: Question, defined: dict[Place, list[Definition]], places: Collection[Place]) -> bool:
    match question:
        case Compare(Op.EQ, _, Lit(int())):
            return True
        case Compare(_, str(operand)) | Truth(str(operand)):
            values = defined.get(operand, [])
            return operand in places or (bool(values) and all(isinstance(value, Lit) for value in values))
    return False


def _reached_inside(graph: Graph, head: int, blocks: Collection[int], without: tuple[int, int]) -> set[int]:
    """The blocks of a loop that one round can reach without taking one edge."""

    def successors(index: int) -> list[int]:
        return [one for one in graph.successors(index) if one in blocks and one != head and (index, one) != without]

    return reached(head, successors, without=-1)


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
                case Store(str(target), operand):
                    found.setdefault(target, []).append(operand)
                case Call(result):
                    found.setdefault(result, []).append(step.effect)
    return found


def _sources(operands: Iterable[Operand], defined: dict[Place, list[Definition]]) -> Iterator[Place | None]:
    """Every place that operands are made of; None for something that cannot be told."""
    pending = [one for one in operands if isinstance(one, str)]
    seen: set[Place] = set()
    while pending:
        place = pending.pop()
        for path in _and_roots(place):
            if path not in seen:
                seen.add(path)
                yield path
                for definition in defined.get(path, ()):
                    parts = _parts(definition)
                    if parts is None:
                        yield None
                    else:
                        pending.extend(part for part in parts if isinstance(part, str))


def _and_roots(place: Place) -> list[Place]:
    """``a.b.c``, ``a.b`` and ``a``."""
    parts = place.split(".")
    return [".".join(parts[:count]) for count in range(len(parts), 0, -1)]


def _parts(definition: Definition) -> list[Operand] | None:
    """What a value is made of; None if it may be something else each time."""
    match definition:
        case str():
            return [definition]
        case Build(_, items, _, keys):
            return [*items, *keys]
        case Item(base, index):
            return [base] if index is None else [base, index]
        case Slice(base) | Unpack(base) | IteratorOver(base):
            return [base]
        case Opaque():
            return None
        case Call():
            return given(definition) if is_constructor(definition.callee.name) else None
    return []


def given(call: Call) -> list[Operand]:
    """The arguments of a call that are no functions or classes, by their names."""
    return [arg.value for arg in call.args if arg.dotted is None and not arg.function]
