"""Finds misuses of a number that belongs to an object: a socket, file or selector was asked for it. The number is
closed while the object lives, or it is returned and the object is lost.

No paths are followed. A name that is only ever bound to such numbers holds one wherever it is closed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from fdlint.catalog import Catalog
from fdlint.catalog.model import Api, Borrowed, ForkPid, Instance, Nothing
from fdlint.catalog.naming import closes_object, gives_up, is_constructor
from fdlint.core.dataflow.derivation import copied_to
from fdlint.core.dataflow.liveness import read_places
from fdlint.core.dataflow.makers import before, binding_steps, makers, sources, steps_binding
from fdlint.core.dataflow.reachability import steps_after, steps_beside
from fdlint.core.domain.event import Event
from fdlint.core.domain.facts import Happened
from fdlint.core.domain.typestate import Violation
from fdlint.core.engine.bind_arguments import given_by, initialises
from fdlint.core.engine.explore import qualified
from fdlint.core.engine.log import Places
from fdlint.core.engine.match_api import closed_arguments, read_call
from fdlint.core.finding import Event as TraceEvent
from fdlint.core.finding import EventKind
from fdlint.core.ir import (
    AccessPath,
    Assign,
    Call,
    Effect,
    Graph,
    Leaving,
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


class Departure(NamedTuple):
    """A number that leaves the function. ``asking``: the step that asks ``owner`` for it; ``by``: the step by which it
    leaves, or the call that made something of it which does."""

    asking: Step
    owner: Operand
    by: Step


def numbers_left(numbers: Numbers, places: Places) -> Iterator[Happened]:
    """Yields the calls that ask an object for the number which the function returns, stores or gives to a call that
    takes it, if nothing keeps the object."""
    seen: set[int] = set()
    for step in numbers.graph.steps() if not numbers.graph.generator else ():
        for one in numbers.leaving(step):
            if id(one.asking.origin) not in seen and numbers.is_lost(one.owner, one.by):
                seen.add(id(one.asking.origin))
                yield _left(numbers.graph, one, places)


def numbers_of_parameters(graph: Graph, catalog: Catalog, places: Iterable[Place]) -> frozenset[Operand]:
    """Returns the parameters whose numbers are in some places."""
    bound = binding_steps(graph)
    asking = (call for place in places for _, call, _ in makers(bound, place))
    return frozenset(one for call in asking if (one := _object_asked(call, catalog)) in graph.parameters)


def closed_in(graph: Graph, catalog: Catalog) -> set[Place]:
    """Returns the places that a function closes by calls of the catalog."""
    return {place for call in graph.calls() for place in closed_arguments(catalog, call)}


def _object_asked(call: Call, catalog: Catalog) -> Operand | None:
    """Returns the object whose number a call asks for; None for any other call."""
    if call.callee.dotted is not None:
        apis = catalog.lookup(call.callee.dotted)
        return call.args[0].value if len(apis) == 1 and apis[0].lends and call.args else None
    lends = any(isinstance(api.returns, Borrowed) for api in catalog.method(call.callee.name))
    return call.callee.receiver if lends else None


CLOSES = "which closes it itself"


_FINALIZER = "finalizer"  # the parameter of a call that may put something else in the place of the close


_MAX_BINDINGS = 20  # of one place: each is followed to the end of the function


@dataclass(slots=True)
class Numbers:
    """The numbers of objects in one function. ``lender``: the function called. ``bound``: the steps that bind each
    place."""

    graph: Graph
    catalog: Catalog
    lender: Lender
    bound: dict[Place, list[Step]] = field(init=False)
    _parts: defaultdict[Place, list[Place]] = field(default_factory=lambda: defaultdict(list))
    _beside: dict[Operand, frozenset[int] | None] = field(default_factory=dict)
    _known: dict[Place, list[tuple[Step, Call, bool]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.bound = binding_steps(self.graph, self._stored)
        for place in self.bound:
            if place.is_attribute:
                self._parts[place.base].append(place)

    def _stored(self, call: Call) -> Iterator[tuple[Place, Operand]]:
        """Yields the attributes of a new object whose constructor only stores what it gets."""
        called = self.lender(call) if call.given else None
        if called is None or not initialises(called):
            return
        effects, given = [*called.graph.effects()], dict(given_by(called, call))
        for one in effects if all(isinstance(one, Store | Leaving) for one in effects) else ():
            if isinstance(one, Store) and isinstance(one.target, AccessPath) and one.value in given:
                yield call.result.attribute(one.target.name), given[one.value]

    def _makers(self, place: Place) -> list[tuple[Step, Call, bool]]:
        if place not in self._known:
            self._known[place] = makers(self.bound, place)
        return self._known[place]

    # -- closed

    def lent_by(self, call: Call) -> str | None:
        """Returns what lends the number that a call returns, in words; None if it is not known to be an object."""
        owner = self._owner(call)
        return _lent_by(owner) if owner is not None else None

    def kept_in(self, place: Place) -> str | None:
        """Returns the object whose own number an attribute holds, in words; None for any other place."""
        apis = self._of_object(place.base, place.name) if place.is_attribute else ()
        return _lent_by(place.base) if any(isinstance(api.returns, Borrowed) for api in apis) else None

    def closed_by_callee(self, call: Call) -> Iterator[str]:
        """Yields the objects that a call gives to a function which closes their numbers, in words."""
        for parameter, given, called in self._given(call):
            if parameter in numbers_of_parameters(called, self.catalog, closed_in(called, self.catalog)):
                yield _lent_by(given)

    @property
    def gives_up(self) -> bool:
        """Whether the function may take a number from its object, or knows of a child that has copies of both."""
        return any(map(self._gives_up, self.graph.calls()))

    def _gives_up(self, call: Call) -> bool:
        apis = self.catalog.lookup(call.callee.dotted or "")
        forks = any(isinstance(api.returns, ForkPid) or (api.noreturn and api.inherits) for api in apis)
        called = self.lender(call) if call.given and not apis else None
        inside = called.graph.calls() if called is not None else ()
        given_up = any(gives_up(one.callee.name) for one in (call, *inside))
        return given_up or forks or any(_FINALIZER in api.params for api in apis)

    # -- asked for

    def _owner(self, call: Call) -> Operand | None:
        """Returns the object whose number a call returns; None if it is not known to own one."""
        for parameter, given, called in self._given(call):
            if parameter in numbers_of_parameters(called, self.catalog, called.returned()):
                return given
        owner, dotted = _object_asked(call, self.catalog), call.callee.dotted
        by_name = dotted is None or any(api.name.startswith("*.") for api in self.catalog.lookup(dotted))
        return owner if not by_name or self._is_owner(owner) else None

    def _given(self, call: Call) -> Iterator[tuple[Place, Place, Graph]]:
        """Yields the parameters of a function, each with the object that it gets."""
        called = self.lender(call) if call.given else None
        for parameter, given in given_by(called, call) if called is not None else ():
            if called is not None and isinstance(given, AccessPath) and self._is_owner(given):
                yield parameter, given, called.graph

    def _of_object(self, place: Place, name: str) -> tuple[Api, ...]:
        """Returns the meanings of a method or attribute of an object whose type is known."""
        made = [self.catalog.lookup(call.callee.dotted or "") for _, call, _ in self._makers(place)]
        shapes = [apis[0].returns for apis in made if apis]
        kinds = {self.graph.types.get(place, ""), *(one.type for one in shapes if isinstance(one, Instance))}
        return tuple(api for kind in kinds if kind for api in self.catalog.lookup(f"{kind}.{name}"))

    def _is_owner(self, operand: Operand | None) -> bool:
        """Whether an object has a type that the catalog knows, or was made here."""
        if not isinstance(operand, AccessPath):
            return False
        return self.catalog.knows_type(self.graph.types.get(operand, "")) or self._made(operand)

    def _made(self, place: Place) -> bool:
        """Whether an object is only ever the result of calls that give one which owns its descriptor."""
        made = self._makers(place)
        return bool(made) and all(self._gives_owner(call) for _, call, _ in made)

    def _gives_owner(self, call: Call) -> bool:
        api = read_call(self.catalog, call, self.catalog.lookup(call.callee.dotted or "")).api
        if api is None and (called := self.lender(call)) is not None:
            return Numbers(called.graph, self.catalog, lambda _: None).gives_new()
        if api is None or api.borrows:
            return False
        # With a mark, it made an object of a number.
        return api.finalized or isinstance(api.returns, Instance) or Event.FINALIZED in api.marks.values()

    # -- leaving

    def leaving(self, step: Step) -> Iterator[Departure]:
        """Yields the numbers of objects that leave by a step, by themselves, in a container or an object that the
        function made, or in what a call made of them."""
        match step.effect:
            case Leaving(AccessPath() as value):
                pass
            case Store(target, AccessPath() as value) if target is None or not self._is_part(target):
                pass
            case _:
                return
        pending, seen = [(value, step)], {value}
        while pending:
            place, by = pending.pop()
            inside = [(part, by) for part in self._parts[place]]
            for made in self._last(steps_binding(self.bound, place)):
                owner = self._owner(made.effect) if isinstance(made.effect, Call) else None
                if owner is not None:
                    yield Departure(made, owner, by)
                elif isinstance(made.effect, Call) and self._takes(made.effect):
                    inside += [(given, made) for given in made.effect.given]
                elif (known := before(made)) is not None:
                    inside.append((known, by))
            pending += [one for one in inside if one[0] not in seen]
            seen.update(one for one, _ in inside)

    def _last(self, binding: list[Step]) -> list[Step]:
        """Returns the steps among those which bind a place after which none of them comes."""
        if not 1 < len(binding) <= _MAX_BINDINGS:
            return binding if len(binding) < 2 else []
        later = [(one, steps_after(self.graph, one)) for one in binding]
        return [one for one, after in later if all(id(other) not in after or other is one for other in binding)]

    def _is_part(self, place: Place) -> bool:
        """Whether a place is an attribute of an object that the function made, and so leaves with that object."""
        made = self._makers(place.base) if place.is_attribute else []
        return bool(made) and all(one.callee.constructs or is_constructor(one.callee.name) for _, one, _ in made)

    def _takes(self, call: Call) -> bool:
        """Whether a call that nothing is known about makes something of what it gets, by its name."""
        callee = call.callee
        known = callee.own or self.lender(call) is not None or self.catalog.lookup(callee.dotted or "")
        return not known and not call.unused and self.catalog.unknown_takes(callee.name)

    # -- lost

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
        others = (step for step in self.graph.steps() if not isinstance(step.effect, Leaving))
        keeping = (step for step in others if self._keeps(step.effect, names))
        made = [step for name in names for step, *_ in self._makers(name)]
        return steps_beside(self.graph, keeping, made)

    def _names(self, owner: Operand) -> frozenset[Place]:
        """Returns the names of an object that was made here; none for any other, and for one that is closed at the end
        of a block, or in a container that may keep it."""
        if not isinstance(owner, AccessPath) or not self._made(owner):
            return frozenset()
        earlier = sources(self.bound, owner)
        if any(one.is_attribute for one in earlier) or any(entered for *_, entered in self._makers(owner)):
            return frozenset()
        return copied_to(self.graph, earlier)

    def gives_new(self) -> bool:
        """Whether the function returns nothing but an object that it made, and gives it to nobody else."""
        returns = [(one.effect.value, one) for one in self.graph.steps() if isinstance(one.effect, Leaving)]
        whole = not self.graph.generator and not self.graph.captures
        return whole and bool(returns) and all(self.is_lost(value, step) for value, step in returns)

    def _keeps(self, effect: Effect, names: AbstractSet[Place]) -> bool:
        """Whether an effect may keep an object alive, or close it: all but an assignment to its other name, and a call
        that only uses it."""
        match effect:
            case Assign(target, value):
                copies = target in names and isinstance(value, AccessPath)
                return not copies and not names.isdisjoint(places_in(value))
            case Call():
                return self._call_keeps(effect, names)
        return not names.isdisjoint(read_places(effect))

    def _call_keeps(self, call: Call, names: AbstractSet[Place]) -> bool:
        callee, given = call.callee, [one for one in call.given if one in names]
        if isinstance(callee.receiver, AccessPath) and callee.receiver in names:
            apis = self._of_object(callee.receiver, callee.name) or self.catalog.method(callee.name)
            used = call.unused or (bool(apis) and all(isinstance(api.returns, Borrowed | Nothing) for api in apis))
            return bool(given) or not used or closes_object(callee.name) or gives_up(callee.name)
        asked = [(one, called) for one, place, called in self._given(call) if place in names]
        if len(asked) == len(given) and all(_is_only_asked(self.catalog, *one) for one in asked):
            return False
        apis = self.catalog.lookup(callee.dotted or "")
        actions = [action for api in apis for action in api.actions.values() or (None,)]
        return bool(given) and not (apis and all(action is Event.USED for action in actions))


def _is_only_asked(catalog: Catalog, parameter: Place, called: Graph) -> bool:
    """Whether a function keeps nothing of a parameter but its number."""
    inside = Numbers(called, catalog, lambda _: None)
    return not any(inside._keeps(effect, {parameter}) for effect in called.effects())


def _left(graph: Graph, left: Departure, places: Places) -> Happened:
    span, holder = places.span(left.asking.origin), _named(left.owner)
    match left.by.effect:
        case Call(callee=callee):
            goes = f"taken by {callee.dotted or callee.name}()"
        case Store():
            goes = "stored"
        case _:
            goes = "returned"
    trace = (
        TraceEvent(EventKind.ACQUIRED, span, f"the number of {holder}"),
        TraceEvent(EventKind.LEAKED, places.span(left.by.origin), f"{goes} here, while nothing keeps {holder}"),
    )
    name = left.owner if isinstance(left.owner, AccessPath) and not left.owner.is_temporary else None
    return Happened(Violation.NUMBER_OUTLIVES, name, qualified(graph.name), span, None, trace)


def _lent_by(owner: Operand | None) -> str:
    return f"borrowed from {_named(owner)}, {CLOSES}"


def _named(owner: Operand | None) -> str:
    return f"`{spelled(owner)}`" if isinstance(owner, AccessPath) and not owner.is_temporary else "an object"
