"""Follows the functions that are nested in another: where it calls them itself, and where they get out of its hands, so
that somebody may call them later."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from fdlint.core.dataflow.derivation import How, assignments, bound_places, destinations
from fdlint.core.dataflow.liveness import read_places
from fdlint.core.ir import AccessPath, Assign, Call, Callee, Closure, Effect, Graph, Named, Operand, Place


def name_captured(graph: Graph) -> None:
    """Notes in each direct call of a nested function which one it is, and the variables that it uses. Of a variable
    that holds several, one after the other, the last one counts if it is bound in the same block."""
    if graph.name is None or not graph.captures:
        return
    names: dict[Operand | None, str] = {place: name for name, places in _holders(graph).items() for place in places}
    times = Counter(bound_places(graph))
    for block in graph.blocks:
        last: dict[Operand | None, Operand] = {}  # what variables were bound to in the block
        for position, step in enumerate(block.steps):
            call = step.effect
            if isinstance(call, Assign):
                last[call.target] = call.value if isinstance(call.value, AccessPath) else call.target
            if not isinstance(call, Call) or call.callee.variable not in names:
                continue
            variable = call.callee.variable
            once = times[AccessPath(str(variable))] == 1
            holder = variable if once else last.get(variable, variable)
            sure = once or (holder in names and holder != variable and times[AccessPath(str(holder))] == 1)
            name = names[holder if sure else variable]
            callee = replace(call.callee, function=name if sure else None)
            captured = tuple(sorted(graph.captures[name]))
            block.steps[position] = replace(step, effect=replace(call, callee=callee, captured=captured))


def named_functions(graph: Graph) -> Iterator[Callee]:
    """Yields the functions that a function calls, or names as values: whoever gets one may call it."""
    yield from (call.callee for call in graph.calls())
    values = (one.value for one in graph.effects() if isinstance(one, Assign))
    yield from (value.callee for value in values if isinstance(value, Named))
    yield from graph.methods.values()


def steps_giving_away(graph: Graph) -> dict[int, tuple[tuple[str, frozenset[Place]], ...]]:
    """Returns the nested functions that each step, by its id, passes on, stores or returns: from there on, others may
    call them. Each has the places that the step reads and that may hold it: none of them has to. Only those count that
    capture something and that this process runs."""
    found: dict[int, list[tuple[str, frozenset[Place]]]] = {}
    holders = _holders(graph) if any(map(graph.captures.get, graph.sinks)) else {}
    times = Counter(effect.target for effect in graph.effects() if isinstance(effect, Assign))
    for name, places in holders.items():
        if name in graph.sinks and graph.captures[name]:
            named = [place for place in places if place.is_named]
            unnamed = graph.language.records and not named  # `go func() { … }()` names its function nowhere
            sure = not graph.module and not unnamed and all(times[place] == 1 for place in named)
            for step in graph.steps():
                if _gives_away(graph, step.effect, name, places, sure):
                    found.setdefault(id(step), []).append((name, places.intersection(read_places(step.effect))))
    return {step: tuple(names) for step, names in found.items()}


def _gives_away(graph: Graph, effect: Effect, name: str, places: frozenset[Place], sure: bool) -> bool:
    """Whether a step lets others have a nested function. ``sure``: its variable never holds anything else."""
    match effect:
        case Assign(_, Closure(other)):
            return (other == name and not sure) or not places.isdisjoint(graph.captures.get(other, ()))
        case Assign(_, AccessPath()):
            return False
        case Call():
            return not places.isdisjoint((*effect.given, effect.callee.receiver))
    return not places.isdisjoint(read_places(effect))


def _holders(graph: Graph) -> dict[str, frozenset[Place]]:
    """Returns the places that hold each nested function."""
    copies = [one for one in assignments(graph) if one.how is How.COPY]
    made = (one for one in graph.effects() if isinstance(one, Assign))
    return {one.value.name: destinations({one.target}, copies) for one in made if isinstance(one.value, Closure)}
