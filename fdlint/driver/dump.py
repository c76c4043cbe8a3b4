"""The graph of one function as text, with the states that reach each block: for whoever debugs the engine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

from fdlint.callgraph.modules import Program
from fdlint.catalog import Catalog
from fdlint.domain.state import State
from fdlint.domain.values import Container
from fdlint.engine.apply_summary import CONTAINERS_OF_A_CALL, MADE_BY_CALLS
from fdlint.engine.explore import entry_state, run
from fdlint.engine.log import Log
from fdlint.engine.transfer import RunOptions
from fdlint.findings.finding import Skipped
from fdlint.frontend.python.source import Source, parse
from fdlint.ir import Advance, Branch, Graph, Jump, Step

_ADDRESS = re.compile(r"\d{7,}")
_EXITS = {0: "RETURN", 1: "RAISE"}


def dump_function(data: bytes, path: str, name: str, catalog: Catalog) -> str:
    """One function's blocks, steps, edges and states. Raises ``LookupError`` when the file has no such function."""
    source = parse(data, path)
    if isinstance(source, Skipped):
        raise LookupError(source.reason)
    file = Program(catalog).add(source, Path(path))
    graphs = {graph.name or "<module>": graph for graph in file.lowered.graphs}
    if name not in graphs:
        raise LookupError(f"no function {name} in {path}; it has {', '.join(graphs)}")
    return "\n".join(_lines(graphs[name], source, catalog)) + "\n"


def _lines(graph: Graph, source: Source, catalog: Catalog) -> Iterator[str]:
    states: dict[int, list[State]] = {}

    def watch(index: int, state: State) -> None:
        states.setdefault(index, []).append(state)

    run(graph, catalog, Log(graph.name), entry_state(graph), RunOptions(), watch=watch)
    shown = _Shown(graph)
    for index, block in enumerate(graph.blocks):
        if index not in states:
            continue  # unreachable, or laid for a way of leaving that nobody takes
        yield f"block {_EXITS.get(index, index)}"
        yield from (f"    | {shown.state(state)}" for state in states[index])
        yield from (f"    {shown.step(step, source)}" for step in block.steps)
        if index not in _EXITS:
            yield f"    -> {shown.end(block.end)}"


class _Shown:
    """The parts of a graph as text that is the same in every process. A container goes by the number of the step that
    makes it: inside of fdlint its site is an address in memory."""

    def __init__(self, graph: Graph) -> None:
        origins = [step.origin for step in graph.steps()]
        origins += [block.end.origin for block in graph.blocks if not isinstance(block.end, Jump)]
        self._numbers = {id(origin): number for number, origin in enumerate(dict.fromkeys(origins), start=1)}

    def step(self, step: Step, source: Source) -> str:
        pads = {kind: targets for kind, targets in step.pads.items() if targets}
        ways = ", ".join(f"{kind}: {_targets(to)}" for kind, to in pads.items())
        raising = f"  raises -> {ways}" if pads else ""
        return f"{source.span(step.origin).line:>5}  {self.value(step.effect)}{raising}"

    def end(self, end: Jump | Branch | Advance) -> str:
        match end:
            case Jump(targets):
                return _targets(targets) or "ends"
            case Branch(test, _, if_true, if_false):
                return f"{self.value(test.question)} ? {_targets((if_true,))} : {_targets((if_false,))}"
            case Advance(iterator, item, _, _, body, done):
                return f"{item} = next {iterator} ? {_targets((body,))} : {_targets((done,))}"

    def state(self, state: State) -> str:
        heap = {self.value(container): contents for container, contents in state.heap.items()}
        parts = [f"{place}={self.value(value)}" for place, value in sorted(state.env.items())]
        parts += [f"{container}:{self.value(contents)}" for container, contents in sorted(heap.items())]
        parts += [f"{fd}:{self.value(resource)}" for fd, resource in sorted(state.resources.items())]
        parts += sorted(f"?{self.value(text)}={self.value(answer)}" for text, answer in state.facts.items())
        return "  ".join(parts) or "nothing"

    def value(self, value: object) -> str:
        if isinstance(value, Container):
            return f"Container({self._address(value.site)}, {value.age.name})"
        if isinstance(value, tuple):
            return "(" + ", ".join(map(self.value, value)) + ")"
        if isinstance(value, frozenset):
            return "{" + ", ".join(sorted(map(self.value, value))) + "}"
        if is_dataclass(value):
            given = (getattr(value, one.name) for one in fields(value))
            return f"{type(value).__name__}({', '.join(self.value(one) for one in given if one not in _DULL)})"
        return _ADDRESS.sub(lambda found: self._address(int(found[0])), str(value))

    def _address(self, site: int) -> str:
        if site in self._numbers:
            return str(self._numbers[site])
        origin, number = divmod(MADE_BY_CALLS - site, CONTAINERS_OF_A_CALL)
        return f"{self._numbers[origin]}.{number}" if origin in self._numbers else str(site)


def _targets(targets: tuple[int, ...]) -> str:
    return ", ".join(_EXITS.get(target, str(target)) for target in targets)


_DULL: tuple[object, ...] = (None, False, frozenset(), ())
