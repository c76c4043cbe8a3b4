"""What a call does to a world: to the descriptors it is given, to the container it is a method of, and what it
returns."""

from __future__ import annotations

from collections.abc import Iterable

from fdlint.catalog import Catalog
from fdlint.catalog.model import Action, Api, Fresh
from fdlint.catalog.naming import gives_up, is_constructor, tells
from fdlint.dataflow.derivation import closed_by, given_places, lasting_places
from fdlint.domain.facts import Misdeed
from fdlint.domain.state import SOME_NUMBER, Contents, Role, Status, World
from fdlint.domain.values import (
    SOME_FUNCTION,
    UNKNOWN,
    Borrowed,
    Const,
    Fd,
    Known,
    Lazy,
    Rid,
    Value,
    mentions_any,
)
from fdlint.engine.allocate import Maker
from fdlint.engine.eval import value_of, values_in
from fdlint.engine.heap import is_field, keep, note_in_vain
from fdlint.engine.log import Home, Reclose, Record
from fdlint.engine.match_api import Reading, default_action, operand_of, read_call
from fdlint.engine.misuse import ending, look, look_at_unknown, note
from fdlint.engine.models.containers import call_method
from fdlint.engine.models.exit_stack import closed_on_exit, stacks_of
from fdlint.engine.models.standard_streams import Unseen, stream_number, unseen_numbers
from fdlint.engine.ownership_hints import Entrusted, entrusted
from fdlint.engine.parameter_effects import Ended
from fdlint.engine.passed_functions import only_used
from fdlint.engine.prune import STANDARD_STREAMS
from fdlint.engine.summary import Callees
from fdlint.engine.symbolic_parameters import Strangers
from fdlint.ir import Arg, Call, Graph, Operand, Place, Step


class Caller:
    """Carries out the calls of one function."""

    def __init__(
        self,
        graph: Graph,
        catalog: Catalog,
        record: Record,
        callees: Callees | None = None,
        fields: frozenset[Place] = frozenset(),
    ) -> None:
        self.graph = graph
        self.catalog = catalog
        self.record = record
        self.strangers = Strangers(graph, record, fields)
        self._callees = callees
        self._taken: Entrusted | None = None
        self._closed: frozenset[Place] | None = None
        self._lasting: frozenset[Place] | None = None
        self._exit_stacks: frozenset[Place] | None = None
        self._numbers: Unseen | None = None
        self._ends: dict[int, Ended] = {}

    @property
    def _unseen(self) -> Unseen:
        if self._numbers is None:
            self._numbers = unseen_numbers(self.graph, self.catalog)
        return self._numbers

    @property
    def closed(self) -> frozenset[Place]:
        """The places that the function itself closes, or has closed by one that it calls."""
        if self._closed is None:
            callees, catalog = self._callees, self.catalog
            self._closed = given_places(
                self.graph,
                lambda call: closed_by(call, catalog) | (callees.ends(self.graph, call).closed if callees else set()),
            )
        return self._closed

    def ends(self, step: Step, call: Call) -> Ended:
        """The arguments that one of the project's functions may close, or make an object of that owns them."""
        if id(step) not in self._ends:
            self._ends[id(step)] = self._callees.ends(self.graph, call) if self._callees is not None else Ended()
        return self._ends[id(step)]

    def _entrusted(self, call: Call) -> frozenset[Place]:
        if self._taken is None:
            self._taken = entrusted(self.graph, self.catalog)
        return self._taken.get(id(call), frozenset())

    @property
    def _stacks(self) -> frozenset[Place]:
        if self._exit_stacks is None:
            self._exit_stacks = stacks_of(self.graph)
        return self._exit_stacks

    @property
    def _lasting_places(self) -> frozenset[Place]:
        if self._lasting is None:
            self._lasting = lasting_places(self.graph)
        return self._lasting

    def read(self, world: World, call: Call) -> Reading:
        """How the call reads in this world."""
        return read_call(world, self.graph, self.catalog, call)

    def gives_up(self, kind: str) -> bool:
        """Whether an object of this type has a method that gives its descriptor away."""
        return kind in self.catalog.giving_up

    def watch(self, world: World, step: Step, call: Call, reading: Reading) -> None:
        """What matters of a call before it is made: who is about to meet their end, and who has met it already."""
        if reading.api is None:
            self.strangers.doubt(world)
            if self._callees is None or self._callees.exits(self.graph, call, thorough=True) is None:
                look_at_unknown(self.record, self.graph, world, step, call)
        else:
            self.strangers.meet(world, step, self._about_to_end(reading))
            look(self.record, self.graph, world, step, reading)
        if call.callee.receiver is not None and gives_up(call.callee.name):
            world.doubt_owners()

    def _about_to_end(self, reading: Reading) -> Iterable[Arg]:
        """The arguments that a call closes; those of which it makes objects, if the function closes them, too."""
        for arg, ends in ending(reading):
            if ends or arg.value in self.closed:
                yield arg

    # -- raising

    def raised(self, world: World, reading: Reading) -> str | None:
        """The exception that may come out of the call here, or None."""
        if reading.api is None:
            return "Exception"
        if reading.applied is not None and reading.api.applies:
            return reading.applied.raises
        if reading.api.calm_if_taken and self._takes_descriptor(world, reading):
            return None
        return reading.api.raises

    def _takes_descriptor(self, world: World, reading: Reading) -> bool:
        return any(
            reading.action(name) is Action.TAKE and mentions_any(value_of(world, self.graph, arg.value))
            for name, arg in reading.bound
        )

    def fail(self, world: World, step: Step, call: Call, reading: Reading) -> None:
        """The world in which the call raises: what it closes is closed, what it takes is taken, nothing is acquired."""
        for arg, action in self._deeds(world, reading, call):
            if action in (Action.CLOSE, Action.TAKE):
                self._act(world, arg, action, step)

    # -- succeeding

    def succeed(self, world: World, step: Step, call: Call, reading: Reading) -> Value:
        """The world in which the call returns; gives its result."""
        for arg, action in self._deeds(world, reading, call):
            self._act(world, arg, action, step)
        if reading.api is not None:
            self._settle_owners(world, reading, reading.api)
            self._settle_exits(world, reading, step, call)
        api = (
            reading.applied
            if reading.applied is not None and not (reading.api and reading.api.registers)
            else reading.api
        )
        if api is reading.applied and reading.api is None and call.unused:
            return UNKNOWN  # `onerror(os.open, path)`: named, not called, as far as anybody can see
        if call.callee.receiver is not None and value_of(world, self.graph, call.callee.receiver) == SOME_FUNCTION:
            return SOME_FUNCTION
        if api is None:
            return Known.SOME if call.callee.constructs or is_constructor(call.callee.name) else UNKNOWN
        if api.duplicates_onto is not None:
            copied = [
                value_of(world, self.graph, arg.value) for name, arg in reading.bound if name != api.duplicates_onto
            ]
            self.record.beyond_zero.update((rid.site, rid.slot) for rid in world.reachable(copied))
        if api.closes_on_exec is not None:
            self._guard(world, reading, api.closes_on_exec)
        if api.closes_all:
            self._close_range(world, reading, step)
        if api.container is not None and call.callee.receiver is not None:
            return call_method(self, world, step, call, api)
        if api.lazy:
            return self._map(world, reading)
        bound = reading.applied_bound if api is reading.applied else reading.bound
        site = self.record.site(step.origin, api.name.removeprefix("*."), api.received, step.statement)
        if api.inheritable:
            self.record.inheritable.add(site)
        if api.at_least is not None and self._is_beyond_zero(world, operand_of(bound, api.at_least)):
            self.record.beyond_zero.add((site, 0))
        world.make_older(site)
        if call.unused and isinstance(api.returns, Fresh) and self._unseen.refills:
            world.free |= {SOME_NUMBER}
        return Maker(self, world, step, site, call, bound, api).result()

    def _settle_owners(self, world: World, reading: Reading, api: Api) -> None:
        """Some objects close for certain what was taken for them; and a number that is duplicated onto is open anew."""
        for name, arg in reading.bound:
            value = value_of(world, self.graph, arg.value)
            if name == api.duplicates_onto:
                world.free -= {stream_number(value)}
            if not isinstance(value, Fd) or value.rid not in world.resources:
                continue
            if api.adopts and reading.action(name) is Action.TAKE and not world.has_ended(value.rid, Status.CLOSED):
                world.set_status(value.rid, Status.HANDED, certain=True)
            elif name == api.duplicates_onto and not world.is_alive(value.rid):
                world.set_status(value.rid, Status.HANDED)

    def _settle_exits(self, world: World, reading: Reading, step: Step, call: Call) -> None:
        """An ``ExitStack`` will close what is registered: a second close, or one too many if another close follows."""
        for rid, closing in closed_on_exit(world, self.graph, self._stacks, reading, step, call):
            for ended, deed in ((Status.CLOSED, Misdeed.CLOSED_AGAIN), (Status.HANDED, Misdeed.CLOSED_UNDER_OWNER)):
                if world.has_ended(rid, ended) and not world.vague:
                    note(self.record, self.graph, world, rid, deed, closing)
            if rid in world.resources and world.resources[rid].status is Status.HANDED:
                world.set_status(rid, Status.HANDED, self._is_one(world, rid))

    def _deeds(self, world: World, reading: Reading, call: Call) -> Iterable[tuple[Arg, Action]]:
        if reading.api is None and reading.applied is None:
            named = call.callee.own or self.catalog.unknown_takes(call.callee.name)
            used = frozenset() if named else self._only_used(world, reading, call)
            action = default_action(world, self.graph, self.catalog, call)
            if call.callee.receiver is not None and call.callee.receiver == self.graph.receiver:
                self._note_given(world, reading)
            for _, arg in reading.bound:
                if arg.value in self._entrusted(call) or self._passes_on(world, call, arg):
                    yield arg, Action.TAKE
                elif world.told(value_of(world, self.graph, arg.value)):
                    yield arg, Action.USE if call.thrown or tells(call.callee.name) else Action.TAKE
                else:
                    yield arg, Action.USE if arg in used else action
        elif reading.api is None or reading.applied is not None:
            registers = reading.api is not None and reading.api.registers
            yield from _passed_whole(reading)
            for name, arg in reading.applied_bound:
                action = reading.applied.actions.get(name, Action.USE) if reading.applied else Action.USE
                yield arg, Action.TAKE if registers and action is Action.CLOSE else action
        elif reading.api.container is None or call.callee.receiver is None:
            calls = reading.api.registers or reading.api.applies
            used = self._only_used(world, reading, call) if calls else frozenset()
            kept = reading.api.borrows and call.result in self._lasting_places
            for name, arg in reading.bound:
                yield arg, Action.USE if arg in used else Action.TAKE if kept else reading.action(name)

    def _passes_on(self, world: World, call: Call, arg: Arg) -> bool:
        """Whether the function calls a parameter with a parameter: its caller chose both, and its summary decides."""
        rids = world.reachable([value_of(world, self.graph, arg.value)])
        return call.callee.variable in self.graph.parameters and all(world.is_borrowed(rid) for rid in rids)

    def _only_used(self, world: World, reading: Reading, call: Call) -> frozenset[Arg]:
        return only_used(world, self.graph, self._callees, reading, call) if self._callees is not None else frozenset()

    def _note_given(self, world: World, reading: Reading) -> None:
        """The object's own method that is not known, or what one of its attributes holds, may keep what it is given."""
        given = world.reachable(value_of(world, self.graph, arg.value) for _, arg in reading.bound)
        self.record.elsewhere.update((rid.site, rid.slot) for rid in given)

    # -- deeds

    def _act(self, world: World, arg: Arg, action: Action, step: Step) -> None:
        value = value_of(world, self.graph, arg.value)
        if isinstance(value, Borrowed) and action is Action.TAKE:
            world.env[value.owner] = Known.TRUTHY  # its number is somebody else's now: no socket any more
        if action is Action.CLOSE and isinstance(value, Const) and isinstance(arg.value, str):
            note_in_vain(self.record, world, arg.value)
        self.act(world, value, action, step)

    def act(self, world: World, value: Value, action: Action, step: Step) -> None:
        """Does ``action`` to every descriptor that a value holds."""
        if action is Action.CLOSE and (number := stream_number(value)) is not None:
            world.free |= {number}
        if not mentions_any(value):
            return
        rids = sorted(world.reachable([value]))
        match action:
            case Action.CLOSE:
                for rid in rids:
                    self.close(world, rid, step, certain=isinstance(value, Fd))
            case Action.TAKE:
                self.hand_over(world, value, step)
            case Action.SEND:
                self._mark(world, rids, step, "sent")
            case Action.SPAWN:
                self._mark(world, rids, step, "spawned")
            case Action.USE:
                if world.role is Role.CHILD:
                    self.record.child_uses.update((rid.site, rid.slot) for rid in rids)

    def close(self, world: World, rid: Rid, step: Step, certain: bool = False) -> None:
        """The descriptor is closed; whoever owned it owes nothing more. ``certain``: this one and no other."""
        is_stored = not (world.is_open(rid) or world.is_borrowed(rid))
        if is_stored:  # a close on a path that stores it nowhere says nothing about the attribute of another path
            self.record.elsewhere.add((rid.site, rid.slot))
        self.record.closed.add((rid.site, rid.slot))
        world.free_number(rid, self._unseen.discards)
        if world.is_alive(rid):
            world.set_status(rid, Status.CLOSED, certain and self._is_one(world, rid))
            self.record.released.add((rid.site, rid.slot))
            world.tell("closed", step.origin, rid)
        elif rid in world.resources and world.resources[rid].status is Status.CLOSED and not world.vague:
            self.record.recloses.setdefault(Reclose(rid, step.origin, world.story))
        elif rid in world.resources and certain and world.resources[rid].status is Status.HANDED:
            world.set_status(rid, Status.CLOSED, self._is_one(world, rid))
            world.tell("closed", step.origin, rid)

    def _is_one(self, world: World, rid: Rid) -> bool:
        """Whether it is known to be one descriptor and no other: not any one of a list."""
        return not (world.vague or self.record.is_lot(rid) or world.is_among_others(rid))

    def hand_over(self, world: World, value: Value, step: Step) -> None:
        """Everything the value holds belongs to somebody else from here on, also what its containers will hold."""
        for rid in sorted(world.reachable([value])):
            if world.is_alive(rid):
                world.set_status(rid, Status.HANDED)
                self.record.released.add((rid.site, rid.slot))
                self.record.elsewhere.add((rid.site, rid.slot))
                world.tell("transferred", step.origin, rid)
        self._share(world, value)

    def store(self, world: World, value: Value, step: Step, target: Place | None) -> None:
        """A field takes over what the value holds; somebody unknown if it is none."""
        if target is None or not is_field(self.graph, target) or world.told(value):
            self.hand_over(world, value, step)
            return
        self._note_kept(world, value, step, target)
        keep(self.record, world, value, step)
        self._share(world, value)

    def entrust(self, world: World, rid: Rid, step: Step, homes: Iterable[Home]) -> None:
        """The object that a constructor made has stored it in its attributes."""
        known = set(self.record.elsewhere)
        self.hand_over(world, Fd(rid), step)
        self.record.elsewhere &= known
        self.record.kept.setdefault((rid.site, rid.slot), set()).update(homes)
        self.record.stored.setdefault((rid.site, rid.slot), step.origin)

    def stow(self, world: World, value: Value, step: Step, place: Place | None) -> None:
        """A container of which nothing is known takes over what the value holds; it may be a field's."""
        if place is None or not is_field(self.graph, place) or world.told(value):
            self.hand_over(world, value, step)
            return
        self._note_kept(world, value, step, place)
        known = set(self.record.elsewhere)
        self.hand_over(world, value, step)
        self.record.elsewhere &= known

    def _note_kept(self, world: World, value: Value, step: Step, place: Place) -> None:
        home = Home(place, whole=not isinstance(value, Fd))
        for rid in world.reachable([value]):
            self.record.kept.setdefault((rid.site, rid.slot), set()).add(home)
            self.record.stored.setdefault((rid.site, rid.slot), step.origin)

    def _share(self, world: World, value: Value) -> None:
        for cid in world.containers([value]):
            contents = world.heap[cid]
            world.heap[cid] = Contents(contents.items, contents.exact, contents.keys, True)

    def _mark(self, world: World, rids: list[Rid], step: Step, happening: str) -> None:
        for rid in rids:
            if world.is_alive(rid):
                resource = world.resources[rid]
                sent, spawned = resource.sent or happening == "sent", resource.spawned or happening == "spawned"
                world.resources[rid] = resource._replace(sent=sent, spawned=spawned)
                world.tell(happening, step.origin, rid)

    def _is_beyond_zero(self, world: World, operand: Operand | None) -> bool:
        value = value_of(world, self.graph, operand) if operand is not None else UNKNOWN
        return isinstance(value, Const) and isinstance(value.value, int) and value.value > 0

    def _guard(self, world: World, reading: Reading, name: str) -> None:
        for bound, arg in reading.bound:
            for rid in world.reachable([value_of(world, self.graph, arg.value)]) if bound == name else ():
                self.guard(world, rid)

    def guard(self, world: World, rid: Rid) -> None:
        """From here on the next exec closes the descriptor."""
        self.record.guarded.add((rid.site, rid.slot))
        if rid in world.resources:
            world.resources[rid] = world.resources[rid]._replace(guarded=True)

    def _close_range(self, world: World, reading: Reading, step: Step) -> None:
        """closerange: everything, unless the range is known to end with the standard streams. That the lowest number is
        among them is certain."""
        low, high = ([value_of(world, self.graph, arg.value) for _, arg in reading.bound] + [UNKNOWN] * 2)[:2]
        end = high.value if isinstance(high, Const) and isinstance(high.value, int) else None
        if (start := stream_number(low)) is not None:
            world.free |= frozenset(STANDARD_STREAMS[start:end])
        if end is not None and end <= len(STANDARD_STREAMS):
            return
        for rid in [rid for rid in world.resources if world.is_alive(rid)]:
            self.close(world, rid, step, certain=low == Fd(rid))

    def _map(self, world: World, reading: Reading) -> Value:
        sources = [arg for name, arg in reading.bound if name.startswith("*")]
        function = next((arg for name, arg in reading.bound if not name.startswith("*")), None)
        closes = any(
            Action.CLOSE in api.actions.values()
            for api in (self.catalog.lookup(function.dotted) if function is not None and function.dotted else ())
        )
        items = tuple(one for arg in sources for one in values_in(world, value_of(world, self.graph, arg.value))[0])
        return Lazy(closes, tuple(one for one in items if mentions_any(one)))


def _passed_whole(reading: Reading) -> Iterable[tuple[Arg, Action]]:
    """``Thread(target=os.close, args=(fd,))``: the arguments of what is called come as one tuple."""
    api, applied = reading.api, reading.applied
    if api is None or applied is None or api.passes is None or api.passes.startswith("*"):
        return
    ends = {Action.CLOSE, Action.TAKE} & set(applied.actions.values())
    for name, arg in reading.bound:
        if name == api.passes:
            yield arg, Action.TAKE if ends else Action.USE
