"""The attributes and globals of one file: what happens to the descriptors that they hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from fdlint.classes.faults import abandoned, overwritings, plain, stalenesses
from fdlint.classes.life import live
from fdlint.classes.members import members_of
from fdlint.classes.release import Releases
from fdlint.facts import Acquisition, Fact, Overwriting
from fdlint.graph import Graph, Place
from fdlint.ownership.analyse import Analysis
from fdlint.ownership.story import LET_GO, span_of, tell
from fdlint.program import File
from fdlint.summary import FileCallees


@dataclass(slots=True)
class Attributes:
    """Collects the facts about a file's attributes and globals. ``doubts``: what was not followed."""

    callees: FileCallees
    facts: list[Fact] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    _releases: Releases = field(init=False)

    @property
    def _file(self) -> File:
        return self.callees.file

    def __post_init__(self) -> None:
        self._releases = Releases(self._file, self.callees.knowledge.catalog)

    def _is_method(self, owner: str, path: str) -> bool:
        """A property, whose setter gets what is stored."""
        return f"{owner}.{path.partition('.')[0]}" in self._file.lowered.functions

    def follow_classes(self) -> None:
        """Follows the objects of every class that keeps descriptors."""
        for name in self._file.lowered.classes:
            members = members_of(self.callees, name)
            if members is None:
                continue
            life = live(members, self.callees)
            self.doubts.extend(sorted(life.doubts))
            places = self._file.source
            own = frozenset(function.graph.name or "" for function in members.functions())
            for fact in overwritings(life, places):
                if not self._releases.outside(fact.attribute.partition(".")[2], own):
                    self.facts.append(fact)
            self.facts.extend(stalenesses(life, places))
            self.facts.extend(abandoned(life, places))

    def note_overwrites(self, graph: Graph, analysis: Analysis) -> None:
        """What a function on its own does to attributes and globals that it has itself filled."""
        places = self._file.source
        for record in analysis.records:
            for what in record.overwrites:
                if what.rid.site >= 0:
                    trace = tell(record, (what.rid.site, what.rid.slot), LET_GO, what.origin, what.story, places)
                    span, api = span_of(what.origin, places), record.sites[what.rid.site].api
                    self.facts.append(Overwriting(what.place, plain(graph.name), span, api, what.fills, trace))

    def keeper(self, graph: Graph) -> Callable[[Place], tuple[str, str] | None]:
        """For a function: the attribute and the class of a place that it stores to, if nobody releases it."""
        owner = graph.owner

        def keep(place: Place) -> tuple[str, str] | None:
            receiver, _, path = place.partition(".")
            if owner is None or receiver != graph.receiver or not path or self._is_method(owner, path):
                return None
            if self._releases.mention(path):
                return None
            return place, owner

        return keep


def without_repetition(facts: list[Fact]) -> list[Fact]:
    """Each fact once, and nothing of an attribute never closed that is said to be overwritten."""
    found: dict[object, Fact] = {}
    overwritten = {fact.attribute for fact in facts if isinstance(fact, Overwriting)}
    for fact in facts:
        if isinstance(fact, Acquisition):
            if fact.kept is not None and fact.kept.attribute in overwritten and not fact.endings:
                continue
            found[id(fact)] = fact
        else:
            found.setdefault((type(fact), fact.span, fact.attribute), fact)
    return list(found.values())
