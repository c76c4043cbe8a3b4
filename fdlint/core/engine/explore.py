"""Analyses one function: explores its states, and turns its log into facts."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import NamedTuple

from fdlint.catalog import Catalog
from fdlint.core.budget import Budget
from fdlint.core.dataflow.liveness import asked_more_than_once, live_places
from fdlint.core.dataflow.nested_functions import steps_giving_away
from fdlint.core.dataflow.reachability import blocks_of, closure, lone, passing, reachable
from fdlint.core.dataflow.rechecked import foregone
from fdlint.core.dataflow.slice import correlated
from fdlint.core.dataflow.worklist import Flow, Limits, Solution, postorder, solve
from fdlint.core.domain.assumption import surer
from fdlint.core.domain.contents import Contents
from fdlint.core.domain.correlated import Apart, Correlated
from fdlint.core.domain.event import Chance, Event
from fdlint.core.domain.facts import PASSING, Death, Ending, Keeping, Lifetime
from fdlint.core.domain.state import Role, State
from fdlint.core.domain.values import KEYWORDS, UNDECODED, AllocationSite, Known, Sym, Value
from fdlint.core.engine.assumed import about_calls, at, on_path, raising
from fdlint.core.engine.log import History, Home, Log, Loss, Occurrence, Places, bare
from fdlint.core.engine.objects import has_objects
from fdlint.core.engine.summary import Callees
from fdlint.core.engine.trace import End, chapters, mistake, span_of, tell
from fdlint.core.engine.trace import loss as how_lost
from fdlint.core.engine.transfer import RunOptions, Transfer
from fdlint.core.finding import Assumption, AssumptionKind, EventKind, Span
from fdlint.core.ir import (
    RAISE,
    RESULT,
    RETURN,
    AccessPath,
    Advance,
    Graph,
    InitialValue,
    Live,
    LiveAt,
    Place,
    Prepared,
)

PER_SITE = Limits(alike=128, soft=128, budget=6_000)
_LARGE = Limits(alike=16, soft=128, budget=9_000)  # for functions of hundreds of blocks, each with dozens of states
_PLACES = 32  # the places that are sorted out in one unit of work
_MAX_PLACES = 1_000_000  # the size of all the sets that one run keeps
_SHARED = frozenset({Death.RETURN, Death.FAILED, Death.NEXT_ROUND})  # the ends that a path without a loss may have, too
_MAX_CAUSES = 50  # the exceptions, or the returns, that are compared with those of other descriptors
MAX_SITES = 40  # the acquiring calls that are followed one by one at most


class Keeper(NamedTuple):
    """An attribute that nobody releases, its class, and the names of the relatives of that class."""

    attribute: str
    owner: str
    relatives: frozenset[str]


@dataclass(frozen=True, slots=True)
class Analysis:
    """The logs of one function: of one run, and of one more run for each acquiring call if there are too many paths.

    ``doubts`` says which paths were not told apart or not followed; None when all were. ``complete``: the first log has
    every path.
    """

    logs: tuple[Log, ...]
    doubts: str | None = None
    complete: bool = True


def explore(graph: Graph, catalog: Catalog, callees: Callees | None = None, made: type[Log] = Log) -> Analysis:
    """Follows every path of a function; ``callees`` knows the functions it calls. ``made``: the kind of the logs."""
    log = made(graph.name)
    options = RunOptions(callees)
    solution = run(graph, catalog, log, entry_state(graph), options)
    reopened = foregone(graph, options.answers)
    if reopened and solution.complete:
        log, options = made(graph.name), RunOptions(callees, reopened=reopened)
        solution = run(graph, catalog, log, entry_state(graph), options)
    if not solution.complete:
        log.returning.add(Role.PARENT)  # perhaps
    log.end_parents()
    reached = {site for site, _ in log.slots(Event.REACHED)}
    unclear = sorted(reached if not solution.complete else _in_doubt(log))
    logs = [log, *_misused(graph, catalog, log, options, unclear)]
    if not unclear:
        return Analysis(tuple(logs))
    doubts = {_NOT_FOLLOWED} if len(unclear) > MAX_SITES else set()
    for site in unclear[:MAX_SITES]:
        alone, doubt = _follow_one(graph, catalog, log, site, options)
        logs.append(alone)
        doubts |= doubt
    log.forget(Event.LOST, sites=set(unclear))
    return Analysis(tuple(logs), min(doubts, default=None), solution.complete)


def _misused(
    graph: Graph, catalog: Catalog, log: Log, options: RunOptions, others: Collection[AllocationSite]
) -> Iterator[Log]:
    """Yields the misuses that come to light when an acquiring call is followed alone. ``others``: the calls that are
    followed alone in any case."""
    blurred = {site for site, _ in log.marked(Event.BLURRED)}
    for site in sorted(blurred.difference(others))[: max(0, MAX_SITES - len(others))]:
        alone, _ = _follow_one(graph, catalog, log, site, options)
        alone.keep_misuses()
        yield alone


def _in_doubt(log: Log) -> set[AllocationSite]:
    """Returns the acquiring calls whose losses are in doubt."""
    return {slot[0] for slot, history in log.histories().items() if history.in_doubt}


_NOT_FOLLOWED = "too many paths: some were not followed"
_NOT_TOLD_APART = "too many paths to tell apart: a leak on some of them may have been missed"


def _follow_one(
    graph: Graph, catalog: Catalog, log: Log, site: AllocationSite, options: RunOptions
) -> tuple[Log, set[str]]:
    """Follows the function once more, for one acquiring call only. Returns the log of that run and its doubts."""
    made, origin = type(log), log.sites[site].origin
    alone = made(graph.name, only=origin)
    solution = run(graph, catalog, alone, entry_state(graph), options, PER_SITE)
    if not solution.complete:
        alone = made(graph.name, only=origin)
        solution = run(graph, catalog, alone, entry_state(graph), options, _LARGE)
    alone.returning |= log.returning
    alone.end_parents()
    doubts = {_NOT_TOLD_APART} if _in_doubt(alone) else set()
    return alone, doubts if solution.complete else {_NOT_FOLLOWED}


def run(
    graph: Graph,
    catalog: Catalog,
    log: Log,
    start: State,
    options: RunOptions,
    limits: Limits | None = None,
) -> Solution:
    """Explores a function from one start state and logs what happens to its descriptors."""
    asked_again, live, order, passed, single, giving_away = prepared(graph)
    transfer = Transfer(graph, catalog, log, asked_again, replace(options, giving_away=giving_away))
    transfer.meets_objects(has_objects(start))

    given = {place for place in start.env if isinstance(place, InitialValue)}
    kept = options.fields if options.observe is None else options.fields | given
    if options.observe is not None or graph.returns_error:
        kept |= {RESULT}
    ahead = _ahead_of(graph, log.only)
    alive_at = _liveness(live, kept, transfer.budget)

    def step(node: int, state: State) -> Iterable[tuple[int, State]]:
        for target, left in chain.from_iterable(transfer.run(node, state)):
            left.forget(alive_at(target))
            if order[passed.get(target, target)] <= order[node]:
                left.rarely = False  # the next round tries again
            if target in ahead or log.holds_followed(left):
                yield target, left

    holding = frozenset(place for place, value in start.env.items() if start.leads_anywhere(value))
    found: list[Correlated] = []  # computed when it is first needed
    told_apart: dict[int, Apart] = {}

    def apart(node: int) -> Apart:
        if node not in told_apart:
            if not found:
                found.append(_told_apart(graph, options.callees, catalog, log.only, holding, kept))
            told_apart[node] = found[0].at(node)
        return told_apart[node]

    records = graph.language.records
    flow = Flow(
        step,
        State.key,
        functools.partial(State.widen, records=records),
        order,
        frozenset({RETURN, RAISE}),
        State.size,
        passed,
        single,
        lambda node, state: state.kin(apart(node)),
        lambda node, state: state.essence(apart(node)),
        functools.partial(State.doubted, records=records),
        State.merged,
        State.copy,
        surer,
    )
    solution = solve(flow, graph.entry, [start.copy()], limits or Limits())
    return replace(solution, complete=solution.complete and transfer.complete)


def _liveness(live: Live, kept: frozenset[Place], budget: Budget) -> Callable[[int], LiveAt]:
    """Returns a function that tells which places a state keeps at the entry of a block. ``kept``: those that it keeps
    everywhere."""
    needed: dict[int, LiveAt] = {}  # by the bits of a block

    def alive_at(block: int) -> LiveAt:
        bits = live.bits[block]
        alive = needed.get(bits)
        if alive is None:
            budget.spend(live.size // _PLACES)
            if len(needed) * live.size > _MAX_PLACES:
                needed.clear()
            found = live.at(block)
            alive = needed[bits] = replace(found, places=found.places | kept)
        return alive

    return alive_at


def _ahead_of(graph: Graph, origin: object) -> Container[int]:
    """Returns the blocks from which control may come to an acquiring call; all blocks if no call is given."""
    if origin is None:
        return range(len(graph.blocks))
    before: dict[int, list[int]] = defaultdict(list)
    for index in range(len(graph.blocks)):
        for target in graph.successors(index):
            before[target].append(index)
    return frozenset(closure(blocks_of(graph, origin), lambda index: before[index]))


def _told_apart(
    graph: Graph,
    callees: Callees | None,
    catalog: Catalog,
    followed: object,
    holding: frozenset[Place],
    kept: frozenset[Place],
) -> Correlated:
    """Returns which plain values of a function are told apart, however many states that makes. ``followed``: the origin
    of the only acquiring call that is followed."""
    if callees is not None:
        found = callees.correlated(graph, holding, followed)
    else:
        found = correlated(graph, catalog, holding, lambda _: True, followed)
    places = found.always.places | kept | graph.types.keys() | frozenset(map(AccessPath, graph.constants))
    return found._replace(always=found.always._replace(places=places))


def prepared(graph: Graph) -> Prepared:
    """Returns what every run of a function needs from its graph. Computed once."""
    if graph.prepared is None:
        asked_again = asked_more_than_once(graph)
        order = postorder(graph.entry, graph.successors)
        live = live_places(graph, asked_again)
        lonely, given_away = lone(graph, order), steps_giving_away(graph)
        graph.prepared = Prepared(asked_again, live, order, passing(graph, order), lonely, given_away)
    return graph.prepared


def entry_state(graph: Graph, decided: Iterable[tuple[Place, Value]] = ()) -> State:
    """Returns the state in which a function starts: each parameter, and each fixed name of an outer function, has an
    unknown value of its own, except for the object of a method, which is there, and those that are ``decided``.

    The dict of a ``**`` parameter belongs to the function, whatever is in it.
    """
    names = (
        name for name in (*graph.parameters, *graph.fixed) if name not in graph.types and name not in graph.methods
    )
    state = State({name: Known.SOME if name == graph.receiver else Sym(name) for name in names} | dict(decided))
    collected = graph.signature.double_star
    if collected is not None and collected in state.env:
        state.env[collected] = state.new_box(KEYWORDS, Contents((), False, ()))
    return state


_LAST = 1 << 30  # puts what was not decoded behind the descriptors that were: more is known of those


def lifetimes(
    graph: Graph,
    analysis: Analysis,
    places: Places,
    keeper: Callable[[Home, bool], Keeper | None],
    closed_elsewhere: Callable[[Graph, Home], bool],
) -> list[Lifetime]:
    """Returns facts about the acquisitions whose descriptor is lost on some path, or stored where nobody releases it.

    ``keeper`` returns the attribute and the class of a field if nobody releases the descriptor in it; None otherwise.
    It is asked whether that is a number that the function itself never closes. ``closed_elsewhere`` tells whether
    another function than the given one may close what such a field holds.
    """
    found = []
    decodes = any(map(_decodes, analysis.logs))
    for log in analysis.logs:
        for slot, history in sorted(log.histories().items(), key=lambda one: (one[0][0], one[0][1] % _LAST)):
            handed_on = not history.closed
            losses = [one for one in history.losses() if not (handed_on and _takes_no_round(graph, log, one))]
            if slot[1] == UNDECODED:  # nothing shows that it was decoded where paths are no longer told apart
                losses = [one for one in losses if one.certain]
            if history.first(Event.OWED) and any(closed_elsewhere(graph, home) for home in _homes(history)):
                losses = []
            site = log.sites[slot[0]] if slot[0].is_own and (losses or history.first(Event.KEPT)) else None
            acquired = site is not None and site.api  # no number that came in
            stays = all(isinstance(one.detail, Loss) and one.detail.death in PASSING for one in losses)
            kept = _kept(log, history, keeper, places) if acquired and stays else None
            undecoded = slot[1] == UNDECODED and not decodes
            if site is None or undecoded or not (losses or kept):
                continue
            found.append(
                Lifetime(
                    api=site.api,
                    function=qualified(graph.name),
                    span=places.span(site.origin),
                    variable=history.name,
                    received=site.received,
                    released=history.released,
                    endings=tuple(_ending(graph, log, one, places) for one in losses),
                    events=frozenset(one.event for one in history),
                    kept=kept,
                    of=site.of,
                )
            )
    return found


def _decodes(log: Log) -> bool:
    """Whether a function makes descriptors of messages."""
    acquired = (one.descriptor for one in log.of(Event.ACQUIRED))
    return any(fd.slot != UNDECODED and fd.site.is_own and log.sites[fd.site].received for fd in acquired)


def _kept(log: Log, history: History, keeper: Callable[[Home, bool], Keeper | None], places: Places) -> Keeping | None:
    """Returns the attribute in which a descriptor was stored, if nobody ever releases it there; None otherwise."""
    stored, homes = history.of(Event.KEPT), _homes(history)
    if not history.outlives or any(not one.local and not one.whole for one in homes):
        homes = [one for one in homes if not one.local]
    number = not history.closed and not all(one.whole for one in homes)
    number = number and bool(stored) and not log.sites[stored[0].slot[0]].finalized
    ended = history.given_away or (history.closed and not history.outlives)
    found = [keeper(home, number) for home in homes] if not ended else []
    if not found or None in found or found[0] is None:
        return None
    keeps = found[0]
    end = End(EventKind.LEAKED, f"kept in `{keeps.attribute}`, which nothing closes")
    trace = tell(log, stored[0].slot, end, stored[0].origin, None, places)
    assumed = at(AssumptionKind.NO_OTHER_CLOSES, trace[-1].span)
    return Keeping(keeps.attribute, keeps.owner, trace, keeps.relatives, (assumed,))


def _homes(history: History) -> list[Home]:
    """Returns the fields that keep a descriptor at some time."""
    return sorted((one.detail for one in history.of(Event.KEPT) if isinstance(one.detail, Home)), key=_spelled)


def _spelled(home: Home) -> tuple[bool, Place, str]:
    return home.whole, home.place, home.owner or ""


def _ending(graph: Graph, log: Log, lost: Occurrence, places: Places) -> Ending:
    loss = lost.detail
    assert isinstance(loss, Loss)
    at_once = loss.death is Death.DISCARDED  # whatever happens later does not matter
    origin, story = (None, None) if at_once else (lost.origin, lost.story)
    trace = tell(log, lost.slot, how_lost(loss.death), origin, story, places)
    wrong = mistake(lost.slot, lost.story, places)
    origins = log.origins(Event.RAISED_OPEN, lost.slot) if loss.death is Death.EXCEPTION else ()
    causes = tuple(span_of(origin, places) for origin in islice(origins, _MAX_CAUSES))
    left_by = log.origins(Event.LEFT_OPEN, lost.slot) if loss.death in (Death.RETURN, Death.FAILED) else ()
    exits = tuple(span_of(origin, places) for origin in islice(left_by, _MAX_CAUSES))
    assumed, rare = _assumed(graph, log, lost, loss, trace[-1].span, places), loss.chance is Chance.RARE
    own = loss.chance is Chance.OWN
    return Ending(loss.death, loss.marks, trace, wrong, tuple(assumed), rare, causes, exits, own)


def _assumed(graph: Graph, log: Log, lost: Occurrence, loss: Loss, end: Span, places: Places) -> Iterator[Assumption]:
    """Yields what is assumed on the path of a loss, which comes to its end at a place."""
    noted = on_path(lost.descriptor, lost.story, places)
    yield from noted
    yield from (at(kind, end) for kind in AssumptionKind if kind in loss.assumed.difference(one.kind for one in noted))
    yield from about_calls(log, lost, loss, end, places, named=graph.language.says_it_takes)
    if loss.death in PASSING and loss.chance is Chance.ASSUMED:
        yield from raising(lost.story, places)
    if not lost.certain:
        yield at(AssumptionKind.PATHS_MERGED, end)
    elif loss.death in _SHARED and _may_be_related(graph, log, lost, loss.death):
        yield at(AssumptionKind.CONDITION, end)


def _takes_no_round(graph: Graph, log: Log, lost: Occurrence) -> bool:
    """Whether a descriptor is only lost because a loop ends before its first round, while each round would hand it on:
    for each signal, a handler that keeps it. fdlint assumes that such a loop has a round."""
    rounds, skipped = set[object](), set[object]()
    for one in chapters(lost.story):
        if one.event is Event.LOOPED:
            rounds.add(one.origin)
        elif one.event is Event.LOOP_ENDED:
            skipped.add(one.origin)
    if skipped <= rounds:
        return False
    ends = {block for origin in log.origins(Event.ENDED, lost.slot) for block in blocks_of(graph, origin)}
    for head, block in enumerate(graph.blocks if ends else ()):
        end = block.end
        if isinstance(end, Advance) and end.origin in skipped - rounds:
            inside = ends.difference(reachable(graph, end.done, without={head}))
            going_on = set(reachable(graph, end.body, without=inside))
            if inside and going_on.isdisjoint((head, end.done, RETURN)):
                return True
    return False


def _may_be_related(graph: Graph, log: Log, lost: Occurrence, death: Death) -> bool:
    """Whether the function also leaves by the same statement, or goes round the loop, after it has ended the descriptor
    and without having acquired it. Then one condition decides whether it acquires and another whether it ends, and
    these may be related. An exception that is caught decides for certain."""
    left: object = None
    for one in chapters(lost.story):
        if one.event is Event.RAISED:
            return False
        if one.event is Event.ACQUIRED and one.descriptor is not None and one.descriptor.origin_slot == lost.slot:
            break
        left = one.origin if one.event in (Event.RETURNED, Event.FELL_OFF) else left
    exits, acquiring = blocks_of(graph, left), blocks_of(graph, bare(log.sites[lost.slot[0]].origin))
    ends = {block for origin in log.origins(Event.ENDED, lost.slot) for block in blocks_of(graph, origin)}

    entered = {graph.entry} - acquiring
    heads = {loop.head for loop in graph.loops} - acquiring

    def onwards(block: int) -> Iterable[int]:
        return (one for one in graph.targets(graph.blocks[block].end) if one not in acquiring)

    def reached(start: Iterable[int]) -> set[int]:
        return set(closure(start, onwards))

    ended = reached(ends)
    if death is Death.NEXT_ROUND:
        return any(head in reached(onwards(head)) for head in heads & ended)
    return bool(exits & ended and exits & reached(entered))


def qualified(name: str | None) -> str | None:
    """Returns a function's name without the number that tells definitions of the same name apart."""
    return name.partition("#")[0] if name is not None else None
