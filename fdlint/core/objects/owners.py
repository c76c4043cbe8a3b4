"""Finds the classes whose objects own a descriptor: one that the constructor acquires or is given and stores, and that
a method closes. What the methods do decides, not their names. An object that owns another such object owns what that
owns.

Nobody owes anything for an object that somebody else keeps or ends: the class closes in a finalizer, the constructor
passes the object on, or a base class is not known.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

from fdlint.catalog.naming import adds_nothing, ends_object
from fdlint.core.budget import BudgetSpentError
from fdlint.core.domain.owner import Begins, OwnerClass, Parts
from fdlint.core.domain.state import State
from fdlint.core.domain.typestate import Mark, Status, Violation
from fdlint.core.domain.values import Box, Fd, Seq
from fdlint.core.engine.call_resolution import CallResolver
from fdlint.core.engine.context import AnalysisContext
from fdlint.core.engine.log import Slot
from fdlint.core.engine.summary import Outcome
from fdlint.core.ir import AccessPath, Assign, Build, Call, Closure, Field, Graph, Leaving, Place, Store, StoreItem
from fdlint.core.objects.class_view import Members, members_of, names_of_own
from fdlint.core.objects.typestate import ObjectState, StateExplorer
from fdlint.program.facts import Kind, is_constructor
from fdlint.program.units import File, Function, Unit

_MISUSES = (Violation.DOUBLE_CLOSE, Violation.USE_AFTER_CLOSE, Violation.PROBE_AFTER_CLOSE)

Outcomes: TypeAlias = Callable[[Function, State], tuple[Outcome, ...]]
"""Returns the ways out of a method that starts in a state of its object."""

_LEVELS = 2  # a board of devices; each more costs as much again
_CLOSED = 3  # states of a closed object: with more, it depends on too much what its methods do
_WORK = 6_000  # for one class, in steps: ordinary ones take up to a third of it


@dataclass(slots=True)
class OwnerClasses:
    """The classes of a program whose objects own a descriptor. It works with a context of its own, in which only
    descriptors count, and the objects that are known without it (``_inner``): so the answer does not depend on what is
    asked first."""

    _within: AnalysisContext
    _inner: OwnerClasses | None
    _work: int

    @classmethod
    def beside(cls, context: AnalysisContext, levels: int = _LEVELS) -> OwnerClasses:
        """Returns the classes for a context. They do not refer to it, so that it is freed at once. ``levels``: of
        objects that own other objects."""
        inner = cls.beside(context, levels - 1) if levels > 1 else None
        within = AnalysisContext(context.program, context.catalog, context.relevance, inner)
        within.facts = context.facts
        return cls(within, inner, levels * _WORK)

    def of(self, asking: AnalysisContext, file: File, name: str, parts: Parts = ()) -> OwnerClass | None:
        """Returns what is known of a class of a file, if its objects own a descriptor; None otherwise. ``asking``: the
        context that remembers the answer. ``parts``: what the constructor gets."""
        if file.language.records or not self._may_own(file, name, parts):
            return None
        work_out = functools.partial(self._worked_out, asking, file, name, parts)
        return asking.once(("owner class", file, name, parts), None, work_out)

    def acquires(self, asking: AnalysisContext, file: File, name: str) -> bool:
        """Whether the objects of a class may own what the class itself acquires."""
        return self._may(Kind.ACQUIRES, file, name) and self.of(asking, file, name) is not None

    def _may_own(self, file: File, name: str, parts: Parts) -> bool:
        """Whether a method of the class may close something, and nothing but its creator ends an object, as far as
        texts tell: all bases are known, there is no finalizer, and nothing creates objects in an unusual way."""
        program, methods = self._within.program, file.language.methods
        unusual = {methods.finalizer, *methods.makers} - {methods.constructor}
        if not (parts or self._may(Kind.CLOSES, file, name) or self._may_end_another(file, name)):
            return False
        for home, one in program.with_bases(file, name, thorough=True):
            if any(f"{one}.{method}" in home.names.functions for method in unusual):
                return False
            bases = [base for base in home.classes.get(one, ()) if not adds_nothing(base)]
            if any(program.class_at(home, base, thorough=True) is None for base in bases):
                return False
        return True

    def _may_end_another(self, file: File, name: str) -> bool:
        """Whether methods of the class may acquire, and may call a method of another object that closes."""
        return self._inner is not None and self._may(Kind.ACQUIRES, file, name) and self._may(Kind.ENDS, file, name)

    def _may(self, kind: Kind, file: File, name: str) -> bool:
        """Whether a method of a class may act in this way, as far as texts tell."""
        return any(self._within.facts.may(kind, method) for method in self._methods(file, name))

    def _methods(self, file: File, name: str) -> Iterator[Unit]:
        for home, one in self._within.program.with_bases(file, name, thorough=False):
            prefix = f"{one}."
            yield from (home.unit(method) for method in home.names.functions if method.startswith(prefix))

    def _may_hold(self, inner: OwnerClasses, file: File, name: str) -> bool:
        """Whether a method of a class may create another object that owns a descriptor, as far as texts tell."""
        return any(self._may_create(inner, method, (file, name)) for method in dict.fromkeys(self._methods(file, name)))

    def _may_create(self, inner: OwnerClasses, unit: Unit, own: tuple[File, str]) -> bool:
        facts, home = self._within.facts, unit.file
        if not facts.may(Kind.ACQUIRES, unit):
            return False
        called = [call.unit for call in facts.units.calls(unit)]
        if any("." not in one.name and facts.may(Kind.ACQUIRES, one) for one in called):
            return True
        names = (home.classes.keys() | home.names.imports.keys()) & unit.facts.words
        classes = [self._within.program.class_at(home, one, thorough=False) for one in sorted(names)]
        classes += [(one.file, one.name.rpartition(".")[0]) for one in called if is_constructor(one)]
        return any(inner.of(self._within, *one) is not None for one in classes if one is not None and one != own)

    def _worked_out(self, asking: AnalysisContext, file: File, name: str, parts: Parts) -> OwnerClass | None:
        inner, found, work = self._inner, None, self._work
        with suppress(BudgetSpentError), self._within.whole(work):
            if not parts and inner is not None and not self._may_hold(inner, file, name):
                found = inner.of(self._within, file, name)
            else:
                found = _owner_class(CallResolver(self._within, file), name, parts)
            work = self._within.budget.spent
        asking.budget.spend(work)
        return found


def _owner_class(callees: CallResolver, name: str, parts: Parts = ()) -> OwnerClass | None:
    members = members_of(callees, name, [parameter for parameter, _ in parts])
    if members is None or not _is_left_to_others(members):
        return None
    explorer = StateExplorer(replace(members, flags=()), callees, coarse=True, parts=parts)
    start = _start(callees, members, explorer)
    if start is None:
        return None
    entered, leaving = members.language.methods.managers.keys(), {*members.language.methods.managers.values()}
    left = {
        method: explorer.left_by(method, function, start.filled)
        for method, function in _touching(callees, members).items()
        if method not in entered and method not in start.fills
    }
    ends = frozenset(method for method, states in left.items() if _may_end(start.filled.state, states))
    known = [method for method in ends if left[method] is not None]
    if not known:
        return None  # it may have no closing method at all
    stale = frozenset(method for method in ends if _keeps_numbers(left[method]))
    closed = [state for method in known for state in left[method] or ()]
    misuses = _misuses(callees, members, stale, parts)
    read = frozenset(one for one, method in members.methods.items() if one in method.file.names.properties)
    return OwnerClass(
        name,
        callees.file,
        start.begins,
        frozenset(start.fills),
        ends,
        leaves=next((method for method in sorted(ends & leaving)), None),
        gives_itself=all(_returns_itself(members.methods[one]) for one in entered if one in members.methods),
        fields=read.union(one.names[0] for one in members.fields),
        number=_number(start.filled.state),
        methods=frozenset(members.methods.keys() - read),
        closing=min(known, key=_as_advice),
        stale=stale,
        uses=frozenset(one for one, found in misuses.items() if found is not Violation.DOUBLE_CLOSE),
        again=frozenset(one for one, found in misuses.items() if found is Violation.DOUBLE_CLOSE),
        flags=_flags(members, {*ends, *start.fills}),
        ends_parts=_ends_of_parts(start.filled.state),
        nothrow=frozenset(
            one for one in left if left[one] and not explorer.may_raise(one, members.methods[one], start.filled)
        ),
        nothrow_closed=_nothrow_closed(members, explorer, left, closed),
    )


def _nothrow_closed(
    members: Members, explorer: StateExplorer, methods: Collection[str], closed: Sequence[ObjectState]
) -> frozenset[str]:
    """Returns the methods that raise nothing in any of the states in which a closing method leaves the object."""
    states = list({one.identity: one for one in closed}.values())
    return frozenset(
        name
        for name in (methods if len(states) <= _CLOSED else ())
        if all(explorer.left_by(name, members.methods[name], one) for one in states)
        and not any(explorer.may_raise(name, members.methods[name], one) for one in states)
    )


def _misuses(callees: CallResolver, members: Members, stale: Collection[str], parts: Parts) -> Mapping[str, Violation]:
    """Returns the methods that are sure to misuse the number of an object which one of the ``stale`` methods has
    closed. What the object remembers of that in other attributes counts."""
    explorer = StateExplorer(members, callees, coarse=False, parts=parts)
    start = _start(callees, members, explorer) if stale else None
    if start is None:
        return {}
    closed = [explorer.left_by(method, members.methods[method], start.filled) for method in sorted(stale)]
    if not all(closed):
        return {}
    states = [one.state for left in closed for one in left or ()]
    return misuses_after(states, _touching(callees, members), explorer.outcomes)


def _number(state: State) -> str | None:
    """Returns the attribute that has the number of the only descriptor of an object; None if it has more, or holds it
    in a container or in another object."""
    if len(state.resources) != 1 or any(one.of is not None for one in state.resources.values()):
        return None
    return next((place.name for place, value in state.env.items() if isinstance(value, Fd)), None)


def _ends_of_parts(state: State) -> frozenset[str]:
    """Returns the closing methods of the objects that attributes hold."""
    return frozenset[str]().union(*(one.of.ends for one in state.resources.values() if one.of is not None))


def _flags(members: Members, changing: Collection[str]) -> frozenset[str]:
    """Returns the attributes other than those with descriptors that some methods store to, and the methods and
    properties that do nothing but look at attributes."""
    stored: set[Field] = set()
    for graph in (members.methods[name].graph for name in changing):
        targets = (one.target for one in graph.effects() if isinstance(one, Store) and one.target is not None)
        stored.update(filter(None, (place.field_of(graph.receiver) for place in targets if graph.receiver is not None)))
    looking = (name for name, method in members.methods.items() if _only_looks(method.graph))
    return frozenset({*looking, *(field.names[0] for field in stored - members.fields)})


def _only_looks(graph: Graph) -> bool:
    """Whether a method at most looks at attributes."""
    return not any(isinstance(one, Call | Store | StoreItem) for one in graph.effects())


def _returns_itself(method: Function) -> bool:
    """Whether a method returns its object and nothing else."""
    graph, own = method.graph, names_of_own(method.graph)
    return all(one.value in own for one in graph.effects() if isinstance(one, Leaving))


class _Start(NamedTuple):
    """When an object begins to own a descriptor, its state then, and the methods that fill it."""

    begins: Begins
    filled: ObjectState
    fills: Mapping[str, ObjectState] = {}


def _start(callees: CallResolver, members: Members, explorer: StateExplorer) -> _Start | None:
    """Returns how the objects of a class begin; None if they never own a descriptor for sure."""
    for begins in (Begins.CREATED, Begins.GIVEN):
        born = [one for raised, one in explorer.born(given=begins is Begins.GIVEN) if not raised]
        holding = [one for one in born if _holds(one)]
        if holding and all(_holds(one) or _has_empty_containers(one) for one in born):
            return _Start(begins, holding[0])
        if holding:
            return None  # it depends on what the constructor gets
    empty = next((one for raised, one in explorer.born(given=False) if not raised), None)
    fills: dict[str, ObjectState] = {}
    for method, function in _touching(callees, members).items() if empty is not None else ():
        states = explorer.left_by(method, function, empty) if empty is not None else None
        if states and all(map(_holds, states)) and not _passes_itself_on(members, function):
            fills[method] = states[0]
    return _Start(Begins.FILLED, next(iter(fills.values())), fills) if fills else None


def _touching(callees: CallResolver, members: Members) -> dict[str, Function]:
    """Returns the methods that other code may call, and that touch an attribute which is followed: also through a
    method that a base calls and this class defines."""
    of_class = replace(callees, owner=(callees.file, members.name))
    return {
        method: function
        for method, function in members.methods.items()
        if method not in _before(members) and members.followed & of_class.touched(function).fields
    }


def _may_end(before: State, left: Sequence[ObjectState] | None) -> bool:
    """Whether one of the states after a method lacks something that was open before it, as far as is known."""
    return left is None or any(_held(before) - _held(one.state) for one in left)


def _held(state: State) -> set[Slot]:
    return {fd.origin_slot for fd in state.resources if state.is_held(fd)}


def _keeps_numbers(left: Sequence[ObjectState] | None) -> bool:
    """Whether the attributes are sure to hold numbers of closed descriptors, and nothing else, after a method."""
    return bool(left) and all(map(_has_closed_all, (one.state for one in left or ())))


def _has_closed_all(state: State) -> bool:
    fds = state.reachable(state.env.values())
    return bool(fds) and all(state.resources[fd].status is Status.CLOSED for fd in fds if fd in state.resources)


def _as_advice(method: str) -> tuple[bool, bool, str]:
    """Returns the key by which the closing method to recommend is chosen: a public one that speaks of an end."""
    return method.startswith("_"), not ends_object(method), method


def _before(members: Members) -> frozenset[str]:
    methods = members.language.methods
    return methods.before_the_object | {methods.constructor}


def _holds(born: ObjectState) -> bool:
    """Whether an attribute holds a descriptor that is open."""
    state: State = born.state
    return any(map(state.is_held, state.resources))


def _has_empty_containers(born: ObjectState) -> bool:
    """Whether attributes hold nothing but containers, which the constructor fills with what it gets."""
    return bool(born.state.env) and all(isinstance(one, Box | Seq) for one in born.state.env.values())


def _is_left_to_others(members: Members) -> bool:
    """Whether a constructor leaves the new object to its creator: it passes the object on to nobody."""
    constructor = members.constructor
    starting = [constructor] if constructor is not None else []
    starting += [members.methods[name] for name in members.called_by(members.constructor) if name in members.methods]
    return not any(_passes_itself_on(members, function) for function in starting)


def _passes_itself_on(members: Members, function: Function) -> bool:
    """Whether a method gives its object, or one of the object's methods, to something else."""
    own = names_of_own(function.graph, members.methods)
    return any(not own.isdisjoint(places) for places in _passed_on(function.graph))


def _passed_on(graph: Graph) -> Iterator[list[Place]]:
    """Yields the places whose values a function puts somewhere or gives to somebody."""
    for effect in graph.effects():
        match effect:
            case Call():
                yield effect.given
            case Assign(_, Closure(name)):
                yield list(graph.captures.get(name, ()))
            case Assign(_, Build(_, items)):
                yield [one for one in items if isinstance(one, AccessPath)]
            case Store(_, AccessPath() as value):
                yield [value]
            case StoreItem(_, _, AccessPath() as value):
                yield [value]


def misuses_after(
    closed: Collection[State], methods: Mapping[str, Function], outcomes: Outcomes
) -> dict[str, Violation]:
    """Returns what each method does wrong in all states of a closed object, unless it raises. ``closed``: these
    states."""
    for state in closed:
        state.be_sure_of_closed()
    found: dict[str, Violation] = {}
    for name, method in methods.items():
        ways = [[_marks(one) for one in outcomes(method, state) if not one.raised] for state in closed]
        same = (one for one in _MISUSES if all(one in marks for some in ways for marks in some))
        if all(ways) and (misuse := next(same, None)) is not None:
            found[name] = misuse
    return found


def _marks(outcome: Outcome) -> frozenset[Mark]:
    return frozenset[Mark]().union(*(left.marks for _, left in outcome.came_in))
