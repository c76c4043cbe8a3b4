"""Finds misuses of a number that belongs to an object: a socket, file or selector was asked for it. The number is
closed while the object lives, or it is returned and the object is lost.

No paths are followed. A name that is only ever bound to such numbers holds one wherever it is closed.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from fdlint.catalog import Catalog
from fdlint.catalog.model import Api, Borrowed, ForkPid, Instance, Nothing
from fdlint.catalog.naming import closes_object, gives_up
from fdlint.core.dataflow.derivation import How, assignments, destinations
from fdlint.core.dataflow.liveness import read_places
from fdlint.core.dataflow.makers import binding_steps, makers
from fdlint.core.dataflow.reachability import closure, steps_beside
from fdlint.core.domain.event import Event
from fdlint.core.domain.facts import Happened
from fdlint.core.domain.typestate import Violation
from fdlint.core.engine.bind_arguments import given_by
from fdlint.core.engine.explore import qualified
from fdlint.core.engine.log import Places
from fdlint.core.engine.match_api import closed_arguments, read_call
from fdlint.core.finding import Event as TraceEvent
from fdlint.core.finding import EventKind
from fdlint.core.ir import (
    AccessPath,
    Assign,
    Build,
    Call,
    Effect,
    Graph,
    Leaving,
    Lit,
    Operand,
    Place,
    Step,
    Store,
    places_in,
    spelled,
)
from fdlint.program.units import Function

Lender: TypeAlias = Callable[[Call], Function | None]
"""Returns the function of the project that a call means: it may make an object, or ask one for its number."""


Closing: TypeAlias = Callable[[Call, Callable[[Place], bool]], Iterator[Place]]
"""Yields the places in question that a call always closes. The second argument tells whether a place is in question."""


class Lending(NamedTuple):
    """A step that lends a number, and who lends it, in words."""

    step: Step
    by: str


def closes_of_lent(
    graph: Graph, places: Places, closed: Callable[[Step, Call], Iterable[tuple[Place, Sequence[Lending]]]]
) -> Iterator[Happened]:
    """Yields the closes of numbers that are only lent. ``closed``: those that a call closes, with their lendings."""
    seen: set[int] = set()
    for step in graph.steps():
        for place, lent in closed(step, step.effect) if isinstance(step.effect, Call) and not step.expected else ():
            if id(step.origin) not in seen:
                seen.add(id(step.origin))
                yield _misuse(graph, step, place, lent, places)


def closes_of_objects(
    graph: Graph, catalog: Catalog, places: Places, lender: Lender, closing: Closing
) -> Iterator[Happened]:
    """Yields the closes of numbers whose objects live on. ``lender``: the function called."""
    numbers = _Numbers(graph, catalog, lender)
    if not numbers.gives_up:
        yield from closes_of_lent(graph, places, functools.partial(numbers.closed, closing))


def numbers_left(graph: Graph, catalog: Catalog, places: Places, lender: Lender) -> Iterator[Happened]:
    """Yields the calls that ask an object for the number which the function returns, stores or gives to a call that
    takes it, if nothing keeps the object."""
    numbers = _Numbers(graph, catalog, lender)
    seen: set[int] = set()
    for step in graph.steps() if not graph.generator else ():
        for place in numbers.leaving(step.effect):
            for asking, owner in numbers.asked_on_some_path(place):
                if id(asking.origin) not in seen and numbers.is_lost(owner, step) and numbers.lives_on(step.effect):
                    seen.add(id(asking.origin))
                    yield _left(graph, asking, owner, step, places)


def _nobody(_: Call) -> None:
    """Knows no function that asks for a number."""


def _numbers_of_parameters(graph: Graph, catalog: Catalog, places: Iterable[Place]) -> frozenset[Place]:
    """Returns the parameters whose numbers are in some places."""
    numbers = _Numbers(graph, catalog, _nobody)
    asking = (call for place in places for _, call, _ in makers(numbers.bound, place))
    asked = {_object_asked(call, catalog) for call in asking}
    return frozenset(one for one in graph.parameters if one in asked and one not in numbers.bound)


def _object_asked(call: Call, catalog: Catalog) -> Operand | None:
    """Returns the object whose number a call asks for; None for any other call."""
    if call.callee.dotted is not None:
        apis = catalog.lookup(call.callee.dotted)
        return call.args[0].value if len(apis) == 1 and apis[0].lends and call.args else None
    lends = any(isinstance(api.returns, Borrowed) for api in catalog.method(call.callee.name))
    return call.callee.receiver if lends else None


def _closed_of_parameters(graph: Graph, catalog: Catalog) -> frozenset[Place]:
    """Returns the parameters whose numbers a function closes."""
    return _numbers_of_parameters(
        graph, catalog, (place for call in graph.calls() for place in closed_arguments(catalog, call))
    )


def _returned_of_parameters(graph: Graph, catalog: Catalog) -> frozenset[Place]:
    """Returns the parameters whose numbers a function returns."""
    return _numbers_of_parameters(graph, catalog, graph.returned())


def numbers_of_parameters(graph: Graph, catalog: Catalog) -> frozenset[Place]:
    """Returns the parameters whose numbers a function returns or closes."""
    return _returned_of_parameters(graph, catalog) | _closed_of_parameters(graph, catalog)


def _kind(catalog: Catalog, call: Call) -> str:
    """Returns the type of the object that a call makes, empty if the catalog does not know it."""
    apis = catalog.lookup(call.callee.dotted or "")
    return apis[0].returns.type if apis and isinstance(apis[0].returns, Instance) else ""


CLOSES = "which closes it itself"


_FINALIZER = "finalizer"  # the parameter of a call that may put something else in the place of the close


_COLLECTIONS = frozenset({"tuple", "list", "dict"})


@dataclass(slots=True)
class _Numbers:
    """The numbers of objects in one function."""

    graph: Graph
    catalog: Catalog
    lender: Lender
    _bound: dict[Place, list[Step]] = field(default_factory=dict)
    _lasting: frozenset[Place] | None = None
    _beside: dict[Operand, frozenset[int] | None] = field(default_factory=dict)

    @property
    def bound(self) -> dict[Place, list[Step]]:
        """The steps that bind each place."""
        if not self._bound:
            self._bound = binding_steps(self.graph)
        return self._bound

    def closed(self, closing: Closing, step: Step, call: Call) -> Iterator[tuple[Place, list[Lending]]]:
        """Yields the numbers that a call closes, each with the steps that ask an object for it."""
        found: dict[Place, list[tuple[Step, Operand]]] = {}

        def is_asked(place: Place) -> bool:
            found[place] = self.asked(place) or self._kept(step, place)
            return bool(found[place])

        asked = [(place, found[place]) for place in closing(call, is_asked)]
        for parameter, given, called in self._given(call):
            if parameter in _closed_of_parameters(called, self.catalog):
                asked.append((call.result, [(step, given)]))
        for place, steps in asked:
            yield place, [Lending(one, f"borrowed from {_named(owner)}, {CLOSES}") for one, owner in steps]

    def _given(self, call: Call) -> Iterator[tuple[Place, Place, Graph]]:
        """Yields the parameters of a function, each with the object that it gets."""
        called = self.lender(call) if call.given else None
        for parameter, given in given_by(called, call) if called is not None else ():
            if called is not None and isinstance(given, AccessPath) and (self._is_typed(given) or self._made(given)):
                yield parameter, given, called.graph

    def _kept(self, step: Step, place: Place) -> list[tuple[Step, Operand]]:
        """Returns the object whose attribute a place is, if that is the number of the object's own descriptor."""
        if not place.is_attribute:
            return []
        lent = self._of_object(place.base, place.name)
        return [(step, place.base)] if any(isinstance(api.returns, Borrowed) for api in lent) else []

    def _of_object(self, place: Place, name: str) -> tuple[Api, ...]:
        """Returns the meanings of a method or attribute of an object whose type is known."""
        kinds = {self.graph.types.get(place, "")}
        kinds.update(_kind(self.catalog, call) for _, call, _ in makers(self.bound, place))
        return tuple(api for kind in kinds for api in self.catalog.lookup(f"{kind}.{name}") if kind)

    @property
    def gives_up(self) -> bool:
        """Whether the function may take a number from its object, or knows of a child that has copies of both."""
        return any(map(self._gives_up, self.graph.calls()))

    def _gives_up(self, call: Call) -> bool:
        apis = self.catalog.lookup(call.callee.dotted or "")
        forks = any(isinstance(api.returns, ForkPid) or (api.noreturn and api.inherits) for api in apis)
        return gives_up(call.callee.name) or forks or any(_FINALIZER in api.params for api in apis)

    def asked(self, place: Place) -> list[tuple[Step, Operand]]:
        """Returns the steps that ask an object for its number, each with the object; none if the place can hold
        another number."""
        found = []
        for step, call, _ in makers(self.bound, place):
            owner = self._owner(call)
            if owner is None:
                return []
            found.append((step, owner))
        return found

    def asked_on_some_path(self, place: Place) -> list[tuple[Step, Operand]]:
        """Returns the steps that ask an object for the number in a place, whatever else it can hold."""
        steps = self.bound.get(place, ())
        befores = [one.effect.value for one in steps if isinstance(one.effect, Assign)]
        chosen = [one for one in befores if isinstance(one, AccessPath)] if len(steps) > 1 else []
        return self.asked(place) or [one for before in chosen for one in self.asked(before)]

    def _owner(self, call: Call) -> Operand | None:
        """Returns the object whose number a call returns; None if it is not known to own one."""
        owner = _object_asked(call, self.catalog)
        dotted = call.callee.dotted
        if dotted is not None:
            by_name = any(api.name.startswith("*.") for api in self.catalog.lookup(dotted))
            return owner if owner is not None and (not by_name or self._made(owner)) else None
        for parameter, given, called in self._given(call):
            if parameter in _returned_of_parameters(called, self.catalog):
                return given
        known = isinstance(owner, AccessPath) and (self._is_typed(owner) or self._made(owner))
        return owner if known else None

    def leaving(self, effect: Effect) -> list[Place]:
        """Returns the places whose values a step passes on."""
        match effect:
            case Leaving(AccessPath() as value) | Store(_, AccessPath() as value):
                return self.parts(value)
            case Call() if self._takes(effect):
                return [one.value for one in effect.args if isinstance(one.value, AccessPath)]
        return []

    def _takes(self, call: Call) -> bool:
        """Whether a call that nothing is known about makes something of what it gets, by its name."""
        callee = call.callee
        known = callee.own or self.lender(call) is not None or self.catalog.lookup(callee.dotted or "")
        return not known and not call.unused and self.catalog.unknown_takes(callee.name)

    def lives_on(self, effect: Effect) -> bool:
        """Whether what gets a number lives on: the function returns or stores it, by itself or as a part."""
        if not isinstance(effect, Call):
            return True
        if self._lasting is None:
            self._lasting = self._returned_or_stored()
        return effect.result in self._lasting

    def _returned_or_stored(self) -> frozenset[Place]:
        """Returns the places whose values the function returns or stores, by themselves or as parts of others."""
        before = defaultdict[Place, list[Place]](list)
        found = set[Place]()
        for effect in self.graph.effects():
            match effect:
                case Assign(target, value):
                    before[target].extend(places_in(value))
                    found.update(places_in(value) if target.is_attribute else ())
                case Leaving(AccessPath() as value) | Store(_, AccessPath() as value):
                    found.add(value)
        return frozenset(closure(found, lambda place: before.get(place, ())))

    def parts(self, value: AccessPath) -> list[Place]:
        """Returns the places that a value stands for: itself, or those in a tuple, list or dict."""
        steps = self.bound.get(value, [])
        step = steps[0] if len(steps) == 1 else None
        made = step.effect.value if step is not None and isinstance(step.effect, Assign) else None
        return places_in(made) if isinstance(made, Build) and made.kind in _COLLECTIONS else [value]

    def is_lost(self, owner: Operand, leaving: Step) -> bool:
        """Whether an object was made here, and the function neither closes it nor gives it to anything on a path with
        the step by which its number leaves."""
        if owner not in self._beside:
            self._beside[owner] = self._kept_beside(owner)
        beside = self._beside[owner]
        return beside is not None and id(leaving) not in beside

    def _kept_beside(self, owner: Operand) -> frozenset[int] | None:
        """Returns the ids of the steps on a path with one that may keep an object or close it; None for an object that
        was not made here."""
        names = self._names(owner)
        captured = frozenset[Place]().union(*self.graph.captures.values())
        if not names or not captured.isdisjoint(names):
            return None
        return steps_beside(self.graph, (step for step in self.graph.steps() if self._keeps(step.effect, names)))

    def _names(self, owner: Operand) -> set[Place]:
        """Returns the names of an object that was made here; none for any other, and for one that is closed at the end
        of a block, or in a container that may keep it."""
        if not isinstance(owner, AccessPath) or owner.is_attribute or not self._made(owner):
            return set()
        names, pending = {owner}, [owner]
        while pending:
            for step in self.bound.get(pending.pop(), ()):
                match step.effect:
                    case Assign(_, AccessPath() as before):
                        pending += {before} - names
                        names.add(before)
                    case Assign(_, Lit()) | Call():
                        pass
                    case _:
                        return set()
        return set(destinations(names, (one for one in assignments(self.graph) if one.how is How.COPY)))

    def gives_new(self) -> bool:
        """Whether the function returns nothing but an object that it made, and gives it to nobody else."""
        leaving = [step.effect.value for step in self.graph.steps() if isinstance(step.effect, Leaving)]
        names = [self._names(one) for one in leaving]
        if self.graph.generator or self.graph.captures or not leaving or not all(names):
            return False
        others = [one for one in self.graph.effects() if not isinstance(one, Leaving)]
        return not any(self._keeps(effect, one) for effect in others for one in names)

    def _keeps(self, effect: Effect, names: AbstractSet[Place]) -> bool:
        """Whether an effect may keep an object alive, or close it: all but an assignment to its other name, and a call
        that only uses it."""
        match effect:
            case Assign(target, value):
                return not names.isdisjoint(places_in(value)) and not (
                    target in names and isinstance(value, AccessPath)
                )
            case Call():
                return self._call_keeps(effect, names)
        return not names.isdisjoint(read_places(effect))

    def _call_keeps(self, call: Call, names: AbstractSet[Place]) -> bool:
        given = [one.value for one in call.args if one.value in names]
        apis = self.catalog.lookup(call.callee.dotted or "") if call.callee.dotted else ()
        if isinstance(call.callee.receiver, AccessPath) and call.callee.receiver in names:
            apis = self._of_object(call.callee.receiver, call.callee.name) or self.catalog.method(call.callee.name)
            used = call.unused or (bool(apis) and all(isinstance(api.returns, Borrowed | Nothing) for api in apis))
            return bool(given) or not used or closes_object(call.callee.name) or gives_up(call.callee.name)
        asked = [(one, called) for one, place, called in self._given(call) if place in names]
        if len(asked) == len(given) and all(self._is_only_asked(one, called) for one, called in asked):
            return False
        uses = apis and all(action is Event.USED for api in apis for action in api.actions.values())
        return bool(given) and (not uses or not all(api.actions for api in apis))

    def _is_only_asked(self, parameter: Place, called: Graph) -> bool:
        """Whether a function keeps nothing of a parameter but its number."""
        inside = _Numbers(called, self.catalog, _nobody)
        return not any(inside._keeps(effect, {parameter}) for effect in called.effects())

    def _is_typed(self, place: Place) -> bool:
        return place in self.graph.types and self.catalog.knows_type(self.graph.types[place])

    def _made(self, operand: Operand) -> bool:
        """Whether an object is only ever the result of calls that give one which owns its descriptor."""
        made = makers(self.bound, operand) if isinstance(operand, AccessPath) else []
        return bool(made) and all(self._gives_owner(call) for _, call, _ in made)

    def _gives_owner(self, call: Call) -> bool:
        api = read_call(self.catalog, call, self.catalog.lookup(call.callee.dotted or "")).api
        if api is None and (called := self.lender(call)) is not None:
            return _Numbers(called.graph, self.catalog, _nobody).gives_new()
        return api is not None and not api.borrows and (api.finalized or _makes_object(api))


def _makes_object(api: Api) -> bool:
    """Whether a call gives an object that has the only copy of its number; with a mark, it made one of a number."""
    return isinstance(api.returns, Instance) or Event.FINALIZED in api.marks.values()


def _left(graph: Graph, asking: Step, owner: Operand, leaving: Step, places: Places) -> Happened:
    span, holder = places.span(asking.origin), _named(owner)
    match leaving.effect:
        case Call(callee=callee):
            goes = f"taken by {callee.dotted or callee.name}()"
        case Store():
            goes = "stored"
        case _:
            goes = "returned"
    trace = (
        TraceEvent(EventKind.ACQUIRED, span, f"the number of {holder}"),
        TraceEvent(EventKind.LEAKED, places.span(leaving.origin), f"{goes} here, while nothing keeps {holder}"),
    )
    name = owner if isinstance(owner, AccessPath) and not owner.is_temporary else None
    return Happened(Violation.NUMBER_OUTLIVES, name, qualified(graph.name), span, None, trace)


def _named(owner: Operand) -> str:
    named = isinstance(owner, AccessPath) and not owner.is_temporary
    return f"`{spelled(owner)}`" if named and isinstance(owner, AccessPath) else "an object"


def _misuse(graph: Graph, step: Step, place: Place, lent: Sequence[Lending], places: Places) -> Happened:
    span = places.span(step.origin)
    found = [(places.span(one.step.origin), one.by) for one in lent]
    where, by = max((one for one in found if one[0] <= span), key=lambda one: one[0], default=found[0])
    trace = (TraceEvent(EventKind.TRANSFERRED, where, by), TraceEvent(EventKind.CLOSED, span, "closed here"))
    name = None if place.is_temporary else place
    return Happened(Violation.CLOSE_OF_BORROWED, name, qualified(graph.name), span, None, trace)
