"""Which class keeps a descriptor for good: it is stored in an attribute, and nobody closes or hands over that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from fdlint.classes.made import class_of
from fdlint.classes.members import Members, plain_members
from fdlint.classes.release import Releases
from fdlint.graph import Call, Graph, Place
from fdlint.ownership.analyse import Keeper
from fdlint.ownership.overriding import heirs_of
from fdlint.ownership.record import Home
from fdlint.summary import FileCallees


@dataclass(slots=True)
class Keepers:
    """Answers for one file."""

    callees: FileCallees
    releases: Releases
    _members: dict[str, Members] = field(default_factory=dict)

    def of(self, graph: Graph) -> Callable[[Home], Keeper | None]:
        """For a function: the attribute and the class of a field that it stores to, if nobody releases it."""

        def keep(home: Home) -> Keeper | None:
            root, _, path = home.place.partition(".")
            owner = home.owner or class_of(graph, root)
            if not path or owner is None or owner not in self.callees.file.lowered.classes:
                return None
            if home.whole and self.releases.given(path):
                return None  # a tuple of descriptors is given along to be unpacked by somebody
            if home.owner is None:
                return self._keeper(owner, graph, home.place, path)
            return self._entrusted(owner, home, path)

        return keep

    def _entrusted(self, owner: str, home: Home, path: str) -> Keeper | None:
        """A class of this file whose constructor was given a descriptor: nobody has a look at the attribute from
        outside, who might know whose it is."""
        own = self._of(owner)
        here = home.places is self.callees.file.source
        if not here or not own.complete or path in own.methods or self.releases.mention(path):
            return None
        return Keeper(home.place, owner, own.relatives) if not self.releases.looked_at(path) else None

    def _keeper(self, owner: str, graph: Graph, place: Place, path: str) -> Keeper | None:
        own = self._of(owner)
        if not own.complete or path.partition(".")[0] in own.methods:
            return None  # a base that cannot be seen may close it, or it is a property whose setter is given it
        if not self.releases.mention(path):
            return Keeper(place, owner, own.relatives)
        for heir in (owner, *heirs_of(self.callees.file.lowered, owner)):
            members = self._of(heir)
            out_of_reach = _out_of_reach(members)
            inherits = graph.name not in out_of_reach and any(one.graph is graph for one in members.functions())
            if inherits and members.complete and out_of_reach and not self.releases.outside(path, out_of_reach):
                return Keeper(place, heir, members.relatives)
        return None

    def _of(self, name: str) -> Members:
        if name not in self._members:
            self._members[name] = plain_members(self.callees, name)
        return self._members[name]


def _out_of_reach(members: Members) -> frozenset[str]:
    """The methods of bases that are overridden and that no ``super()`` call reaches."""
    called = {
        step.effect.callee.name
        for function in members.functions()
        for block in function.graph.blocks
        for step in block.steps
        if isinstance(step.effect, Call) and (step.effect.callee.inherited or step.effect.callee.owner is not None)
    }
    names = (function.graph.name or "" for function in members.hidden)
    return frozenset(name for name in names if name.rpartition(".")[2] not in called)
