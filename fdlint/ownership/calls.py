"""What a call does to a world: to the descriptors it is given, to the container it is a method of, and what it returns."""

from __future__ import annotations

from collections.abc import Iterable

from fdlint.catalog import Catalog
from fdlint.catalog.model import (
    Action,
    Ancillary as AncillaryShape,
    Api,
    Argument,
    ElementsOf,
    ForkPid,
    Fresh,
    FreshList,
    Instance,
    NoneResult,
    PairsOf,
    Shape,
    TupleOf,
    Zipped,
)
from fdlint.graph import Arg, Call, Graph, Lit, Step
from fdlint.ownership.ask import STANDARD_STREAMS
from fdlint.ownership.containers import call_method
from fdlint.ownership.evaluate import elements, fresh, value_of, values_in
from fdlint.ownership.reading import Reading, default_action, operand_of, read_call
from fdlint.ownership.record import Record
from fdlint.state.values import (
    NONE,
    UNKNOWN,
    Age,
    Ancillary,
    Const,
    Lazy,
    Pid,
    Rid,
    Seq,
    Typed,
    Value,
    mentions_any,
)
from fdlint.state.world import Contents, Resource, Role, Status, World, normal


class Caller:
    """Carries out the calls of one function."""

    def __init__(self, graph: Graph, catalog: Catalog, record: Record) -> None:
        self._graph = graph
        self._catalog = catalog
        self._record = record

    def read(self, world: World, call: Call) -> Reading:
        """How the call reads in this world."""
        return read_call(world, self._graph, self._catalog, call)

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
            reading.action(name) is Action.TAKE and mentions_any(value_of(world, self._graph, arg.value))
            for name, arg in reading.bound
        )

    def fail(self, world: World, step: Step, call: Call, reading: Reading) -> None:
        """The world in which the call raises: what it closes is closed, what it takes is taken, nothing is acquired."""
        for arg, action in self._deeds(reading, call):
            if action in (Action.CLOSE, Action.TAKE):
                self._act(world, arg, action, step)

    # -- succeeding

    def succeed(self, world: World, step: Step, call: Call, reading: Reading) -> Value:
        """The world in which the call returns; gives its result."""
        for arg, action in self._deeds(reading, call):
            self._act(world, arg, action, step)
        api = (
            reading.applied
            if reading.applied is not None and not (reading.api and reading.api.registers)
            else reading.api
        )
        if api is None:
            return UNKNOWN
        if api.closes_all:
            self._close_all(world, step)
        if api.container is not None and call.callee.receiver is not None:
            return call_method(self, world, step, call, api)
        if api.lazy:
            return self._map(world, reading)
        bound = reading.applied_bound if api is reading.applied else reading.bound
        return self._result(world, step, call, api, bound, api.returns)

    def _deeds(self, reading: Reading, call: Call) -> Iterable[tuple[Arg, Action]]:
        if reading.api is None and reading.applied is None:
            action = default_action(call)
            for _, arg in reading.bound:
                yield arg, action
        elif reading.api is None or reading.applied is not None:
            registers = reading.api is not None and reading.api.registers
            for name, arg in reading.applied_bound:
                action = reading.applied.actions.get(name, Action.USE) if reading.applied else Action.USE
                yield arg, Action.TAKE if registers and action is Action.CLOSE else action
        elif reading.api.container is None or call.callee.receiver is None:
            for name, arg in reading.bound:
                yield arg, reading.action(name)

    # -- deeds

    def _act(self, world: World, arg: Arg, action: Action, step: Step) -> None:
        self.act(world, value_of(world, self._graph, arg.value), action, step)

    def act(self, world: World, value: Value, action: Action, step: Step) -> None:
        """Does ``action`` to every descriptor that a value holds."""
        if action is Action.CLOSE and isinstance(value, Const) and value.value in STANDARD_STREAMS:
            world.freed_stream = True  # the next descriptor made is this number, and stays
        if not mentions_any(value):
            return
        rids = sorted(world.reachable([value]))
        match action:
            case Action.CLOSE:
                for rid in rids:
                    self.close(world, rid, step)
            case Action.TAKE:
                self.hand_over(world, value, step)
            case Action.SEND:
                self._mark(world, rids, step, "sent")
            case Action.SPAWN:
                self._mark(world, rids, step, "spawned")
            case Action.USE:
                if world.role is Role.CHILD:
                    self._record.child_uses.update((rid.site, rid.slot) for rid in rids)

    def close(self, world: World, rid: Rid, step: Step) -> None:
        """The descriptor is closed; whoever owned it owes nothing more."""
        resource = world.resources.get(rid)
        if resource is not None and resource.status is Status.OPEN:
            world.resources[rid] = resource._replace(status=Status.CLOSED)
            self._record.released.add((rid.site, rid.slot))
            world.tell("closed", step.origin, rid)

    def hand_over(self, world: World, value: Value, step: Step) -> None:
        """Everything the value holds belongs to somebody else from here on, also what its containers will hold."""
        for rid in sorted(world.reachable([value])):
            resource = world.resources.get(rid)
            if resource is not None and resource.status is Status.OPEN:
                world.resources[rid] = resource._replace(status=Status.HANDED)
                self._record.released.add((rid.site, rid.slot))
                world.tell("transferred", step.origin, rid)
        for cid in world.containers([value]):
            contents = world.heap[cid]
            world.heap[cid] = Contents(contents.items, contents.exact, contents.keys, True)

    def _mark(self, world: World, rids: list[Rid], step: Step, happening: str) -> None:
        for rid in rids:
            resource = world.resources.get(rid)
            if resource is not None and resource.status is Status.OPEN:
                sent, spawned = resource.sent or happening == "sent", resource.spawned or happening == "spawned"
                world.resources[rid] = resource._replace(sent=sent, spawned=spawned)
                world.tell(happening, step.origin, rid)

    def _close_all(self, world: World, step: Step) -> None:
        for rid in [rid for rid in world.resources if world.is_open(rid)]:
            self.close(world, rid, step)

    # -- results

    def _map(self, world: World, reading: Reading) -> Value:
        sources = [arg for name, arg in reading.bound if name.startswith("*")]
        function = next((arg for name, arg in reading.bound if not name.startswith("*")), None)
        closes = any(
            Action.CLOSE in api.actions.values()
            for api in (self._catalog.lookup(function.dotted) if function is not None and function.dotted else ())
        )
        items = tuple(one for arg in sources for one in values_in(world, value_of(world, self._graph, arg.value))[0])
        return Lazy(closes, tuple(one for one in items if mentions_any(one)))

    def _result(
        self, world: World, step: Step, call: Call, api: Api, bound: tuple[tuple[str, Arg], ...], shape: Shape
    ) -> Value:
        site = self._record.site(step.origin, api.name, api.received, step.statement)
        world.make_older(
            [(rid.site, rid.slot) for rid in world.resources if rid.site == site and rid.age is Age.NEWEST]
        )
        return self._shaped(world, step, site, bound, shape, [0])

    def _shaped(
        self, world: World, step: Step, site: int, bound: tuple[tuple[str, Arg], ...], shape: Shape, slots: list[int]
    ) -> Value:
        match shape:
            case Fresh():
                return self._acquire(world, step, site, slots)
            case FreshList():
                return self.receive(world, step, site, single=_is_one(bound))
            case TupleOf(items):
                return Seq(tuple(self._shaped(world, step, site, bound, one, slots) for one in items))
            case Argument(name):
                return self._argument(world, bound, name)
            case ElementsOf(name):
                return self._elements(world, step, site, bound, name)
            case PairsOf(name):
                items, exact = self._items(world, step, self._argument(world, bound, name))
                return Seq(tuple(Seq((UNKNOWN, one)) for one in items), exact)
            case Zipped():
                return self._zip(world, step, bound)
            case ForkPid():
                self._fork(world, step)
                return Pid(site)
            case AncillaryShape():
                return Ancillary(site, 0)
            case Instance(kind):
                return Typed(kind)
            case NoneResult():
                return NONE
        return UNKNOWN

    def _acquire(self, world: World, step: Step, site: int, slots: list[int]) -> Value:
        slot, slots[0] = slots[0], slots[0] + 1
        value = fresh(site, slot)
        world.resources[value.rid] = Resource(Status.HANDED if world.freed_stream else Status.OPEN)
        world.freed_stream = False
        world.tell("acquired", step.origin, value.rid)
        return value

    def receive(self, world: World, step: Step, site: int, single: bool = False) -> Value:
        """A new list of any number of descriptors: its first, and all the others as one."""
        world.make_older(
            [(rid.site, rid.slot) for rid in world.resources if rid.site == site and rid.age is Age.NEWEST]
        )
        items = tuple(self._acquire(world, step, site, [slot]) for slot in range(1 if single else 2))
        return world.new_box(-1 - site, Contents(items, False))

    def _fork(self, world: World, step: Step) -> None:
        for rid, resource in world.resources.items():
            if resource.status is Status.OPEN and not resource.forked:
                world.resources[rid] = resource._replace(forked=True)
                world.tell("forked", step.origin, rid)

    def _argument(self, world: World, bound: tuple[tuple[str, Arg], ...], name: str) -> Value:
        operand = operand_of(bound, name)
        return value_of(world, self._graph, operand) if operand is not None else UNKNOWN

    def _items(self, world: World, step: Step, value: Value) -> tuple[tuple[Value, ...], bool]:
        """The elements of an argument that is iterated to its end: a lazy ``map`` does its work now."""
        if isinstance(value, Lazy) and value.closes:
            self.act(world, Seq(value.items), Action.CLOSE, step)
        return elements(world, value) or ((), False)

    def _elements(self, world: World, step: Step, site: int, bound: tuple[tuple[str, Arg], ...], name: str) -> Value:
        values = [value_of(world, self._graph, arg.value) for parameter, arg in bound if parameter == name]
        payloads = [value for value in values if isinstance(value, Ancillary) and value.level == 2]
        if payloads:
            return self.receive(world, step, payloads[0].site)
        if name.startswith("*") and not all(elements(world, value) is not None for value in values):
            return world.new_box(-1000 - site, normal(Contents(tuple(values))))
        found = [self._items(world, step, value) for value in values]
        items = tuple(one for some, _ in found for one in some)
        exact = bool(found) and all(whole for _, whole in found) or not values
        return world.new_box(-1000 - site, normal(Contents(items, exact)))

    def _zip(self, world: World, step: Step, bound: tuple[tuple[str, Arg], ...]) -> Value:
        columns = [
            self._items(world, step, value_of(world, self._graph, arg.value))
            for name, arg in bound
            if name.startswith("*")
        ]
        if columns and all(exact for _, exact in columns):
            return Seq(tuple(Seq(row) for row in zip(*(items for items, _ in columns), strict=False)))
        longest = max((len(items) for items, _ in columns), default=0)
        rows = [tuple(items[i] if i < len(items) else UNKNOWN for items, _ in columns) for i in range(longest)]
        return Seq(tuple(Seq(row) for row in rows), False)


def _is_one(bound: tuple[tuple[str, Arg], ...]) -> bool:
    """``recv_fds(…, maxfds=1)``: the first is all there can be."""
    return any(name == "maxfds" and arg.value == Lit(1) for name, arg in bound)
