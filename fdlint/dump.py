"""The graph of one function as text, with the worlds that reach each block: for whoever debugs the engine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

from fdlint.catalog import Catalog
from fdlint.finding import Skipped
from fdlint.graph import Advance, Branch, Graph, Jump, Step
from fdlint.ownership.analyse import entry_world, run
from fdlint.ownership.machine import Context
from fdlint.ownership.record import Record
from fdlint.program import Program
from fdlint.source import Source, parse
from fdlint.state.world import World

_EXITS = {0: "RETURN", 1: "RAISE"}


def dump_function(data: bytes, path: str, name: str, catalog: Catalog) -> str:
    """One function's blocks, steps, edges and worlds. Raises ``LookupError`` when the file has no such function."""
    source = parse(data, path)
    if isinstance(source, Skipped):
        raise LookupError(source.reason)
    file = Program(catalog).add(source, Path(path))
    graphs = {graph.name or "<module>": graph for graph in file.lowered.graphs}
    if name not in graphs:
        raise LookupError(f"no function {name} in {path}; it has {', '.join(graphs)}")
    return "\n".join(_lines(graphs[name], source, catalog)) + "\n"


def _lines(graph: Graph, source: Source, catalog: Catalog) -> Iterator[str]:
    worlds: dict[int, list[World]] = {}

    def watch(index: int, world: World) -> None:
        worlds.setdefault(index, []).append(world)

    run(graph, catalog, Record(graph.name), entry_world(graph), Context(), watch=watch)
    for index, block in enumerate(graph.blocks):
        if index not in worlds:
            continue  # unreachable, or laid for a way of leaving that nobody takes
        yield f"block {_EXITS.get(index, index)}"
        yield from (f"    | {_world(world)}" for world in worlds[index])
        yield from (f"    {_step(step, source)}" for step in block.steps)
        if index not in _EXITS:
            yield f"    -> {_end(block.end)}"


def _step(step: Step, source: Source) -> str:
    pads = {kind: targets for kind, targets in step.pads.items() if targets}
    raising = "  raises -> " + ", ".join(f"{kind}: {_targets(to)}" for kind, to in pads.items()) if pads else ""
    return f"{source.span(step.origin).line:>5}  {_show(step.effect)}{raising}"


def _end(end: Jump | Branch | Advance) -> str:
    match end:
        case Jump(targets):
            return _targets(targets) or "ends"
        case Branch(test, _, if_true, if_false):
            return f"{_show(test.question)} ? {_targets((if_true,))} : {_targets((if_false,))}"
        case Advance(iterator, item, _, _, body, done):
            return f"{item} = next {iterator} ? {_targets((body,))} : {_targets((done,))}"


def _targets(targets: tuple[int, ...]) -> str:
    return ", ".join(_EXITS.get(target, str(target)) for target in targets)


def _show(value: object) -> str:
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_show, value)) + ")"
    if is_dataclass(value):
        shown = [_show(getattr(value, one.name)) for one in fields(value) if getattr(value, one.name) not in _DULL]
        return f"{type(value).__name__}({', '.join(shown)})"
    return str(value)


_DULL: tuple[object, ...] = (None, False, frozenset(), ())


def _world(world: World) -> str:
    parts = [f"{place}={_show(value)}" for place, value in sorted(world.env.items())]
    parts += [f"{cid}:{_show(contents)}" for cid, contents in sorted(world.heap.items())]
    parts += [f"{rid}:{_show(resource)}" for rid, resource in sorted(world.resources.items())]
    parts += [f"?{text}={answer}" for text, answer in sorted(world.facts.items())]
    return "  ".join(parts) or "nothing"
