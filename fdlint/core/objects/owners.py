"""Finds the classes whose objects own a descriptor: one that the constructor acquires or is given and stores, and that
a method closes. What the methods do decides, not their names.

Nobody owes anything for an object that somebody else keeps or ends: the class closes in a finalizer, the constructor
passes the object on, or a base class is not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from fdlint.catalog.naming import ends_object
from fdlint.core.budget import BudgetSpentError
from fdlint.core.domain.owner import OwnerClass
from fdlint.core.domain.state import State
from fdlint.core.domain.typestate import Status
from fdlint.core.engine.call_resolution import CallResolver
from fdlint.core.engine.context import AnalysisContext
from fdlint.core.ir import AccessPath, Assign, Build, Call, Closure, Graph, Place, Store, StoreItem
from fdlint.core.objects.after_closing import unguarded
from fdlint.core.objects.class_view import Members, members_of
from fdlint.core.objects.typestate import ObjectState, StateExplorer
from fdlint.program.facts import Kind
from fdlint.program.units import File, Function, Unit

_WORK = 60_000  # for one class, in steps
_INERT_BASES = frozenset({"object", "ABC", "Generic", "Protocol", "NamedTuple", "AbstractContextManager", "Enum"})


@dataclass(slots=True)
class OwnerClasses:
    """The classes of a program whose objects own a descriptor. It works with a context of its own, in which only
    descriptors count: so the answer does not depend on what is asked first."""

    asking: AnalysisContext
    _numbers: AnalysisContext = field(init=False)
    _known: dict[tuple[File, str], OwnerClass | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        context = self.asking
        self._numbers = AnalysisContext(context.program, context.catalog, context.relevance)
        self._numbers.facts = context.facts

    def of(self, file: File, name: str) -> OwnerClass | None:
        """Returns what is known of a class of a file, if its objects own a descriptor; None otherwise."""
        if file.language.records or not self._may_own(file, name):
            return None
        return self.asking.once(("owner class", file, name), None, lambda: self._worked_out(file, name))

    def _may_own(self, file: File, name: str) -> bool:
        """Whether a method of the class may close something, as far as texts tell."""
        facts = self.asking.facts
        return any(facts.may(Kind.CLOSES, unit) for unit in self._units(file, name))

    def _units(self, file: File, name: str) -> Iterator[Unit]:
        for home, one in self.asking.program.with_bases(file, name, thorough=False):
            prefix = f"{one}."
            yield from (home.unit(method) for method in home.names.functions if method.startswith(prefix))

    def _worked_out(self, file: File, name: str) -> OwnerClass | None:
        budget = self._numbers.budget
        budget.renew(_WORK)
        try:
            return _owner_class(CallResolver(self._numbers, file), name)
        except BudgetSpentError:
            return None
        finally:
            self.asking.budget.spend(min(budget.spent, _WORK))


def _owner_class(callees: CallResolver, name: str) -> OwnerClass | None:
    members = members_of(callees, name)
    if members is None or not _is_left_to_others(callees, members):
        return None
    explorer = StateExplorer(replace(members, flags=()), callees, coarse=True)
    born = [one for raised, one in explorer.born(given=False) if not raised and _holds(one)]
    given = [one for raised, one in explorer.born(given=True) if not raised and _holds(one)] if not born else []
    if not (born or given):
        return None
    before = (born or given)[0]
    entered, leaving = members.language.methods.managers.keys(), {*members.language.methods.managers.values()}
    left = {
        method: explorer.left_by(method, function, before)
        for method, function in members.methods.items()
        if method not in (*_before(members), *entered) and members.followed & callees.touched(function)
    }
    ends = frozenset(method for method, states in left.items() if _may_end(before.state, states))
    if not ends:
        return None
    acting = unguarded(members, callees.context.catalog)
    return OwnerClass(
        name,
        callees.file,
        ends,
        leaves=next((method for method in sorted(ends & leaving)), None),
        fields=frozenset(one.names[0] for one in members.fields),
        methods=frozenset(members.methods),
        acquires=bool(born),
        closing=min(ends, key=_as_advice),
        stale=frozenset(method for method in ends if all(map(_keeps_numbers, left[method])) and left[method]),
        uses=acting.uses,
        again=acting.closes,
    )


def _may_end(before: State, states: Sequence[State]) -> bool:
    """Whether one of the states after a method lacks something that was open before it, as far as is known."""
    held = {fd.origin_slot for fd in before.resources if before.is_held(fd)}
    return not states or any(held - {fd.origin_slot for fd in state.resources if state.is_held(fd)} for state in states)


def _keeps_numbers(state: State) -> bool:
    """Whether the attributes hold nothing but the numbers of closed descriptors."""
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


def _is_left_to_others(callees: CallResolver, members: Members) -> bool:
    """Whether nothing but its creator ends an object: its bases are known, it has no finalizer, nothing makes it in an
    unusual way, and its constructor passes it on to nobody."""
    methods = members.language.methods
    if methods.finalizer in members.methods or not (methods.makers - {methods.constructor}).isdisjoint(members.methods):
        return False
    for home, name in callees.context.program.with_bases(members.file, members.name, thorough=True):
        for base in home.classes.get(name, ()):
            known = callees.context.program.class_at(home, base, thorough=True) is not None
            if not known and base.rpartition(".")[2] not in _INERT_BASES:
                return False
    constructor = members.constructor
    starting = [constructor] if constructor is not None else []
    starting += [members.methods[name] for name in members.called_by_constructor() if name in members.methods]
    return not any(_passes_itself_on(members, function) for function in starting)


def _passes_itself_on(members: Members, function: Function) -> bool:
    """Whether a method gives its object, or one of the object's methods, to something else."""
    graph = function.graph
    own: set[Place] = set()
    if graph.receiver is not None:
        own = {graph.receiver, *(graph.receiver.attribute(name) for name in members.methods)}
    return any(not own.isdisjoint(places) for places in _passed_on(graph))


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
            case Assign(_, AccessPath() as value) | Store(_, AccessPath() as value):
                yield [value]
            case StoreItem(_, _, AccessPath() as value):
                yield [value]
