"""Finds the fields that a function and its callees touch, and those that they may change: attributes of its object, and
globals of its file. Reads only graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from fdlint.core.dataflow.liveness import asked_places, places_of, written
from fdlint.core.domain.values import Value, constant
from fdlint.core.engine.summary import Shared
from fdlint.core.ir import NESTED, AccessPath, Assign, Call, Compare, Field, Graph, Lit, Operand, Store, StoreItem
from fdlint.program.units import Function


@dataclass(frozen=True, slots=True)
class Touched:
    """``fields``: those that it reads, sets or tests. ``sets``: those that it sets, each with a constant, or None for
    anything else. ``given``: the objects in those may get other attributes. ``asked``: those that a branch compares or
    takes for true, by themselves or as a variable. ``whole``: a call gets the object itself, and may touch anything."""

    fields: frozenset[Field] = frozenset()
    sets: frozenset[tuple[Field, Lit | None]] = frozenset()
    given: frozenset[Field] = frozenset()
    asked: frozenset[Field] = frozenset()
    whole: bool = False

    def __or__(self, other: Touched) -> Touched:
        given, asked = self.given | other.given, self.asked | other.asked
        whole = self.whole or other.whole
        return Touched(self.fields | other.fields, self.sets | other.sets, given, asked, whole)

    def globals(self) -> Touched:
        """Returns the part about globals."""
        sets = frozenset(one for one in self.sets if not one[0].is_attribute)
        return Touched(_globals(self.fields), sets, _globals(self.given), _globals(self.asked))

    def fills(self, followed: frozenset[Field]) -> bool:
        """Whether it may put something into one of some fields."""
        return any(value is None for _, value in self.changes(followed))

    def leaves_alone(self, followed: frozenset[Field], known: Mapping[Field, Value] | None) -> bool:
        """Whether an object without descriptors stays as it is. ``known``: the values of its fields; None if nothing
        fills them."""
        changes = self.changes(followed) if known is not None else ()
        return known is None or all(v is not None and known.get(path) == constant(v.value) for path, v in changes)

    def changes(self, followed: frozenset[Field]) -> list[tuple[Field, Lit | None]]:
        """Returns the changes of some fields, or of parts of them, as in ``sets``."""
        below = [(one, None) for one in followed if any(one != path and one.leads_through(path) for path in self.given)]
        near = [one for one in self.sets if any(_is_near(one[0], other) for other in followed)]
        return [*near, *below]


def _globals(fields: frozenset[Field]) -> frozenset[Field]:
    return frozenset(one for one in fields if not one.is_attribute)


def _is_near(one: Field, other: Field) -> bool:
    return one.leads_through(other) or other.leads_through(one)


NOTHING = Touched()


def touched_in(target: Function, by_call: Callable[[Graph, Call], Touched]) -> Touched:
    """Returns what a function touches, with the functions nested in it. ``by_call``: what a callee does."""
    nested = [graph for _, graph in target.file.lowered.functions.under(f"{target.name}{NESTED}")]
    found = NOTHING
    for graph in [target.graph, *nested]:
        shared, calls = Shared(graph.receiver, graph.globals), list(graph.calls())
        fields = _fields(shared, places_of(graph))
        given = _fields(shared, (place for call in calls for place in (*call.given, call.callee.receiver)))
        whole = graph.receiver is not None and any(graph.receiver in call.given for call in calls)
        found |= Touched(fields, frozenset(_sets(graph, shared)), given, _fields(shared, _asked(graph)), whole)
        for call in calls:
            found |= by_call(graph, call)
    return found


def _fields(shared: Shared, places: Iterable[object]) -> frozenset[Field]:
    found = (shared.field(place) for place in places if isinstance(place, AccessPath))
    return frozenset(one for one in found if one is not None)


def _asked(graph: Graph) -> Iterator[object]:
    """Yields what the branches of a function ask about, except whether it is None."""
    questions = (branch.test.question for branch in graph.branches())
    asked = {
        place
        for one in questions
        if not (isinstance(one, Compare) and Lit(None) in (one.left, one.right))
        for place in asked_places(one)
    }
    yield from asked
    yield from (one.value for one in graph.effects() if isinstance(one, Assign) and one.target in asked)


def _sets(graph: Graph, shared: Shared) -> Iterator[tuple[Field, Lit | None]]:
    """Yields the fields that a function sets itself, each with the constant that it gets, if it gets one."""
    for effect in graph.effects():
        found: list[tuple[Operand | None, Lit | None]] = [(place, None) for place in written(effect)]
        match effect:
            case Store(target, value):
                found.append((target, value if isinstance(value, Lit) else None))
            case StoreItem(base):
                found.append((base, None))
        yield from ((path, value) for place, value in found for path in _fields(shared, [place]))
