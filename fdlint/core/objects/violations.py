"""Turns the results about a class's objects into facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from fdlint.catalog.naming import begins_life, gives_up, replaces
from fdlint.core.dataflow.derivation import copied_to
from fdlint.core.dataflow.reachability import blocks_of, closure, reachable
from fdlint.core.domain.event import ITEM_EVENTS, LET_GO_EVENTS, Chance, Event
from fdlint.core.domain.facts import Death, Ending, Lifetime, Overwriting, Staleness
from fdlint.core.domain.state import Story
from fdlint.core.domain.typestate import Violation
from fdlint.core.engine.assumed import about_takers, at, on_path, raising
from fdlint.core.engine.explore import qualified
from fdlint.core.engine.heap import is_field
from fdlint.core.engine.log import Elsewhere, History, LetGo, Log, Occurrence, Places, Slot, bare
from fdlint.core.engine.trace import LET_GO, End, chapters, loss, span_of, tell
from fdlint.core.finding import Assumption, AssumptionKind, EventKind
from fdlint.core.ir import AccessPath, Graph, Store, Truth
from fdlint.core.ir.language import Language
from fdlint.core.objects.class_view import Members
from fdlint.core.objects.typestate import Fault, Life, field_of
from fdlint.program.components import on_circles


def overwritings(life: Life, members: Members, places: Places) -> Iterator[Overwriting]:
    """Yields the statements by which an attribute lost an open descriptor."""
    histories = life.log.histories() if life.faults else {}
    resets = {(id(one.origin), one.detail) for one in life.log.of(Event.RESET)}
    for fault in life.faults:
        what = fault.what
        if what.event in LET_GO_EVENTS and _is_overwrite(fault, what, life, members, histories):
            site = life.log.sites[what.descriptor.site]
            trace = tell(life.log, what.slot, LET_GO[what.event], what.origin, what.story, places)
            function, span = function_of(what.origin), span_of(what.origin, places)
            place = field_of(what)
            certain = (id(bare(what.origin)), place) in resets
            yield Overwriting(
                *(place, qualified(function), span, site.api or None, trace, members.relatives, certain),
                finalized=site.finalized,
                rare=isinstance(what.detail, LetGo) and what.detail.rare,
                assumptions=assumed_of_loss(what, members.language, places, between=not (fault.within or certain)),
                of=site.of,
                item=what.event in ITEM_EVENTS,
                followed=members.followed_bases,
            )


def assumed(what: Occurrence, places: Places, between: bool) -> tuple[Assumption, ...]:
    """Returns what is assumed for an event in a method. ``between``: other code calls that method after another one."""
    order = (at(AssumptionKind.IN_THIS_ORDER, span_of(what.origin, places)),) if between else ()
    return (*on_path(what.descriptor, what.story, places), *order)


def assumed_of_loss(what: Occurrence, language: Language, places: Places, between: bool) -> tuple[Assumption, ...]:
    """Returns what is assumed where a field loses a descriptor, also about unknown calls that get it afterwards."""
    got = about_takers(what.descriptor, what.story, places, named=language.says_it_takes)
    return (*assumed(what, places, between), *got)


def _is_overwrite(
    fault: Fault, what: Occurrence, life: Life, members: Members, histories: Mapping[Slot, History]
) -> bool:
    """Whether the descriptor could be there. A first store overwrites nothing, and calling a method twice is the
    caller's error, unless it takes out what it has put into a container before."""
    log = life.log
    if fault.within:
        return True
    if fault.failed:
        return False
    method = fault.method.partition("#")[0]
    if begins_life(method):
        return False
    if not log.sites[what.descriptor.site].api and (gives_up(method) or not _is_owned(what, members, histories)):
        return False
    if what.event is Event.TAKEN_OUT:
        return True
    if _closes_in_a_loop(what, members, histories.get(what.slot, History())):
        return False
    beginning = members.methods.get(fault.method)
    if beginning is not None and beginning == members.begun_by(fault.past.born):
        return False  # it is called twice: before the thread that has filled the attribute, and now
    fills = what.event is Event.REPLACED or _fills_otherwise(what, log, members)
    acquired_by = log.sites[what.descriptor.site].api.rpartition(".")[2]  # a constructor may call it
    first_fill = members.language.is_private(method) and method in (fault.past.born, acquired_by)
    if (replaces(method) and not first_fill) or (fault.past.born != fault.method and not fills):
        return True
    if not fills:
        return False
    asked, start = (fault.method, field_of(what).name), members.starts().get(fault.past.born)
    if start is None:  # a method may have filled it, but no first fill gets here
        needed = not life.doubts and asked in life.refusals - life.first_fills
        return needed and not _sets_what_it_gets(what, members)
    function, maker = function_of(what.origin), log.sites[what.descriptor.site].function
    filling = (function or "").rpartition(".")[2]
    itself = maker == start[0].name and acquired_by != filling
    if not itself and not members.called_by(*start).isdisjoint((method, filling)):
        return False  # other code may call the constructor's method once more
    if filling != method:
        return True
    # code that makes the object without the maker may call this method to fill it
    needed = start[1] is None or asked in life.refusals
    return needed and maker != function


def _closes_in_a_loop(what: Occurrence, members: Members, history: History) -> bool:
    """Whether a loop of the function closes what it overwrites, itself or by a method. How often that runs depends on
    what the loop goes through: names, say, one for each item of the attribute."""
    name = function_of(what.origin)
    graph, method = members.graph(name), (name or "").rpartition(".")[2]
    closes = history.of(Event.CLOSED)
    if graph is None or not closes:
        return False
    places = {id(bare(one.origin)) for one in closes}
    for closer in {(function_of(one.origin) or "").rpartition(".")[2] for one in closes} & members.methods.keys():
        places |= {id(one) for one in members.calls(method, closer)} if method in members.methods else set()
    loops = on_circles(range(len(graph.blocks)), graph.successors)
    return any(id(step.origin) in places for index in loops for step in graph.blocks[index].steps)


def _fills_otherwise(what: Occurrence, log: Log, members: Members) -> bool:
    """Whether a statement that empties an attribute fills it on another path, where calls return errors: the call whose
    result it stores failed."""
    if not members.language.returns_errors:
        return False
    return any(bare(one.origin) is bare(what.origin) for one in log.of(Event.STORED))


def _sets_what_it_gets(what: Occurrence, members: Members) -> bool:
    """Whether a statement stores a parameter: its caller knows what the attribute holds."""
    graph = members.graph(function_of(what.origin))
    if graph is None:
        return False
    stored = (
        one.effect.value for one in graph.steps() if isinstance(one.effect, Store) and one.origin is bare(what.origin)
    )
    return not copied_to(graph, graph.parameters).isdisjoint(stored)


def _is_owned(what: Occurrence, members: Members, histories: Mapping[Slot, History]) -> bool:
    """Whether the object owns a descriptor that it received: it closes it, and no flag may deny that. A flag that came
    in with it is one that the path has asked."""
    asked = (one for one in chapters(what.story) if one.event in (Event.TRUE, Event.FALSE))
    if any(_asks_attribute(one, members) for one in asked):
        return False
    return not members.flags or histories.get(what.slot, History()).closed


def _asks_attribute(answer: Story, members: Members) -> bool:
    graph = members.graph(function_of(answer.origin))
    if graph is None:
        return False
    asked = [one.test.question for one in graph.branches() if one.origin is bare(answer.origin)]
    tested = [one.operand for one in asked if isinstance(one, Truth)]
    return any(isinstance(one, AccessPath) and is_field(graph, one) for one in tested)


def stalenesses(life: Life, members: Members, places: Places) -> Iterator[Staleness]:
    """Yields the closes that left a number behind which another method closes again."""
    finalizers = members.left_to_others() if life.faults else set[str]()
    for fault in life.faults:
        what = fault.what
        if what.event is not Violation.DOUBLE_CLOSE or fault.within or fault.past.closed is None:
            continue
        if fault.past.closed == fault.method and not fault.past.raised:
            continue
        if _is_disarmed(fault.past.closed, fault.method, members, finalizers):
            continue  # the collector calls a finalizer last, and not after a method that took it back
        if _is_left(fault.past.closed, fault.method, members):
            continue  # nobody uses an object after its block, except for what ends it by itself
        if not fault.past.raised and _is_the_same(what, fault.method, fault.past.closed, members):
            continue  # a part of that method, which callers must not call twice
        if fault.failed and members.language.methods.managers.get(fault.past.closed) == fault.method:
            continue  # a block that was not entered is not left
        first = _first_close(what)
        if first is None:
            continue
        closer = (function_of(first) or "").rpartition(".")[2]
        if members.begins_after(fault.method, fault.past.closed, closer, bare(first)):
            continue  # a thread that does not run yet
        if any(_decides(one, what, members) for one in chapters(what.story)):
            continue
        site = life.log.sites[what.descriptor.site]
        end = End(EventKind.CLOSED, f"closed again when `{fault.method}` is called later")
        trace = tell(life.log, what.slot, end, what.origin, what.story, places)
        function, span = qualified(function_of(first)), span_of(first, places)
        told, raised = (site.api or None, fault.method), fault.past.raised
        needs = assumed(what, places, between=True)
        yield Staleness(fault.attribute, function, span, *told, raised, trace, needs)


def _is_disarmed(closed: str, method: str, members: Members, finalizers: Set[str]) -> bool:
    """Whether two methods may exclude each other because one is a finalizer: the first is, or passes its object on."""
    first = members.methods.get(closed)
    return closed in finalizers or (method in finalizers and first is not None and members.gives_itself(first, ()))


def _is_left(closed: str, method: str, members: Members) -> bool:
    """Whether the end of a block closed the descriptor, and only a call of the user's own would close it again."""
    methods = members.language.methods
    leaving = frozenset(methods.managers.values())
    return closed in leaving and method not in leaving and method != methods.finalizer


def _is_the_same(what: Occurrence, method: str, closed: str, members: Members) -> bool:
    """Whether one statement closes the descriptor twice, because other code calls two methods of which one calls the
    other, and nothing calls the second by itself. If the first one closes in a handler only, nobody can know that."""
    methods = members.language.methods
    by_itself = method == methods.finalizer or method in methods.managers.values()
    first = _first_close(what)
    same = not by_itself and first is not None and bare(first) is bare(what.origin)
    if not same:
        return False
    if method in members.called_by(members.methods.get(closed)):
        return not _calls_in_handlers_only(closed, method, members)
    return closed in members.called_by(members.methods.get(method))


def _calls_in_handlers_only(outer: str, inner: str, members: Members) -> bool:
    """Whether only the handlers of a method call another one, directly or through others."""
    graph = members.methods[outer].graph
    calling = set[int]().union(*(blocks_of(graph, one) for one in members.calls(outer, inner)))
    normal = closure([graph.entry], lambda index: graph.targets(graph.blocks[index].end))
    return calling.isdisjoint(normal)


def closed_while_registered(life: Life) -> Iterator[Occurrence]:
    """Yields the closes of a descriptor whose registration no method ends and leaves it open. If one does, other code
    must call that first."""
    for fault in life.faults:
        what = fault.what
        if what.event is Violation.CLOSE_WHILE_REGISTERED and not fault.failed and what.slot not in life.unregistered:
            yield what


def closed_after_transfer(life: Life, members: Members) -> Iterator[Occurrence]:
    """Yields the closes of a descriptor that an object took over in an earlier call of a method."""
    for fault in life.faults:
        what, in_doubt = fault.what, fault.within or fault.failed
        if what.event is not Violation.CLOSE_AFTER_TRANSFER or in_doubt:
            continue
        if not any(_decides(one, what, members) for one in chapters(what.story)):
            yield what


def _first_close(what: Occurrence) -> object:
    """Returns the place of the first close."""
    closes = [one.origin for one in chapters(what.story) if one.closes(what.descriptor)]
    return closes[-1] if closes else None


def _decides(answer: Story, what: Occurrence, members: Members) -> bool:
    """Whether the second close depends on an unknown condition: the other result would not lead to it."""
    if answer.event not in (Event.TRUE, Event.FALSE):
        return False
    name = function_of(answer.origin)
    graph = members.graph(name)
    ends = [what.origin, *(one.origin for one in chapters(what.story) if one.event is Event.CALLED)]
    targets = {id(bare(end)) for end in ends if function_of(end) == name}
    return graph is None or not _either_way(graph, bare(answer.origin), targets)


def _either_way(graph: Graph, question: object, targets: set[int]) -> bool:
    """Whether both results of a test may lead to one of the targets."""
    for branch in graph.branches():
        if branch.origin is question:
            return all(_leads_to(graph, start, targets) for start in (branch.if_true, branch.if_false))
    return False


def _leads_to(graph: Graph, start: int, targets: set[int]) -> bool:
    steps = (step for index in reachable(graph, start) for step in graph.blocks[index].steps)
    return any(id(step.origin) in targets for step in steps)


def abandoned(life: Life, places: Places) -> Iterator[Lifetime]:
    """Yields the descriptors that a constructor stored before it raised, in an object that no caller gets, and those
    that a context manager stored before it raised in entering."""
    for slot, (attribute, story, chance, entering) in life.abandoned.items():
        death = Death.NOT_ENTERED if entering else Death.ABANDONED
        site = life.log.sites[slot[0]]
        trace = tell(life.log, slot, loss(death), None, story, places)
        needs = tuple(raising(story, places)) if chance is Chance.ASSUMED else ()
        rare, own = chance is Chance.RARE, chance is Chance.OWN
        ending = Ending(death, frozenset(), trace, None, needs, rare, own=own)
        span = span_of(site.origin, places)
        yield Lifetime(site.api, qualified(site.function), span, attribute, site.received, True, (ending,), of=site.of)


def stranded(life: Life, places: Places) -> Iterator[Lifetime]:
    """Yields the descriptors that a method takes out of an attribute, and that it leaves open only if a call raises."""
    lost = {bare(fault.what.origin) for fault in life.faults if fault.what.event in LET_GO_EVENTS}
    found: dict[Slot, Fault] = {}
    for fault in life.faults:
        if fault.what.event is not Event.STRANDED or fault.failed or bare(fault.what.origin) in lost:
            continue
        if fault.what.slot not in found or _is_rare(found[fault.what.slot]):
            found[fault.what.slot] = fault
    for slot, fault in found.items():
        site, what = life.log.sites[slot[0]], fault.what
        if site.api:
            trace = tell(life.log, slot, loss(Death.EXCEPTION), None, what.story, places)
            needs = assumed(what, places, between=False)
            ending = Ending(Death.EXCEPTION, frozenset(), trace, None, needs, _is_rare(fault))
            span, name = span_of(site.origin, places), field_of(what)
            function = qualified(site.function)
            yield Lifetime(site.api, function, span, str(name), site.received, True, (ending,), of=site.of)


def _is_rare(fault: Fault) -> bool:
    return isinstance(fault.what.detail, LetGo) and fault.what.detail.rare


def function_of(origin: object) -> str | None:
    """Returns the function of an event's place."""
    return origin.function if isinstance(origin, Elsewhere) else None
