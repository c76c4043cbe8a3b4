"""Finds the descriptors that an ``ExitStack`` closes at the end of its ``with`` block. A second close is an error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fdlint.catalog.naming import gives_up
from fdlint.core.dataflow.liveness import read_places
from fdlint.core.domain.state import State
from fdlint.core.domain.values import Descriptor, Fd, Fn
from fdlint.core.engine.eval import value_of
from fdlint.core.engine.match_api import Reading
from fdlint.core.ir import Arg, Assign, Call, Effect, Enter, Graph, Place, Step, Store


def closed_on_exit(
    state: State, graph: Graph, stacks: frozenset[Place], reading: Reading, step: Step, call: Call
) -> Iterator[tuple[Descriptor, Step]]:
    """Yields the descriptors that a call registers to be closed for sure, each with the step that will close it.

    ``stacks``: the exit stacks of the function, see ``stacks_of``.
    """
    if call.callee.receiver not in stacks:
        return
    if reading.applied is not None:
        for name, arg in reading.applied_bound:
            value = value_of(state, graph, arg.value)
            if name in reading.applied.closed and not arg.stars and isinstance(value, Fd):
                yield value.descriptor, step
        return
    for place, closing in _closes(state, graph, call.args[:1]).items():
        value = value_of(state, graph, place)
        if isinstance(value, Fd) and _is_bound_once(graph, place):
            yield value.descriptor, closing


def stacks_of(graph: Graph) -> frozenset[Place]:
    """Returns the variables that ``with … as`` binds and that are only used to call their methods. No method takes
    anything out of them (``pop_all``)."""
    effects = list(graph.effects())
    entered = {one.result for one in effects if isinstance(one, Enter)}
    found = {one.target for one in effects if isinstance(one, Assign) and one.value in entered}
    used = {place for one in effects for place in _uses(one)}
    rebound = {one.target for one in effects if isinstance(one, (Assign, Store)) and one.value not in entered}
    captured = frozenset[Place]().union(*graph.captures.values())
    return frozenset(found - used - rebound - captured - graph.globals)


def _uses(effect: Effect) -> Iterator[object]:
    """Yields the places that an effect reads, except the receiver of a call that takes nothing out of it."""
    for place in read_places(effect):
        if not isinstance(effect, Call) or place != effect.callee.receiver or gives_up(effect.callee.name):
            yield place
    if isinstance(effect, Call):
        yield from (arg.value for arg in effect.args)


def _closes(state: State, graph: Graph, args: tuple[Arg, ...]) -> Mapping[Place, Step]:
    """Returns what the nested function among the arguments closes whenever it is called, with the closing steps."""
    for arg in args:
        value = value_of(state, graph, arg.value)
        if isinstance(value, Fn) and isinstance(value.callee.function, str):
            return graph.closers.get(value.callee.function, {})
    return {}


def _is_bound_once(graph: Graph, place: Place) -> bool:
    """Whether a captured variable still has its value when the block ends."""
    targets = [one.target for one in graph.effects() if isinstance(one, (Assign, Store))]
    return targets.count(place) == 1 and place not in graph.shared
