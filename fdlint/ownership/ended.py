"""Which parameters may be at their end when a function returns: closed, or taken by an object that it makes of them;
and which attributes of its object a method may have closed.

This is only asked to find out whom to follow; what really happens is seen by following the function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from fdlint.catalog import Catalog
from fdlint.graph import Call, Place
from fdlint.lower.captures import adopted_by, closed_by, given_places
from fdlint.ownership.kept import passed_as
from fdlint.ownership.overriding import on_same_object
from fdlint.program import Function

_MAX_DEPTH = 4


class Ended(NamedTuple):
    """Places whose descriptors may be closed, and those of which an object may be made."""

    closed: frozenset[Place] = frozenset()
    adopted: frozenset[Place] = frozenset()


NOTHING = Ended()


class Endings:
    """Finds, and remembers, what the functions of a program do to their parameters."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._known: dict[int, Ended] = {}

    def by_call(self, function: Function, call: Call, ask: Callable[[Function, Call], Function | None]) -> Ended:
        """The arguments that a call of one of the project's functions may end, and the attributes of the same object
        that it may close."""
        return self._by_call(function, call, ask, 0)

    def of(self, function: Function, ask: Callable[[Function, Call], Function | None]) -> Ended:
        """The parameters of a function that it may end, and the attributes of its object that it may close."""
        return self._of(function, ask, 0)

    def _by_call(
        self, function: Function, call: Call, ask: Callable[[Function, Call], Function | None], depth: int
    ) -> Ended:
        same_object = on_same_object(function.graph, call)
        if depth >= _MAX_DEPTH or not (same_object or any(isinstance(arg.value, str) for arg in call.args)):
            return NOTHING
        called = ask(function, call)
        if called is None:
            return NOTHING
        inside = self._of(called, ask, depth)
        parameters = [frozenset(one for one in places if "." not in one) for places in inside]
        closed, adopted = (passed_as(call, called, places) if places else set() for places in parameters)
        here, there = function.graph.receiver, called.graph.receiver
        fields = {f"{here}.{one.partition('.')[2]}" for one in inside.closed if "." in one}
        return Ended(frozenset(closed | (fields if same_object and there else set())), frozenset(adopted))

    def _of(self, function: Function, ask: Callable[[Function, Call], Function | None], depth: int) -> Ended:
        key = id(function.graph)
        if key not in self._known:
            self._known[key] = NOTHING  # for a function that calls itself
            calls: dict[int, Ended] = {}

            def by(call: Call) -> Ended:
                if id(call) not in calls:
                    calls[id(call)] = self._by_call(function, call, ask, depth + 1)
                return calls[id(call)]

            parameters, receiver = frozenset(function.graph.parameters), function.graph.receiver
            closed = given_places(function.graph, lambda call: closed_by(call, self._catalog) | by(call).closed)
            adopted = given_places(function.graph, lambda call: adopted_by(call, self._catalog) | by(call).adopted)
            fields = frozenset(place for place in closed if place.partition(".")[0] == receiver and "." in place)
            self._known[key] = Ended(closed & parameters | fields, adopted & parameters)
        return self._known[key]
