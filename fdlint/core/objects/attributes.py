"""Follows the attributes and globals of one file, and the descriptors in them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from fdlint.catalog import Catalog
from fdlint.catalog.shape import acquires
from fdlint.core.dataflow.derivation import apis_of, flows, origins
from fdlint.core.domain.event import ITEM_EVENTS, LET_GO_EVENTS
from fdlint.core.domain.facts import Death, Fact, Happened, Keeping, Lifetime, Overwriting
from fdlint.core.domain.owner import OwnerClass
from fdlint.core.engine.call_resolution import CallResolver
from fdlint.core.engine.candidates import Candidates
from fdlint.core.engine.explore import Analysis, qualified
from fdlint.core.engine.happened import told
from fdlint.core.engine.numbers_of_objects import closed_in
from fdlint.core.engine.trace import LET_GO, span_of, tell
from fdlint.core.ir import AccessPath, Graph, Place
from fdlint.core.objects.class_view import Members, members_of, members_of_module
from fdlint.core.objects.keepers import Keepers
from fdlint.core.objects.release import Releases, nobody
from fdlint.core.objects.typestate import Life, field_of, live
from fdlint.core.objects.violations import (
    abandoned,
    assumed_of_loss,
    closed_after_transfer,
    closed_while_registered,
    overwritings,
    stalenesses,
    stranded,
)
from fdlint.program.units import File


@dataclass(slots=True)
class Attributes:
    """Collects the facts about a file's attributes and globals. ``facts``: those of single functions."""

    callees: CallResolver
    facts: list[Fact] = field(default_factory=list)
    keepers: Keepers = field(init=False)  # they know which attributes nobody releases

    @property
    def _file(self) -> File:
        return self.callees.file

    def __post_init__(self) -> None:
        context = self.callees.context
        self.keepers = Keepers(self.callees, Releases(self._file, context.catalog, Candidates(context)))

    def parts(self) -> Iterator[tuple[str, Callable[[], tuple[list[Fact], list[str]]]]]:
        """Yields the names of the classes, and for each what follows its objects if it keeps descriptors; before them
        the globals of the module, with an empty name. It returns the facts, and what it did not follow."""
        yield "", lambda: self._follow(members_of_module(self.callees))
        for name in [*self._file.classes]:  # it grows
            yield name, functools.partial(self._follow_class, name)

    def _follow_class(self, name: str) -> tuple[list[Fact], list[str]]:
        return self._follow(members_of(self.callees, name))

    def _follow(self, members: Members | None) -> tuple[list[Fact], list[str]]:
        if members is None:
            return [], []
        life = live(members, self.callees, self._tells)
        return self._facts_of(life, members) if life.is_eventful() else [], sorted(life.doubts)

    def _tells(self, life: Life, members: Members) -> bool:
        """Whether there is something to report, or an error that may be one once more is known of the object."""
        others = any(fault.what.event not in LET_GO_EVENTS for fault in life.faults)
        return others or bool(self._facts_of(life, members))

    def _facts_of(self, life: Life, members: Members) -> list[Fact]:
        places = self._file.source
        facts: list[Fact] = [
            fact
            for fact in overwritings(life, members, places)
            if (fact.certain or not self._shared(fact.attribute, members, fact.of))
            and not (fact.item and (self._numbers_circulate(fact, members) or self._closes_beside(fact, members)))
        ]
        facts.extend(stalenesses(life, members, places))
        single = [*life.single, *closed_after_transfer(life, members), *closed_while_registered(life)]
        facts.extend(told(life.log, single, places, None))
        if members.name:
            facts.extend(
                fact
                for fact in abandoned(life, places)
                if fact.endings[0].death is Death.ABANDONED or not self._shared(fact.variable or "", members, fact.of)
            )
            facts.extend(stranded(life, places))
        return facts

    def _shared(self, attribute: str, members: Members, of: OwnerClass | None) -> bool:
        """Whether code outside the class uses the descriptor in an attribute, or the object of a class (``of``)."""
        own = frozenset(function.name or "" for function in members.functions())
        field = AccessPath(attribute).field
        others = self.keepers.others(members.name) if members.name else nobody
        return field is not None and self.keepers.releases.about(of).mention(field, others, own)

    def _numbers_circulate(self, fact: Overwriting, members: Members) -> bool:
        """Whether a method closes a number that it gets, or returns one that it acquires: code that knows the number of
        an item may have closed it before the container loses it. If the method that loses the item also acquires, it
        makes room, and other code has not asked for that."""
        catalog, losing = self.callees.context.catalog, members.graph(fact.function)
        graphs = [function.graph for function in members.functions()]
        if any(not closed_in(graph, catalog).isdisjoint(graph.parameters) for graph in graphs):
            return True
        if losing is not None and _made_in(losing, catalog):
            return False
        return any(
            not made.isdisjoint(origins(graph.returned(), flows(graph, catalog)))
            for graph in graphs
            if (made := _made_in(graph, catalog))
        )

    def _closes_beside(self, fact: Overwriting, members: Members) -> bool:
        """Whether the method that takes an item out of a container closes something: most likely the item. Of items
        under unknown keys nobody can tell which one it has closed, and which one it takes out."""
        graph = members.graph(fact.function)
        if graph is None:
            return False
        closers = self.callees.context.catalog.closers if fact.of is None else fact.of.ends
        return self.callees.may_misuse(graph) or any(call.callee.name in closers for call in graph.calls())

    def note_overwrites(self, graph: Graph, analysis: Analysis) -> None:
        """Notes the attributes and globals that a function by itself fills and then overwrites."""
        places = self._file.source
        for log in analysis.logs:
            for what in log.of(*LET_GO_EVENTS):
                if what.descriptor.site.is_own:
                    trace = tell(log, what.slot, LET_GO[what.event], what.origin, what.story, places)
                    span, site = span_of(what.origin, places), log.sites[what.descriptor.site]
                    facts = field_of(what), qualified(graph.name), span, site.api, trace
                    needs = assumed_of_loss(what, graph.language, places, between=False)
                    item = what.event in ITEM_EVENTS
                    found = Overwriting(*facts, finalized=site.finalized, assumptions=needs, of=site.of, item=item)
                    self.facts.append(found)


def _made_in(graph: Graph, catalog: Catalog) -> set[Place]:
    """Returns the results of the calls of a function that acquire by themselves."""
    return {one.result for one in graph.calls() if any(acquires(api.returns) for api in apis_of(one, catalog))}


def without_repetition(facts: list[Fact]) -> list[Fact]:
    """Removes repeated facts, and "never closed" for attributes that are also reported as overwritten."""
    found: dict[object, Fact] = {}
    overwritten = [fact for fact in facts if isinstance(fact, Overwriting)]
    for fact in facts:
        if isinstance(fact, Lifetime):
            if not (fact.kept is not None and not fact.endings and any(_is_of(fact.kept, one) for one in overwritten)):
                found[id(fact)] = fact
        else:
            attribute = fact.attribute if isinstance(fact, Overwriting) else None
            kind = (fact.event, fact.excuses) if isinstance(fact, Happened) else type(fact)
            found.setdefault((kind, fact.span, attribute), fact)
    return list(found.values())


def _is_of(kept: Keeping, overwriting: Overwriting) -> bool:
    """Whether an attribute that is never closed is the one that is overwritten."""
    same = AccessPath(kept.attribute).field == AccessPath(overwriting.attribute).field
    return same and (not overwriting.relatives or kept.owner.rpartition(".")[2] in overwriting.relatives)
