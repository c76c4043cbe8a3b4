"""The typestates of an object, and the effects of its methods in each of them.

An object starts in the states after its constructor. Then its public methods can run in any order. A state is the
values of the attributes while no method runs. The states are computed to a fixpoint, and each method is followed once
from each state.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from fdlint.catalog.naming import closes_when_collected, ends_life, is_test
from fdlint.core.dataflow.derivation import let_go, taking
from fdlint.core.dataflow.worklist import Limits
from fdlint.core.domain.apply_event import apply_event
from fdlint.core.domain.assumption import surer
from fdlint.core.domain.event import CARRIED, ENDS, LET_GO_EVENTS, SINGLE, Chance, Event
from fdlint.core.domain.owner import Parts
from fdlint.core.domain.raising import Raising
from fdlint.core.domain.state import BOUND, Resource, Role, State, Story
from fdlint.core.domain.typestate import ASSUMED, Status, Violation
from fdlint.core.domain.values import (
    Age,
    Any_,
    Box,
    Const,
    Descriptor,
    Fd,
    Known,
    Seq,
    Typed,
    Value,
    descriptors,
    restricted,
)
from fdlint.core.engine.call_resolution import CallResolver
from fdlint.core.engine.explore import entry_state, run
from fdlint.core.engine.log import LetGo, Log, Occurrence, Slot, bare
from fdlint.core.engine.remap_trace import occurrence_in_callee
from fdlint.core.engine.summary import Outcome, Shared, entry
from fdlint.core.engine.trace import chapters, in_callee, story_in_callee
from fdlint.core.engine.transfer import RunOptions
from fdlint.core.ir import NESTED, AccessPath, Graph, Place
from fdlint.core.objects.at_rest import at_rest, forget_ended, plain
from fdlint.core.objects.class_view import Members
from fdlint.core.objects.made import sites_of
from fdlint.core.objects.method_ways import Ways, parted
from fdlint.program.facts import Kind
from fdlint.program.units import Function

_LIMITS = Limits(soft=32, budget=2_000)
_MAX_STATES = 64
_MAX_RUNS = 1_000
_MAX_VISITS = 9_000  # blocks, including those of callees: more than the largest class seen takes
_KEPT = ASSUMED | {*ENDS, Event.STORED, Event.ACQUIRED, Event.CALLED, *LET_GO_EVENTS}
_CERTAIN = (Violation.CLOSE_AFTER_TRANSFER, Violation.CLOSE_WHILE_REGISTERED)
_FAULTS = (*LET_GO_EVENTS, Event.STRANDED, Violation.DOUBLE_CLOSE, *_CERTAIN)


def field_of(what: Occurrence) -> Place:
    """Returns the attribute that dropped a descriptor, empty if none did."""
    return what.detail.place if isinstance(what.detail, LetGo) else AccessPath()


@dataclass(frozen=True, slots=True)
class Past:
    """The past of a descriptor: the called method that acquired it, and the called method that closed it. ``raised``:
    the attribute keeps it only because that method raised."""

    born: str
    closed: str | None = None
    raised: bool = False


@dataclass(frozen=True, slots=True)
class ObjectState:
    """The values of the attributes. ``failed``: an earlier method raised. ``told``: the events that led here."""

    state: State = field(compare=False)
    key: Hashable
    pasts: tuple[tuple[Slot, Past], ...]
    failed: bool
    told: Story | None = field(default=None, compare=False)

    @property
    def identity(self) -> Hashable:
        """The parts that make two states equal."""
        return self.key, self.pasts, self.failed

    @property
    def chance(self) -> Chance:
        """How often the exception comes with which a constructor ended."""
        return self.state.raising.chance if self.state.raising is not None else Chance.ASSUMED


@dataclass(frozen=True, slots=True)
class Fault:
    """An error of a method about an attribute's descriptor in one state. ``method``: the method that other code called.
    ``within``: the same call acquired the descriptor."""

    method: str
    attribute: str
    past: Past
    what: Occurrence
    within: bool
    failed: bool


class Abandoned(NamedTuple):
    """A descriptor that a constructor stored before it raised: its attribute, the story, and how often the exception
    comes. ``entering``: the object stays, but only the end of a block that was not entered would close it."""

    attribute: str
    story: Story | None
    chance: Chance
    entering: bool = False


@dataclass(slots=True)
class Life:
    """The results for the objects of one class. ``abandoned``: the descriptors that a constructor stored before it
    raised. ``first_fills``: the methods that fill an attribute which holds nothing, each with its name; ``refusals``:
    those that leave one empty which a method has emptied. ``unregistered``: what a method leaves open, but no longer
    registered. ``doubts``: the reasons why the results may be incomplete."""

    log: Log
    faults: list[Fault] = field(default_factory=list)
    abandoned: dict[Slot, Abandoned] = field(default_factory=dict)
    doubts: set[str] = field(default_factory=set)
    single: dict[Occurrence, None] = field(default_factory=dict)
    first_fills: set[tuple[str, str]] = field(default_factory=set)
    refusals: set[tuple[str, str]] = field(default_factory=set)
    unregistered: set[Slot] = field(default_factory=set)

    def is_eventful(self) -> bool:
        """Whether a rule may report any of the results."""
        return bool(self.faults or self.abandoned or self.single)


def live(members: Members, callees: CallResolver, tells: Callable[[Life, Members], bool] = lambda *_: True) -> Life:
    """Follows the objects of a class through their states.

    The first pass ignores the plain attributes, which gives few states. Every error in the full set of states also
    occurs in one of these. Only after an error do further passes follow the attribute that matters most, and then all,
    which may show that the error cannot happen; not if ``tells`` finds nothing to report. If even the first pass is
    incomplete, its errors may depend on an attribute that it ignored.
    """
    flags = members.flags
    life, all_few = _told(replace(members, flags=()), callees, bool(flags), _MAX_VISITS)
    for number in sorted({min(1, len(flags)), len(flags)} - {0}):
        if life.is_eventful() and tells(life, replace(members, flags=())):
            view = replace(members, flags=flags[:number])
            finer, all_many = _told(view, callees, number < len(flags), _MAX_VISITS if all_few else _MAX_VISITS // 3)
            if all_many or (not all_few and number == len(flags)):
                life = finer
            elif all_few:
                break  # with more attributes there are more states still
    if not all_few:
        life.doubts.add(f"{members.name}: too many states of its objects to follow")
    return life


def _told(members: Members, callees: CallResolver, coarse: bool, visits: int) -> tuple[Life, bool]:
    """Returns the results, and whether they are complete. ``coarse``: the pass ignores attributes that methods test."""
    explorer = StateExplorer(members, callees, coarse)
    budget = callees.context.budget
    budget.stop_at = budget.visits + visits
    try:
        explorer.tell()
    finally:
        budget.stop_at = None
    return explorer.life, not explorer.overflown


def _starts_in_vain(before: ObjectState, left: ObjectState) -> bool:
    """Whether a method changed only plain attributes of an object whose descriptor had been closed: what guards that
    close may be set back by a method that opens again, not by one that would start a dead object. If a method failed
    before the close, it may close another descriptor, too."""
    dead = any(past.closed is not None and not past.raised for _, past in before.pasts)
    if not dead or left.key == before.key:
        return False
    return left.pasts == before.pasts or (before.failed and dict(before.pasts).keys() >= dict(left.pasts).keys())


class StateExplorer:
    """Follows the objects of one class through the states of their attributes. ``coarse``: the attributes that methods
    test are left out. ``parts``: the objects that the constructor gets."""

    def __init__(self, members: Members, callees: CallResolver, coarse: bool, parts: Parts = ()) -> None:
        self._members = members
        self._coarse = coarse
        self._parts = dict(parts)
        owner = (members.file, members.name) if members.name else None
        self._callees = replace(callees, owner=owner, fields=members.followed)
        self._names = frozenset(one for one in members.followed if not one.is_attribute)
        self._at_rest = Shared(members.language.receiver, self._names)
        self._states: dict[Hashable, ObjectState] = {}
        self._pending: list[ObjectState] = []
        self._done: set[Hashable] = set()
        self._given_up: set[str] = set()  # methods that are too expensive to follow
        self._not_entered: list[tuple[str, ObjectState, set[Slot]]] = []
        self._known_ways: dict[Hashable, Ways] = {}
        self._runs = 0
        self.life = Life(Log())
        self.overflown = False

    def _unborn(self) -> ObjectState:
        state = State({self._at_rest.place(path): one for path, one in self._members.defaults.items()})
        return ObjectState(state, state.key(), (), failed=False)

    def born(self, *, given: bool) -> list[tuple[bool, ObjectState]]:
        """Returns the states after the constructor, each with whether it raised. ``given``: it gets descriptors for the
        parameters that it stores."""
        constructor, name = self._members.constructor, self._members.language.methods.constructor
        if constructor is None:
            return [] if given else [(False, self._unborn())]
        found = {parameter: origin for parameter, (_, origin) in self._members.given().items()} if given else None
        return self._run(name, constructor, self._unborn(), given=found) if found or not given else []

    def left_by(self, name: str, method: Function, before: ObjectState) -> list[ObjectState] | None:
        """Returns the states in which a method may leave an object, unless it raises; None if it cannot be followed."""
        ways = self._run(name, method, before)
        return [left for raised, left in ways if not raised] if ways else None

    def outcomes(self, method: Function, state: State) -> tuple[Outcome, ...]:
        """Returns the ways out of a method that starts in a state of the attributes, as a caller sees them; none if it
        does not run when it is called."""
        graph = method.graph
        if graph.abstract or graph.generator or graph.receiver is None:
            return ()
        there = Shared(graph.receiver, self._names)
        fields = [(there.place(path), value) for path, value in self._at_rest.values(state).items()]
        start, _ = entry(state, fields, self._at_rest)
        return replace(self._callees, file=method.file).alone(method, start, there)

    def may_raise(self, name: str, method: Function, before: ObjectState) -> bool:
        """Whether a method may raise."""
        return any(raised for raised, _ in self._run(name, method, before))

    def tell(self) -> None:
        """Follows the objects from their creation on, and collects what happens in ``life``."""
        unborn, born = self._unborn(), self.born(given=False)
        for raised, object_state in born:
            if raised:
                self._abandon(object_state)
            else:
                self._meet(object_state)
        if not self._members.name and all(raised for raised, _ in born):
            self._meet(unborn)  # the functions of a module run while its own code never ends
        for raised, object_state in self.born(given=True):
            if not raised:
                self._meet(object_state)
        for maker, root in self._members.makers:
            for raised, object_state in self._run(maker.name or "", maker, unborn, root):
                if not raised:
                    self._meet(object_state)
        entries = self._entries()
        self._go_on(entries)
        for name, object_state, made in self._not_entered if self._members.complete and not self.overflown else ():
            self._leave_out(name, object_state, made, entries)

    def _entries(self) -> dict[str, Function]:
        """Returns the methods that may be wrong about the attributes. If nothing that the class calls closes anything,
        and nothing takes items out of containers, these are the methods that set one, or ask about it."""
        followed, callees, every = self._members.followed, self._callees, self._members.entries()
        may = callees.candidates.may
        closes = any(may(kind, method) for kind in (Kind.CLOSES, Kind.ENDS) for method in every.values())
        if closes or any(taking(function.graph, callees.context.catalog) for function in self._members.functions()):
            return {name: method for name, method in every.items() if followed & callees.touched(method).fields}
        touched = {name: callees.touched(method) for name, method in every.items()}
        return {name: every[name] for name, one in touched.items() if one.asked & followed or one.changes(followed)}

    def _go_on(self, entries: Mapping[str, Function]) -> None:
        """Calls every method in every state, until there are no new states."""
        followed, touched = self._members.followed, self._callees.touched
        fills = any(touched(method).fills(followed) for method in entries.values())
        while self._pending and not self.overflown:
            object_state = self._pending.pop(0)
            empty = not (object_state.state.resources or object_state.state.heap)
            known = self._at_rest.values(object_state.state) if fills else None
            for name, method in entries.items():
                if (name, object_state.identity) not in self._done and method.name not in self._given_up:
                    self._done.add((name, object_state.identity))
                    if not (empty and touched(method).leaves_alone(followed, known)):
                        self._run_from(object_state, name, method)

    def _run_from(self, object_state: ObjectState, name: str, method: Function) -> None:
        for raised, left in self._run(name, method, object_state):
            if raised and name in self._members.language.methods.managers:
                made = {slot for slot, _ in left.pasts} - {slot for slot, _ in object_state.pasts}
                self._not_entered += [(name, left, made)] if made else []
            if not ends_life(name) and not _starts_in_vain(object_state, left):
                self._meet(left)

    def _meet(self, object_state: ObjectState) -> None:
        """Adds a new state. Ignores a state after a failure, or one that assumes something, if the same state without
        that is known."""
        certain = surer(object_state.state)
        alike = [object_state] if certain is None else [object_state, replace(object_state, key=certain.key())]
        alike += [replace(one, failed=False) for one in alike if one.failed]
        if not any(one.identity in self._states for one in alike):
            if len(self._states) >= _MAX_STATES:
                self.overflown = True
                return
            self._states[object_state.identity] = object_state
            self._pending.append(object_state)

    def _abandon(self, object_state: ObjectState) -> None:
        """Handles a constructor that raised: nothing refers to the object any more, and only a finalizer runs."""
        name = self._members.language.methods.finalizer
        finalizer = self._members.methods.get(name)
        left = [one for _, one in self._run(name, finalizer, object_state)] if finalizer is not None else [object_state]
        strangers = self._members.strangers
        closes = any(map(closes_when_collected, strangers)) or (strangers and "close" in self._members.methods)
        if finalizer is None and closes:
            return  # an unknown base may close in its finalizer, as those of `io` do
        constructor = self._members.constructor
        name = self._members.language.methods.constructor
        path = [bare(one.origin) for one in chapters(object_state.told)]
        if constructor is not None and self._members.gives_itself(constructor, path):
            return
        # If all attributes are followed, a finalizer that closes only on some paths depends on something else, such as
        # a setting of the module.
        stays_open = any if self._coarse else all
        for fd in object_state.state.resources if left else ():
            if stays_open(one.state.is_held(fd) for one in left):
                attribute = self._attribute(object_state.state, fd)
                self._give_up(fd, Abandoned(attribute, object_state.told, object_state.chance))

    def _leave_out(
        self, name: str, object_state: ObjectState, made: Set[Slot], entries: Mapping[str, Function]
    ) -> None:
        """Handles a context manager that raised in entering, where it ``made`` descriptors: its method that leaves does
        not run. Those that no other method lets go of stay open."""
        pair = {name, self._members.language.methods.managers[name]}
        state = object_state.state
        fds = {fd for fd in state.resources if fd.origin_slot in made and state.is_held(fd)}
        method, path = entries[name], [bare(one.origin) for one in chapters(object_state.told)]
        raised = [one for one in chapters(object_state.told) if one.event is Event.RAISED]
        if not fds or len(raised) > 1 or self._members.gives_itself(method, path):
            return  # the second exception comes out of the handler of the first
        for other, method in entries.items():
            if other not in pair:
                ways = self._ways_from(method, state, None, None)
                fds = {fd for fd in fds if ways is not None and all(left.is_held(fd) for _, left in ways.left)}
        for fd in sorted(fds):
            attribute = self._attribute(state, fd)
            self._give_up(fd, Abandoned(attribute, object_state.told, object_state.chance, entering=True))

    def _give_up(self, fd: Descriptor, abandoned: Abandoned) -> None:
        """Notes an abandoned descriptor, with the exception that is most likely."""
        known = self.life.abandoned.get(fd.origin_slot)
        if known is None or abandoned.chance.more_likely_than(known.chance):
            self.life.abandoned[fd.origin_slot] = abandoned

    # -- one method

    def _run(
        self,
        name: str,
        method: Function,
        object_state: ObjectState,
        root: Place | None = None,
        given: Mapping[Place, object] | None = None,
    ) -> list[tuple[bool, ObjectState]]:
        """Returns the states after a method, each with whether it raised. ``root``: the object's name in a function
        that is not one of its methods. ``given``: parameters that are descriptors, each with the place of its store."""
        state = object_state.state
        apart = self._callees.apart(state, method, self._at_rest, []) if root is None and not given else frozenset()
        near, rest = parted(state, frozenset(map(self._at_rest.place, apart)))
        ways = self._ways_from(method, near, root, given)
        if ways is not None and not ways.leave_alone(near, rest):
            near, rest = state, State()
            ways = self._ways_from(method, near, root, given)
        if ways is None:
            return []
        ways = ways.told_after(state.story, rest)
        self._note(name, method, object_state, ways.happened)
        held, later = self._holding(state), set[str]().union(*(self._holding(left) for _, left in ways.left))
        self.life.first_fills |= {(name, one) for one in later - held}
        self.life.refusals |= {(name, one) for one in self._emptied(object_state) - later}
        returned = [left.resources for raised, left in ways.left if not raised]
        reset = {fd for fd in state.resources if any(not _is_stale(fd, left) for left in returned)}
        return [
            (raised, self._after(name, method, object_state, left, raised, reset if raised else set()))
            for raised, left in ways.left
        ]

    def _holding(self, state: State) -> set[str]:
        """Returns the attributes that hold descriptors, by their names."""
        values = self._at_rest.values(state) if state.resources else {}
        return {
            self._at_rest.place(path).name
            for path, one in values.items()
            if any(map(state.is_held, state.reachable([one])))
        }

    def _emptied(self, object_state: ObjectState) -> set[str]:
        """Returns the attributes that hold a constant after some method, by their names."""
        if object_state.key == self._unborn().key:
            return set()
        values = self._at_rest.values(object_state.state)
        return {self._at_rest.place(path).name for path, one in values.items() if isinstance(one, Const)}

    def _ways_from(
        self, method: Function, state: State, root: Place | None, given: Mapping[Place, object] | None
    ) -> Ways | None:
        """Returns the effects of a method in a state of the attributes; None if a limit is exceeded."""
        key = method.key, root, tuple(given or ()), state.key()
        if key not in self._known_ways:
            self._runs += 1
            if self._runs > _MAX_RUNS or self._callees.context.budget.exhausted:
                self.overflown = True
                return None
            self._known_ways[key] = self._follow(method, state, root, given or {})
        return self._known_ways[key]

    def _follow(self, method: Function, state: State, root: Place | None, given: Mapping[Place, object]) -> Ways:
        graph, log = method.graph, self.life.log
        knows = Shared(root or graph.receiver or graph.language.receiver, self._names)
        log.function, log.lets_go = graph.name, False
        log.forget(*_FAULTS, *SINGLE)
        start = entry_state(graph)
        if knows.receiver is not None:
            start.env.pop(knows.receiver, None)
        start.env |= {knows.place(path): value for path, value in self._at_rest.values(state).items()}
        start.heap, start.resources, start.story = start.heap | state.heap, dict(state.resources), state.story
        for parameter, origin in given.items():
            fd = Descriptor(log.site(origin, "", False, 0), 0, Age.NEWEST)
            start.env[parameter] = Fd(fd)
            part = self._parts.get(parameter)
            start.resources[fd] = Resource(Status.OPEN if part is not None else Status.BORROWED, BOUND, of=part)
            start.tell(Event.ACQUIRED, origin, fd)
        found: dict[Hashable, tuple[bool, State]] = {}
        constructor = self._members.constructor
        entering = [self._members.methods.get(name) for name in graph.language.methods.managers]
        begins = any(one is not None and one.graph is graph for one in (constructor, *entering))

        record = root if root is not None and graph.language.records else None

        def observe(raised: bool, state: State, result: Value) -> None:
            dies = raised and state.role is Role.CHILD  # an exception ends the child of a fork, and its object
            made = _with_record(graph, state, record, result) if record is not None else state
            if made is not None and not state.widened and not dies:
                left = self._normal(made, knows, log.lets_go)
                if raised and state.raising is not None and begins:
                    left.raising = Raising.out_of_call(state.raising.chance)
                found.setdefault((raised, left.key()), (raised, left))

        fields = frozenset(map(knows.place, self._members.followed))
        callees = replace(self._callees, file=method.file)
        solution = run(graph, callees.context.catalog, log, start, RunOptions(callees, observe, fields), _LIMITS)
        if not solution.complete:
            self.life.doubts.add(f"{graph.name}: too many paths to follow its object")
            self._given_up.add(graph.name or "")  # its results so far are correct, so they stay
        told = (replace(one, origin=in_callee(one.origin, method.file.source, graph.name)) for one in log.of(*SINGLE))
        self.life.single.update(dict.fromkeys(told))
        happened = tuple(log.of(*_FAULTS))
        for number, site in enumerate(log.sites):
            log.sites[number] = replace(site, origin=in_callee(site.origin, method.file.source, site.function))
        left = tuple(one for one in found.values() if not _is_needless(one, found))
        return Ways(state.story, left, happened, log.lets_go)

    def _note(self, name: str, method: Function, object_state: ObjectState, happened: Iterable[Occurrence]) -> None:
        if self._ends_captured(method):
            return
        places, function = method.file.source, method.name
        direct = {fd for value in object_state.state.env.values() for fd in descriptors(value)}
        noted = [one for one in happened if one.event in LET_GO_EVENTS or one.event is Event.STRANDED]
        noted += [
            one
            for one in happened
            if (one.event is Violation.DOUBLE_CLOSE and not one.certain and one.descriptor in direct)
            or (one.event in _CERTAIN and one.certain)
        ]
        for what in noted:
            past = dict(object_state.pasts).get(what.slot)
            within = past is None or _since(
                what.story, object_state.state.story, what.descriptor, closed=what.event is Violation.DOUBLE_CLOSE
            )
            known = Past(name) if within or past is None else past
            if not within and is_test(name) and is_test(known.born):
                continue  # each test has an object of its own
            told = occurrence_in_callee(what, places, function)
            attribute = field_of(what) or self._attribute(object_state.state, what.descriptor)
            self.life.faults.append(Fault(name, attribute, known, told, within, object_state.failed))

    def _ends_captured(self, method: Function) -> bool:
        """Whether a nested function closes or hands over what it captures: these variables may be copies of
        attributes."""
        captured = method.graph.free - {method.graph.receiver} if NESTED in (method.name or "") else frozenset[Place]()
        return bool(captured) and not captured.isdisjoint(let_go(method.graph, self._callees.context.catalog))

    def _normal(self, state: State, knows: Shared, doubted: bool) -> State:
        """Returns the part of a state that describes the object's attributes. ``doubted``: code that is not known may
        have changed any of them."""
        env: dict[Place, Value] = {}
        for path, value in knows.values(state).items():
            kept = restricted(value, set(state.resources))
            if isinstance(kept, Typed) and kept.certain:
                may_be_empty = not kept.full and kept.type in self._members.language.types.plain
                kept = Known.SOME if may_be_empty else Known.TRUTHY
            if path in self._members.followed and isinstance(kept, (Const, Known, Fd, Seq, Any_, Box)):
                env[self._at_rest.place(path)] = kept
        left = State(env)
        reached = state.reachable(env.values())
        left.heap = {container: plain(state.heap[container]) for container in state.containers(env.values())}
        known = state.resources.keys() & reached
        owners = () if doubted else [one.maker for one in knows.values(state).values() if isinstance(one, Typed)]
        left.resources = {fd: at_rest(state, fd, owners) for fd in known}
        forget_ended(left)
        left.story = state.story
        left.settle()
        return left

    def _attribute(self, state: State, fd: Descriptor) -> str:
        """Returns the attribute that holds a descriptor."""
        held = (place for place, value in sorted(state.env.items()) if fd in state.reachable([value]))
        return next(held, self._members.language.receiver)

    def _after(
        self, name: str, method: Function, before: ObjectState, state: State, raised: bool, reset: set[Descriptor]
    ) -> ObjectState:
        """Returns the state after a method. ``reset``: the descriptors that the attributes drop on return, so that only
        an exception keeps them."""
        known, earlier = dict(before.pasts), before.state.resources
        pasts: dict[Slot, Past] = {}
        for fd, resource in sorted(state.resources.items()):
            slot, is_closed = (fd.site, fd.slot), resource.status is Status.CLOSED
            past = known.get(slot)
            if past is None or _since(state.story, before.state.story, fd, closed=is_closed):
                past = Past(name)
            elif not is_closed and earlier.get(fd, resource).marks & CARRIED - resource.marks:
                self.life.unregistered.add(slot)
            if is_closed and past.closed is None:
                past = Past(past.born, name, fd in reset)
            pasts[slot] = past
        methods = self._members.language.methods
        begins = name == methods.constructor or (raised and name in methods.managers)
        told = story_in_callee(state.story, method.file.source, method.name) if begins else None
        state.story = self._trimmed(state, method, raised)
        return ObjectState(state, state.key(), tuple(sorted(pasts.items())), before.failed or raised, told)

    def _trimmed(self, state: State, method: Function, raised: bool) -> Story | None:
        """Returns the events that later stories need: those of the remaining descriptors, and the exception."""
        raising = Event.RAISED, Event.RAISE, Event.REFUSED
        last = next((one for one in chapters(state.story) if one.event in raising), None)
        kept = [
            one
            for one in chapters(state.story)
            if (raised and one is last)
            or (one.event in _KEPT and one.descriptor is not None and one.descriptor in state.resources)
        ]
        told: Story | None = None
        for one in reversed(kept):
            origin = in_callee(one.origin, method.file.source, method.name)
            told = one._replace(origin=origin, before=told, place=None)
        return told


def _with_record(graph: Graph, state: State, root: Place, result: Value) -> State | None:
    """Returns the state in which a function returns a struct that it has made, with what is in the fields as that of an
    object's attributes; None if it does not return the struct. ``root``: the place that got it first."""
    sites = sites_of(graph, root)
    found = next((one for one in sorted(state.containers([result])) if one.site in sites), None)
    contents = state.heap.get(found) if found is not None else None
    if contents is None or contents.keys is None:
        return None
    left = state.copy()
    left.env |= {root.attribute(str(key)): one for key, one in zip(contents.keys, contents.items, strict=True)}
    for fd in left.reachable(contents.items):
        if left.is_open(fd):
            apply_event(left, None, fd, Event.STORED)
    left.share(contents.items)
    return left


def _is_needless(way: tuple[bool, State], known: Container[Hashable]) -> bool:
    """Whether one of the known ways out leaves the same state, and assumes nothing."""
    found = surer(way[1])
    return found is not None and (way[0], found.key()) in known


def _is_stale(fd: Descriptor, resources: Mapping[Descriptor, Resource]) -> bool:
    return fd in resources and resources[fd].status is Status.CLOSED


def _since(story: Story | None, start: Story | None, fd: Descriptor, *, closed: bool) -> bool:
    """Whether a descriptor, which is ``closed`` or open, was acquired after the start of a story. For an older one, a
    newer one must have been too, and none that was closed since is this one."""
    events = [
        one.event
        for one in chapters(story, start)
        if one.descriptor is not None and one.descriptor.origin_slot == fd.origin_slot
    ]
    others_closed = max(0, events.count(Event.CLOSED) - closed)
    older = fd.age is not Age.NEWEST
    return events.count(Event.ACQUIRED) - (others_closed if older else 0) > older
