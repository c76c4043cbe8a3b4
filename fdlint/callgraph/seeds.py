"""What a stretch of code itself may acquire, close or make workers of, by its text alone."""

from __future__ import annotations

import builtins
import enum
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from fdlint.callgraph.modules import File, Program, Unit
from fdlint.callgraph.relevance import Relevance
from fdlint.catalog import Catalog
from fdlint.catalog.model import Api
from fdlint.catalog.shape import acquires
from fdlint.domain.event import Event
from fdlint.index.mentions import imports_in
from fdlint.reading.search import any_word

_BEFORE = re.compile(r"(?:([.'\"])|((?:\b[^\W\d]\w*\s*\.\s*)+))$")
_CALLED = re.compile(r"\s*\(")
_BUILTINS = frozenset(dir(builtins))
_SPACE = re.compile(r"\s+")
_NEAR = 100  # characters in which the chain of names before a name has its place
_OF_EVERYTHING = "close"  # a method that every file and every socket has


class Kind(enum.Enum):
    """What a function may do."""

    ACQUIRES = "acquires"
    CLOSES = "closes"
    WORKS = "makes workers"

    __hash__ = object.__hash__  # an enumeration's own is written in Python


@dataclass(slots=True)
class Seeds:
    """Answers for the files of one program."""

    program: Program
    catalog: Catalog
    relevance: Relevance
    _words: dict[Kind, re.Pattern[str]] = field(init=False)
    _known: dict[tuple[Kind, Unit], bool] = field(default_factory=dict)
    _aliases: dict[tuple[Kind, File], Callable[[str], bool]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._words = {kind: _any_of(_last_names(self.catalog, kind)) for kind in Kind}

    def are_in(self, kind: Kind, unit: Unit) -> bool:
        """Whether a unit may do such a thing without calling anything of the project's."""
        if (kind, unit) not in self._known:
            self._known[kind, unit] = self._are_in(kind, unit)
        return self._known[kind, unit]

    def _are_in(self, kind: Kind, unit: Unit) -> bool:
        text, file = unit.text, unit.file
        if self._aliases_of(kind, file)(text):
            return True
        local = dict(imports_in(text))
        if any(self._does(kind, dotted) for dotted in local.values()):
            return True
        return any(self._is_one(kind, file, local, found) for found in self._words[kind].finditer(text))

    def _is_one(self, kind: Kind, file: File, local: Mapping[str, str], found: re.Match[str]) -> bool:
        name, start = found[0], found.start()
        before = _BEFORE.search(found.string, max(0, start - _NEAR), start)
        mark, chain = before.groups() if before is not None else (None, None)
        if mark in ("'", '"') or (chain is not None and "\n" in chain):  # perhaps the end of a comment
            return True
        if chain is not None:
            first, _, rest = _SPACE.sub("", chain).partition(".")
            for stands_for in (local.get(first), file.lowered.names.get(first)):
                if stands_for is not None:
                    dotted = f"{stands_for}.{rest}{name}"
                    return self._does(kind, dotted) or self._does(kind, self.program.meaning(file, dotted) or "")
        elif mark is None:
            return bool(local) or any(map(self.catalog.knows_module, file.lowered.stars)) or _is_own(file, found)
        if kind is Kind.ACQUIRES:
            return self.relevance.is_of_interest(name, file.source.code)
        return name != _OF_EVERYTHING

    def _does(self, kind: Kind, dotted: str) -> bool:
        if kind is Kind.WORKS:
            return bool(self.catalog.makers(dotted))
        return any(_does(kind, api) for api in self.catalog.lookup(dotted))

    def _aliases_of(self, kind: Kind, file: File) -> Callable[[str], bool]:
        """Tells whether a text of a file has one of the names by which the file calls what does such a thing."""
        key = kind, file
        if key not in self._aliases:
            names = {
                name
                for name, dotted in list(file.lowered.names.items())
                for one in (dotted, *file.lowered.alternatives.get(dotted, ()))
                if self._does(kind, one) or self._does(kind, self.program.meaning(file, one) or "")
            }
            self._aliases[key] = any_word(names)
        return self._aliases[key]


def _is_own(file: File, found: re.Match[str]) -> bool:
    """Whether a plain name is not Python's: a function of the file's own may be such a one by its name alone."""
    if found[0] in _BUILTINS:
        return found[0] in file.lowered.functions or found[0] in file.lowered.same
    return _CALLED.match(found.string, found.end()) is not None


def _does(kind: Kind, api: Api) -> bool:
    return acquires(api.returns) if kind is Kind.ACQUIRES else Event.CLOSED in api.actions.values()


def _last_names(catalog: Catalog, kind: Kind) -> frozenset[str]:
    if kind is Kind.WORKS:
        return catalog.making
    does = {name for name, apis in catalog.by_name.items() if any(_does(kind, api) for api in apis)}
    does |= {alias for alias in catalog.aliases if any(_does(kind, api) for api in catalog.lookup(alias))}
    return frozenset(name.rpartition(".")[2] for name in does)


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(words))) or '(?!)'})\b")
