"""Analyses one function: explores its worlds, and turns what was recorded into facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

from fdlint.catalog import Catalog
from fdlint.dataflow.liveness import asked_more_than_once, live_places
from fdlint.dataflow.rechecked import foregone
from fdlint.dataflow.worklist import Flow, Limits, Solution, postorder, solve
from fdlint.domain.facts import Acquisition, Ending, Keeping, Misdeed, Misuse
from fdlint.domain.state import SHADOW, Contents, Story, World
from fdlint.domain.values import Sym
from fdlint.engine.feasibility import Correlations
from fdlint.engine.log import Home, Loss, Places, Record, Slot
from fdlint.engine.summary import Callees
from fdlint.engine.trace import End, mistake, span_of, tell
from fdlint.engine.trace import loss as how_lost
from fdlint.engine.transfer import RESULT, Context, Machine
from fdlint.findings.finding import EventKind, Span
from fdlint.ir import RAISE, RETURN, Graph, Live, Place

PER_SITE = Limits(soft=128, budget=4_000)
_PLACES = 32  # to be sorted out in one unit of work
_MAX_PLACES = 1_000_000  # in the sets that one run keeps
_KEYWORDS = -3_000_000  # the site of the dict that collects keyword arguments
MAX_SITES = 40  # more than these are not followed one by one


class Keeper(NamedTuple):
    """An attribute in which something was stored for good, its class, and the names of that class's relatives."""

    attribute: str
    owner: str
    relatives: frozenset[str]


@dataclass(frozen=True, slots=True)
class Analysis:
    """What was found out about one function, in one run or, for a function of too many paths, in one for each
    acquiring call.

    ``doubts`` says what was not told apart or not followed; None when everything was.
    """

    records: tuple[Record, ...]
    doubts: str | None = None


def explore(graph: Graph, catalog: Catalog, callees: Callees | None = None) -> Analysis:
    """Follows every path of a function; ``callees`` knows the functions it calls."""
    record = Record(graph.name)
    context = Context(callees)
    solution = run(graph, catalog, record, entry_world(graph), context)
    reopened = foregone(graph, record.answers)
    if reopened and solution.complete:
        record, context = Record(graph.name), Context(callees, reopened=reopened)
        solution = run(graph, catalog, record, entry_world(graph), context)
    record.settle_doubts()
    unclear = sorted(record.acquired if not solution.complete else {site for site, _ in record.doubtful})
    if not unclear:
        return Analysis((record,))
    records = [record]
    doubts = {_NOT_FOLLOWED} if len(unclear) > MAX_SITES else set()
    for site in unclear[:MAX_SITES]:
        alone, doubt = _follow_one(graph, catalog, record.sites[site].origin, context)
        records.append(alone)
        doubts |= doubt
    record.leave_out(set(unclear))
    return Analysis(tuple(records), min(doubts, default=None))


_NOT_FOLLOWED = "too many paths: some were not followed"
_NOT_TOLD_APART = "too many paths to tell apart: a leak on some of them may have been missed"


def _follow_one(graph: Graph, catalog: Catalog, origin: object, context: Context) -> tuple[Record, set[str]]:
    """Follows the function once more, minding one acquiring call only."""
    alone = Record(graph.name, only=origin)
    solution = run(graph, catalog, alone, entry_world(graph), context, PER_SITE)
    alone.settle_doubts()
    doubts = {_NOT_TOLD_APART} if alone.doubtful else set()
    return alone, doubts if solution.complete else {_NOT_FOLLOWED}


def run(
    graph: Graph,
    catalog: Catalog,
    record: Record,
    start: World,
    context: Context,
    limits: Limits | None = None,
    watch: Callable[[int, World], None] | None = None,
) -> Solution:
    """Explores a function from one world on; what becomes of descriptors goes into the record. ``watch``: told of every
    block and world."""
    asked_again, live, order = _prepared(graph)
    machine = Machine(graph, catalog, record, asked_again, context)
    budget = machine.budget

    shadows = {place for place in start.env if place.startswith(SHADOW)}
    kept = context.fields if context.observe is None else context.fields | {RESULT} | shadows
    places: dict[int, frozenset[Place]] = {}  # those that are not dropped, by the bits of a block

    def step(node: int, world: World) -> Iterable[tuple[int, World]]:
        for target, left in chain.from_iterable(machine.run(node, world.copy())):
            if live.bits[target] not in places:
                budget.spend(len(live.places) // _PLACES)
                if len(places) * len(live.places) > _MAX_PLACES:
                    places.clear()
                places[live.bits[target]] = live.at(target) | kept
            left.forget(places[live.bits[target]])
            yield target, left

    exits = frozenset({RETURN, RAISE})
    flow = Flow(step, lambda _, world: world.key(), World.forget_constants, order, exits, World.size)
    solution = solve(flow, graph.entry, [start], limits or Limits(), watch)
    return replace(solution, complete=solution.complete and machine.complete)


def _prepared(graph: Graph) -> tuple[frozenset[str], Live, dict[int, int]]:
    """What every run of a function needs to know of its graph, worked out once."""
    if graph.prepared is None:
        asked_again = asked_more_than_once(graph)
        order = postorder(graph.entry, graph.successors)
        graph.prepared = asked_again, live_places(graph, asked_again), order
    return graph.prepared


def entry_world(graph: Graph) -> World:
    """What is true when a function is entered: each parameter is something unknown of its own.

    The dict of a ``**`` parameter is the function's own, whatever is in it.
    """
    world = World({name: Sym(name) for name in graph.parameters if name not in graph.types})
    collected = graph.signature.double_star
    if collected is not None and collected in world.env:
        world.env[collected] = world.new_box(_KEYWORDS, Contents((), False, ()))
    return world


def acquisitions(
    graph: Graph, analysis: Analysis, places: Places, keeper: Callable[[Home], Keeper | None]
) -> list[Acquisition]:
    """The facts about every acquisition of a function that lost a descriptor on some path, or stored it for good.

    ``keeper``: the attribute and the class of a field in which one is stored, if nobody releases it there.
    """
    found = []
    for record, slot in ((one, slot) for one in analysis.records for slot in sorted(one.losses.keys() | one.kept)):
        site = record.sites[slot[0]] if slot[0] >= 0 else None
        kept = _kept(record, slot, keeper, places) if site is not None else None
        if site is None or (slot not in record.losses and kept is None):
            continue
        lost = record.losses.get(slot, {})
        endings = tuple(_ending(record, slot, loss, how, places) for loss, how in lost.items())
        found.append(
            Acquisition(
                api=site.api,
                function=qualified(graph.name),
                span=places.span(site.origin),
                variable=record.names.get(slot),
                received=site.received,
                released=slot in record.released,
                endings=endings,
                kept=kept,
            )
        )
    return found


def misuses(graph: Graph, analysis: Analysis, places: Places) -> list[Misuse]:
    """The facts about what a function does to descriptors after their end, each statement once."""
    found: dict[tuple[Misdeed, Span], Misuse] = {}
    correlations = Correlations(graph)
    for record in analysis.records:
        for what in record.misdoings:
            span = span_of(what.origin, places)
            if (what.deed, span) in found or correlations.may_exclude_each_other(what):
                continue
            slot = what.rid.site, what.rid.slot
            site = record.sites[what.rid.site]
            told = Misuse(
                deed=what.deed,
                variable=record.names.get(slot),
                function=qualified(graph.name),
                span=span,
                api=site.api or None,
                trace=tell(record, slot, _MISDEEDS[what.deed], what.origin, what.story, places),
            )
            found[what.deed, span] = told
    return list(found.values())


_MISDEEDS = {
    Misdeed.CLOSED_AGAIN: End(EventKind.CLOSED, "closed again"),
    Misdeed.USED: End(EventKind.RAISED, "used after that: it fails, or finds somebody else's file"),
    Misdeed.CLOSED_UNDER_OWNER: End(EventKind.CLOSED, "closed, and its new owner will close it again"),
}


def _kept(record: Record, slot: Slot, keeper: Callable[[Home], Keeper | None], places: Places) -> Keeping | None:
    """The attribute in which a descriptor was stored, if nobody ever releases it."""
    homes = sorted(record.kept.get(slot, ()), key=lambda home: (home.place, home.owner or ""))
    found = [keeper(home) for home in homes] if slot not in record.elsewhere else []
    if not found or None in found or found[0] is None:
        return None
    keeps = found[0]
    end = End(EventKind.LEAKED, f"kept in `{keeps.attribute}`, which nothing closes")
    trace = tell(record, slot, end, record.stored.get(slot), None, places)
    return Keeping(keeps.attribute, keeps.owner, trace, keeps.relatives)


def _ending(record: Record, slot: Slot, loss: Loss, how: tuple[object, Story | None], places: Places) -> Ending:
    origin, story = how
    spawned = loss.spawned or (loss.forked and slot in record.child_uses)
    trace = tell(record, slot, how_lost(loss.death), origin, story, places)
    return Ending(loss.death, loss.sent, spawned, trace, mistake(slot, story, places))


def qualified(name: str | None) -> str | None:
    """Without the number that tells two definitions of the same name apart."""
    return name.partition("#")[0] if name is not None else None
