"""Analyses one function: explores its worlds, and turns what was recorded into facts."""

from __future__ import annotations

from dataclasses import dataclass

from fdlint.catalog import Catalog
from fdlint.facts import Acquisition, Ending
from fdlint.graph import Graph
from fdlint.ownership.liveness import asked_more_than_once, live_places
from fdlint.ownership.machine import Machine
from fdlint.ownership.record import Loss, Record, Slot
from fdlint.ownership.story import Places, tell
from fdlint.solver import Flow, Limits, Solution, postorder, solve
from fdlint.state.values import Sym
from fdlint.state.world import Story, World


@dataclass(frozen=True, slots=True)
class Analysis:
    """What was found out about one function; ``complete`` is False when its budget ran out before all paths were seen."""

    record: Record
    solution: Solution[World]
    complete: bool


def explore(graph: Graph, catalog: Catalog, limits: Limits = Limits()) -> Analysis:
    """Follows every path of a function."""
    record = Record()
    asked_again = asked_more_than_once(graph)
    machine = Machine(graph, catalog, record, asked_again)
    live = live_places(graph, asked_again)

    def step(node: int, world: World) -> list[tuple[int, World]]:
        leaves = machine.run(node, world.copy())
        for target, left in leaves:
            left.forget(live[target])
        return leaves

    flow = Flow(step, lambda _, world: world.key(), World.forget_constants, postorder(graph.entry, graph.successors))
    solution = solve(flow, graph.entry, [entry_world(graph)], limits)
    return Analysis(record, solution, solution.complete)


def entry_world(graph: Graph) -> World:
    """What is true when a function is entered: each parameter is something unknown of its own."""
    return World({name: Sym(name) for name in graph.parameters if name not in graph.types})


def acquisitions(graph: Graph, analysis: Analysis, places: Places) -> list[Acquisition]:
    """The facts about every acquisition of a function that lost a descriptor on some path."""
    record = analysis.record
    found = []
    for slot in sorted(record.losses):
        site = record.sites[slot[0]]
        endings = tuple(_ending(record, slot, loss, how, places) for loss, how in record.losses[slot].items())
        found.append(
            Acquisition(
                api=site.api,
                function=_qualified(graph.name),
                span=places.span(site.origin),
                variable=record.names.get(slot),
                received=site.received,
                released=slot in record.released,
                endings=endings,
            )
        )
    return found


def _ending(record: Record, slot: Slot, loss: Loss, how: tuple[object, Story | None], places: Places) -> Ending:
    origin, story = how
    spawned = loss.spawned or (loss.forked and slot in record.child_uses)
    trace = tell(record, slot, loss.death, origin, story, places)
    return Ending(loss.death, loss.sent, spawned, trace)


def _qualified(name: str | None) -> str | None:
    """Without the number that tells two definitions of the same name apart."""
    return name.partition("#")[0] if name is not None else None
