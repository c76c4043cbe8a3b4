"""Introduces descriptors that the function has not acquired, when it ends them: a parameter, an unknown result, an
attribute.

Their owner does not matter. It only matters that they are closed from then on. Before that, they are not followed and
cost nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from fdlint.core.dataflow.derivation import bound_places, copied_to
from fdlint.core.domain.event import Event
from fdlint.core.domain.state import BOUND, Resource, State
from fdlint.core.domain.typestate import Status
from fdlint.core.domain.values import UNKNOWN, Age, Descriptor, Fd, Iter, Known, Sym, Typed, Value, inner
from fdlint.core.engine.eval import MAX_COUNTED, elements, value_of
from fdlint.core.engine.heap import is_field
from fdlint.core.engine.log import Log, Site
from fdlint.core.engine.summary import NOTHING, Ended
from fdlint.core.ir import AccessPath, Advance, Arg, Build, Graph, InitialValue, Operand, Place, RValue, Step

_MAY_BE_ONE = frozenset({UNKNOWN, Known.SOME, Known.TRUTHY})
Met = dict[Descriptor, Value]
"""Maps each descriptor introduced to the value that was known before."""


class SymbolicParameters:
    """Introduces such descriptors into the states of one function, except for ``fields``, which are followed anyway."""

    def __init__(self, graph: Graph, log: Log, fields: frozenset[Place]) -> None:
        self._graph = graph
        self._log = log
        self._fields = fields
        self._own: frozenset[Place] | None = None
        self._copies = False  # some values have got an identity as they were copied
        self.in_fields = False  # some are attributes of objects whose names may be rebound

    def meet(self, state: State, step: Step, args: Iterable[Arg]) -> Met:
        """Gives each unknown argument a descriptor of its own, because the call shows that it must be one.

        Returns the descriptors with the values that they replace. There are none if only one acquiring call is
        followed, because they would only keep states apart, and none for an object, which may be closed twice.
        """
        met: Met = {}
        if self._log.only is not None:
            return met
        for slot, arg in enumerate(args):
            place = arg.value
            if not isinstance(place, AccessPath) or arg.stars or place in self._fields:
                continue
            if self._graph.is_object is not None and self._graph.is_object(place):
                continue
            value = value_of(state, self._graph, place)
            if (value in _MAY_BE_ONE and not place.is_temporary) or isinstance(value, Sym):
                met[self._introduce(state, step, place, slot, value)] = value
        return met

    def _introduce(self, state: State, step: Step, place: Place, slot: int, value: Value) -> Descriptor:
        number = self._log.adopt(Site(step.origin, "", False, step.statement, self._log.function, met=True))
        if slot == 0 or Descriptor(number, slot, Age.NEWEST) in state.resources:
            state.make_older(number)
        fd = Descriptor(number, slot, Age.NEWEST)
        state.resources[fd] = Resource(Status.BORROWED, BOUND)
        same = [place, *(one for one, held in state.env.items() if isinstance(value, Sym) and held == value)]
        for known in same:
            if not isinstance(known, InitialValue):
                state.env[known] = Fd(fd)
        exchange(state, value, Fd(fd))
        self.in_fields = self.in_fields or place.is_attribute
        for named in [one for one in same if one.is_named][:1]:
            self._log.note(Event.BOUND, fd, detail=named)
        return fd

    def copy(self, state: State, target: Place, value: RValue, closed: frozenset[Place]) -> None:
        """Gives the unknown values that are copied an identity, alone or in a display, if the function closes them
        (``closed``): whoever closes the copy closes the original."""
        copies: dict[Place, Operand] = {target: value} if isinstance(value, AccessPath) else {}
        if isinstance(value, Build):
            copies = {target.attribute(str(n)): one for n, one in enumerate(value.items)}
        for copy, one in copies.items():
            if isinstance(one, AccessPath) and one in closed and value_of(state, self._graph, one) is UNKNOWN:
                self._identify(state, one, copy)

    def _identify(self, state: State, place: Place, copy: Place) -> None:
        """Names the unknown value of a place after its copy, because the place may have another value when it is copied
        again. It stays unknown if an earlier copy of that name is still around, as in a loop."""
        name = Sym(copy)
        values = [one for known, one in state.env.items() if known != copy]
        values += [one for contents in state.heap.values() for one in contents.items]
        if not any(_has(one, name) for one in values):
            state.env[place] = name
            self._copies = True
            self.in_fields = self.in_fields or place.is_attribute

    def each(self, state: State, target: Place, over: Operand, closed: frozenset[Place]) -> Iter | None:
        """Returns the iterator over a few unknown values that a loop closes, one after the other; None for any other.
        ``target``: its place; ``over``: what it iterates over."""
        found = elements(state, value_of(state, self._graph, over))
        if found is None or not found[1] or not 0 < len(found[0]) <= MAX_COUNTED:
            return None
        ends = (block.end for block in self._graph.blocks if isinstance(block.end, Advance))
        names = copied_to(self._graph, [target])
        closes = any(one.iterator in names and one.item in closed for one in ends)
        return Iter(found[0], True) if closes else None

    def dismiss(self, state: State, met: Met) -> None:
        """Removes the descriptors that have not ended after all, and restores the values before."""
        for fd, value in met.items():
            if not state.is_alive(fd):
                continue
            for place in [place for place, held in state.env.items() if held == Fd(fd)]:
                if value is UNKNOWN:
                    del state.env[place]
                else:
                    state.env[place] = value
            exchange(state, Fd(fd), value)
            del state.resources[fd]

    def doubt(self, state: State, ended: Ended = NOTHING, given: Iterable[Place] = ()) -> None:
        """Forgets the certain descriptors and the copies in places that other code shares, because other code runs now.

        It may bind such a place to something new, unless it is known to leave them ``alone``. ``ended``: what it does
        to the places that it gets; ``given``: other places that it leaves as they are.
        """
        if ended.alone or not (self._copies or any(resource.certain for resource in state.resources.values())):
            return
        spared = self._fields.union(ended.closed, given)
        for place, held in list(state.env.items()):
            if place not in spared and self._may_change(state, place, held) and self._is_shared(place):
                del state.env[place]

    @staticmethod
    def _may_change(state: State, place: Place, held: Value) -> bool:
        """Whether a value may be another one after unknown code has run, if others can bind its place."""
        if isinstance(held, Fd):
            return held.descriptor in state.resources and state.resources[held.descriptor].certain
        return isinstance(held, Sym) and held.place != place

    def _is_shared(self, place: Place) -> bool:
        """Whether other functions may also bind a place."""
        if not place.is_named:
            return False
        if self._own is None:
            self._own = self._graph.fixed.union(bound_places(self._graph)) - self._graph.shared
        return is_field(self._graph, place) or place not in self._own


def exchange(state: State, old: Value, new: Value) -> None:
    """Puts another value into the containers that hold one which came in, or a known object."""
    known = not {type(old), type(new)}.isdisjoint((Sym, Typed))
    for box in [box for box, held in state.heap.items() if old in held.items] if known else ():
        held = state.heap[box]
        state.heap[box] = replace(held, items=tuple(new if one == old else one for one in held.items))


def _has(value: Value, part: Value) -> bool:
    return value == part or any(_has(one, part) for one in inner(value))
