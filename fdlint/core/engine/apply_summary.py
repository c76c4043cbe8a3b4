"""Applies the summary of one of the project's own functions to the state of its caller.

When the function is a method of the caller's object, this also changes the attributes as the caller knows them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace

from fdlint.catalog.model import Api
from fdlint.catalog.naming import ends_object
from fdlint.core.domain.apply_event import apply_event, spare
from fdlint.core.domain.assumption import assume, kinds_of
from fdlint.core.domain.contents import MAX_PLAIN, Contents, is_object
from fdlint.core.domain.event import CARRIED, PASSED_ON, SINGLE, Chance, Event
from fdlint.core.domain.owner import Begins, OwnerClass
from fdlint.core.domain.state import BOUND, Resource, Role, State, Story
from fdlint.core.domain.typestate import ALIVE, ASSUMED, ON_RETURN, Status, Violation
from fdlint.core.domain.values import (
    FOREIGN,
    UNDECODED,
    UNKNOWN,
    Age,
    AllocationSite,
    Ancillary,
    Box,
    Const,
    Container,
    ContainerSite,
    Descriptor,
    Fd,
    Fn,
    Known,
    Maker,
    Pid,
    Seq,
    Sym,
    Typed,
    Value,
    mentions_any,
    substitute,
)
from fdlint.core.engine.allocate import fork
from fdlint.core.engine.eval import is_flag, object_of, value_of
from fdlint.core.engine.exposure import expose
from fdlint.core.engine.heap import LET_GO, acquired_before, escape, has_name, keep, release
from fdlint.core.engine.log import LetGo, Source
from fdlint.core.engine.misuse import judge_callee
from fdlint.core.engine.models.containers import set_contents
from fdlint.core.engine.models.undecoded import expect, looked_at, site_of
from fdlint.core.engine.path_conditions import teach
from fdlint.core.engine.registrations import any_registered, settle, unregister_all
from fdlint.core.engine.summary import GOING_IN, Callees, Ended, New, Outcome, Renaming, Shared, Summary
from fdlint.core.engine.symbolic_parameters import Met
from fdlint.core.engine.trace import chapters
from fdlint.core.engine.transfer_call import CallTransfer
from fdlint.core.finding import AssumptionKind
from fdlint.core.ir import Arg, Call, Graph, Lit, Step


def replay(caller: CallTransfer, state: State, step: Step, summary: Summary, renaming: Renaming) -> None:
    """Logs for the caller what the callee did to descriptors that came in. The caller's story leads to each event."""
    fds = {known_as: fd for fd, known_as in renaming.fds.items()}
    of_object = isinstance(step.effect, Call) and caller.graph.calls_own(step.effect)
    closed = {fd for way in summary.outcomes for fd, one in way.came_in if one.status is Status.CLOSED}
    for fd in (fd for fd, known_as in renaming.fds.items() if known_as not in closed):
        caller.log.acts(state, Fd(fd), Event.USED, step.origin)
    for one in summary.occurrences if not state.widened else ():
        fd, story, detail, origin = fds[one.descriptor], one.story, one.detail, one.origin
        if one.event is Event.KEPT or (one.event in LET_GO and has_name(caller.graph, state, step, fd)):
            continue  # each outcome handles what is kept for itself
        if isinstance(one.event, Violation) and not of_object:
            story, origin = state.story, step.origin  # a function that closes for its caller
        elif one.event is not Event.TESTED:
            story = joined(Story(Event.CALLED, step.origin, fd, state.story), story, fds)
        if isinstance(detail, LetGo):
            assumed = detail.assumed | kinds_of(state.resources.get(fd))
            detail = detail._replace(nth=acquired_before(fd, story), assumed=assumed)
        caller.log.note(one.event, fd, origin, detail, story, one.certain)


def joined(before: Story, inside: Story | None, fds: dict[Descriptor, Descriptor]) -> Story:
    """Returns the caller's story, continued by the callee's. ``fds`` maps the callee's names of descriptors to the
    caller's, which does not know the callee's own ones."""
    for chapter in reversed(list(chapters(inside))):
        fd = fds.get(chapter.descriptor) if chapter.descriptor is not None else None
        before = chapter._replace(descriptor=fd, before=before, place=None)
    return before


def take_over(
    caller: CallTransfer, state: State, step: Step, outcome: Outcome, fds: dict[Descriptor, Descriptor]
) -> None:
    """Adds the descriptors that the callee made and stored in the object's attributes to the caller's state.

    Adds their names here to ``fds``.
    """
    found: dict[Descriptor, Descriptor] = {}
    for known_as, made, _, _, marks in outcome.held:
        site = caller.log.adopt(made)
        if not any(fd.site == site for fd in found.values()):
            make_older(state, site, fds)
        fd = found[known_as] = Descriptor(site, known_as.slot, known_as.age)
        status = Status.HELD if caller.log.follows(site) else Status.HANDED
        state.resources[fd] = Resource(status, BOUND | marks, of=made.of)
        caller.objects.present = caller.objects.present or made.of is not None
        state.tell(Event.ACQUIRED, made.origin, fd)
        state.tell(Event.CALLED, step.origin, fd)
    fds |= found


def make_older(state: State, site: AllocationSite, fds: dict[Descriptor, Descriptor]) -> None:
    """Makes what a site acquired before older, because it acquires again; in the state and in the values of ``fds``."""
    older = {Age.NEWEST: Age.PREVIOUS, Age.PREVIOUS: Age.OLDER, Age.OLDER: Age.OLDER}
    state.make_older(site)
    for known_as, fd in fds.items():
        if fd.site == site:
            fds[known_as] = fd._replace(age=older[fd.age])


def put_fields(
    state: State,
    shared: Shared,
    outcome: Outcome,
    fds: dict[Descriptor, Descriptor],
    containers: dict[Container, Container],
) -> None:
    """Gives the fields the values that the callee leaves in them."""
    for place in shared.places(state):
        del state.env[place]
    for path, value in outcome.fields:
        state.env[shared.place(path)] = substitute(value, fds, containers)


_CALL, _WAY, _PLAIN = 20, 5, 10  # the cost of a call, of each way out of it, and of one without descriptors, in steps
_KEPT = frozenset({Status.HELD, Status.HANDED})
_ALWAYS_TOLD = 2  # exceptions that every call may raise: an unknown one, and that of a failed system call


@dataclass(frozen=True, slots=True)
class Way:
    """One way in which a call goes on in the caller.

    ``raises``: the name of the exception that comes out, None when the call returns; ``chance``: how often it does;
    ``mistaken``: the callee misuses a number as an object, so the call is sure to raise.
    """

    state: State
    result: Value
    raises: str | None
    chance: Chance = Chance.KNOWN
    mistaken: bool = False


def project_call(
    caller: CallTransfer, callees: Callees | None, state: State, step: Step, call: Call
) -> list[Way] | None:
    """Returns the ways in which a call can go; None when the function is not the project's, or too much to follow."""
    if callees is None:
        return None
    if any_registered(state) and callees.unregisters(caller.graph, call):
        unregister_all(state)
    if Event.INHERITABLE in caller.log.occurrences and callees.starts(caller.graph, call):
        expose(caller.log, state)
    ends = caller.ends(step, call)
    state.free |= ends.streams
    met = _strangers(caller, state, step, call, ends)
    values = [value_of(state, caller.graph, arg.value) for arg in call.args]
    given = [*values, object_of(state, call), *(state.env.get(place, UNKNOWN) for place in call.captured)]
    gives = bool(state.resources) and state.concerns(given, ending=bool(ends.closed or ends.adopted))
    made = caller.objects.made_by(call)
    if made is not None and made.begins is Begins.GIVEN and not any(map(state.is_open, state.reachable(given))):
        made = None  # what it is given belongs to somebody else
    gives_back = (made is not None and made.begins is not Begins.FILLED) or caller.gives_back(call)
    if not gives_back and any(isinstance(one, Box) and one.container in state.heap for one in values):
        gives_back = callees.fills(caller.graph, call)
    gives_back = gives_back or any(
        isinstance(one, Fn) and callees.calls_back(caller.graph, one.callee) for one in values
    )
    for value in (received := [one for one in given if isinstance(one, Ancillary)]):
        looked_at(state, value)
    again = any(isinstance(state.env.get(one), Fd) for one in ends.closed if one.is_attribute)
    if not (met or gives or gives_back or received or again) and not callees.touches_fields(state, caller.graph, call):
        callees.budget.spend(_PLAIN)
        plain = _plain(callees, caller, state, step, call, given)
        return _with_objects(caller, plain, step, call, made) if plain is not None else None
    found = callees.summary(state, caller.graph, call, values)
    callees.budget.spend(_CALL + (_WAY * len(found[0].outcomes) if found is not None else 0))
    if found is None:
        caller.strangers.dismiss(state, met)
        ways = _given_up(caller, state, step, call, given) if callees.knows(caller.graph, call) else None
        return _with_objects(caller, ways, step, call, made) if ways is not None else None
    summary, renaming = found
    for value in received if summary.decodes else ():
        caller.log.note(Event.ACQUIRED, Descriptor(site_of(caller.log, step, value.site), 0, Age.NEWEST))
    caller.log.lets_go = caller.log.lets_go or (summary.lets_go and caller.graph.calls_own(call))
    if (guess := callees.guessed(caller.graph, call)) is not None:
        assume(state, guess.kind, step.origin, renaming.fds, guess.name)
    replay(caller, state, step, summary, renaming)
    ways = [_way(caller, state.copy(), step, call, summary, one, renaming) for one in summary.outcomes]
    for way in ways:
        new = sorted(way.state.resources.keys() - state.resources.keys())
        if guess is not None and new:
            assume(way.state, guess.kind, step.origin, new, guess.name)
    for way in ways if met else ():
        caller.strangers.dismiss(way.state, met)
    ways = _with_objects(caller, _arguments(ways), step, call, made)
    if made is not None and made.begins is Begins.GIVEN:
        for way in ways:
            way.state.tie(given, way.result)
    return ways


def _with_objects(caller: CallTransfer, ways: list[Way], step: Step, call: Call, made: OwnerClass | None) -> list[Way]:
    """Returns the ways out of a call with the object that it creates as the result, and without exceptions that a
    method of an object cannot raise. ``made``: the object's class."""
    if any(caller.objects.is_nothrow(way.state, call) for way in ways[:1]):
        ways = [way for way in ways if way.raises is None] or ways
    if made is None:
        return ways
    create = caller.objects.create
    return [way if way.raises is not None else replace(way, result=create(way.state, step, call, made)) for way in ways]


def call_with_function(
    caller: CallTransfer, callees: Callees | None, state: State, step: Step, call: Call, given: Api
) -> list[Way] | None:
    """Returns the ways out of a project function that gets a function of the catalog (``given``). None for any other
    call, and where it is not known what comes back: then it is a wrapper, which returns what ``given`` returns."""
    if callees is None or not callees.knows(caller.graph, call):
        return None
    sure = bool(given.ended) or caller.graph.language.returns_errors
    ways = project_call(caller, callees, state if sure else state.copy(), step, call)
    return ways if ways is None or sure or all(way.result != UNKNOWN or way.raises for way in ways) else None


def _strangers(caller: CallTransfer, state: State, step: Step, call: Call, ended: Ended) -> Met:
    """Introduces descriptors for the unknown values that the function called may close or take over (``ended``).

    Returns them with the values that they replace.
    """
    for place in sorted(ended.closed | ended.adopted):
        caller.note_ended(state, value_of(state, caller.graph, place), Event.CLOSED)
    places = ended.closed | (ended.adopted & caller.closed if ended.adopted else frozenset())
    if not places:
        return {}
    fields = [Arg(place) for place in sorted(ended.closed) if place.is_attribute and caller.graph.calls_own(call)]
    given = [arg for arg in call.args if arg.value in places and arg not in fields]
    seen = [Arg(place) for place in call.captured if place in places]
    return caller.strangers.meet(state, step, [*given, *fields, *seen])


def _given_up(caller: CallTransfer, state: State, step: Step, call: Call, given: list[Value]) -> list[Way]:
    """Returns the ways out of a project function that could not be followed. It is assumed to take what it gets."""
    chance = caller.chance_of_unknown(state, call)
    caller.log.lets_go = True
    caller.log.remark(step.origin, Source.GIVEN_UP, call.callee.name)
    for value in given:
        caller.hand_over(state, value, step)
    escape(state, [one for one in (caller.graph.receiver,) if one is not None])
    release(state, caller.graph.globals)
    raising = Way(state.copy(), UNKNOWN, caller.graph.language.exceptions.unknown, chance)
    return [raising, Way(state, UNKNOWN, None)]


def _plain(
    callees: Callees, caller: CallTransfer, state: State, step: Step, call: Call, given: list[Value]
) -> list[Way] | None:
    """Returns the ways out of a call that neither gets nor returns descriptors; None when the function is not known.

    Only two things matter: how the call may end, and what the caller learns from it.
    """
    ours = any(state.is_open(fd) or state.is_borrowed(fd) for fd in state.resources)
    watched = ours or caller.objects.is_filled(state, call)
    exits = callees.exits(caller.graph, call, thorough=watched)
    if exits is None:
        return None
    returns, raises = exits
    chance = Chance.KNOWN
    told = call.callee.function is not None or call.result in caller.returned
    passed_on = caller.asked and (told or any(isinstance(one, Const) for one in given))
    refused = any(isinstance(value_of(state, caller.graph, one), Const) for one in caller.ends(step, call).closed)
    asked = (watched or passed_on) and (raises or not call.unused or refused)
    follows = callees.is_small if asked else callees.names_errors  # a caller's caller may tell apart what it raises
    small = (asked or (raises and caller.asked)) and follows(caller.graph, call)
    if (raises and len(step.pads) > _ALWAYS_TOLD) or small:
        values = [value_of(state, caller.graph, arg.value) for arg in call.args]
        found = callees.summary(state.copy(), caller.graph, call, values)
        if found is not None and not any(one.new for one in found[0].outcomes):
            return _plain_ways(caller, state, step, found[0], found[1], call)
        outcomes, renaming = (found[0].outcomes, found[1]) if found is not None else ((), Renaming())
        chances = {_chance(state, one, renaming) for one in outcomes if one.raised}
        chance = chances.pop() if len(chances) == 1 else chance
    ways = [Way(state.copy(), UNKNOWN, caller.graph.language.exceptions.unknown, chance)] if raises else []
    return [*ways, Way(state, Known.SOME if call.callee.constructs else UNKNOWN, None)] if returns else ways


def _plain_ways(
    caller: CallTransfer, state: State, step: Step, summary: Summary, renaming: Renaming, call: Call
) -> list[Way]:
    """Returns the ways out that differ by the exception, by the constant returned, or by what the caller learns."""
    ways: dict[Hashable, Way] = {}
    for one in summary.outcomes:
        result = one.result if isinstance(one.result, Const | Known | Pid) and not call.unused else UNKNOWN
        chance = _chance(state, one, renaming)
        key = one.raised, chance, result, one.lessons, one.role
        if key not in ways:
            inside = state.copy()
            _note_rarity(inside, one)
            value = _forked(result, one.role, caller, inside, step, call)
            ways[key] = Way(inside, value, _raised(caller, one, step), chance)
            teach(ways[key].state, renaming.symbols, one)
    if len(ways) <= MAX_PLAIN:
        return list(ways.values())
    raised = dict.fromkeys((_raised(caller, one, step), _chance(state, one, renaming)) for one in summary.outcomes)
    return [Way(state.copy(), UNKNOWN, kind, chance) for kind, chance in raised]


def _way(
    caller: CallTransfer, state: State, step: Step, call: Call, summary: Summary, outcome: Outcome, renaming: Renaming
) -> Way:
    fds = {known_as: fd for fd, known_as in renaming.fds.items()}
    containers = {known_as: container for container, known_as in renaming.containers.items()}
    chance = _chance(state, outcome, renaming)
    passed = state.reachable(value_of(state, caller.graph, arg.value) for arg in call.args)
    _assume_likewise(state, step, outcome, fds)
    for incoming, left in outcome.came_in:
        resource = left._replace(marks=left.marks - ON_RETURN) if outcome.raised else left
        if (not outcome.raised or resource.status not in ALIVE) and not _always(summary, outcome, incoming, resource):
            assume(state, AssumptionKind.SOME_PATHS, step.origin, [fds[incoming]])
        repeated = fds[incoming] in renaming.repeated
        judge_callee(caller.log, caller.graph, state, fds[incoming], resource.marks, step, repeated)
        told = step
        if resource.status is Status.CLOSED and renaming.shared is not None and fds[incoming] not in passed:
            told = replace(step, origin=outcome.closed_at(incoming) or step.origin)  # of a field, not an argument
        homes = summary.homes(incoming) if resource.status in _KEPT and renaming.shared is None else ()
        if homes:
            if Event.GIVEN in resource.marks:
                caller.mark(state, [fds[incoming]], step, Event.GIVEN)
            caller.entrust(state, fds[incoming], step, homes)
        elif not (state.role is Role.CHILD and _closes_otherwise(summary, incoming, resource)):
            _settle(caller, state, told, fds[incoming], resource, renaming)
    if any(Event.SPARED in left.marks for _, left in outcome.came_in):  # a call in the callee hardly ever fails so
        spare(state)
    _note_rarity(state, outcome)
    if ends_object(call.callee.name):
        _spare_ended(state, caller.graph, call, summary, outcome, fds)
    if outcome.fresh:
        _acquired(caller, state, step, call, summary, outcome, fds)
    if outcome.held:
        take_over(caller, state, step, outcome, fds)
    _assume_likewise(state, step, outcome, {new.descriptor: fds[new.descriptor] for new in outcome.new})
    made = {
        container: Container(ContainerSite(Maker.PROJECT_CALL, step.node, n, caller.graph.name or ""), container.age)
        for n, (container, _) in enumerate(outcome.made)
    }
    for site in {one.site for one in made.values() if one.age is Age.NEWEST}:
        older = state.make_older_box(site)
        containers = {known_as: older.get(container, container) for known_as, container in containers.items()}
    for container, contents in outcome.made:
        state.heap[made[container]] = _renamed(contents, fds, containers | made)
        caller.objects.present = caller.objects.present or is_object(contents)
    for known_as, contents in outcome.boxes:
        _change(caller, state, step, containers[known_as], _renamed(contents, fds, containers | made))
    if renaming.shared is not None:
        put_fields(state, renaming.shared, outcome, fds, containers | made)
    teach(state, renaming.symbols, outcome)
    result = substitute(_forked(outcome.result, outcome.role, caller, state, step, call), fds, containers | made)
    if outcome.owned and isinstance(result, Typed):
        result = _owning(caller, state, step, call, result, [fds[one] for one in outcome.owned])
    mistake = outcome.mistake
    if mistake is not None and isinstance(mistake.event, Event):
        state.tell(mistake.event, mistake.origin, fds[mistake.descriptor])
    return Way(state, result, _raised(caller, outcome, step), chance, mistake is not None)


def _change(caller: CallTransfer, state: State, step: Step, container: Container, inside: Contents) -> None:
    """Gives a container that went in the contents that it comes out with."""
    before = state.heap.get(container)
    if before is not None and _changed(before, inside):
        set_contents(caller, state, step, container, replace(inside, outlives=before.outlives or inside.outlives))


def _chance(state: State, outcome: Outcome, renaming: Renaming) -> Chance:
    """Returns how often a callee ends in a way. A system call on what went in counts as one here if all of that is at
    stake here."""
    return outcome.chance if outcome.chance is not Chance.OWN or renaming.fds.keys() <= state.at_stake else Chance.KNOWN


def _owning(
    caller: CallTransfer, state: State, step: Step, call: Call, result: Typed, owned: Iterable[Descriptor]
) -> Value:
    """Returns the object that a callee made of descriptors, as their owner."""
    owner = caller.log.site(step.origin, _shown(call), False, step.statement)
    for fd in owned:
        apply_event(state, None, fd, Event.TRANSFERRED, certain=True, owner=owner)
    state.let_older_go(owner)
    return replace(result, maker=owner)


def _assume_likewise(state: State, step: Step, outcome: Outcome, fds: Mapping[Descriptor, Descriptor]) -> None:
    """Assumes what the callee assumes about some descriptors. ``fds``: by their names there."""
    for one in reversed(outcome.occurrences):
        kind, fd = one.event, fds.get(one.descriptor)
        if not isinstance(kind, AssumptionKind) or fd is None:
            continue
        if one.detail or kind not in kinds_of(state.resources.get(fd)):
            assume(state, kind, one.origin or step.origin, [fd], str(one.detail or ""))


def _note_rarity(state: State, outcome: Outcome) -> None:
    """Marks a path on which a callee hardly ever returns as it does."""
    if outcome.chance is Chance.RARE and not outcome.raised:
        spare(state, as_error=True)


def _spare_ended(
    state: State, graph: Graph, call: Call, summary: Summary, outcome: Outcome, fds: Mapping[Descriptor, Descriptor]
) -> None:
    """Doubts a way on which a method that closes an object leaves it open: most likely the object was closed before."""
    values = (value_of(state, graph, arg.value) for arg in call.args)
    given = {value.descriptor for value in values if isinstance(value, Fd)}
    closed = {fd for one in summary.outcomes for fd, left in one.came_in if left.status is Status.CLOSED}
    for incoming, left in outcome.came_in:
        fd = fds[incoming]
        if left.status in ALIVE and incoming in closed and fd not in given and fd in state.resources:
            apply_event(state, None, fd, Event.SPARED)


def _closes_otherwise(summary: Summary, incoming: Descriptor, resource: Resource) -> bool:
    """Whether a way out leaves a descriptor open that another way closes: the callee has it to close it."""
    left = (dict(one.came_in).get(incoming) for one in summary.outcomes)
    return resource.status in ALIVE and any(one is not None and one.status is Status.CLOSED for one in left)


def _always(summary: Summary, outcome: Outcome, fd: Descriptor, resource: Resource) -> bool:
    """Whether all ways out of the callee of this kind leave a descriptor so, or it assumes already what leads there."""
    alike = [dict(one.came_in).get(fd) for one in summary.outcomes if bool(one.raised) is bool(outcome.raised)]
    return bool(kinds_of(resource)) or all(one is not None and _same(one, resource) for one in alike)


def _same(one: Resource, other: Resource) -> bool:
    """Whether two ways leave a descriptor in the same state, as far as its misuse is concerned."""
    marks = {mark for mark in one.marks ^ other.marks if mark is Event.PICKED or isinstance(mark, Violation)}
    return one.status is other.status and not marks


def _raised(caller: CallTransfer, outcome: Outcome, step: Step) -> str | None:
    """Returns the name of the exception that comes out; None when the callee returns.

    When a handler here catches a base of the exception only, this is the name of that base.
    """
    if not outcome.raised:
        return None
    exceptions, pads = caller.graph.language.exceptions, step.pads
    bases = ((name, exceptions.base_of(name, pads)) for name in outcome.raised)
    name, base = next(((name, base) for name, base in bases if base is not None), ("", exceptions.unknown))
    return outcome.raised[0] if pads.get(base) == pads.get(exceptions.unknown) else name


def _beside_error(graph: Graph, outcome: Outcome) -> bool:
    """Whether a callee returns an error, so that nobody looks at what it returns beside it."""
    results = outcome.result.items if isinstance(outcome.result, Seq) else ()
    return graph.language.returns_errors and results[-1:] == (Known.SOME,)


def _acquired(
    caller: CallTransfer,
    state: State,
    step: Step,
    call: Call,
    summary: Summary,
    outcome: Outcome,
    fds: dict[Descriptor, Descriptor],
) -> None:
    """Lets the caller acquire the descriptors that the callee made and gives away. Adds their names here to ``fds``."""
    kinds = {one.descriptor: one.site.of for one in outcome.fresh}
    kind = next(iter(kinds.values()))
    caller.objects.present = caller.objects.present or any(kinds.values())
    values = (value_of(state, caller.graph, arg.value) for arg in call.args)
    decoded = next((value.site for value in values if isinstance(value, Ancillary)), None)
    made = step.origin, _shown(call), summary.received, step.statement, summary.finalized, kind
    site = decoded if decoded is not None and decoded != FOREIGN else caller.log.site(*made)
    fresh = [fd for fd in kinds if fd.slot != UNDECODED]
    settle(caller.log, state)
    caller.log.explain(site, outcome.fresh[0].site)
    status = Status.OPEN if caller.log.follows(site) and not _beside_error(caller.graph, outcome) else Status.HANDED
    make_older(state, site, fds)
    slots = {pair: n for n, pair in enumerate(sorted({fd.origin_slot for fd in fresh}))}
    found = {fd: Descriptor(site, slots[fd.site, fd.slot], fd.age) for fd in fresh}
    fds |= _expected(caller, state, step, outcome, site)
    only_one = summary.received and any(arg.value == Lit(1) for arg in call.args)
    for known_as, fd in found.items():
        wanted, stream = state.take_number(call.unused) if kinds[known_as] is None else (False, None)
        elsewhere = wanted or (only_one and known_as.slot)
        state.resources[fd] = Resource(Status.HANDED if elsewhere else status, stream=stream, of=kinds[known_as])
        caller.log.note(Event.ACQUIRED, fd)
        state.tell(Event.ACQUIRED, step.origin, fd)
    for one in (one for one in outcome.fresh if one.descriptor in found):
        for mark in one.marks - ASSUMED:
            apply_event(state, None, found[one.descriptor], mark)
            caller.log.note(mark, found[one.descriptor])
            if mark in (Event.SENT, Event.SPAWNED):
                state.tell(mark, step.origin, found[one.descriptor])
        if one.status is Status.CLOSED:
            _closed_before(state, step, call, summary, one, found[one.descriptor])
        elif one.status is Status.HANDED:
            apply_event(state, None, found[one.descriptor], Event.TRANSFERRED, certain=True)
            state.tell(Event.TRANSFERRED, step.origin, found[one.descriptor])
    fds |= found


def _expected(
    caller: CallTransfer, state: State, step: Step, outcome: Outcome, site: AllocationSite
) -> dict[Descriptor, Descriptor]:
    """Begins the duty for messages that the callee received and did not decode. Returns their names here."""
    received = [one for one in outcome.fresh if one.descriptor.slot == UNDECODED]
    if not received or not caller.log.follows(site):
        return {}
    if any(Event.INHERITABLE in one.marks for one in received):
        caller.log.note(Event.INHERITABLE, Descriptor(site, 0, Age.NEWEST))
    expect(caller.log, state, step, site)
    return {one.descriptor: Descriptor(site, UNDECODED, Age.NEWEST) for one in received}


def _closed_before(state: State, step: Step, call: Call, summary: Summary, new: New, fd: Descriptor) -> None:
    """Ends a descriptor that the callee closed before it returned the number. A function that always closes and gets
    no arguments wants to return a free number."""
    sometimes = any(one.site == new.site and one.status in ALIVE for way in summary.outcomes for one in way.fresh)
    meant = sometimes or bool(call.args)
    apply_event(state, None, fd, Event.CLOSED if meant else Event.DISOWNED, certain=meant)
    if sometimes:
        assume(state, AssumptionKind.SOME_PATHS, step.origin, [fd])
    if meant:
        state.tell(Event.CLOSED, new.closed, fd)


def _shown(call: Call) -> str:
    """Returns the callee's name as it is shown to the user."""
    return (call.callee.dotted or call.callee.name).lstrip(".")


def _settle(
    caller: CallTransfer, state: State, step: Step, fd: Descriptor, resource: Resource, renaming: Renaming
) -> None:
    """Applies to the caller's descriptor what the callee did to it."""
    before = state.resources[fd].marks & GOING_IN if fd in state.resources else frozenset()
    if (before & CARRIED) - resource.marks:
        apply_event(state, None, fd, Event.UNREGISTERED)
    for event in PASSED_ON:
        if event in resource.marks - before:
            log = caller.log if event not in SINGLE else None  # ``replay`` has logged it
            apply_event(state, log, fd, event, step.origin)
    if resource.status is Status.CLOSED:
        if state.is_alive(fd) or resource.certain:
            caller.close(state, fd, step, resource.certain)
    elif resource.status is Status.HANDED:
        caller.hand_over(state, Fd(fd), step)
        if resource.certain and not state.has_ended(fd, Status.CLOSED):
            apply_event(state, None, fd, Event.TRANSFERRED, certain=True)
        if Event.ENDED_WITH_OWNER in resource.marks - before:
            apply_event(state, caller.log, fd, Event.ENDED_WITH_OWNER, step.origin)
    elif resource.status is Status.HELD and not state.is_held(fd):
        if renaming.shared is not None:
            keep(caller.log, state, Fd(fd), step)
        else:
            caller.hand_over(state, Fd(fd), step)
    else:
        caller.act(state, Fd(fd), Event.USED, step)


def _renamed(contents: Contents, fds: dict[Descriptor, Descriptor], containers: dict[Container, Container]) -> Contents:
    return replace(contents, items=tuple(substitute(item, fds, containers) for item in contents.items))


def _changed(before: Contents, after: Contents) -> bool:
    """Whether a value of interest went into the container or left it, or the container outlives the function now."""
    interesting = [tuple(item for item in one.items if mentions_any(item) or is_flag(item)) for one in (before, after)]
    return interesting[0] != interesting[1] or (after.outlives and not before.outlives)


def _forked(value: Value, role: Role | Pid | None, caller: CallTransfer, state: State, step: Step, call: Call) -> Value:
    """Forks the state when the callee has forked. Returns the id for the caller, and any other value as it is."""
    if role is None:
        return value
    fork(state, step)
    state.role = role
    if isinstance(role, Pid):
        state.role = Pid(caller.log.site(step.origin, call.callee.name, False, step.statement))
    return state.role if isinstance(value, Pid) and isinstance(state.role, Pid) else value


def _arguments(ways: list[Way]) -> list[Way]:
    """Replaces results that are plain parameters of the callee by UNKNOWN: they have no meaning in the caller."""
    return [replace(way, result=UNKNOWN) if _is_foreign(way) else way for way in ways]


def _is_foreign(way: Way) -> bool:
    return isinstance(way.result, Sym) or (isinstance(way.result, Box) and way.result.container not in way.state.heap)
