"""Whether any code of a file closes or hands over what an attribute of a class's objects holds: a descriptor, or an
object that owns one.

Weak evidence is enough to keep FD108 silent. It does not count if another class fills and closes an attribute of the
same name.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TypeAlias

from fdlint.catalog import Catalog
from fdlint.core.dataflow.derivation import apis_of, arguments, closed_by, flows, given_away, let_go, origins
from fdlint.core.dataflow.liveness import places_of
from fdlint.core.domain.owner import OwnerClass
from fdlint.core.engine.candidates import Candidates
from fdlint.core.ir import AccessPath, Call, Field, Graph, Place
from fdlint.core.memo import Memo
from fdlint.languages.index.facts import Facts
from fdlint.program.units import File

_ALL_AT_ONCE = frozenset({"vars", "astuple", "asdict"})
_ALL = "__dict__"
_CLOSING = "close"
_LENDING = "fileno"
Owner: TypeAlias = str | None
Names: TypeAlias = frozenset[tuple[str, Owner]]
Others: TypeAlias = Callable[[str, str], bool]
"""Whether a class (first) has its own attribute of a name (second), not the one in question."""


def nobody(owner: str, word: str) -> bool:
    """Answers that no class has its own attribute."""
    return False


@dataclass(slots=True)
class Releases:
    """The uses of attributes in one file, by their names alone. ``of``: they hold objects of this class; None for
    descriptors."""

    file: File
    catalog: Catalog
    prospects: Candidates
    of: OwnerClass | None = None
    _names: Memo[int, Names] = field(default_factory=Memo)
    _using: Memo[Hashable, bool] = field(default_factory=Memo)  # functions -> whether they only use their arguments
    _others: dict[OwnerClass | File, Releases] = field(default_factory=dict)

    def about(self, of: OwnerClass | None) -> Releases:
        """Returns the uses of attributes that hold objects of a class; of descriptors for None."""
        return self if of is None else self._other(of, file=self.file, of=of)

    def at(self, file: File) -> Releases:
        """Returns the uses of the same attributes in another file."""
        return self._other(file, file=file, of=self.of)

    def _other(self, key: OwnerClass | File, file: File, of: OwnerClass | None) -> Releases:
        if key not in self._others:
            self._others[key] = replace(self, file=file, of=of, _names=Memo(), _others={})
        return self._others[key]

    def by(self, attribute: Field, others: Others = nobody, but: frozenset[str] = frozenset()) -> Iterator[Graph]:
        """Yields the functions that close or hand over the attribute, or an object on the way to it, without those
        named in ``but``. ``others`` excludes classes with their own attribute of that name."""
        for graph in self.prospects.mentioning(self.file, attribute.names):
            if graph.name not in but and self.released_in(graph, attribute, others):
                yield graph

    def released_in(self, graph: Graph, attribute: Field, others: Others = nobody) -> bool:
        """Whether a function of the file closes or hands over the attribute, or an object on the way to it."""
        released = self._names_in(graph)
        return any(one in attribute.names and (owner is None or not others(owner, one)) for one, owner in released)

    def given(self, attribute: Field) -> bool:
        """Whether the attribute is an argument of a call that the catalog does not know."""
        word = attribute.names[-1]
        graphs = self.prospects.mentioning(self.file, [word])
        unknown = (one for graph in graphs for one in graph.calls() if not apis_of(one, self.catalog))
        return any(place.is_attribute and place.name == word for one in unknown for place in one.given)

    def closed_in(self, graph: Graph, word: str) -> bool:
        """Whether a function closes what an attribute of a name holds, or passes it to one that may close it."""
        calls = (one for one in graph.calls() if not one.callee.own or not self._only_uses(self.file, graph, one))
        ended = (arguments(one) if one.callee.own else closed_by(one, self.catalog) for one in calls)
        closed = origins(set[Place]().union(*ended), flows(graph, self.catalog))
        return any(place.is_attribute and place.name == word for place in closed)

    def mention(self, attribute: Field, others: Others = nobody, but: frozenset[str] = frozenset()) -> bool:
        """Whether any code that is not in ``but`` may close or hand over an attribute, an object on the way to it, or
        an attribute of the object in it."""
        known = any(self.by(attribute, others, but)) or any(map(self.names, attribute.names))
        return known or self._part_released(attribute.names[-1], but)

    def _part_released(self, word: str, but: frozenset[str]) -> bool:
        """Whether a function closes or hands over an attribute of the object in an attribute that may hold a
        descriptor."""
        graphs = self.prospects.mentioning(self.file, [word])
        paths = (path for graph in graphs if graph.name not in but for path in self._in(graph))
        pairs = (pair for path in paths for pair in pairwise(path.split(".")))
        return any(one == word and (self.of is None or part in self.of.fields) for one, part in pairs)

    def _names_in(self, graph: Graph) -> Names:
        return self._names.of(
            id(graph), lambda: frozenset((path.name, _owner(graph, path)) for path in self._in(graph))
        )

    def _in(self, graph: Graph) -> Iterator[Place]:
        if self.of is not None:
            given = given_away(graph, self.catalog, self._ends_object, self.of.methods | self.of.fields)
            yield from (place for place in given if place.is_attribute)
            return
        for place in self._let_go(graph, self._lends(graph)):
            if place.is_attribute:
                yield place
        for call in graph.calls():
            if isinstance(call.callee.receiver, AccessPath) and self.catalog.naming.takes_over(call.callee.name):
                yield call.callee.receiver

    def _let_go(self, graph: Graph, lends: bool = False) -> frozenset[Place]:
        """Returns the places that a function closes, hands over or stores. ``lends``: not what it returns."""
        only_uses = functools.partial(self._only_uses, self.file, graph)
        elsewhere = functools.partial(self._may_end, self.file, graph)
        return let_go(graph, self.catalog, lends, stows=True, only_uses=only_uses, elsewhere=elsewhere, parts=True)

    def _ends_object(self, name: str) -> bool:
        """Whether a method of an object may end it."""
        return (self.of is not None and name in self.of.ends) or self.catalog.naming.takes_over(name)

    def _may_end(self, file: File, graph: Graph, call: Call) -> bool:
        """Whether a call is of a function of another module, or of a method of another object, that may close its
        arguments or keep them."""
        if call.callee.own or self.catalog.lookup(call.callee.dotted or ""):
            return False
        target = self.prospects.context.program.target(file, graph, call.callee, thorough=True)
        return target is not None and not self._only_uses(file, graph, call)

    def _only_uses(self, file: File, graph: Graph, call: Call) -> bool:
        """Whether a call is of a project function that leaves its arguments open, and keeps none. One that calls itself
        or a function that it was given, or gives a nested one away, is not followed."""
        called = self.prospects.context.program.target(file, graph, call.callee, thorough=True)
        if called is None or called.graph.generator:
            return False
        nested = {one.callee.function for one in called.graph.calls() if one.callee.variable is not None}
        if nested != called.graph.captures.keys():
            return False
        target, given = called, called.graph.free.union(called.graph.parameters)

        def work_out() -> bool:
            only_uses = functools.partial(self._only_uses, target.file, target.graph)
            elsewhere = functools.partial(self._may_end, target.file, target.graph)
            ended = let_go(target.graph, self.catalog, stows=True, only_uses=only_uses, elsewhere=elsewhere, parts=True)
            # where a method is a function of records, its object is one of the arguments
            own = target.graph.receiver if target.graph.language.records else None
            return not any(one.root == own or one in given for one in ended)

        return self._using.of(target.key, work_out, False)

    def _lends(self, graph: Graph) -> bool:
        """Whether the callers of a method only use the number that it returns: those of ``fileno`` in this class, and
        those of a private method in this file, if none of them closes the number or hands it over."""
        name = (graph.name or "").rpartition(".")[2]
        borrowed = name == _LENDING
        if not borrowed and (graph.owner is None or not graph.language.is_private(name)):
            return False
        others = self.prospects.mentioning(self.file, [name])
        return not any(self._lets_result_go(one, name) for one in others if not borrowed or one.owner == graph.owner)

    def _lets_result_go(self, graph: Graph, name: str) -> bool:
        """Whether a function closes or hands over what a method returns, or may call the method by another name."""
        called = [call for call in graph.calls() if call.callee.name == name]
        released = self._let_go(graph)
        return any(call.result in released for call in called) or _is_passed(graph, name)

    def names(self, word: str) -> bool:
        """Whether a string (for ``getattr``) or an access to all attributes may mean it, or it is closed on an object
        without a name."""

        def may_mean(facts: Facts) -> bool:
            closed = (one.name for one in facts.reads if one.nameless and _CLOSING in one.by)
            return word in facts.named or word in closed

        return self.file.any_unit("all attributes", _takes_all) or self.file.any_unit(("named", word), may_mean)


def _takes_all(facts: Facts) -> bool:
    """Whether code may mean any attribute."""
    return _ALL in facts.words or any(one.name in _ALL_AT_ONCE for one in facts.calls)


def _is_passed(graph: Graph, name: str) -> bool:
    """Whether a function uses an attribute of this name other than to call it."""
    return any(place.is_attribute and place.name == name for place in places_of(graph))


def _owner(graph: Graph, place: Place) -> Owner:
    """The class of the object, if the place is an attribute of the method's own object."""
    return graph.owner if place.depth == 1 and place.root == graph.receiver else None
