"""The transfer function: one block, one world in; the worlds that leave it, by whatever edge, out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from fdlint.catalog import Catalog
from fdlint.catalog.model import Action
from fdlint.domain.facts import Death
from fdlint.domain.state import ARMED, Raising, Status, World
from fdlint.domain.values import (
    NONE,
    UNKNOWN,
    Box,
    Const,
    Fd,
    Iter,
    Lazy,
    Rid,
    Seq,
    Typed,
    Value,
    bounded,
    mentions_any,
)
from fdlint.engine.apply_summary import Way, leave_to_caller, project_call
from fdlint.engine.eval import result_of, value_of
from fdlint.engine.heap import escape, held, let_go, lose, paths_by_name, roots_of
from fdlint.engine.indirect_calls import as_called
from fdlint.engine.log import Record
from fdlint.engine.models.containers import drop_item, mark_bound, note_change, put
from fdlint.engine.models.invalid_calls import Vain, vain_call, vain_entry, vain_method
from fdlint.engine.prune import Asker, may_be_empty
from fdlint.engine.summary import Callees
from fdlint.engine.trace import REFUSED
from fdlint.engine.transfer_call import Caller
from fdlint.frontend.python.exceptions import base_of
from fdlint.frontend.python.names import is_constant_name
from fdlint.ir import (
    RAISE,
    RETURN,
    Advance,
    Assign,
    Branch,
    Build,
    Call,
    Catch,
    Closure,
    Delete,
    DeleteItem,
    Drop,
    Enter,
    Graph,
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
)
from fdlint.process.budget import Budget

Leaves = list[tuple[int, World]]
RESULT = "%return"  # what the function is about to return, while cleanups run
_MAX_SPLITS = 500  # ways in one block, which double with each call in an expression
_BATCH = 64  # worlds
_SAMPLED = 8  # blocks between two measurements of the values inside other values
_INSIDE = 2  # a value inside another one costs twice as much: each value around it hashes it again
_WEIGHED = 32  # steps between two measurements of the world
_LEAVING = Step(Drop(()), None, 0)
_OUT_OF = {Raising.SPELLED: Death.RAISE, Raising.AGAIN: Death.RERAISE, Raising.IMPLICIT: Death.EXCEPTION}


@dataclass(frozen=True, slots=True)
class Context:
    """What one run of the machine stands in. ``observe`` is told of every exit: whether it raises, the world, the
    result; ``fields`` are attributes whose plain values matter even to others; ``reopened``: tests, by the ids of
    their origins, of what may have changed since it was last known."""

    callees: Callees | None = None
    observe: Callable[[bool, World, Value], None] | None = None
    fields: frozenset[Place] = frozenset()
    reopened: frozenset[int] = frozenset()


class Machine:
    """Runs the blocks of one function and records what becomes of its descriptors."""

    def __init__(
        self, graph: Graph, catalog: Catalog, record: Record, asked_again: frozenset[str], context: Context
    ) -> None:
        self._graph = graph
        self._record = record
        self._context = context
        self._caller = Caller(graph, catalog, record, context.callees, context.fields)
        self._asker = Asker(graph, record, asked_again, context.reopened)
        self._paths = paths_by_name(graph)
        self._visits = 0  # blocks; of this run alone, so that its cost does not depend on what ran before
        self._inside = 0  # the cost of the values inside other values, as of the last measurement
        self.complete = True  # every way that a call can go was followed
        self.budget = context.callees.budget if context.callees is not None else Budget()

    def run(self, index: int, world: World) -> Iterable[Leaves]:
        """The next blocks, each with its world, in batches: all of them may not fit into memory when many calls in a
        block may raise. Consumes the world that it is given."""
        if not self._visits % _SAMPLED:
            self._inside = _INSIDE * world.inside()
        self._visits += 1
        weight = world.size() + self._inside
        self.budget.visit(weight)
        if index in (RETURN, RAISE):
            self._exit(index, world)
            return
        block = self._graph.blocks[index]
        leaves: Leaves = []
        pending = [(0, world)]
        splits = 0
        while pending:
            start, world = pending.pop()
            for position in range(start, len(block.steps)):
                if position == start or not position % _WEIGHED:
                    steps = min(_WEIGHED - position % _WEIGHED, len(block.steps) - position)
                    if position and not position % _WEIGHED:
                        self._inside = _INSIDE * world.inside()
                        weight = world.size() + self._inside
                    self.budget.steps(steps, weight)
                ways = self._step(world, block.steps[position], leaves)
                if len(leaves) > _BATCH:
                    yield leaves
                    leaves = []
                if not ways:
                    break
                splits += len(ways) - 1
                if len(ways) > 1 and splits > _MAX_SPLITS:
                    self.complete = False
                    ways = ways[:1]
                world = ways[0]
                pending.extend((position + 1, other) for other in ways[1:])
            else:
                self._end(world, block.end, leaves)
        yield leaves

    def _end(self, world: World, end: Terminator, leaves: Leaves) -> None:
        match end:
            case Jump(targets):
                leaves.extend((target, world.copy() if n else world) for n, target in enumerate(targets))
            case Branch(_, _, if_true, if_false):
                for truth, answered in self._asker.ask(world, end):
                    leaves.append((if_true if truth else if_false, answered))
            case Advance():
                self._advance(world, end, leaves)

    # -- leaving

    def _exit(self, index: int, world: World) -> None:
        death = _OUT_OF[world.raising or Raising.IMPLICIT] if index == RAISE else Death.RETURN
        if self._context.observe is not None:
            self._context.observe(index == RAISE, world, world.env.get(RESULT, UNKNOWN))
        inside = held(self._graph, world)
        if index == RETURN:
            self._give(world, world.env.pop(RESULT, UNKNOWN), inside)
        for rid in sorted(world.resources):
            if world.is_open(rid):
                self._record.note(world, rid, world.resources[rid], death, None)
            elif world.is_held(rid) and rid not in inside and index == RETURN:
                lose(self._record, world, rid)
        if index == RETURN:
            self._record.leave(world)

    def _give(self, world: World, value: Value, inside: set[Rid]) -> None:
        """Hands the result to the caller; what a field goes on holding is only lent."""
        lent = [rid for rid in world.reachable([value]) if world.is_held(rid) and rid in inside]
        self._caller.hand_over(world, value, _LEAVING)
        for rid in lent:
            world.set_status(rid, Status.HELD)

    def _raise(
        self, world: World, step: Step, kind: str, leaves: Leaves, told: bool = False, sure: bool = False
    ) -> None:
        """A step raises; ``world`` is the state that the exception leaves behind. ``told``: the story has the event
        already; ``sure``: the exception counts like a ``raise`` statement."""
        targets = step.pads.get(base_of(kind, step.pads) or "Exception", ())
        watched = self._context.observe is not None or any(world.is_open(rid) for rid in world.resources)
        if not targets or (targets == (RAISE,) and not watched):
            return
        if self._context.observe is not None:
            world.kind = kind
        if not told:
            world.tell("raised", step.origin)
        world.raising = (world.raising or Raising.SPELLED) if sure else Raising.IMPLICIT
        leaves.extend((target, world.copy() if n else world) for n, target in enumerate(targets))

    # -- steps

    def _step(self, world: World, step: Step, leaves: Leaves) -> list[World]:
        """Carries out one step; gives the worlds that go on from here, none when the path ends."""
        match step.effect:
            case Call():
                return self._call(world, step, step.effect, leaves)
            case Assign(target, value):
                self._assign(world, step, target, value)
            case Drop(places):
                self._drop(world, step, places)
            case Enter():
                return self._enter(world, step, step.effect, leaves)
            case Store(target, operand):
                self._store(world, step, target, operand)
            case StoreItem(base, index, operand):
                key = value_of(world, self._graph, index) if index is not None else UNKNOWN
                note_change(world, base, value_of(world, self._graph, base), grows=True)
                into, stored = value_of(world, self._graph, base), value_of(world, self._graph, operand)
                put(self._caller, world, step, into, key, stored, base if isinstance(base, str) else None)
            case Delete(place):
                self.bind(world, step, place, UNKNOWN, Death.DELETED)
            case DeleteItem(base, index, whole):
                note_change(world, base, value_of(world, self._graph, base), grows=False)
                key = value_of(world, self._graph, index) if index is not None else UNKNOWN
                drop_item(self._caller, world, step, value_of(world, self._graph, base), key, whole)
            case _:
                self._control(world, step, leaves)
        return [world]

    def _control(self, world: World, step: Step, leaves: Leaves) -> None:
        match step.effect:
            case Leave():
                pass
            case Suspend():
                self._caller.strangers.doubt(world)
                self._raise(world.copy(), step, "Exception", leaves)
            case Yield(value, lends):
                self._caller.strangers.doubt(world)
                if lends:
                    world.lend(value_of(world, self._graph, value))
                else:
                    self._caller.hand_over(world, value_of(world, self._graph, value), step)
                self._raise(world.copy(), step, "Exception", leaves)
            case Leaving(value):
                self.bind(world, step, RESULT, value_of(world, self._graph, value), Death.RETURN)
                world.tell("ended" if step.effect.falls_off else "returned", step.origin)
            case Throw(again, kind):
                self._throw(world, step, again)
                if self._context.observe is not None:
                    world.kind = kind
            case Catch(handler):
                self._catch(world, step, handler)

    def _enter(self, world: World, step: Step, enter: Enter, leaves: Leaves) -> list[World]:
        manager = value_of(world, self._graph, enter.manager)
        vain = vain_entry(world, self._record, manager)
        if vain is not None:
            mark_bound(world, manager)
            return self._fail_for_sure(world, step, vain, leaves)
        if not self._enters_calmly(manager):
            failed = world.copy()
            failed.doubt_owners()
            self._raise(failed, step, "Exception", leaves)
        self.bind(world, step, enter.result, manager, Death.REBOUND)
        return [world]

    def _enters_calmly(self, manager: Value) -> bool:
        """A lock or an exit stack held in a variable."""
        apis = self._caller.catalog.lookup(manager.type) if isinstance(manager, Typed) else ()
        return bool(apis) and apis[0].calm_enter

    def _catch(self, world: World, step: Step, handler: Place) -> None:
        """From here on the path is one that the function spells out, also for what it had not bound yet."""
        world.env[handler] = Const(world.raising.value if world.raising is not None else None)
        world.raising = None
        self.bind(world, step, RESULT, UNKNOWN, Death.EXCEPTION)
        mark_bound(world, Seq(tuple(value for place, value in world.env.items() if place[0] == "%")))

    def _throw(self, world: World, step: Step, again: str | None) -> None:
        if again is None:
            world.raising = Raising.SPELLED
            world.tell("raise", step.origin)
        else:
            caught = world.env.get(again)
            world.tell("again", step.origin)
            world.raising = Raising.SPELLED if caught == Const(Raising.SPELLED.value) else Raising.AGAIN

    # -- binding

    def _assign(self, world: World, step: Step, target: Place, value: RValue) -> None:
        result = result_of(world, self._graph, value, id(step.origin))
        if isinstance(value, Closure):
            self._capture(world, step, value.name)
        if isinstance(value, Build):
            for key in value.items if value.kind == "kept" else value.keys:
                given = value_of(world, self._graph, key)
                if value.kind != "kept" or not isinstance(given, Fd):  # arithmetic with a number keeps nothing
                    self._caller.hand_over(world, given, step)
        if isinstance(value, Unpack) and value.count == 1 and value.star is None:
            self._only_one(world, value_of(world, self._graph, value.base), result)
        if isinstance(value, Iterator):
            source = value_of(world, self._graph, value.base)
            if isinstance(source, Lazy) and source.closes:
                self._caller.act(world, Seq(source.items), Action.CLOSE, step)
        if isinstance(value, str | Iterator) or not mentions_any(result) or not _is_extension(value):
            self.bind(world, step, target, result, Death.REBOUND)
            return
        self._extend_unknown(world, step, target, value, result)

    def _capture(self, world: World, step: Step, name: str) -> None:
        """A nested function that closes what it captures owns it from here on, and whatever the name will hold."""
        for place in self._graph.sinks.get(name, ()):
            self._caller.hand_over(world, world.env.get(place, UNKNOWN), step)
            world.env[ARMED + place] = Const(True)

    def _only_one(self, world: World, base: Value, first: Value) -> None:
        """``(fd,) = fds``: of descriptors that came in there was but one."""
        contents = world.heap.get(base.cid) if isinstance(base, Box) else None
        if contents is not None and not contents.exact and isinstance(first, Fd):
            for rid in world.reachable(contents.items):
                if rid.site == first.rid.site and rid.slot != first.rid.slot:
                    world.resources.pop(rid, None)

    def _extend_unknown(self, world: World, step: Step, target: Place, value: RValue, result: Value) -> None:
        """``x += […]`` where ``x`` came from elsewhere: the list outlives the function."""
        left = value_of(world, self._graph, getattr(value, "items", ("",))[0])
        if not mentions_any(left) and not isinstance(left, Seq):
            self._caller.hand_over(world, result, step)
        self.bind(world, step, target, result, Death.REBOUND)

    def bind(
        self, world: World, step: Step, target: Place, value: Value, death: Death, meant: Value | None = None
    ) -> None:
        """Binds a place; what only its old value held is lost. ``meant``: what the value stands for, if that is not
        itself."""
        old = world.env.pop(target, None)
        if value is not UNKNOWN:
            world.env[target] = bounded(value)
        if target[0] != "%" and target[0] != "!":
            self._rebound(world, step, target, value)
        if old is None or not mentions_any(old):
            return
        new = value if meant is None else meant
        if isinstance(new, Const):
            self._leave_to_borrower(world, step, old)
        for rid in world.orphans(old):
            site = self._record.sites[rid.site]
            again = site.statement == step.statement and death is Death.REBOUND
            self._record.lose(world, rid, Death.NEXT_ROUND if again else death, step.origin)
        let_go(self._graph, self._record, world, step, target, old, new)

    def _leave_to_borrower(self, world: World, step: Step, old: Value) -> None:
        """A context manager resets the variable that it has lent: the borrower keeps the descriptor."""
        for rid in world.reachable([old]):
            if rid in world.resources and world.resources[rid].lent:
                self._caller.hand_over(world, Fd(rid), step)

    def _rebound(self, world: World, step: Step, target: Place, value: Value) -> None:
        if target in self._paths:
            escape(world, [target])
        for path in self._paths.get(target, ()):
            world.env.pop(path, None)
        if "." in target or self._caller.strangers.in_fields:
            for path in [path for path in world.env if path.startswith(f"{target}.")]:
                del world.env[path]
        for key in [key for key in world.facts if target in key]:
            del world.facts[key]
        if mentions_any(value) and target not in self._graph.throwaways:
            mark_bound(world, value)
            self._record.name(world, value, target)
            if ARMED + target in world.env:
                self._caller.hand_over(world, value, step)

    def _drop(self, world: World, step: Step, places: Iterable[Place]) -> None:
        old = tuple(value for value in (world.env.pop(place, None) for place in places) if value is not None)
        gone = Seq(tuple(value for value in old if mentions_any(value)))
        if gone.items:
            for rid in world.orphans(gone):
                self._record.lose(world, rid, Death.DROPPED, step.origin)
            let_go(self._graph, self._record, world, step, "%", gone, UNKNOWN)
        world.settle()

    def _store(self, world: World, step: Step, target: Place | None, operand: Operand) -> None:
        value = value_of(world, self._graph, operand)
        if mentions_any(value):
            if target is not None:
                self._record.name(world, value, target)
            self._caller.store(world, value, step, target)
        if target is not None:
            none = isinstance(operand, str) and is_constant_name(operand)
            self.bind(world, step, target, value, Death.REBOUND, NONE if none else value)

    # -- calls and loops

    def _call(self, world: World, step: Step, call: Call, leaves: Leaves) -> list[World]:
        call = as_called(world, self._graph, call)
        if self._context.callees is not None:
            call = self._context.callees.renamed(self._graph, call)
        mistaken = vain_method(world, self._graph, self._record, call)
        if mistaken is not None:
            return self._fail_for_sure(world, step, mistaken, leaves)
        reading = self._caller.read(world, call)
        self._caller.watch(world, step, call, reading)
        if reading.api is None:
            escape(world, [one for one in roots_of(call) if one != self._graph.receiver or call.callee.receiver != one])
        if reading.api is None and reading.applied is None:
            ways = project_call(self._caller, self._context.callees, world, step, call)
            if ways is not None:
                return self._project_call(step, call, ways, leaves)
            if not (call.callee.inherited and call.callee.name == "__init__"):
                escape(world, [one for one in (call.callee.receiver,) if isinstance(one, str)])
        vain = vain_call(world, self._graph, reading)
        if vain is not None:
            if vain.happening == REFUSED:
                self._caller.fail(world, step, call, reading)
            return self._fail_for_sure(world, step, vain, leaves)
        kind = self._caller.raised(world, reading)
        if kind is not None and step.pads:
            failed = world.copy()
            self._caller.fail(failed, step, call, reading)
            self._raise(failed, step, kind, leaves)
        if reading.api is not None and reading.api.noreturn:
            return []
        value = self._caller.succeed(world, step, call, reading)
        self.bind(world, step, call.result, value, Death.REBOUND)
        return [world]

    def _fail_for_sure(self, world: World, step: Step, vain: Vain, leaves: Leaves) -> list[World]:
        """Ends the path in an exception. What a mistake leaves open counts as left open by a ``raise`` statement."""
        for rid in vain.rids or (None,):
            world.tell(vain.happening, step.origin, rid)
        self._raise(world, step, vain.raises, leaves, told=True, sure=bool(vain.rids))
        return []

    def _project_call(self, step: Step, call: Call, ways: list[Way], leaves: Leaves) -> list[World]:
        """A function of the project's own: its ways out, translated."""
        if call.unused:
            leave_to_caller(ways)
        going_on = []
        for way in ways:
            if way.raises is not None:
                self._raise(way.world, step, way.raises, leaves, way.mistaken, way.mistaken)
            else:
                self.bind(way.world, step, call.result, way.result, Death.REBOUND)
                going_on.append(way.world)
        return going_on

    def _advance(self, world: World, end: Advance, leaves: Leaves) -> None:
        step = Step(Drop(()), end.origin, end.statement, end.pads)
        state = world.env.get(end.iterator)
        if not isinstance(state, Iter):
            state = Iter((), False, calm=False)
        if not state.calm:
            self._raise(world.copy(), step, "Exception", leaves)
        if state.items or not state.exact:
            inside = world.copy()
            item: Value = state.items[0] if state.items else UNKNOWN
            self.bind(inside, step, end.item, item, Death.REBOUND)
            self.bind(inside, step, end.iterator, Iter(state.items[1:], state.exact, state.calm), Death.REBOUND)
            inside.tell("loop", end.origin)
            leaves.append((end.body, inside))
        if not state.items or self._none_came(world, state):
            world.tell("done", end.origin)
            leaves.append((end.done, world))

    def _none_came(self, world: World, state: Iter) -> bool:
        """A list that came in may have been empty: then nothing was received."""
        if state.exact or not may_be_empty(state.items):
            return False
        for rid in world.reachable(state.items):
            world.resources.pop(rid, None)
        return True


def _is_extension(value: RValue) -> bool:
    return getattr(value, "kind", None) == "extend"
