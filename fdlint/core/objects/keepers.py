"""Finds the classes that keep a descriptor for good: they store it in an attribute, and no code closes or hands over
that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from fdlint.catalog.naming import calls_close
from fdlint.core.engine.call_resolution import CallResolver
from fdlint.core.engine.explore import Keeper
from fdlint.core.engine.log import Home
from fdlint.core.ir import Field, Graph, Lit, Place, Store
from fdlint.core.memo import Memo
from fdlint.core.objects.class_view import Members, defaults_of, plain_members
from fdlint.core.objects.made import bound_to_globals, class_of, made_by, records
from fdlint.core.objects.release import Others, Releases, nobody
from fdlint.program.overrides import subclasses_of
from fdlint.program.units import Function


@dataclass(slots=True)
class Keepers:
    """Answers the question for one file."""

    callees: CallResolver
    releases: Releases
    _members: Memo[str, Members] = field(default_factory=Memo)

    def of(self, graph: Graph) -> Callable[[Home, bool], Keeper | None]:
        """Returns a function from a field that ``graph`` stores to, to the attribute and class that never release it.
        Its second argument: whether a field holds it as a number, which nothing collects and the function itself never
        closes."""

        def keep(home: Home, number: bool) -> Keeper | None:
            attribute, owner = self._meant(graph, home)
            if attribute is None or owner is None or self.excuse(graph, home, number) is not None:
                return None
            releases = self.releases.about(home.of)
            if home.owner is None or home.places is None:
                return self._keeper(owner, graph, home.place, attribute, releases)
            return self._entrusted(owner, home, attribute, releases)

        return keep

    def _meant(self, graph: Graph, home: Home) -> tuple[Field | None, str | None]:
        """Returns the attribute of a field that ``graph`` stores to, and its class; None for one that is not known."""
        named = class_of(graph, home.place.root) if not home.owner else None
        program, file = self.callees.context.program, self.callees.file
        return home.place.field, program.class_named(file, graph, named) if named is not None else home.owner

    def closed_elsewhere(self, graph: Graph, home: Home) -> bool:
        """Whether another function of the file than ``graph`` closes what a field of that name holds."""
        others = self.releases.prospects.mentioning(self.callees.file, [home.place.name])
        return any(self.releases.closed_in(one, home.place.name) for one in others if one is not graph)

    def releasing(self, graph: Graph, home: Home) -> list[Graph]:
        """Returns the functions of the file that release a field, which ``graph`` stores to."""
        attribute, owner = self._meant(graph, home)
        if attribute is None:
            return []
        return [*self.releases.about(home.of).by(attribute, self.others(owner) if owner is not None else nobody)]

    def excuse(self, graph: Graph, home: Home, number: bool = True) -> str | None:
        """Returns why a field that no function of the file releases is not reported, in words that follow the field's
        name; None if nothing speaks for it."""
        attribute, owner = self._meant(graph, home)
        if attribute is None:
            return "is a global: it lives as long as the process"
        if owner is None or owner not in self.callees.file.classes:
            return "belongs to an object whose class is not in this file"
        if self._lives_for_good(owner):
            return "belongs to an object that a global holds: it lives as long as the process"
        if home.whole and self.releases.given(attribute):
            return "holds a larger value, which a call that fdlint does not know gets"
        if graph.language.records and self._embeds(owner, attribute):
            return "is an embedded struct: code may close what it holds without its name"
        if graph.language.records and not self._must_end(owner, attribute, number):
            return f"belongs to {owner}, which has no method that ends its objects"
        if not _is_seen(self._of(owner)):
            return f"belongs to {owner}, which has a base that fdlint does not know: the base may close it"
        if any(map(self.releases.names, attribute.names)):
            return "may be meant by a string, or by code that takes all attributes of the object"
        return None

    def _embeds(self, owner: str, attribute: Field) -> bool:
        """Whether an attribute is an embedded struct: code reaches what it holds without its name."""
        return attribute.names[0] in (one.rpartition(".")[2] for one in self.callees.file.classes[owner])

    def _must_end(self, owner: str, attribute: Field, number: bool) -> bool:
        """Whether a struct owes the close of a field: it has a method that ends it, or the field has a number that no
        other package can close."""
        private = self.callees.file.language.is_private
        return self._has_an_end(owner) or (number and all(map(private, attribute.names)))

    def _has_an_end(self, owner: str) -> bool:
        """Whether a class has a method that ends its objects, by its name. Others may be meant to live for good."""
        return any(self.callees.context.catalog.naming.takes_over(name) for name in self._of(owner).methods)

    def _entrusted(self, owner: str, home: Home, attribute: Field, releases: Releases) -> Keeper | None:
        """Returns the keeper for a class of this file whose constructor received a descriptor."""
        own = self._of(owner)
        if home.places is not self.callees.file.source or attribute.dotted in own.methods:
            return None
        known = releases.mention(attribute, self.others(owner))
        return Keeper(home.place, owner, own.relatives) if not known else None

    def _keeper(self, owner: str, graph: Graph, place: Place, attribute: Field, releases: Releases) -> Keeper | None:
        own = self._of(owner)
        if attribute.names[0] in own.methods:
            return None  # it is a property and its setter receives it
        others = self.others(owner)
        if not releases.mention(attribute, others) and not self._in_bases(own, attribute, releases):
            return Keeper(place, owner, own.relatives)
        for subclass in (owner, *subclasses_of(self.callees.file, owner)):
            members = self._of(subclass)
            out_of_reach = _out_of_reach(members)
            inherits = graph.name not in out_of_reach and any(self._is(graph, one) for one in members.functions())
            if not inherits or not _is_seen(members) or not out_of_reach:
                continue
            known = releases.mention(attribute, others, out_of_reach)
            if not known and not self._in_bases(members, attribute, releases, out_of_reach):
                return Keeper(place, subclass, members.relatives)
        return None

    def _in_bases(
        self, members: Members, attribute: Field, releases: Releases, but: frozenset[str] = frozenset()
    ) -> bool:
        """Whether a method of a base in another file, which is not in ``but``, may close or hand over an attribute."""
        apart = (one for one in members.functions() if one.file is not self.callees.file and one.name not in but)
        return any(releases.at(one.file).released_in(one.graph, attribute) for one in apart)

    def _is(self, graph: Graph, function: Function) -> bool:
        return function.name == graph.name and function.file is self.callees.file

    def _lives_for_good(self, name: str) -> bool:
        """Whether the file keeps the objects that it creates of a class, or of a class below it, in globals: their
        descriptors should stay open."""
        file = self.callees.file
        kinds = {name, *subclasses_of(file, name)}
        if kinds.isdisjoint(bound_to_globals(file.lowered.body)):
            return False
        graphs = self.releases.prospects.mentioning(file, [one.rpartition(".")[2] for one in sorted(kinds)])
        return all(kinds.isdisjoint(made_by(graph)) for graph in graphs if not graph.module)

    def others(self, name: str) -> Others:
        """Returns a test whether another class has its own attribute of that name: it fills the attribute or is no
        mixin, and no object belongs to both classes."""

        def others(owner: str, word: str) -> bool:
            if owner.rpartition(".")[2] in related:
                return False
            members = self._of(owner)
            made = any(_is_made_with(function.graph, root, word) for function, root in members.makers)
            defined = any(word in one.names for one in defaults_of(self.callees.file, owner))
            fills = any(_fills(function.graph, word) for function in members.functions())
            return made or defined or fills or _stands_alone(members)

        subclasses = subclasses_of(self.callees.file, name)
        related = self._of(name).relatives.union(*(self._of(subclass).relatives for subclass in subclasses))
        return others

    def _of(self, name: str) -> Members:
        return self._members.of(name, lambda: plain_members(self.callees, name))


def _is_seen(members: Members) -> bool:
    """Whether fdlint knows all code that runs on the attributes of a class's objects."""
    return all(map(calls_close, members.strangers))


def _calls_base(graph: Graph, name: str) -> bool:
    """Whether a method calls that of a base of the same name."""
    return any(
        call.callee.name == name and (call.callee.inherited or call.callee.owner is not None) for call in graph.calls()
    )


def _stands_alone(members: Members) -> bool:
    """Whether a class is no mixin: its constructor does not call that of another base."""
    constructor = members.constructor
    return constructor is not None and not _calls_base(constructor.graph, members.language.methods.constructor)


def _fills(graph: Graph, word: str) -> bool:
    """Whether a method assigns an attribute of its object any value except a constant."""
    own = graph.receiver.attribute(word) if graph.receiver is not None else None
    stores = (one for one in graph.effects() if isinstance(one, Store) and one.target is not None)
    return any(one.target == own and not isinstance(one.value, Lit) for one in stores)


def _is_made_with(graph: Graph, root: Place, word: str) -> bool:
    """Whether the literal of a struct fills a field with any value except a constant."""
    record = records(graph).get(root)
    pairs = zip(record.keys, record.items, strict=True) if record is not None else ()
    return any(key == Lit(word) and not isinstance(one, Lit) for key, one in pairs)


def _out_of_reach(members: Members) -> frozenset[str]:
    """Returns the overridden methods of bases that no ``super()`` call reaches."""
    called = {
        call.callee.name
        for function in members.functions()
        for call in function.graph.calls()
        if call.callee.inherited or call.callee.owner is not None
    }
    names = (function.name or "" for function in members.hidden)
    return frozenset(name for name in names if name.rpartition(".")[2] not in called)
