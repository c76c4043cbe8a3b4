"""Shows the graph of one function as text, with the states at each block, for debugging the engine."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

from fdlint.catalog import Catalog
from fdlint.core.domain.state import Resource, State
from fdlint.core.domain.values import Age, Container, ContainerSite, Descriptor, Fd
from fdlint.core.engine.explore import entry_state, run
from fdlint.core.engine.log import Log
from fdlint.core.engine.transfer import RunOptions
from fdlint.core.ir import Advance, Branch, Graph, Jump, Step
from fdlint.core.ir.source import SourceCode
from fdlint.languages.front_end import front_end_of
from fdlint.program.modules import Program
from fdlint.report.findings.finding import Skipped

_EXITS = {0: "RETURN", 1: "RAISE"}


def dump_function(data: bytes, path: str, name: str, catalog: Catalog) -> str:
    """Returns one function's blocks, steps, edges and states. Raises ``LookupError`` for an unknown function."""
    found = front_end_of().read_whole(data, path)
    if isinstance(found, Skipped):
        raise LookupError(found.reason)
    source, tree = found
    file = Program(catalog).add(source, Path(path), None, tree)
    graphs = {graph.name or "<module>": graph for graph in file.lowered.graphs}
    if name not in graphs:
        raise LookupError(f"no function {name} in {path}; it has {', '.join(graphs)}")
    return "\n".join(_lines(graphs[name], source, catalog)) + "\n"


def _lines(graph: Graph, source: SourceCode, catalog: Catalog) -> Iterator[str]:
    states: dict[int, list[State]] = {}

    def watch(index: int, state: State) -> None:
        states.setdefault(index, []).append(state)

    run(graph, catalog, Log(graph.name), entry_state(graph), RunOptions(), watch=watch)
    for index, block in enumerate(graph.blocks):
        if index not in states:
            continue  # unreachable, or laid for a way of leaving that never happens
        yield f"block {_EXITS.get(index, index)}"
        yield from (f"    | {_state(state)}" for state in states[index])
        yield from (f"    {_step(step, source)}" for step in block.steps)
        if index not in _EXITS:
            yield f"    -> {_end(block.end)}"


def _step(step: Step, source: SourceCode) -> str:
    pads = {kind: targets for kind, targets in step.pads.items() if targets}
    ways = ", ".join(f"{kind}: {_targets(to)}" for kind, to in pads.items())
    raising = f"  raises -> {ways}" if pads else ""
    return f"{source.span(step.origin).line:>5}  {_value(step.effect)}{raising}"


def _end(end: Jump | Branch | Advance) -> str:
    match end:
        case Jump(targets):
            return _targets(targets) or "ends"
        case Branch(test, _, if_true, if_false):
            return f"{_value(test.question)} ? {_targets((if_true,))} : {_targets((if_false,))}"
        case Advance(iterator, item, _, _, body, done):
            return f"{item} = next {iterator} ? {_targets((body,))} : {_targets((done,))}"


def _state(state: State) -> str:
    heap = {_value(container): contents for container, contents in state.heap.items()}
    parts = [f"{place}={_value(value)}" for place, value in sorted(state.env.items())]
    parts += [f"{container}:{_value(contents)}" for container, contents in sorted(heap.items())]
    parts += [f"{_value(fd)} {_resource(resource)}" for fd, resource in sorted(state.resources.items())]
    parts += sorted(f"?{_value(text)}={_value(answer)}" for text, answer in state.facts.items())
    parts += [f"armed({place})" for place in sorted(state.armed)]
    return "  ".join(parts) or "nothing"


def _resource(resource: Resource) -> str:
    """Returns a descriptor's typestate and marks: ``OPEN {BOUND}``."""
    notes = [f"stream {resource.stream}"] if resource.stream is not None else []
    notes += ["certain"] if resource.certain else []
    marks = f"{{{', '.join(sorted(mark.name for mark in resource.marks))}}}" if resource.marks else ""
    return " ".join([resource.status.name, *filter(None, [marks]), *notes])


def _value(value: object) -> str:
    if isinstance(value, Fd):
        return _value(value.descriptor)
    if isinstance(value, Descriptor):
        age = "" if value.age is Age.NEWEST else f" {value.age.name}"
        return f"fd#{int(value.site)}.{value.slot}{age}"
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, Container):
        return f"Container({_site(value.site)}, {value.age.name})"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_value, value)) + ")"
    if isinstance(value, frozenset):
        return "{" + ", ".join(sorted(map(_value, value))) + "}"
    if is_dataclass(value):
        given = (getattr(value, one.name) for one in fields(value))
        return f"{type(value).__name__}({', '.join(_value(one) for one in given if one not in _DULL)})"
    return str(value)


def _site(site: ContainerSite) -> str:
    """Returns the maker of a container."""
    return f"{site.maker.name} {site.number}" + (f".{site.nth}" if site.nth else "")


def _targets(targets: tuple[int, ...]) -> str:
    return ", ".join(_EXITS.get(target, str(target)) for target in targets)


_DULL: tuple[object, ...] = (None, False, frozenset(), ())
