"""The transfer function: runs one block on one state and returns the states that leave it, on any edge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from fdlint.catalog import Catalog
from fdlint.catalog.naming import closes_object
from fdlint.core.budget import Budget
from fdlint.core.domain.apply_event import apply_event, lend, spare
from fdlint.core.domain.contents import Contents, is_object
from fdlint.core.domain.event import Chance, Event
from fdlint.core.domain.facts import Death
from fdlint.core.domain.raising import Raising
from fdlint.core.domain.state import State
from fdlint.core.domain.values import (
    COMPOSED,
    NONE,
    UNKNOWN,
    Box,
    Const,
    Descriptor,
    Fd,
    Iter,
    Pid,
    Seq,
    Value,
    bounded,
    mentions_any,
)
from fdlint.core.engine.apply_summary import Way, call_with_function, project_call
from fdlint.core.engine.deaths import death_by_rebinding, death_by_return
from fdlint.core.engine.entering import never_raises
from fdlint.core.engine.eval import is_flag, item, record_of, result_of, value_of
from fdlint.core.engine.exposure import become
from fdlint.core.engine.filled import may_fill
from fdlint.core.engine.heap import asked_fields, escape, filled, held, let_go, lose, paths_by_name, roots_of, strand
from fdlint.core.engine.landings import landings
from fdlint.core.engine.lending import give_nested, leave_to_borrower
from fdlint.core.engine.log import Log, Source
from fdlint.core.engine.match_api import as_called
from fdlint.core.engine.models.containers import drop_item, mark_bound, note_change, put, set_contents
from fdlint.core.engine.models.error_numbers import failures
from fdlint.core.engine.models.invalid_calls import CertainFailure, failing_call, failing_entry, failing_method, refuted
from fdlint.core.engine.models.started import take_back
from fdlint.core.engine.models.undecoded import forget, looked_at, only_one
from fdlint.core.engine.object_calls import leave_object, lend_objects, on_object
from fdlint.core.engine.objects import class_of
from fdlint.core.engine.plain_objects import plain_object
from fdlint.core.engine.prune import Pruner, none_came
from fdlint.core.engine.registrations import settle
from fdlint.core.engine.summary import Callees
from fdlint.core.engine.transfer_call import CallTransfer
from fdlint.core.ir import (
    NOWHERE,
    RAISE,
    RESULT,
    RETURN,
    AccessPath,
    Advance,
    Assign,
    Branch,
    Build,
    Call,
    Catch,
    Condition,
    Delete,
    DeleteItem,
    Drop,
    Enter,
    Graph,
    Item,
    Iterator,
    Jump,
    Leave,
    Leaving,
    Operand,
    Place,
    RValue,
    Step,
    Store,
    StoreItem,
    Suspend,
    Terminator,
    Throw,
    Unpack,
    Yield,
    below,
)

Leaves = list[tuple[int, State]]
_MAX_SPLITS = 500  # the extra ways in one block: they can double with each call in an expression
_BATCH = 64  # states
_SAMPLED = 8  # blocks between two measurements of the values inside other values
_INSIDE = 2  # a value inside another one costs twice as much: each value around it hashes it again
_WEIGHED = 32  # steps between two measurements of the state
_LEAVING = Step(Drop(()), None, 0)
_OUT_OF = {
    Raising.SPELLED: Death.RAISE,
    **dict.fromkeys((Raising.AGAIN, Raising.AGAIN_ASSUMED, Raising.AGAIN_OWN, Raising.AGAIN_RARE), Death.RERAISE),
}
_CAUGHT = {kind.value: kind for kind in Raising}


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of one run.

    ``observe`` is called at every exit: whether it raises, the state, the result; ``fields``: attributes with plain
    values that matter to other functions; ``reopened``: the tests, by the ids of their origins, of values that may have
    changed since they were last known; ``answers``: the answers to tests of values that others may change;
    ``giving_away``: the nested functions that steps, by their ids, let others have, with their places.
    """

    callees: Callees | None = None
    observe: Callable[[bool, State, Value], None] | None = None
    fields: frozenset[Place] = frozenset()
    reopened: frozenset[int] = frozenset()
    answers: dict[int, set[bool]] = field(default_factory=dict)
    giving_away: Mapping[int, tuple[tuple[str, frozenset[Place]], ...]] = field(default_factory=dict)


class Transfer:
    """Runs the blocks of one function and logs what happens to its descriptors."""

    def __init__(
        self, graph: Graph, catalog: Catalog, log: Log, asked_again: frozenset[Condition], options: RunOptions
    ) -> None:
        self._graph = graph
        self._receiver = graph.receiver
        self._exceptions = graph.language.exceptions
        self._log = log
        self._options = options
        self._caller = CallTransfer(graph, catalog, log, options.callees, options.fields, options.observe is not None)
        self._pruner = Pruner(graph, log, asked_again, options.reopened, options.answers)
        self._paths = paths_by_name(graph)
        self._asked_fields = asked_fields(graph)
        self._renamed: dict[int, Call] = {}  # by the ids of steps
        self._visits = 0  # blocks of this run alone, so that its cost does not depend on earlier runs
        self._inside = 0  # the cost of the values inside other values, as of the last measurement
        self.complete = True  # every way that a call can go was followed
        self.budget = options.callees.budget if options.callees is not None else Budget()

    def meets_objects(self, from_the_start: bool) -> None:
        """Tells whether the state in which the function starts has objects that own a descriptor."""
        self._caller.objects.present = from_the_start

    def run(self, index: int, state: State) -> Iterable[Leaves]:
        """Yields the next blocks, each with its state. Consumes the given state. They come in batches: if many calls in
        a block may raise, all states together may not fit into memory."""
        if not self._visits % _SAMPLED:
            self._inside = _INSIDE * state.inside()
        self._visits += 1
        weight = state.size() + self._inside
        self.budget.visit(weight)
        if index in (RETURN, RAISE):
            self._exit(index, state)
            return
        block = self._graph.blocks[index]
        leaves: Leaves = []
        pending = [(0, state)]
        splits = 0
        while pending:
            start, state = pending.pop()
            for position in range(start, len(block.steps)):
                if position == start or not position % _WEIGHED:
                    steps = min(_WEIGHED - position % _WEIGHED, len(block.steps) - position)
                    if position and not position % _WEIGHED:
                        self._inside = _INSIDE * state.inside()
                        weight = state.size() + self._inside
                    self.budget.steps(steps, weight)
                ways = self._step(state, block.steps[position], leaves)
                if len(leaves) > _BATCH:
                    yield leaves
                    leaves = []
                if not ways:
                    break
                state = ways[0]
                if len(ways) > 1:
                    splits += len(ways) - 1
                    if splits > _MAX_SPLITS:
                        self.complete = False
                    else:
                        pending.extend([(position + 1, other) for other in ways[1:]])
            else:
                self._end(state, block.end, leaves)
        yield leaves

    def _end(self, state: State, end: Terminator, leaves: Leaves) -> None:
        match end:
            case Jump(targets):
                if RETURN in targets:
                    self._log.returns_open(state)
                leaves.extend(landings(self._graph, state, targets, self._options.observe is not None))
            case Branch(_, _, if_true, if_false):
                for truth, answered in self._pruner.ask(state, end):
                    leaves.append((if_true if truth else if_false, answered))
            case Advance():
                self._advance(state, end, leaves)

    # -- leaving

    def _exit(self, index: int, state: State) -> None:
        raising = state.raising or Raising.ASSUMED
        death = _OUT_OF.get(raising, Death.EXCEPTION) if index == RAISE else death_by_return(self._graph, state)
        chance = raising.chance if index == RAISE else Chance.KNOWN
        take_back(self._log, state)
        if self._options.observe is not None:
            self._options.observe(index == RAISE, state, state.env.get(RESULT, UNKNOWN))
        inside = held(self._graph, state)
        if index == RETURN:
            settle(self._log, state, returning=True)
            self._give(state, state.env.pop(RESULT, UNKNOWN), inside)
        for fd in sorted(state.resources):
            if state.is_open(fd):
                self._log.lost(state, fd, state.resources[fd], death, None, chance)
            elif state.is_held(fd) and fd not in inside:
                if index == RETURN:
                    lose(self._log, state, fd)
                elif state.kind not in ("", self._exceptions.unknown):  # otherwise it may be that nothing raises
                    strand(self._log, state, fd, chance is Chance.RARE)
        self._log.leave(state, index == RETURN)
        self._log.depart(state, index == RAISE)

    def _give(self, state: State, value: Value, inside: set[Descriptor]) -> None:
        """Hands the result to the caller. A descriptor that a field still holds is only lent."""
        reached = state.reachable([value])
        lent = {fd for fd in reached if state.is_held(fd) and fd in inside}
        self._caller.hand_over(state, value, _LEAVING, Event.ENTRUSTED if lent == reached else Event.TRANSFERRED)
        for fd in lent:
            apply_event(state, None, fd, Event.STORED)

    def _raise(
        self,
        state: State,
        step: Step,
        kind: str,
        leaves: Leaves,
        chance: Chance,
        told: bool = False,
        sure: bool = False,
    ) -> None:
        """Adds the landings of an exception that a step raises. ``state``: the state that the exception leaves behind;
        ``told``: the story already has the event; ``sure``: the exception counts like a ``raise`` statement;
        ``chance``: how often it comes."""
        targets = self._landing(state, step, kind)
        if not targets:
            return
        if not sure:
            forget(state)
        if self._options.observe is not None:
            state.kind = kind
        if not told:
            state.tell(Event.RAISED, step.origin)
            if targets == (RAISE,):
                self._log.leaves_open(state, step.origin)
        state.raising = (state.raising or Raising.SPELLED) if sure else Raising.out_of_call(chance)
        leaves.extend(landings(self._graph, state, targets, self._options.observe is not None, step))

    def _landing(self, state: State, step: Step, kind: str) -> tuple[int, ...]:
        """Returns the blocks where an exception lands; none if it leaves the function and that does not matter."""
        if not step.pads:
            return ()
        targets = step.pads.get(self._exceptions.base_of(kind, step.pads) or self._exceptions.unknown, ())
        if targets == (RAISE,) and self._options.observe is None:
            return targets if any(map(state.is_open, state.resources)) else ()
        return targets

    def _may_raise(self, state: State, step: Step, leaves: Leaves, chance: Chance = Chance.ASSUMED) -> None:
        """Adds the landings of an unknown exception that a step may raise. The state itself stays as it is."""
        if self._landing(state, step, self._exceptions.unknown):
            self._raise(state.copy(), step, self._exceptions.unknown, leaves, chance)

    # -- steps

    def _step(self, state: State, step: Step, leaves: Leaves) -> list[State]:
        """Carries out one step. Returns the states that go on from here, none when the path ends."""
        numbers = lend_objects(self._caller, state, step)
        for name, held_by in self._options.giving_away.get(id(step), ()):
            if not held_by or not all(isinstance(state.env.get(one), Const) for one in held_by):
                give_nested(self._caller, state, step, name)
        match step.effect:
            case Call():
                return may_fill(self._graph, step.effect, self._call(state, step, step.effect, leaves))
            case Assign(target, value):
                state.env |= numbers
                self._assign(state, step, target, value)
                for place in numbers:
                    state.env.pop(place, None)
            case Drop(places):
                self._drop(state, step, places)
            case Enter():
                return self._enter(state, step, step.effect, leaves)
            case Store(target, operand):
                self._store(state, step, target, operand)
            case StoreItem(base, index, operand):
                key = value_of(state, self._graph, index) if index is not None else UNKNOWN
                note_change(state, base, value_of(state, self._graph, base), grows=True)
                into, stored = value_of(state, self._graph, base), value_of(state, self._graph, operand)
                if isinstance(stored, Const):
                    leave_to_borrower(self._caller, state, step, item(state, into, key))
                put(self._caller, state, step, into, key, stored, base if isinstance(base, AccessPath) else None)
            case Delete(place, deferred):
                self.bind(state, step, place, UNKNOWN, Death.DEFERRED if deferred else Death.DELETED)
            case DeleteItem(base, index, whole):
                note_change(state, base, value_of(state, self._graph, base), grows=False)
                key = value_of(state, self._graph, index) if index is not None else UNKNOWN
                drop_item(self._caller, state, step, value_of(state, self._graph, base), key, whole)
            case _:
                self._control(state, step, leaves)
        return [state]

    def _control(self, state: State, step: Step, leaves: Leaves) -> None:
        match step.effect:
            case Leave(manager):
                self._caller.end_object(state, manager, step)
                leave_object(self._caller, state, step, manager)
            case Suspend():
                settle(self._log, state)
                self._caller.strangers.doubt(state)
                self._may_raise(state, step, leaves)
            case Yield(value, lends):
                self._caller.strangers.doubt(state)
                if lends:
                    lend(state, value_of(state, self._graph, value))
                else:
                    self._caller.hand_over(state, value_of(state, self._graph, value), step)
                self._may_raise(state, step, leaves, Chance.KNOWN if lends else Chance.ASSUMED)
            case Leaving(value):
                self.bind(state, step, RESULT, value_of(state, self._graph, value), Death.RETURN)
                state.tell(Event.FELL_OFF if step.effect.falls_off else Event.RETURNED, step.origin)
            case Throw(again, kind):
                self._throw(state, step, again, kind)
            case Catch(handler, as_error):
                self._catch(state, step, handler, as_error)

    def _enter(self, state: State, step: Step, enter: Enter, leaves: Leaves) -> list[State]:
        manager = value_of(state, self._graph, enter.manager)
        vain = failing_entry(state, self._graph, self._log, manager)
        if vain is not None:
            mark_bound(state, manager)
            return self._fail_for_sure(state, step, vain, leaves)
        owner = class_of(state, manager)
        mine = owner is not None and owner.gives_itself
        callees = self._options.callees
        calm = mine or not step.pads
        if not (calm or never_raises(self._graph, self._caller.catalog, callees, manager, owner, enter)):
            failed = state.copy()
            failed.doubt_owners()
            self._raise(failed, step, self._exceptions.unknown, leaves, Chance.ASSUMED)
        self.bind(state, step, enter.result, manager if owner is None or owner.gives_itself else UNKNOWN, Death.REBOUND)
        return [state]

    def _catch(self, state: State, step: Step, handler: Place, as_error: bool) -> None:
        """Enters a handler. From here on the function spells out the path, so temporaries count as bound."""
        if state.raising is not None and state.raising.chance is Chance.RARE:
            spare(state, as_error)
        caught = state.raising.value if state.raising is not None else None
        state.env[handler] = Const(caught if state.kind in ("", self._exceptions.unknown) else f"{caught}:{state.kind}")
        state.raising, state.kind = None, ""
        if not as_error:
            self.bind(state, step, RESULT, UNKNOWN, Death.EXCEPTION)
        mark_bound(state, Seq(tuple(value for place, value in state.env.items() if place.is_temporary)))

    def _throw(self, state: State, step: Step, again: Place | None, kind: str) -> None:
        if again is None:
            state.raising = Raising.SPELLED
            state.tell(Event.RAISE, step.origin)
        else:
            caught = state.env.get(again)
            how, _, known = str(caught.value).partition(":") if isinstance(caught, Const) else ("", "", "")
            state.raising, kind = _CAUGHT.get(how, Raising.AGAIN).again(), known or kind
            state.tell(Event.RAISED_AGAIN, step.origin)
        state.kind = kind if self._options.observe is not None else ""

    # -- binding

    def _assign(self, state: State, step: Step, target: Place, value: RValue) -> None:
        self._caller.strangers.copy(state, target, value, self._caller.closed)
        result = result_of(state, self._graph, value, step.node)
        if isinstance(value, Build) and value.type:
            self._caller.note_fields(state, step, value)
        if isinstance(value, Build):
            for key in value.items if value.kind == "kept" else value.keys:
                given = value_of(state, self._graph, key)
                if value.kind != "kept" or not isinstance(given, Fd):  # arithmetic on a number keeps no descriptor
                    self._caller.hand_over(state, given, step)
        if isinstance(value, Unpack) and value.count == 1 and value.star is None:
            only_one(state, value_of(state, self._graph, value.base), result)
        if isinstance(value, Item | Unpack | Iterator):
            looked_at(state, value_of(state, self._graph, value.base))
        if isinstance(value, Iterator):
            source = value_of(state, self._graph, value.base)
            refuted(state, source)
            self._caller.run_lazily(state, source, step)
            result = self._caller.strangers.each(state, target, value.base, self._caller.closed) or result
        extends = getattr(value, "kind", None) == "extend"
        if isinstance(value, AccessPath | Iterator) or not mentions_any(result) or not extends:
            self.bind(state, step, target, result, Death.REBOUND)
            return
        self._extend_unknown(state, step, target, value, result)

    def _extend_unknown(self, state: State, step: Step, target: Place, value: RValue, result: Value) -> None:
        """Binds ``x += […]``. If ``x`` came from elsewhere, the list outlives the function and takes the items over."""
        left = value_of(state, self._graph, value.items[0]) if isinstance(value, Build) else UNKNOWN
        if not mentions_any(left) and not isinstance(left, Seq):
            self._caller.hand_over(state, result, step)
        self.bind(state, step, target, result, Death.REBOUND)

    def bind(
        self, state: State, step: Step, target: Place, value: Value, death: Death, meant: Value | None = None
    ) -> None:
        """Binds a place to a value; what only its old value held is lost. ``meant``: the value that it stands for."""
        old = state.env.pop(target, None)
        if target in self._asked_fields:
            value = filled(old, value)
        if value is not UNKNOWN:
            state.env[target] = bounded(value) if type(value) in COMPOSED else value
        if target.is_named:
            self._rebound(state, step, target, value)
        if old is None or not mentions_any(old):
            return
        new = value if meant is None else meant
        if isinstance(new, Const):
            leave_to_borrower(self._caller, state, step, old)
        for fd in state.orphans(old):
            how = death_by_rebinding(self._graph, self._log, step, fd) if death is Death.REBOUND else death
            self._log.lose(state, fd, how, step.origin)
        let_go(self._graph, self._log, state, step, target, old, new)

    def _rebound(self, state: State, step: Step, target: Place, value: Value) -> None:
        if target in self._paths:
            escape(state, [target])
        for path in self._paths.get(target, ()):
            state.env.pop(path, None)
        if target.is_attribute or self._caller.strangers.in_fields:
            for path in below(state.env, (target,)):
                del state.env[path]
        state.forget_answers(target)
        if mentions_any(value) and target not in self._graph.throwaways:
            mark_bound(state, value)
            self._log.name(state, value, target)
            if target in state.armed or self._caller.objects.is_captured(state, target, value):
                self._caller.hand_over(state, value, step)

    def _drop(self, state: State, step: Step, places: Iterable[Place]) -> None:
        values = [state.env.pop(place, UNKNOWN) for place in places]
        held = [value for value in values if mentions_any(value)]
        if held:
            gone = Seq(tuple(held))
            for fd in state.orphans(gone):
                self._log.lose(state, fd, Death.DROPPED, step.origin)
            let_go(self._graph, self._log, state, step, NOWHERE, gone, UNKNOWN)
        state.settle()

    def _store(self, state: State, step: Step, target: Place | None, operand: Operand) -> None:
        value = value_of(state, self._graph, operand)
        record = record_of(state, self._graph, target) if target is not None and state.heap else None
        if target is not None and record is not None and self._fill(state, step, target, record, value):
            return
        if mentions_any(value):
            if target is not None:
                self._log.name(state, value, target)
            self._caller.store(state, value, step, target)
        if target is not None:
            none = isinstance(operand, AccessPath) and self._graph.language.is_constant(operand)
            self.bind(state, step, target, value, Death.REBOUND, NONE if none else value)

    def _fill(self, state: State, step: Step, target: Place, record: Box, value: Value) -> bool:
        """Stores a value in an attribute of a record that the function has made. A plain value only replaces what is
        there; it is kept like that of any other object. Returns whether the value is stored."""
        before, old = state.heap[record.container], item(state, record, Const(target.name))
        holds = (mentions_any(value) and not isinstance(value, Pid)) or is_flag(value)
        vain = not holds and not mentions_any(old) and target.name not in (before.keys or ())
        if vain or (before.outlives and is_object(before)):
            return False
        kept = [(key, one) for key, one in zip(before.keys or (), before.items, strict=True) if key != target.name]
        kept += [(target.name, value)] if holds else []
        self.bind(state, step, target, UNKNOWN, Death.REBOUND)
        names, items = tuple(key for key, _ in kept), tuple(one for _, one in kept)
        if holds:
            state.env.pop(target, None)  # what a test has shown of the value before
            self._log.name(state, value, target)
            self._caller.note_kept(state, value, step, target, local=not before.outlives)
        set_contents(self._caller, state, step, record.container, Contents(items, before.exact, names, before.outlives))
        if isinstance(value, Const):
            leave_to_borrower(self._caller, state, step, old)
        for fd in state.orphans(old):
            self._log.lose(state, fd, death_by_rebinding(self._graph, self._log, step, fd), step.origin)
        return holds

    def _call(self, state: State, step: Step, call: Call, leaves: Leaves) -> list[State]:
        called = as_called(state, self._graph, call)
        call = on_object(self._caller, state, step, self._meant(step) if called is call else self._rename(called))
        mistaken = failing_method(state, self._graph, self._log, call)
        if mistaken is not None:
            return self._fail_for_sure(state, step, mistaken, leaves)
        reading = self._caller.read(state, call)
        if (spelled := self._caller.spread(state, call)) is not call:
            call, reading = spelled, self._caller.read(state, spelled)
        if reading.api is not None:
            self._log.remark(step.origin, Source.CATALOG, reading.api.name)
        self._caller.watch(state, step, call, reading)
        if call.callee.receiver is not None and closes_object(call.callee.name):
            self._caller.end_object(state, call.callee.receiver, step)
        if reading.api is None or reading.api.attribute is not None:  # an attribute whose name is computed
            receiver = self._receiver if call.callee.receiver == self._receiver else None
            self._escape(state, [one for one in roots_of(call) if one != receiver])
        if reading.api is None and reading.applied is not None:
            ways = call_with_function(self._caller, self._options.callees, state, step, call, reading.applied)
            if ways is not None:
                return self._project_call(step, call, ways, leaves)
        if reading.api is None and reading.applied is None:
            made = plain_object(self._caller, state, step, call)
            if made is not None:
                self.bind(state, step, call.result, made, Death.REBOUND)
                return [state]
            ways = project_call(self._caller, self._options.callees, state, step, call)
            if ways is not None:
                self._log.remark(step.origin, Source.PROJECT, call.callee.name)
                return self._project_call(step, call, ways, leaves)
            self._log.remark(step.origin, Source.NAME, call.callee.name)
            self._caller.give_record(state, step, call)
            if not (call.callee.inherited and call.callee.name == self._graph.language.methods.constructor):
                self._escape(state, [one for one in (call.callee.receiver,) if isinstance(one, AccessPath)])
        if reading.api is None:
            self._caller.strangers.doubt(state, self._caller.ends(step, call))
        vain = failing_call(state, self._graph, reading) if self._exceptions.for_mistakes else None
        if vain is not None:
            if vain.event is Event.REFUSED:
                self._caller.fail(state, step, call, reading)
            return self._fail_for_sure(state, step, vain, leaves)
        kind = self._caller.raised(state, reading, call)
        if kind is not None and step.pads:
            failed = state.copy()
            self._caller.fail(failed, step, call, reading)
            self._raise(failed, step, kind, leaves, self._caller.chance(state, reading, call))
        if reading.api is not None and reading.api.noreturn:
            return become(self._log, state, self._graph, reading.api, reading.bound)
        failing = failures(state, call, reading.api)
        value = self._caller.objects.new(state, step, call, self._caller.succeed(state, step, call, reading))
        self.bind(state, step, call.result, value, Death.REBOUND)
        return [state, *failing]

    def _escape(self, state: State, roots: list[Place]) -> None:
        self._log.lets_go = self._log.lets_go or self._receiver in roots
        escape(state, roots)

    def _meant(self, step: Step) -> Call:
        """Returns the call of a step under the catalog's name for its callee. Looked up once in a run."""
        if id(step) not in self._renamed:
            assert isinstance(step.effect, Call)
            self._renamed[id(step)] = self._rename(step.effect)
        return self._renamed[id(step)]

    def _rename(self, call: Call) -> Call:
        return self._options.callees.renamed(self._graph, call) if self._options.callees is not None else call

    def _fail_for_sure(self, state: State, step: Step, vain: CertainFailure, leaves: Leaves) -> list[State]:
        """Ends the path in an exception. Descriptors that a mistake leaves open count as left open by a ``raise``."""
        for fd in vain.fds or (None,):
            state.tell(vain.event, step.origin, fd)
        self._raise(state, step, vain.raises, leaves, Chance.KNOWN, told=True, sure=bool(vain.fds))
        return []

    def _project_call(self, step: Step, call: Call, ways: list[Way], leaves: Leaves) -> list[State]:
        """Carries out a call of a project function, whose ways out are given. Returns the states that go on."""
        going_on = []
        for way in ways:
            self._caller.strangers.doubt(way.state, self._caller.ends(step, call))
            if way.raises is not None:
                self._raise(way.state, step, way.raises, leaves, way.chance, way.mistaken, way.mistaken)
            else:
                self.bind(way.state, step, call.result, way.result, Death.REBOUND)
                self._caller.objects.fill(way.state, step, call)
                going_on.append(way.state)
        return going_on

    def _advance(self, state: State, end: Advance, leaves: Leaves) -> None:
        step = Step(Drop(()), end.origin, end.statement, end.pads)
        iterator = state.env.get(end.iterator)
        if not isinstance(iterator, Iter):
            iterator = Iter((), False, Chance.ASSUMED)
        if iterator.raises is not None:
            self._may_raise(state, step, leaves, iterator.raises)
        if iterator.items or not iterator.exact:
            inside = state.copy()
            item: Value = iterator.items[0] if iterator.items else UNKNOWN
            self.bind(inside, step, end.item, item, Death.REBOUND)
            self.bind(
                inside, step, end.iterator, Iter(iterator.items[1:], iterator.exact, iterator.raises), Death.REBOUND
            )
            inside.tell(Event.LOOPED, end.origin)
            leaves.append((end.body, inside))
        if not iterator.items or none_came(state, iterator):
            state.tell(Event.LOOP_ENDED, end.origin)
            if not iterator.exact:
                self._caller.end_sweep(state, step, end.item)
            leaves.append((end.done, state))
