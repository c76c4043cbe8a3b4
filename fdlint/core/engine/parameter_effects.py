"""Finds the parameters that a constructor may keep, itself or through another method or function.

Also finds the parameters that a function may close or wrap in an object that owns them, and the attributes of its
object that a method may close.

The answers only decide which functions to follow. Following a function shows what really happens.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping

from fdlint.catalog import Catalog
from fdlint.core.dataflow.derivation import adopted_by, arguments, closed_by, given_places, kept_places
from fdlint.core.domain.state import State
from fdlint.core.domain.values import UNKNOWN, Const, Seq, Sym, Value
from fdlint.core.engine.bind_arguments import bind_arguments
from fdlint.core.engine.eval import values_in
from fdlint.core.engine.limits import MAX_CALLS
from fdlint.core.engine.models.standard_streams import stream_number, streams_closed
from fdlint.core.engine.spread_arguments import starred_items
from fdlint.core.engine.summary import NOTHING, Ended
from fdlint.core.ir import AccessPath, Call, Graph, Lit, Place, Signature, Store, Suspend, Yield
from fdlint.core.memo import Memo
from fdlint.program.noreturn import filled_in
from fdlint.program.units import Function

_DIGITS = 2  # of the number of an argument that is told apart
Ask = Callable[[Function, Call], Function | None]
"""Returns the project's function that a call in another function means; None if there is none."""


def kept_parameters(
    function: Function, catalog: Catalog, ask: Ask, active: tuple[Hashable, ...] = ()
) -> frozenset[Place]:
    """Returns the parameters that a function, or one that it calls, may store where they outlive the call."""

    def passed(call: Call) -> set[Place]:
        called = ask(function, call) if arguments(call) and len(active) < MAX_CALLS else None
        if called is None or called.key in (*active, function.key):
            return set()
        return passed_as(call, called, kept_parameters(called, catalog, ask, (*active, function.key)))

    return kept_places(function.graph, catalog, passed) & frozenset(function.graph.parameters)


def filled_places(
    function: Function, catalog: Catalog, ask: Ask, filled: Callable[[Function], Mapping[Place, bool]]
) -> Mapping[Place, bool]:
    """Returns the parameters and items of starred ones that a function, or one that it calls, puts something into, and
    whether by a key. ``filled``: the same of a function that it calls."""
    graph = function.graph
    found = filled_in(graph, catalog)
    for call in graph.calls():
        called = ask(function, call) if arguments(call) else None
        for place, by_key in filled(called).items() if called is not None else ():
            passed = passed_as(call, called, frozenset({place})) if called is not None else ()
            found |= dict.fromkeys(set(passed) - found.keys(), by_key)
    border = _came_in(graph, frozenset(found))
    own = None if graph.language.records else graph.receiver  # a record is filled as any container is
    return {place: by_key for place, by_key in found.items() if place in border and place != own}


def gather_stars(state: State, signature: Signature) -> None:
    """Binds a starred parameter to a tuple of the items that a state has for it."""
    items = _items_of(signature.star, state.env)
    if items and signature.star is not None:
        state.env[signature.star] = Seq(tuple(state.env.get(one, UNKNOWN) for one in items))


def _items_of(star: Place | None, places: Iterable[Place]) -> list[Place]:
    """Returns the items of a starred parameter up to the last one that is among some places."""
    named = (one.name for one in places if star is not None and one.base == star)
    numbers = (int(name) for name in named if name.isdecimal() and len(name) <= _DIGITS)
    return [star.attribute(str(n)) for n in range(max(numbers, default=-1) + 1)] if star is not None else []


def passed_as(call: Call, called: Function, keeps: frozenset[Place]) -> set[Place]:
    """Returns the arguments that may go to some parameters; all arguments if the pairing is not known. The items of a
    starred parameter or argument are places of their own: ``args.0``."""
    state = State()
    values: list[Value] = [Sym(arg.value) if isinstance(arg.value, AccessPath) else UNKNOWN for arg in call.args]
    bound = _bound(state, called, call, values) if keeps else {}
    if bound is None:
        return {value.place for value in values if isinstance(value, Sym)}
    kept = [one for place in keeps & bound.keys() for one in values_in(state, bound[place])[0] or (bound[place],)]
    found = {value.place for value in kept if isinstance(value, Sym)}
    return found.union(_in_stars(call, called.graph.signature, bound, keeps - bound.keys()))


def _bound(state: State, called: Function, call: Call, values: list[Value]) -> dict[Place, Value] | None:
    """Returns the parameters and the items of starred ones with what they get; None if the pairing is not known."""
    pairs, signature = bind_arguments(state, called, call, values), called.graph.signature
    bound = dict(pairs or ())
    for stars, place in (1, signature.star), (2, signature.double_star):
        items = starred_items(state, bound[place], stars) if place is not None and place in bound else None
        bound |= {place.attribute(key): value for key, value in (items or {}).items()} if place is not None else {}
    return bound if pairs is not None else None


def _in_stars(
    call: Call, signature: Signature, bound: Mapping[Place, Value], wanted: frozenset[Place]
) -> Iterator[Place]:
    """Yields the items of starred arguments that may go to some parameters. ``bound``: those that other ones fill."""
    positional = [one for one in (*signature.positional, *_items_of(signature.star, wanted)) if one not in bound]
    for arg in call.args if wanted else ():
        if arg.stars == 1 and isinstance(arg.value, AccessPath):
            yield from (arg.value.attribute(str(n)) for n, one in enumerate(positional) if one in wanted)
        elif arg.stars == 2 and isinstance(arg.value, AccessPath):
            yield from (arg.value.attribute(one.name) for one in wanted if one.base in ("", signature.double_star))


def _came_in(graph: Graph, places: frozenset[Place]) -> frozenset[Place]:
    """Returns those of some places that are parameters, or items of starred ones."""
    stars = (graph.signature.star, graph.signature.double_star)
    return frozenset(one for one in places if one in graph.parameters or (one.is_attribute and one.root in stars))


class Endings:
    """Finds and remembers what the functions of a program do to their parameters."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._known: Memo[Hashable, Ended] = Memo()
        self._streams: Memo[Hashable, frozenset[int]] = Memo()

    def by_call(self, function: Function, call: Call, ask: Ask, depth: int = 0) -> Ended:
        """Returns the arguments that a call of a project function may close or wrap, the attributes of the same object
        that it may close, and the same of the caller's variables, if it is nested there."""
        same_object = function.graph.calls_own(call)
        if depth >= MAX_CALLS or not (same_object or arguments(call) or call.captured):
            return NOTHING
        called = ask(function, call)
        if called is None:
            return NOTHING
        inside = self.of(called, ask, depth)
        closed, adopted = (
            (passed_as(call, called, own) if (own := _came_in(called.graph, places)) else set())
            | places.intersection(call.captured)
            for places in (inside.closed, inside.adopted)
        )
        here, there = function.graph.receiver, called.graph.receiver
        if same_object and there is not None:
            closed |= {field.on(here) for one in inside.closed if (field := one.field_of(there)) is not None}
        return Ended(frozenset(closed), frozenset(adopted), inside.alone)

    def streams(self, function: Function, call: Call, ask: Ask, depth: int = 0) -> frozenset[int]:
        """Returns the standard streams that a call of a project function may close: by their numbers, or by those that
        it gets."""
        called = ask(function, call) if depth < MAX_CALLS else None
        if called is None:
            return frozenset()
        found = self._streams.of(called.key, lambda: self._streams_of(called, ask, depth), frozenset())
        values: list[Value] = [Const(arg.value.value) if isinstance(arg.value, Lit) else UNKNOWN for arg in call.args]
        if all(stream_number(one) is None for one in values):
            return found
        bound, closed = _bound(State(), called, call, values) or {}, self.of(called, ask, depth).closed
        given = (stream_number(value) for place, value in bound.items() if place in closed)
        return found.union(one for one in given if one is not None)

    def _streams_of(self, called: Function, ask: Ask, depth: int) -> frozenset[int]:
        inside = [self.streams(called, one, ask, depth + 1) for one in called.graph.calls()]
        return streams_closed(called.graph, self._catalog).union(*inside)

    def of(self, function: Function, ask: Ask, depth: int = 0) -> Ended:
        """Returns the parameters and the variables of an outer function that a function may close or wrap, and the
        attributes of its object that it may close."""
        # The provisional answer is for a function that calls itself.
        return self._known.of(function.key, lambda: self._work_out(function, ask, depth), NOTHING)

    def _work_out(self, function: Function, ask: Ask, depth: int) -> Ended:
        graph = function.graph
        calls: dict[Hashable, Ended] = {}

        def by(call: Call) -> Ended:
            if id(call) not in calls:
                calls[id(call)] = self.by_call(function, call, ask, depth + 1)
            return calls[id(call)]

        receiver = graph.receiver
        closed = given_places(graph, lambda call: closed_by(call, self._catalog) | by(call).closed)
        adopted = given_places(graph, lambda call: adopted_by(call, self._catalog) | by(call).adopted)
        fields = frozenset(place for place in closed if place.is_attribute and place.root == receiver)
        effects = list(graph.effects())
        others = any(isinstance(one, Store | Suspend | Yield) for one in effects)
        alone = not others and all(by(one).alone or self._is_alone(one) for one in effects if isinstance(one, Call))
        closed, adopted = (one & graph.free | _came_in(graph, one) for one in (closed, adopted))
        return Ended(closed | fields, adopted, alone)

    def _is_alone(self, call: Call) -> bool:
        """Whether a call is of a function of the catalog that calls no other one."""
        found = self._catalog.lookup(call.callee.dotted or "")
        return bool(found) and not any(one.applies or one.registers for one in found)
