"""A method of the same object is called: what it does to the attributes, done to the caller's view of them.

A call of one of the project's own functions: what its summary says, done to the caller's world.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from fdlint.callgraph.overrides import on_same_object
from fdlint.catalog.model import Action
from fdlint.domain.facts import Misdeed
from fdlint.domain.state import Contents, Resource, Status, Story, World
from fdlint.domain.values import (
    UNKNOWN,
    Age,
    Box,
    Cid,
    Const,
    Fd,
    Known,
    Pid,
    Rid,
    Sym,
    Value,
    mentions_any,
    substitute,
)
from fdlint.engine.allocate import fork
from fdlint.engine.eval import value_of
from fdlint.engine.feasibility import PERHAPS
from fdlint.engine.heap import acquired_before, escape, keep, release
from fdlint.engine.misuse import judge
from fdlint.engine.models.containers import set_contents
from fdlint.engine.path_conditions import teach
from fdlint.engine.summary import Callees, Outcome, Renaming, Shared, Summary
from fdlint.engine.symbolic_parameters import Met
from fdlint.engine.trace import chapters
from fdlint.engine.transfer_call import Caller
from fdlint.frontend.python.exceptions import base_of
from fdlint.ir import Arg, Call, Lit, Step


def note_fields(caller: Caller, world: World, step: Step, summary: Summary, renaming: Renaming) -> None:
    """What the callee lost or closed twice of what came in is noted as the caller's, whose story leads there."""
    rids = {known_as: rid for rid, known_as in renaming.rids.items()}
    record = caller.record
    if world.vague:
        return
    for lost in summary.overwrites:
        rid = rids[lost.rid]
        story = joined(Story("called", step.origin, rid, world.story), lost.story, rids)
        record.overwrites.setdefault(replace(lost, rid=rid, story=story, nth=acquired_before(rid, story)))
    for again in summary.recloses:
        rid = rids[again.rid]
        story = joined(Story("called", step.origin, rid, world.story), again.story, rids)
        record.recloses.setdefault(replace(again, rid=rid, story=story))
    for asked in summary.truths:
        record.truths.setdefault(replace(asked, rid=rids[asked.rid]))


def joined(before: Story, inside: Story | None, rids: dict[Rid, Rid]) -> Story:
    """A callee's story told after its caller's."""
    for chapter in reversed(list(chapters(inside))):
        rid = rids.get(chapter.rid) if chapter.rid is not None else None  # its own are no concern of the caller's
        before = Story(chapter.happening, chapter.origin, rid, before)
    return before


def take_over(caller: Caller, world: World, step: Step, outcome: Outcome, rids: dict[Rid, Rid]) -> None:
    """What the callee made and stored in the object's attributes is in the caller's view of them; ``rids`` learns what
    it is called here."""
    found: dict[Rid, Rid] = {}
    for known_as, made in outcome.held:
        site = caller.record.adopt(made)
        if not any(rid.site == site for rid in found.values()):
            make_older(world, site, rids)
        rid = found[known_as] = Rid(site, known_as.slot, known_as.age)
        world.resources[rid] = Resource(Status.HELD if caller.record.follows(site) else Status.HANDED, bound=True)
        world.tell("acquired", made.origin, rid)
        world.tell("called", step.origin, rid)
    rids |= found


def make_older(world: World, site: int, rids: dict[Rid, Rid]) -> None:
    """A site acquires again: what it acquired before is older from here on, also for who knows it by another name."""
    older = {Age.NEWEST: Age.PREVIOUS, Age.PREVIOUS: Age.OLDER, Age.OLDER: Age.OLDER}
    world.make_older(site)
    for known_as, rid in rids.items():
        if rid.site == site:
            rids[known_as] = rid._replace(age=older[rid.age])


def put_fields(world: World, shared: Shared, outcome: Outcome, rids: dict[Rid, Rid], cids: dict[Cid, Cid]) -> None:
    """The fields as the callee leaves them."""
    for place in [place for place in world.env if shared.path(place) is not None]:
        del world.env[place]
    for path, value in outcome.fields:
        world.env[shared.place(path)] = substitute(value, rids, cids)


MADE_BY_CALLS, CONTAINERS_OF_A_CALL = -2_000_000, 8  # the sites of containers that calls make; see ``made``
_MAX_PLAIN = 4  # ways that are told apart out of a call that has to do with no descriptor
_CALL, _WAY = 20, 5  # what a call costs, and each way out of it, in steps
_PLAIN = 10  # what a call costs that has to do with no descriptor
_ALWAYS_TOLD = ("Exception", "OSError")


@dataclass(frozen=True, slots=True)
class Way:
    """One way a call goes on in the caller; ``raises`` names what comes out of it, None when it returns; ``mistaken``:
    it raises for sure, because the callee misuses a number as an object."""

    world: World
    result: Value
    raises: str | None
    mistaken: bool = False


def project_call(caller: Caller, callees: Callees | None, world: World, step: Step, call: Call) -> list[Way] | None:
    """The ways a call can go, or None when the function is not the project's, or too much to follow."""
    if callees is None:
        return None
    met = _strangers(caller, world, step, call)
    values = [value_of(world, caller.graph, arg.value) for arg in call.args]
    gives = any(rid in world.resources for value in values for rid in world.reachable([value]))
    gives_back = callees.acquires(caller.graph, call) or callees.makes_function(caller.graph, call)
    if not gives_back and any(isinstance(one, Box) and one.cid in world.heap for one in values):
        gives_back = callees.fills(caller.graph, call)
    if not (met or gives or gives_back) and not callees.touches_fields(world, caller.graph, call):
        callees.budget.spend(_PLAIN)
        return _plain(callees, caller, world, step, call)
    found = callees.summary(world, caller.graph, call, values)
    callees.budget.spend(_CALL + (_WAY * len(found[0].outcomes) if found is not None else 0))
    if found is None:
        caller.strangers.dismiss(world, met)
        return _given_up(caller, world, step, values) if callees.knows(caller.graph, call) else None
    summary, renaming = found
    note_fields(caller, world, step, summary, renaming)
    ways = [_way(caller, world.copy(), step, call, summary, one, renaming) for one in summary.outcomes]
    for way in ways if met else ():
        caller.strangers.dismiss(way.world, met)
    return _arguments(ways, caller, call)


def _strangers(caller: Caller, world: World, step: Step, call: Call) -> Met:
    """What is unknown here, and may come to its end in the function called."""
    ended = caller.ends(step, call)
    places = ended.closed | (ended.adopted & caller.closed if ended.adopted else frozenset())
    if not places:
        return {}
    fields = [Arg(place) for place in sorted(ended.closed) if "." in place and on_same_object(caller.graph, call)]
    given = [arg for arg in call.args if arg.value in places and arg not in fields]
    return caller.strangers.meet(world, step, [*given, *fields])


def _given_up(caller: Caller, world: World, step: Step, values: list[Value]) -> list[Way]:
    """A function of the project that could not be followed: what it is given is believed to be its from here on."""
    for value in values:
        caller.hand_over(world, value, step)
    escape(world, [one for one in (caller.graph.receiver,) if one is not None])
    release(world, caller.graph.globals)
    return [Way(world.copy(), UNKNOWN, "Exception"), Way(world, UNKNOWN, None)]


def _plain(callees: Callees, caller: Caller, world: World, step: Step, call: Call) -> list[Way] | None:
    """Nothing goes in and nothing comes out: it matters only how the call may end, and what it teaches."""
    watched = any(map(world.is_open, world.resources))
    exits = callees.exits(caller.graph, call, thorough=watched)
    if exits is None:
        return None
    returns, raises = exits
    told_apart = len(step.pads) > len(_ALWAYS_TOLD)
    if (raises and told_apart) or (watched and (raises or not call.unused) and callees.is_small(caller.graph, call)):
        values = [value_of(world, caller.graph, arg.value) for arg in call.args]
        found = callees.summary(world.copy(), caller.graph, call, values)
        if found is not None and not any(one.fresh or one.held for one in found[0].outcomes):
            return _plain_ways(caller, world, step, found[0], found[1], call)
    ways = [Way(world.copy(), UNKNOWN, "Exception")] if raises else []
    return [*ways, Way(world, Known.SOME if call.callee.constructs else UNKNOWN, None)] if returns else ways


def _plain_ways(
    caller: Caller, world: World, step: Step, summary: Summary, renaming: Renaming, call: Call
) -> list[Way]:
    """The ways out that differ by what is raised, by a constant that comes back, or by what they teach."""
    ways: dict[Hashable, Way] = {}
    for one in summary.outcomes:
        result = one.result if isinstance(one.result, Const | Known | Pid) and not call.unused else UNKNOWN
        key = one.raised, result, one.lessons
        if key not in ways:
            inside = world.copy()
            ways[key] = Way(inside, _forked(result, caller, inside, step, call), _raised(summary, one, step))
            teach(ways[key].world, renaming.symbols, one)
    if len(ways) <= _MAX_PLAIN:
        return list(ways.values())
    raised = dict.fromkeys(_raised(summary, one, step) for one in summary.outcomes)
    return [Way(world.copy(), UNKNOWN, kind) for kind in raised]


def _way(
    caller: Caller, world: World, step: Step, call: Call, summary: Summary, outcome: Outcome, renaming: Renaming
) -> Way:
    rids = {known_as: rid for rid, known_as in renaming.rids.items()}
    cids = {known_as: cid for cid, known_as in renaming.cids.items()}
    for incoming, resource in outcome.came_in:
        if not _always(summary, outcome, incoming, resource):
            world.tell(PERHAPS, step.origin, rids[incoming])
        for deed in sorted(resource.misused) if not (world.vague or step.expected) else ():
            judge(caller.record, caller.graph, world, rids[incoming], Misdeed(deed), step)
        origin = dict(outcome.closes).get(incoming) if renaming.shared is not None else None
        closing = step if origin is None else replace(step, origin=origin)
        told = closing if resource.status is Status.CLOSED else step
        if resource.status is Status.HELD and renaming.shared is None and incoming in summary.homes:
            caller.entrust(world, rids[incoming], step, summary.homes[incoming])
        else:
            _settle(caller, world, told, rids[incoming], resource, renaming)
    if outcome.fresh:
        _acquired(caller, world, step, call, summary, outcome, rids)
    if outcome.held:
        take_over(caller, world, step, outcome, rids)
    made = {
        cid: Cid(MADE_BY_CALLS - id(step.origin) * CONTAINERS_OF_A_CALL - n, cid.age)
        for n, (cid, _) in enumerate(outcome.made)
    }
    for cid, contents in outcome.made:
        world.heap[made[cid]] = _renamed(contents, rids, cids | made)
    for known_as, contents in outcome.boxes:
        cid = cids[known_as]
        inside = _renamed(contents, rids, cids | made)
        before = world.heap.get(cid)
        if before is not None and _changed(before, inside):
            kept_on = before.outlives or inside.outlives
            set_contents(caller, world, step, cid, replace(inside, outlives=kept_on))
    if renaming.shared is not None:
        put_fields(world, renaming.shared, outcome, rids, cids | made)
    teach(world, renaming.symbols, outcome)
    result = substitute(_forked(outcome.result, caller, world, step, call), rids, cids | made)
    if outcome.mistake is not None:
        happening, origin, incoming = outcome.mistake
        world.tell(happening, origin, rids[incoming])
    return Way(world, result, _raised(summary, outcome, step), outcome.mistake is not None)


def _always(summary: Summary, outcome: Outcome, rid: Rid, resource: Resource) -> bool:
    """Whether every way out of the callee of this kind leaves a descriptor so."""
    alike = [dict(one.came_in).get(rid) for one in summary.outcomes if (one.raised is None) is (outcome.raised is None)]
    return all(one is not None and one[0] is resource.status and one[-2:] == resource[-2:] for one in alike)


def _raised(summary: Summary, outcome: Outcome, step: Step) -> str | None:
    """The exception that comes out, by the name that a handler here gives it or one of its bases."""
    names = summary.lineages.get(outcome.raised, ()) if outcome.raised is not None else ()
    return next((name for name in names if base_of(name, step.pads) is not None), outcome.raised)


def _acquired(
    caller: Caller, world: World, step: Step, call: Call, summary: Summary, outcome: Outcome, rids: dict[Rid, Rid]
) -> None:
    """What the callee made and returns is acquired here, by the caller; ``rids`` learns what it is called here."""
    site = caller.record.site(step.origin, _shown(call), summary.received, step.statement)
    caller.record.explain(site, outcome.made_by)
    status = Status.OPEN if caller.record.follows(site) else Status.HANDED
    make_older(world, site, rids)
    slots = {pair: n for n, pair in enumerate(sorted({(rid.site, rid.slot) for rid in outcome.fresh}))}
    found = {rid: Rid(site, slots[rid.site, rid.slot], rid.age) for rid in outcome.fresh}
    only_one = summary.received and any(arg.value == Lit(1) for arg in call.args)
    for known_as, rid in found.items():
        world.resources[rid] = Resource(Status.HANDED if only_one and known_as.slot else status)
        caller.record.made.add((rid.site, rid.slot))
        world.tell("acquired", step.origin, rid)
    rids |= found


def _shown(call: Call) -> str:
    """The callee's name as a reader knows it."""
    return (call.callee.dotted or call.callee.name).lstrip(".")


def _settle(caller: Caller, world: World, step: Step, rid: Rid, resource: Resource, renaming: Renaming) -> None:
    """Does to the caller's descriptor what the callee did."""
    if resource.guarded:
        caller.guard(world, rid)
    if resource.status is Status.CLOSED:
        if world.is_alive(rid) or resource.certain:
            caller.close(world, rid, step, resource.certain)
    elif resource.status is Status.HANDED:
        caller.hand_over(world, Fd(rid), step)
        if resource.certain and not world.has_ended(rid, Status.CLOSED):
            world.set_status(rid, Status.HANDED, certain=True)
    elif resource.status is Status.HELD and not world.is_held(rid):
        if renaming.shared is not None:
            keep(caller.record, world, Fd(rid), step)
        else:
            caller.hand_over(world, Fd(rid), step)
    else:
        for flag, action in ((resource.sent, Action.SEND), (resource.spawned, Action.SPAWN)):
            if flag:
                caller.act(world, Fd(rid), action, step)
        caller.act(world, Fd(rid), Action.USE, step)


def _renamed(contents: Contents, rids: dict[Rid, Rid], cids: dict[Cid, Cid]) -> Contents:
    items = tuple(substitute(item, rids, cids) for item in contents.items)
    return Contents(items, contents.exact, contents.keys, contents.outlives)


def _changed(before: Contents, after: Contents) -> bool:
    """Whether anything of interest went in or out, or somebody else holds the container now."""
    interesting = [tuple(item for item in one.items if mentions_any(item)) for one in (before, after)]
    return interesting[0] != interesting[1] or (after.outlives and not before.outlives)


def _forked(value: Value, caller: Caller, world: World, step: Step, call: Call) -> Value:
    """A process id that the callee got from a fork tells parent and child apart here, each with a copy of all."""
    if isinstance(value, Pid):
        fork(world, step)
        return Pid(caller.record.site(step.origin, call.callee.name, False, step.statement))
    return value


def _arguments(ways: list[Way], caller: Caller, call: Call) -> list[Way]:
    """A callee that returns a plain parameter returns what it was given, which is known to the caller only."""
    return [
        replace(way, result=UNKNOWN) if isinstance(way.result, Sym | Box) and _is_foreign(way) else way for way in ways
    ]


def _is_foreign(way: Way) -> bool:
    return isinstance(way.result, Sym) or (isinstance(way.result, Box) and way.result.cid not in way.world.heap)


def leave_to_caller(ways: list[Way]) -> None:
    """Who does not look at a result that is a descriptor at times, and something else at others, knows which it is."""
    results = [way.result for way in ways if way.raises is None]
    if not any(not mentions_any(result) and not isinstance(result, Const) for result in results):
        return
    for way in ways:
        for rid in way.world.reachable([way.result]):
            resource = way.world.resources.get(rid)
            if resource is not None and not resource.bound:
                way.world.set_status(rid, Status.HANDED)
