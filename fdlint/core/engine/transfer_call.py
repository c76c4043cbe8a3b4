"""Applies a call to a state: acts on the descriptors in its arguments and on the container that it is a method of, and
makes its result."""

from __future__ import annotations

from collections.abc import Iterable

from fdlint.catalog import Catalog
from fdlint.catalog.model import Api, Fresh
from fdlint.catalog.naming import gives_up, hardly_raises, is_log, speaks_to_readers, wraps
from fdlint.catalog.shape import acquires, class_made
from fdlint.core.dataflow.derivation import closed_by, given_places, lasting_places, sweeping
from fdlint.core.domain.apply_event import apply_event
from fdlint.core.domain.contents import is_object
from fdlint.core.domain.event import Chance, Event
from fdlint.core.domain.state import SOME_NUMBER, State
from fdlint.core.domain.typestate import Status
from fdlint.core.domain.values import (
    SOME_FUNCTION,
    UNKNOWN,
    AllocationSite,
    Borrowed,
    Box,
    Const,
    Descriptor,
    Fd,
    Known,
    Lazy,
    Seq,
    Value,
    descriptors,
    mentions_any,
)
from fdlint.core.engine.allocate import Allocator
from fdlint.core.engine.eval import forget_flags, value_of
from fdlint.core.engine.exposure import note_exec, tell_number
from fdlint.core.engine.heap import is_field, keep, note_in_vain
from fdlint.core.engine.log import Home, Log
from fdlint.core.engine.match_api import (
    Constants,
    Reading,
    candidates,
    chance_of_known,
    constants_in,
    default_action,
    operand_of,
    raises_rarely,
    read_call,
    spells_out,
)
from fdlint.core.engine.misuse import TAKES_BY_NAME, WORKS_ON, ending, judge, look, used_by_name
from fdlint.core.engine.models.containers import call_method, lazy_map
from fdlint.core.engine.models.error_numbers import checked, shows_success
from fdlint.core.engine.models.exit_stack import Stacks, judge_adoption, settle_exits, stacks_of
from fdlint.core.engine.models.filled_arguments import fill
from fdlint.core.engine.models.standard_streams import Unseen, stream_number, unseen_numbers
from fdlint.core.engine.models.started import start_child, without_copies
from fdlint.core.engine.models.undecoded import looked_at
from fdlint.core.engine.objects import Objects
from fdlint.core.engine.ownership_hints import Entrusted, entrusted
from fdlint.core.engine.passed_functions import captured_by, kept_by, only_used
from fdlint.core.engine.prune import STANDARD_STREAMS
from fdlint.core.engine.registrations import ends_with_holder, mark_arguments, settle, unregister_all
from fdlint.core.engine.spread_arguments import spread
from fdlint.core.engine.summary import Callees, Ended
from fdlint.core.engine.symbolic_parameters import SymbolicParameters, exchange
from fdlint.core.ir import AccessPath, Arg, Build, Call, Graph, Lit, Operand, Place, Step
from fdlint.program.components import on_circles


class CallTransfer:
    """Carries out the calls of one function."""

    def __init__(
        self,
        graph: Graph,
        catalog: Catalog,
        log: Log,
        callees: Callees | None = None,
        fields: frozenset[Place] = frozenset(),
        asked: bool = False,
    ) -> None:
        self.graph = graph
        self.asked = asked  # for a caller
        self.returned = graph.returned() if asked else set()
        self.catalog = catalog
        self.log = log
        self.strangers = SymbolicParameters(graph, log, fields)
        self.objects = Objects(graph, log, callees, catalog.naming)
        self._callees = callees
        self._taken: Entrusted | None = None
        self._closed: frozenset[Place] | None = None
        self._lasting: frozenset[Place] | None = None
        self._sweeping: frozenset[Place] | None = None
        self._exit_stacks: Stacks | None = None
        self._numbers: Unseen | None = None
        self._repeated: frozenset[Place] | None = None
        self._ends: dict[int, Ended] = {}
        self._ending: dict[Operand, bool] = {}
        self._giving: dict[int, tuple[Call, bool]] = {}  # by the ids of calls, which are kept alive
        self._spread: dict[tuple[int, tuple[Arg, ...]], tuple[Call, Call]] = {}  # the original is kept alive
        self._readings: dict[tuple[int, int, Constants], tuple[Call, tuple[Api, ...], Reading]] = {}

    @property
    def _repeated_results(self) -> frozenset[Place]:
        """The results of the calls that a loop repeats."""
        if self._repeated is None:
            repeated = on_circles(range(len(self.graph.blocks)), self.graph.successors)
            steps = (step for index in repeated for step in self.graph.blocks[index].steps)
            self._repeated = frozenset(step.effect.result for step in steps if isinstance(step.effect, Call))
        return self._repeated

    @property
    def _unseen(self) -> Unseen:
        if self._numbers is None:
            self._numbers = unseen_numbers(self.graph, self.catalog)
        return self._numbers

    @property
    def closed(self) -> frozenset[Place]:
        """Returns the places that the function closes, itself or through a function that it calls."""
        if self._closed is None:
            self._closed = given_places(self.graph, self._closes)
        return self._closed

    def _closes(self, call: Call) -> frozenset[Place]:
        ended = self._callees.ends(self.graph, call).closed if self._callees else frozenset[Place]()
        return ended.union(closed_by(call, self.catalog))

    def ends(self, step: Step, call: Call) -> Ended:
        """Returns the arguments that the project function called may close or wrap in an object that owns them."""
        if id(step) not in self._ends:
            self._ends[id(step)] = self._callees.ends(self.graph, call) if self._callees is not None else Ended()
        return self._ends[id(step)]

    def gives_back(self, call: Call) -> bool:
        """Whether the project function called may return a descriptor that it acquired, or what may hold one."""
        if self._callees is None:
            return False
        known = self._giving.get(id(call))
        if known is None:
            found = self._callees.acquires(self.graph, call) or self._callees.makes_holder(self.graph, call)
            known = self._giving[id(call)] = call, found
        return known[1]

    def _entrusted(self, call: Call) -> frozenset[Place]:
        if self._taken is None:
            self._taken = entrusted(self.graph, self.catalog, self._closes)
        return self._taken.get(id(call), frozenset())

    @property
    def _stacks(self) -> Stacks:
        if self._exit_stacks is None:
            self._exit_stacks = stacks_of(self.graph)
        return self._exit_stacks

    @property
    def _lasting_places(self) -> frozenset[Place]:
        if self._lasting is None:
            self._lasting = lasting_places(self.graph)
        return self._lasting

    def read(self, state: State, call: Call) -> Reading:
        """Returns the meaning of a call in this state."""
        apis = candidates(state, self.graph, self.catalog, call)
        constants = constants_in(state, self.graph, apis, call)
        known = self._readings.get((id(call), id(apis), constants))
        if known is None:
            reading = read_call(self.catalog, call, apis, constants)
            known = self._readings[id(call), id(apis), constants] = call, apis, reading
        return known[2]

    def spread(self, state: State, call: Call) -> Call:
        """Returns the call with its starred arguments spelled out, if what they hold is known."""
        found = spread(state, self.graph, call)
        return self._spread.setdefault((id(call), found.args), (call, found))[1] if found is not call else call

    def gives_up(self, kind: str) -> bool:
        """Whether an object of this type has a method that gives its descriptor away."""
        return kind in self.catalog.giving_up

    def watch(self, state: State, step: Step, call: Call, reading: Reading) -> None:
        """Prepares a state for a call: introduces the descriptors that the call ends, and logs the misuse of those that
        have ended already."""
        if reading.api is None:
            self.strangers.doubt(state, self.ends(step, call), call.given)
            used = used_by_name(self.graph, state, step, call)
            if used and (self._callees is None or self._callees.exits(self.graph, call, thorough=True) is None):
                for fd in used:
                    judge(self.log, self.graph, state, fd, Event.USED, step, TAKES_BY_NAME)
        else:
            self.strangers.meet(state, step, self._about_to_end(reading))
            look(self.log, self.graph, state, step, reading)
        if call.callee.receiver is not None and gives_up(call.callee.name):
            state.doubt_owners()

    def _about_to_end(self, reading: Reading) -> Iterable[Arg]:
        """Yields the arguments that a call closes, and those that it wraps if the function also closes them."""
        for arg, ends in ending(reading):
            if ends or arg.value in self.closed:
                yield arg

    def raised(self, state: State, reading: Reading, call: Call) -> str | None:
        """Returns the exception that may come out of the call here; None if it cannot raise."""
        if reading.api is None:
            logs = call.unused and is_log(call.callee.name)
            nothrow = logs or shows_success(state, self.graph, call)
            return None if nothrow else self.graph.language.exceptions.unknown
        if reading.applied is not None and reading.api.applies:
            return reading.applied.raises
        is_taken = reading.api.nothrow_if_taken and self._takes_descriptor(state, reading)
        return None if is_taken or spells_out(state, self.graph, reading, reading.api) else reading.api.raises

    def chance(self, state: State, reading: Reading, call: Call) -> Chance:
        """Returns how often the call raises."""
        api = reading.applied if reading.api is not None and reading.api.applies and reading.applied else reading.api
        if api is None:
            return self.chance_of_unknown(state, call)
        chance = chance_of_known(state, self.graph, reading, api)
        wrapper = chance is Chance.ASSUMED and wraps(call.callee.name) and self._takes_descriptor(state, reading)
        if wrapper or raises_rarely(state, self.graph, reading, api, call.result in self._repeated_results):
            return Chance.RARE
        return chance

    def chance_of_unknown(self, state: State, call: Call) -> Chance:
        """Returns how often an unknown call raises: rarely, if it most likely only notes its arguments, or wraps a
        descriptor in an object."""
        name = call.callee.name
        notes = call.unused and hardly_raises(name)
        rarely = notes or (wraps(name) and any(self._may_matter(state, arg) for arg in call.args))
        return Chance.RARE if rarely else Chance.ASSUMED

    def _takes_descriptor(self, state: State, reading: Reading) -> bool:
        return any(
            reading.action(name) is Event.TRANSFERRED and mentions_any(value_of(state, self.graph, arg.value))
            for name, arg in reading.bound
        )

    def fail(self, state: State, step: Step, call: Call, reading: Reading) -> None:
        """Changes a state to that in which the call raises: it closes and takes its arguments, but acquires nothing."""
        spared = Event.TRANSFERRED if reading.api is not None and reading.api.takes_nothing_if_it_fails else None
        for arg, action in self._effects(state, reading, call):
            if action in (Event.CLOSED, Event.TRANSFERRED, Event.GIVEN) and action is not spared:
                self._act(state, arg, action, step)
            elif action is Event.SENT:
                for fd in state.reachable([value_of(state, self.graph, arg.value)]):
                    apply_event(state, None, fd, Event.UNSENT)
            elif action is Event.SPAWNED:
                start_child(self.log, self.graph, state, arg.value, value_of(state, self.graph, arg.value))

    def succeed(self, state: State, step: Step, call: Call, reading: Reading) -> Value:
        """Changes a state to that in which the call returns. Returns the result of the call."""
        self._trust(state, reading)
        if reading.api is None and (rest := checked(state, self.graph, call)) is not None:
            return rest
        for arg, action in self._effects(state, reading, call):
            self._act(state, arg, action, step)
            if reading.api is None:
                looked_at(state, value_of(state, self.graph, arg.value))
        if reading.api is not None:
            self._settle_owners(state, step, reading, reading.api)
            settle_exits(self.log, self.graph, state, self._stacks, self._callees, reading, step, call)
        registers = reading.api is not None and reading.api.registers
        api = reading.applied if reading.applied is not None and not registers else reading.api
        if api is reading.applied and reading.api is None and call.unused:
            return UNKNOWN  # `onerror(os.open, path)` names the function; nothing shows that it is called
        if call.callee.receiver is not None and value_of(state, self.graph, call.callee.receiver) == SOME_FUNCTION:
            return SOME_FUNCTION
        if api is None:
            return (
                Known.SOME
                if call.callee.constructs or self.catalog.naming.is_constructor(call.callee.name)
                else UNKNOWN
            )
        if api.duplicates_onto is not None:
            copied = [
                value_of(state, self.graph, arg.value) for name, arg in reading.bound if name != api.duplicates_onto
            ]
            for fd in state.reachable(copied):
                self.log.note(Event.NONZERO, fd)
        if api.unregisters_all:
            unregister_all(state)
        if api.waits or acquires(api.returns):
            settle(self.log, state)
        if api.marks or api.hands_back:
            mark_arguments(self, state, step, call, reading)
        if api.child is not None:
            self.mark(state, captured_by(state, self.graph, operand_of(reading.bound, api.child)), step, Event.SPAWNED)
        if api.registers:
            for fd in kept_by(state, self.graph, self._callees, reading, api):
                self.hand_over(state, Fd(fd), step)
        if api.frees is not None:
            state.free |= {api.frees.number}
        if api.closes_all:
            self._close_range(state, reading, step)
        if api.container is not None and call.callee.receiver is not None:
            return call_method(self, state, step, call, api)
        if api.lazy:
            return lazy_map(self.catalog, self.graph, state, reading)
        bound = reading.applied_bound if api is reading.applied else reading.bound
        if call.unused and api.at_least is not None and self._is_chosen(state, operand_of(bound, api.at_least)):
            return UNKNOWN
        site = self._maker(step, api)
        note_exec(self.log, state, self.graph, api, bound, site, step)
        state.make_older(site)
        if call.unused and isinstance(api.returns, Fresh) and self._unseen.refills:
            state.free |= {SOME_NUMBER}
        return fill(self, state, step, api, bound, Allocator(self, state, step, site, call, bound, api).result())

    def registered(self, call: Call, event: Event) -> Event:
        """Returns the event of a call that registers: what keeps the registration may live on."""
        receiver = call.callee.receiver
        if event is not Event.REGISTERED or receiver is None:
            return event
        if receiver not in self._ending:
            self._ending[receiver] = ends_with_holder(self.graph, receiver)
        return event if self._ending[receiver] else Event.WATCHED

    def end_object(self, state: State, operand: Operand, step: Step) -> None:
        """Ends an object: the descriptor that it owns is closed."""
        for fd in state.owned_by(value_of(state, self.graph, operand)):
            if Event.ENDED_WITH_OWNER not in state.resources[fd].marks:
                apply_event(state, self.log, fd, Event.ENDED_WITH_OWNER, step.origin)

    def _settle_owners(self, state: State, step: Step, reading: Reading, api: Api) -> None:
        """Records the owners that are sure to close what they take. A number that `dup2` reuses is open again."""
        for name, arg in reading.bound:
            value = value_of(state, self.graph, arg.value)
            if name == api.duplicates_onto:
                state.free -= {stream_number(value)}
            if not isinstance(value, Fd) or value.descriptor not in state.resources:
                continue
            if (
                api.adopts
                and reading.action(name) is Event.TRANSFERRED
                and not state.has_ended(value.descriptor, Status.CLOSED)
            ):
                owner = self._maker(step, api)
                judge_adoption(self.log, self.graph, state, value.descriptor, self._stacks, step)
                apply_event(state, None, value.descriptor, Event.TRANSFERRED, certain=True, owner=owner)
                state.let_older_go(owner)
            elif name == api.duplicates_onto and not state.is_alive(value.descriptor):
                apply_event(state, None, value.descriptor, Event.DISOWNED)

    def _maker(self, step: Step, api: Api) -> AllocationSite:
        """Returns the number of a call that creates an object."""
        name, of = api.name.removeprefix("*."), class_made(api.returns)
        return self.log.site(step.origin, name, api.received, step.statement, api.finalized, of)

    def _effects(self, state: State, reading: Reading, call: Call) -> Iterable[tuple[Arg, Event]]:
        """Yields what a call does with its arguments. An object that is closed knows that, and closes no number."""
        for arg, action in self.objects.judged(state, reading, call, self._actions(state, reading, call)):
            value = value_of(state, self.graph, arg.value)
            resource = state.resources.get(value.descriptor) if isinstance(value, Fd) else None
            closed = resource is not None and resource.status is Status.CLOSED
            if not (closed and action is Event.CLOSED and reading.api is not None and reading.api.by_number):
                yield arg, action

    def _actions(self, state: State, reading: Reading, call: Call) -> Iterable[tuple[Arg, Event]]:
        if reading.api is None and reading.applied is None:
            given = [arg for _, arg in reading.bound if self._may_matter(state, arg)]
            if not given:
                return
            named = call.callee.own or self.catalog.unknown_takes(call.callee.name)
            used = frozenset() if named else self._only_used(state, reading, call)
            self._note_deferred(state, used)
            action = default_action(state, self.graph, self.catalog, call)
            message = call.callee.receiver is not None and len(call.args) == 1
            if action is Event.USED and not self.catalog.naming.only_looks(call.callee.name, message=message):
                action = Event.GIVEN
            if self.graph.calls_own(call):
                self._note_given(state, reading)
            for arg in given:
                if arg.kept or arg.value in self._entrusted(call) or self._passes_on(state, call, arg):
                    yield arg, Event.TRANSFERRED
                elif state.told(value_of(state, self.graph, arg.value)):
                    yield arg, Event.USED if call.thrown or speaks_to_readers(call.callee.name) else Event.TRANSFERRED
                else:
                    yield arg, Event.USED if arg in used else action
        elif reading.api is None or reading.applied is not None:
            registers = reading.api is None or reading.api.registers  # an unknown call may keep it for later
            yield from reading.passed_whole()
            for name, arg in reading.applied_bound:
                action = reading.applied.actions.get(name, Event.USED) if reading.applied else Event.USED
                self._note_deferred(state, [arg] if registers and action is Event.USED else ())
                yield arg, Event.TRANSFERRED if registers and action is Event.CLOSED else action
        elif (api := reading.api).container is None or call.callee.receiver is None:
            used = self._only_used(state, reading, call) if api.registers or api.applies else frozenset()
            late = self._only_used(state, reading, call, always=False) if api.on_exit else used
            self._note_deferred(state, late if api.registers else ())
            kept = api.borrows and call.result in self._lasting_places
            for name, arg in reading.bound:
                yield arg, Event.USED if arg in used else Event.TRANSFERRED if kept else reading.action(name)

    def _may_matter(self, state: State, arg: Arg) -> bool:
        """Whether an argument holds a descriptor, so that it matters what an unknown function does to it."""
        value = value_of(state, self.graph, arg.value)
        return isinstance(value, Borrowed) or mentions_any(value)

    def _passes_on(self, state: State, call: Call, arg: Arg) -> bool:
        """Whether the call passes a parameter of this function, or of the one around it, to another one, which is a
        function: the caller chose both, and its own analysis decides."""
        fds = state.reachable([value_of(state, self.graph, arg.value)])
        came_in = call.callee.variable in (*self.graph.parameters, *self.graph.free)
        return came_in and all(map(state.is_borrowed, fds))

    def _only_used(self, state: State, reading: Reading, call: Call, *, always: bool = True) -> frozenset[Arg]:
        return only_used(state, self.graph, self._callees, reading, call, always) if self._callees else frozenset()

    def _note_deferred(self, state: State, used: Iterable[Arg]) -> None:
        """Logs that a function which is passed with a descriptor may only use it, perhaps later."""
        for arg in used:
            self.log.defers(state, value_of(state, self.graph, arg.value))

    def _note_given(self, state: State, reading: Reading) -> None:
        """Logs that an unknown method of the object, or of one of its attributes, gets descriptors that it may keep."""
        for fd in state.reachable(value_of(state, self.graph, arg.value) for _, arg in reading.bound):
            self.log.note(Event.PASSED, fd)

    def _act(self, state: State, arg: Arg, action: Event, step: Step) -> None:
        value = value_of(state, self.graph, arg.value)
        if arg.stars == 1 and isinstance(value, Seq) and len(value.items) == 1:
            value = value.items[0]
        if action is Event.SPAWNED:
            value = start_child(self.log, self.graph, state, arg.value, value)
        if action is Event.CLOSED:
            self.log.meets(self.graph, state, arg.value, value, step.origin)
        self.note_ended(state, value, action)
        if action is Event.CLOSED and isinstance(value, Const) and isinstance(arg.value, AccessPath):
            note_in_vain(self.log, state, arg.value)
        if arg.kept and action is Event.TRANSFERRED:
            self.hand_over(state, value, step, vouches=False)
            forget_flags(state, value)
        else:
            self.act(state, value, action, step)

    @staticmethod
    def note_ended(state: State, value: Value, action: Event) -> None:
        """Notes what the end of a plain number frees: that of a standard stream, or of an object, which is no open
        socket any more."""
        if action is Event.CLOSED and (number := stream_number(value)) is not None:
            state.free |= {number}
        if action in (Event.TRANSFERRED, Event.CLOSED) and isinstance(value, Borrowed):
            state.env[value.owner] = Known.TRUTHY
            exchange(state, value.giver, Known.TRUTHY)

    def act(self, state: State, value: Value, action: Event, step: Step) -> None:
        """Applies an action to every descriptor that a value holds."""
        if not mentions_any(value):
            return
        if action is not Event.USED:
            looked_at(state, value)
        fds = sorted(state.reachable([value]))
        if action is Event.CLOSED:
            for fd in fds:
                self.close(state, fd, step, certain=isinstance(value, Fd))
            return
        self.log.acts(state, value, action, step.origin)
        match action:
            case Event.TRANSFERRED:
                self.hand_over(state, value, step)
            case Event.GIVEN:
                self.act(state, value, Event.USED, step)
                self.mark(state, fds, step, Event.UNREGISTERED)  # that call may end its registrations
                self.mark(state, fds, step, action)
            case _ if action is not Event.USED:
                self.mark(state, fds, step, action)

    def run_lazily(self, state: State, value: Value, step: Step) -> None:
        """Lets a lazy ``map`` do its work: it may close its items."""
        if isinstance(value, Lazy) and value.closes:
            self.act(state, Seq(value.items), Event.CLOSED, step)

    def _trust(self, state: State, reading: Reading) -> None:
        """Notes that the function still uses what it has given to an unknown call: that call has not taken it."""
        if reading.api is None or Event.GIVEN not in self.log.occurrences:
            return
        used = [arg for name, arg in reading.bound if reading.api.actions.get(name) in WORKS_ON]
        for fd in state.reachable(value_of(state, self.graph, arg.value) for arg in used):
            apply_event(state, None, fd, Event.UNTAKEN)

    def close(self, state: State, fd: Descriptor, step: Step, certain: bool = False) -> None:
        """Closes a descriptor, so that its owner need not. ``certain``: it is this descriptor and no other."""
        state.free_number(fd, self._unseen.discards)
        for one in (fd, *state.tied_to(fd)):
            apply_event(state, self.log, one, Event.CLOSED, step.origin, certain=certain)

    def hand_over(
        self, state: State, value: Value, step: Step, event: Event = Event.TRANSFERRED, vouches: bool = True
    ) -> None:
        """Gives everything in a value to another owner, and also what its containers will hold later.

        ``event``: TRANSFERRED, or ENTRUSTED for an object that keeps the descriptor in an attribute. ``vouches``: this
        shows that unknown calls which got the descriptors before have not taken them.
        """
        self.log.acts(state, value, Event.TRANSFERRED, step.origin)
        tell_number(self.log, state, value)
        looked_at(state, value)
        of_object = isinstance(value, Box) and is_object(state.heap.get(value.container))
        in_fields = of_object or self.graph.language.records
        bare = set(descriptors(value)) if in_fields else None
        for fd in sorted(state.reachable([value])):
            how = event if bare is None or fd in bare else Event.ENTRUSTED
            apply_event(state, self.log, fd, how, step.origin, vouches=vouches)
        state.share([value])

    def store(self, state: State, value: Value, step: Step, target: Place | None) -> None:
        """Gives what a value holds to the field ``target``; to an unknown owner if it is no field."""
        given = without_copies(self.log, state, value)
        if target is None or not is_field(self.graph, target) or state.told(value):
            self.hand_over(state, given, step)
            return
        looked_at(state, value)
        self.note_kept(state, given, step, target)
        for fd in state.reachable([given]):
            self.log.end(state, fd, step.origin)
        keep(self.log, state, given, step)
        state.share([value])

    def entrust(self, state: State, fd: Descriptor, step: Step, homes: Iterable[Home]) -> None:
        """Gives a descriptor to the object of a constructor, which has stored it in its attributes."""
        self.hand_over(state, Fd(fd), step, Event.ENTRUSTED)
        for home in homes:
            self.log.note(Event.KEPT, fd, step.origin, home)

    def stow(self, state: State, value: Value, step: Step, place: Place | None) -> None:
        """Gives what a value holds to an unknown container. A field may hold the container."""
        if place is None or not is_field(self.graph, place) or state.told(value):
            self.hand_over(state, value, step)
            return
        self.note_kept(state, value, step, place)
        self.hand_over(state, value, step, Event.ENTRUSTED)

    def note_fields(self, state: State, step: Step, record: Build) -> None:
        """Notes what the fields of a new record keep."""
        for key, one in zip(record.keys, record.items, strict=True):
            kept = value_of(state, self.graph, one)
            if mentions_any(kept) and isinstance(key, Lit) and isinstance(key.value, str):
                self.note_kept(state, kept, step, AccessPath(record.type).attribute(key.value), record.type)

    def give_record(self, state: State, step: Step, call: Call) -> None:
        """Hands over a record that an unknown method is called on: the method may close what the record holds."""
        if call.callee.receiver is not None and self.graph.language.records:
            value = value_of(state, self.graph, call.callee.receiver)
            if isinstance(value, Box):
                self.hand_over(state, value, step)

    def note_kept(
        self, state: State, value: Value, step: Step, place: Place, owner: str | None = None, local: bool = False
    ) -> None:
        """Notes that a field keeps a value. ``owner``: the class of its new object. ``local``: nobody else has that."""
        home = Home(place, whole=not isinstance(value, Fd), owner=owner, local=local)
        for fd in state.reachable([value]):
            of = state.resources[fd].of if fd in state.resources else None
            self.log.note(Event.KEPT, fd, step.origin, home._replace(of=of))

    def mark(self, state: State, fds: Iterable[Descriptor], step: Step, event: Event) -> None:
        """Applies an event that does not change the typestate of descriptors."""
        for fd in sorted(fds):
            apply_event(state, self.log, fd, event, step.origin)

    def _is_chosen(self, state: State, least: Operand | None) -> bool:
        """Whether the caller has chosen the number of a duplicate, so that it need not look at the result."""
        return least is not None and not isinstance(value_of(state, self.graph, least), Const)

    def _close_range(self, state: State, reading: Reading, step: Step) -> None:
        """Applies ``closerange``: closes everything, unless the range is known to end with the standard streams."""
        low, high = ([value_of(state, self.graph, arg.value) for _, arg in reading.bound] + [UNKNOWN] * 2)[:2]
        end = high.value if isinstance(high, Const) and isinstance(high.value, int) else None
        if (start := stream_number(low)) is not None:
            state.free |= frozenset(STANDARD_STREAMS[start:end])
        if end is not None and end <= len(STANDARD_STREAMS):
            return
        self._close_everything(state, step, low)

    def end_sweep(self, state: State, step: Step, item: Place) -> None:
        """Ends a loop: one that closes each number of a range has closed everything."""
        if self._sweeping is None:
            self._sweeping = sweeping(self.graph, self.catalog, self.closed)
        if item in self._sweeping:
            self._close_everything(state, step, UNKNOWN)

    def _close_everything(self, state: State, step: Step, least: Value) -> None:
        """Closes each descriptor. Only the close of the lowest number is certain."""
        self.log.lets_go = True
        for fd in [fd for fd in state.resources if state.is_alive(fd)]:
            self.close(state, fd, step, certain=least == Fd(fd))
