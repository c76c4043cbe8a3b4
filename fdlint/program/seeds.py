"""Finds the pieces of code that may themselves acquire, close or create workers, without lowering them."""

from __future__ import annotations

import builtins
import enum
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fdlint.catalog import Catalog
from fdlint.catalog.model import Api
from fdlint.catalog.shape import acquires
from fdlint.core.domain.event import Event
from fdlint.languages.index.facts import Facts
from fdlint.program.modules import Program
from fdlint.program.relevance import Relevance
from fdlint.program.units import File, Unit

_BUILTINS = frozenset(dir(builtins))
_OF_EVERYTHING = "close"  # a method that every file and every socket has


class Kind(enum.Enum):
    """The effect of a function."""

    ACQUIRES = "acquires"
    CLOSES = "closes"
    WORKS = "makes workers"
    UNREGISTERS = "ends all registrations"

    __hash__ = object.__hash__  # the hash of Enum is written in Python


@dataclass(slots=True)
class Seeds:
    """Finds the seeds in the files of one program."""

    program: Program
    catalog: Catalog
    relevance: Relevance
    _words: dict[Kind, frozenset[str]] = field(init=False)
    _known: dict[tuple[Kind, Unit], bool] = field(default_factory=dict)
    _aliases: dict[tuple[Kind, File], frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._words = {kind: _last_names(self.catalog, kind) for kind in Kind}

    def are_in(self, kind: Kind, unit: Unit) -> bool:
        """Whether a unit may have such an effect without a call to the project's own functions."""
        if (kind, unit) not in self._known:
            self._known[kind, unit] = self._are_in(kind, unit)
        return self._known[kind, unit]

    def _are_in(self, kind: Kind, unit: Unit) -> bool:
        file, facts, words = unit.file, unit.facts, self._words[kind]
        if words.isdisjoint(facts.words) and self._aliases_of(kind, file).isdisjoint(facts.words):
            imported = (dotted.rpartition(".")[2] for _, dotted in facts.imports)
            if words.isdisjoint(imported):
                return False
        local: dict[str, list[str]] = {}
        for name, dotted in facts.imports:
            local.setdefault(name, []).append(dotted)
        if any(self._is_one(kind, file, local, facts, name) for name in facts.references):
            return True
        by_name = facts.members | facts.strings  # a string can name a method, or a function of a library in C
        return any(self._is_method(kind, file, name) for name in by_name & words)

    def _is_one(self, kind: Kind, file: File, local: Mapping[str, Sequence[str]], facts: Facts, name: str) -> bool:
        """Whether a dotted name in a piece, or a prefix of it, means a function with this effect."""
        first, *rest = name.split(".")
        names = file.names.imports
        meant = [*local.get(first, ()), *([names[first]] if first in names else ())]
        for stands_for in [*meant, *(other for one in meant for other in file.names.alternatives.get(one, ()))]:
            for end in range(len(rest) + 1):
                dotted = ".".join((stands_for, *rest[:end]))
                if self._does(kind, dotted) or self._does(kind, self.program.meaning(file, dotted) or ""):
                    return True
        if meant:
            return False
        found = [one for one in rest if one in self._words[kind]]
        if any(self._is_method(kind, file, one) for one in found):
            return True
        if rest or first not in self._words[kind]:
            return False
        return self._is_own(file, facts, first) and (kind is not Kind.ACQUIRES or self._is_method(kind, file, first))

    def _is_method(self, kind: Kind, file: File, name: str) -> bool:
        """Whether a method of this name may have this effect on an object of unknown class."""
        if kind is Kind.ACQUIRES:
            return self.relevance.is_of_interest(name, file.source.code)
        return name != _OF_EVERYTHING

    def _is_own(self, file: File, facts: Facts, name: str) -> bool:
        """Whether a plain name means a function of the file rather than a builtin. The name alone may then suggest the
        effect."""
        if name in _BUILTINS:
            return file.defines(name) or name in file.names.same or name in file.names.lambdas
        return any(one.root == "" and one.name == name for one in facts.calls)

    def _does(self, kind: Kind, dotted: str) -> bool:
        if kind is Kind.WORKS:
            return bool(self.catalog.makers(dotted))
        return any(_does(kind, api) for api in self.catalog.lookup(dotted))

    def _aliases_of(self, kind: Kind, file: File) -> frozenset[str]:
        """Returns the file's names for functions with this effect."""
        key = kind, file
        if key not in self._aliases:
            self._aliases[key] = frozenset(
                name
                for name, dotted in list(file.names.imports.items())
                for one in (dotted, *file.names.alternatives.get(dotted, ()))
                if self._does(kind, one) or self._does(kind, self.program.meaning(file, one) or "")
            )
        return self._aliases[key]


def _does(kind: Kind, api: Api) -> bool:
    match kind:
        case Kind.ACQUIRES:
            return acquires(api.returns)
        case Kind.UNREGISTERS:
            return api.unregisters_all
    return Event.CLOSED in api.actions.values()


@functools.lru_cache(maxsize=32)
def _last_names(catalog: Catalog, kind: Kind) -> frozenset[str]:
    """Returns the last parts of the names of all functions with an effect. A catalog never changes."""
    if kind is Kind.WORKS:
        return catalog.making
    does = {name for name, apis in catalog.by_name.items() if any(_does(kind, api) for api in apis)}
    does |= {alias for alias in catalog.aliases if any(_does(kind, api) for api in catalog.lookup(alias))}
    return frozenset(name.rpartition(".")[2] for name in does)
