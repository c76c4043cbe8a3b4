"""Finds what the functions of a program may do to descriptors, themselves or through the functions that they call.

It reads only the index: nothing is lowered. The strongly connected parts of the call graph come callees first. The
facts are coarse, but never less than what the graphs show.
"""

from __future__ import annotations

import builtins
import enum
import functools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fdlint.catalog import Catalog
from fdlint.catalog.model import Api, Borrowed, Made
from fdlint.catalog.shape import acquires
from fdlint.core.dataflow.reachability import closure
from fdlint.core.memo import Memo, Reader
from fdlint.languages.index.facts import Facts
from fdlint.program.components import strongly_connected
from fdlint.program.mentioned_calls import Call, Units
from fdlint.program.modules import Program
from fdlint.program.relevance import Relevance
from fdlint.program.units import File, Unit

_BUILTINS = frozenset(dir(builtins))
_OF_EVERYTHING = "close"  # a method that every file and every socket has


class Kind(enum.Enum):
    """The effect of a function."""

    ACQUIRES = "acquires"
    CLOSES = "closes"
    ENDS = "closes what it, or an object that it calls, holds"
    UNREGISTERS = "ends all registrations"
    LENDS = "asks an object for its number"
    STARTS = "starts a program that inherits"

    __hash__ = object.__hash__  # the hash of Enum is written in Python


Kinds = frozenset[Kind]
_NONE: Kinds = frozenset()


@dataclass(slots=True)
class ProgramFacts:
    """Finds and remembers the facts of the units of one program."""

    program: Program
    catalog: Catalog
    relevance: Relevance
    units: Units = field(init=False)
    _words: Mapping[str, Kinds] = field(init=False)
    _names: dict[str, Kinds] = field(default_factory=dict)
    _aliases: dict[File, Mapping[str, Kinds]] = field(default_factory=dict)
    _itself: Memo[Unit, Kinds] = field(default_factory=Memo)
    _may: dict[tuple[Kind, Unit], bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.units = Units(self.program)
        self._words = _last_names(self.catalog)

    def may(self, kind: Kind, unit: Unit) -> bool:
        """Whether a unit may have an effect, itself or through calls."""
        if unit.file.watch is not None:
            unit.file.watch.ask((kind, unit.name))
        if (kind, unit) not in self._may:
            with Reader(apart=True):
                for part in strongly_connected((unit,), functools.partial(self._to_ask, kind)):
                    found = any(self._may.get((kind, one)) for one in part)  # all of a part call each other
                    self._may.update(((kind, one), found) for one in part)
        return self._may[kind, unit]

    def after_edit(self, changed: Collection[Unit]) -> list[tuple[Kind, Unit]]:
        """Works out again which units may have effects after an edit of some. Returns those with another answer."""
        callers: dict[Unit, list[Unit]] = {}
        for unit, calls in self.units.known():
            for call in calls:
                callers.setdefault(call.unit, []).append(unit)
        around = dict.fromkeys(closure(changed, lambda unit: callers.get(unit, ())))
        before = {key: self._may.pop(key) for unit in around for kind in Kind if (key := (kind, unit)) in self._may}
        return [key for key, found in before.items() if self.may(*key) != found]

    def calls(self, kind: Kind, unit: Unit) -> Iterator[Call]:
        """Yields the calls of a unit that can pass the effect of the callee on to it. A call without arguments, of
        another object, passes nothing that could be closed. What gives its caller nothing gives no descriptor, unless
        it completes a new object, which may own one."""
        for call in self.units.calls(unit):
            if kind is Kind.CLOSES:
                passes = call.own or not call.bare
            elif kind is Kind.ACQUIRES:
                passes = self.units.gives(call.unit) or _fills_object(unit, call)
            else:
                passes = True
            if passes:
                yield call

    def _to_ask(self, kind: Kind, unit: Unit) -> Iterator[Unit]:
        """Yields the units called whose answers are not known. Stops, and notes the effect of the unit, when one of
        them has it."""
        if kind in self.itself(unit):
            self._may[kind, unit] = True
            return
        for call in self.calls(kind, unit):
            if (kind, call.unit) not in self._may:
                yield call.unit
            if self._may.get((kind, call.unit)):
                self._may[kind, unit] = True
                return

    # -- the effects of a unit itself

    def itself(self, unit: Unit) -> Kinds:
        """Returns the effects that a unit may have without a call to the project's own functions."""
        return self._itself.of(unit, lambda: self._find_itself(unit))

    def _find_itself(self, unit: Unit) -> Kinds:
        file, facts = unit.file, unit.facts
        possible = self._possible(file, facts)
        if not possible:
            return possible
        local: dict[str, list[str]] = {}
        for name, dotted in facts.imports:
            local.setdefault(name, []).append(dotted)
        by_name = self._words.keys() & (facts.members | facts.strings)  # a string can name a method
        found: set[Kind] = set().union(*(self._of_method(file, name) for name in by_name))
        for name in facts.references:
            if found >= possible:
                break
            found |= self._of_reference(file, local, facts, name)
        return possible & found

    def _possible(self, file: File, facts: Facts) -> Kinds:
        """Returns the effects of the catalog's functions whose names a unit mentions."""
        words, aliases = self._words, self._aliases_of(file)
        found = [words[word] for word in words.keys() & facts.words]
        found += [aliases[word] for word in aliases.keys() & facts.words]
        found += [words[last] for _, dotted in facts.imports if (last := dotted.rpartition(".")[2]) in words]
        return _NONE.union(*found)

    def _of_reference(self, file: File, local: Mapping[str, Sequence[str]], facts: Facts, name: str) -> Kinds:
        """Returns the effects of the functions that a dotted name in a unit, or a prefix of it, may mean. ``local``:
        the unit's own imports."""
        first, *rest = name.split(".")
        imports, words = file.names.imports, self._words
        if first in local or first in imports:
            meant = [*local.get(first, ()), *([imports[first]] if first in imports else ())]
            starts = _with_others(file, meant)
            full = (".".join((one, *rest[:end])) for one in starts for end in range(len(rest) + 1))
            return _NONE.union(*(self._of_function(file, dotted) for dotted in full))
        if rest:
            return _NONE.union(*(self._of_method(file, one) for one in rest if one in words))
        if first not in words or not _is_own(file, facts, first):
            return _NONE
        return words[first] - {Kind.ACQUIRES} | self._of_method(file, first)

    def _of_method(self, file: File, name: str) -> Kinds:
        """Returns the effects of a method of this name on an object of unknown class."""
        kinds = self._words[name]
        if name == _OF_EVERYTHING:
            kinds &= {Kind.ACQUIRES}
        return kinds if self.relevance.is_of_interest(name, file.source.code) else kinds - {Kind.ACQUIRES}

    def _of_function(self, file: File, dotted: str) -> Kinds:
        """Returns the effects of the catalog's function that a full name is, or stands for in the project."""
        found = self._of_name(dotted)
        meaning = self.program.meaning(file, dotted)
        return found if meaning is None else found | self._of_name(meaning)

    def _of_name(self, dotted: str) -> Kinds:
        """Returns the effects of the catalog's function of a full name."""
        if dotted not in self._names:
            self._names[dotted] = _NONE.union(*map(_effects_of, self.catalog.lookup(dotted)))
        return self._names[dotted]

    def _aliases_of(self, file: File) -> Mapping[str, Kinds]:
        """Returns the file's names for functions with an effect."""
        if file not in self._aliases:
            found = {
                name: _NONE.union(*(self._of_function(file, one) for one in _with_others(file, [dotted])))
                for name, dotted in list(file.names.imports.items())
            }
            self._aliases[file] = {name: kinds for name, kinds in found.items() if kinds}
        return self._aliases[file]


def _fills_object(unit: Unit, call: Call) -> bool:
    """Whether a call creates an object, is made by a constructor to a method of its object, or is of a method that may
    fill another object."""
    return is_constructor(call.unit) or (call.own and is_constructor(unit)) or (not call.own and _is_method(call.unit))


def _is_method(unit: Unit) -> bool:
    return unit.name.rpartition(".")[0] in unit.file.classes


def is_constructor(unit: Unit) -> bool:
    """Whether a unit is the method that initialises an object."""
    methods = unit.file.language.methods
    return unit.name.rpartition(".")[2] in {methods.constructor, *methods.after_constructor}


def _with_others(file: File, names: Sequence[str]) -> list[str]:
    """Returns full names, and what else the file's imports may bind in their place."""
    return [*names, *(other for one in names for other in file.names.alternatives.get(one, ()))]


def _is_own(file: File, facts: Facts, name: str) -> bool:
    """Whether a plain name means a function of the file rather than a builtin. The name alone may then suggest the
    effect."""
    if name in _BUILTINS:
        return file.defines(name) or name in file.names.same or name in file.names.lambdas
    return any(one.root == "" and one.name == name for one in facts.calls)


def _effects_of(api: Api) -> Kinds:
    does = {
        Kind.ACQUIRES: acquires(api.returns),
        Kind.CLOSES: bool(api.closed) or api.frees is not None or (api.adopts and api.makes is not Made.PATH),
        Kind.ENDS: bool(api.closed),
        Kind.UNREGISTERS: api.unregisters_all,
        Kind.STARTS: api.inherits,
        Kind.LENDS: api.lends or (isinstance(api.returns, Borrowed) and not api.when),  # not any ``get``
    }
    return frozenset(kind for kind, so in does.items() if so)


@functools.lru_cache(maxsize=8)
def _last_names(catalog: Catalog) -> Mapping[str, Kinds]:
    """Returns the last parts of the names of all functions with an effect. A catalog never changes."""
    found: dict[str, Kinds] = {}
    for name in (*catalog.by_name, *catalog.aliases):
        kinds = frozenset[Kind]().union(*map(_effects_of, catalog.lookup(name)))
        if kinds:
            last = name.rpartition(".")[2]
            found[last] = found.get(last, _NONE) | kinds
    return found
