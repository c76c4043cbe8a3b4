"""Finds closes of a number that is only lent: by a context manager that closes the number itself, by a cache that
returns the same number to its next caller, or by an object that is asked for it.

Whether a function closes a number is found by following it. In the function that borrows, no paths are followed: a
name that is only ever bound to lent numbers holds a lent number wherever it is closed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from fdlint.catalog.model import Fresh
from fdlint.core.dataflow.makers import binding_steps, copies, makers
from fdlint.core.dataflow.worklist import Limits
from fdlint.core.domain.facts import Happened
from fdlint.core.domain.state import BOUND, Resource, State
from fdlint.core.domain.typestate import Status, Violation
from fdlint.core.domain.values import Age, Descriptor, Fd, IncomingSite, Value
from fdlint.core.engine.bind_arguments import given_by
from fdlint.core.engine.call_resolution import CallResolver
from fdlint.core.engine.eval import value_of
from fdlint.core.engine.explore import entry_state, qualified, run
from fdlint.core.engine.log import Log, Places
from fdlint.core.engine.match_api import closed_arguments
from fdlint.core.engine.numbers_of_objects import CLOSES, Numbers
from fdlint.core.engine.parameter_effects import gather_stars
from fdlint.core.engine.summary import Shared
from fdlint.core.engine.transfer import RunOptions
from fdlint.core.finding import Event as TraceEvent
from fdlint.core.finding import EventKind
from fdlint.core.ir import AccessPath, Call, Field, Graph, Leaving, Lit, Operand, Place, Step, Yield
from fdlint.core.memo import Memo
from fdlint.program.modules import Program
from fdlint.program.units import Function

_LIMITS = Limits(alike=10, soft=32, budget=3_000)


class Lending(NamedTuple):
    """A step that lends a number, and who lends it, in words. ``step``: None for the step that closes the number."""

    step: Step | None
    by: str | None


@dataclass(slots=True)
class Lenders:
    """Finds the lenders among a program's functions, and remembers them."""

    callees: CallResolver
    _known: Memo[Hashable, str | None] = field(default_factory=Memo)
    _closers: Memo[Hashable, bool] = field(default_factory=Memo)

    def closes(self, function: Function, numbers: Numbers | None = None) -> Iterator[Happened]:
        """Yields the closes of lent numbers in a function. ``numbers``: those of objects, if it asks for some."""
        graph, seen = function.graph, set[int]()
        bound = functools.cache(lambda: numbers.bound if numbers is not None else binding_steps(graph))
        objects = numbers if numbers is not None and not numbers.gives_up else None
        lent = functools.cache(lambda place: self._lendings(function, bound(), objects, place))
        for step in graph.steps():
            call = step.effect
            if isinstance(call, Call) and not step.expected and id(step.origin) not in seen:
                closed = [(one, lent(one)) for one in self.closed_by(function, call, lambda one: bool(lent(one)))]
                by_callee = objects.closed_by_callee(call) if objects is not None else ()
                closed += [(call.result, [Lending(step, by)]) for by in by_callee]
                seen.update([id(step.origin)] if closed else ())
                yield from (_misuse(graph, step, *one, function.file.source) for one in closed[:1])

    @property
    def _program(self) -> Program:
        return self.callees.context.program

    def closed_by(self, function: Function, call: Call, asked: Callable[[Place], bool]) -> Iterator[Place]:
        """Yields the places in question that a call closes: arguments, also if it is of a function of the project that
        always closes them, and attributes that another method of the same object always closes. ``asked``: whether a
        place is in question; it is cheaper than to follow what is called."""
        yield from filter(asked, closed_arguments(self.callees.context.catalog, call))
        own, here = function.graph.calls_own(call), function.graph.receiver
        called = self.callees.closer_called_by(function, call) if call.given or own else None
        if called is None:
            return
        for parameter, argument in given_by(called, call):
            if isinstance(argument, AccessPath) and asked(argument) and self._always_closes(called, parameter):
                yield argument
        there = called.graph.receiver
        for place in self._maybe_closed(called) if own else ():
            field = place.field_of(there) if there is not None else None
            if field is not None and here is not None and asked(field.on(here)) and self._always_closes(called, place):
                yield field.on(here)

    def _maybe_closed(self, called: Function) -> frozenset[Place]:
        return self.callees.context.endings.of(called, self.callees.closer_called_by).closed

    def _always_closes(self, called: Function, place: Place) -> bool:
        """Whether a function closes a parameter or an attribute whenever it returns."""
        if place not in self._maybe_closed(called):
            return False
        return self._closers.of((called.key, place), lambda: self._closes(called, place), False)  # it may call itself

    def _closes(self, function: Function, place: Place) -> bool:
        """Whether a function closes the number in a place of its caller whenever it returns."""
        graph = function.graph
        if graph.generator or graph.abstract:
            return False
        start = _with_number(entry_state(graph, function.captured), place)
        gather_stars(start, graph.signature)
        field = place.field_of(graph.receiver) if graph.receiver is not None else None
        inside = replace(self.callees, file=function.file)
        if field is not None and graph.owner is not None:
            inside = replace(inside, owner=(function.file, graph.owner), fields=frozenset({field}))
        ways = inside.alone(function, start, Shared(graph.receiver) if field is not None else None)
        left = [dict(one.came_in).get(_GIVEN) for one in ways if not one.raised]
        return bool(left) and all(one is not None and one.status is Status.CLOSED for one in left)

    def _closes_what_it_yields(self, function: Function) -> bool:
        """Whether the number that a generator yields is closed whenever its body comes to the end."""
        graph = function.graph
        given = [one.value for one in graph.effects() if isinstance(one, Yield)]
        lent = [one for one in given if isinstance(one, AccessPath)]
        if not lent or len(lent) < len(given):
            return False
        start, bound = entry_state(graph), binding_steps(graph)
        places = frozenset(one for named in lent for one in copies(bound, named))
        for place in places & set(graph.parameters):
            start = _with_number(start, place)
        closed: list[bool] = []

        def observe(raised: bool, state: State, _: Value) -> None:
            if not raised:
                fds = [one.descriptor for place in places if isinstance(one := value_of(state, graph, place), Fd)]
                ended = all(state.resources[fd].status is Status.CLOSED for fd in fds if fd in state.resources)
                closed.append(bool(fds) and ended and not state.widened)

        context, inside = self.callees.context, replace(self.callees, file=function.file)
        kept = places.union(one.root for one in places)
        run(graph, context.catalog, Log(graph.name), start, RunOptions(inside, observe, kept), _LIMITS)
        return bool(closed) and all(closed)

    def _lendings(
        self, function: Function, bound: dict[Place, list[Step]], objects: Numbers | None, place: Place
    ) -> list[Lending]:
        """Returns the calls that lent the number in a place, or the object whose attribute it is; none if the place can
        hold something else."""
        made = makers(bound, place)
        found = [Lending(step, self._by(function, objects, call, entered)) for step, call, entered in made]
        if not made and objects is not None:
            found = [Lending(None, objects.kept_in(place))]
        return found if all(one.by for one in found) else []

    def _by(self, function: Function, objects: Numbers | None, call: Call, entered: bool) -> str | None:
        """Returns what lends the result of a call, in words; None if nothing is known to."""
        how = self._how(function, call, entered)
        if how is not None:
            return f"lent by {call.callee.name}(), {how}"
        return objects.lent_by(call) if objects is not None else None

    def _how(self, function: Function, call: Call, entered: bool) -> str | None:
        called = self._program.target(function.file, function.graph, call.callee, thorough=True)
        if called is None:
            return None
        how = self._known.of(called.key, lambda: self._manages(called) or self._remembers(called))
        if how == _KEEPS:
            empties = called.graph.language.decorators.cache_clear  # emptying it may close the cached numbers
            emptied = any(empties in one.file.source.code for one in (function, called))
            return None if entered or emptied else how
        return how if entered else None

    def _manages(self, called: Function) -> str | None:
        """Returns ``CLOSES`` if the function makes a context manager that lends a number and closes it at the end."""
        graph = called.graph
        if graph.language.decorators.managers & set(graph.decorators):
            return CLOSES if self._closes_what_it_yields(called) else None
        if graph.owner is None or graph.name != f"{graph.owner}.{graph.language.methods.constructor}":
            return None
        for entering, leaving in graph.language.methods.managers.items():
            enters = self._program.method(called.file, graph.owner, entering, thorough=True)
            leaves = self._program.method(called.file, graph.owner, leaving, thorough=True)
            if enters is not None and leaves is not None and leaves.graph.receiver is not None:
                given = {_attribute(enters.graph, value) for value in _returned(enters.graph)}
                own = leaves.graph.receiver
                closed = [one is not None and self._always_closes(leaves, one.on(own)) for one in given]
                return CLOSES if given and all(closed) else None
        return None

    def _remembers(self, called: Function) -> str | None:
        """Returns ``_KEEPS`` if the function opens a descriptor and returns the same one when it is called again."""
        if not called.graph.language.decorators.caches & set(called.graph.decorators):
            return None
        bound, returned = binding_steps(called.graph), _returned(called.graph)
        return _KEEPS if returned and all(self._is_fresh(bound, value) for value in returned) else None

    def _is_fresh(self, bound: dict[Place, list[Step]], value: Operand) -> bool:
        match makers(bound, value) if isinstance(value, AccessPath) else ():
            case [(_, call, False)]:
                return any(
                    isinstance(api.returns, Fresh)
                    for api in self.callees.context.catalog.lookup(call.callee.dotted or "")
                )
        return False


_KEEPS = "which will give the same number again"


_GIVEN = Descriptor(IncomingSite.of_lot(0), 0, Age.NEWEST)  # the number that somebody else put into a place


def _with_number(state: State, place: Place) -> State:
    """Returns the state in which a place has the number of somebody else's descriptor."""
    state.env[place], state.resources[_GIVEN] = Fd(_GIVEN), Resource(Status.BORROWED, BOUND)
    return state


def _returned(graph: Graph) -> list[Operand]:
    """Returns the operands that a function returns, except None."""
    values = [effect.value for effect in graph.effects() if isinstance(effect, Leaving)]
    return [value for value in values if value != Lit(None)]


def _attribute(graph: Graph, value: Operand) -> Field | None:
    """Returns the attribute of the method's own object that an operand stands for; None if it is none."""
    if not isinstance(value, AccessPath) or graph.receiver is None:
        return None
    return copies(binding_steps(graph), value)[-1].field_of(graph.receiver)


def _misuse(graph: Graph, step: Step, place: Place, lent: Sequence[Lending], places: Places) -> Happened:
    span = places.span(step.origin)
    found = [(places.span((one.step or step).origin), one.by or "") for one in lent]
    where, by = max((one for one in found if one[0] <= span), key=lambda one: one[0], default=found[0])
    trace = (TraceEvent(EventKind.TRANSFERRED, where, by), TraceEvent(EventKind.CLOSED, span, "closed here"))
    name = None if place.is_temporary else place
    return Happened(Violation.CLOSE_OF_BORROWED, name, qualified(graph.name), span, None, trace)
