"""Finds the pieces of a project's files that call each other, by their facts. It finds too many calls rather than too
few, because the class of an object is often unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from fdlint.catalog.naming import is_constructor
from fdlint.core.ir import NESTED
from fdlint.core.memo import Memo
from fdlint.languages.index.facts import OWN, OWN_CLASS, Called
from fdlint.program.modules import Program
from fdlint.program.units import File, Unit
from fdlint.report.findings.grounds import REST
from fdlint.scan.reading.search import any_word


class Call(NamedTuple):
    """A call to a unit. ``own``: it may be on the caller's own object. ``bare``: it has no arguments."""

    unit: Unit
    own: bool
    bare: bool


@dataclass(slots=True)
class Units:
    """Finds the calls in the files of one program."""

    program: Program
    _calls: Memo[Unit, tuple[Call, ...]] = field(default_factory=Memo)
    _methods: dict[File, Mapping[str, Mapping[str, Unit]]] = field(default_factory=dict)
    _around: dict[File, Mapping[str, tuple[tuple[Unit, str | None], ...]]] = field(default_factory=dict)
    _words: Memo[Unit, frozenset[str]] = field(default_factory=Memo)
    _properties: dict[File, Callable[[str], bool] | None] = field(default_factory=dict)
    _places: dict[tuple[File, str], tuple[File, str] | None] = field(default_factory=dict)

    def gives(self, unit: Unit) -> bool:
        """Whether a unit may give its caller anything except a constant."""
        return unit.name == REST or unit.facts.gives

    def calls(self, unit: Unit) -> tuple[Call, ...]:
        """Returns the units that a unit may call."""
        return self._calls.of(unit, lambda: self._find_calls(unit))

    def known(self) -> Iterable[tuple[Unit, tuple[Call, ...]]]:
        """Returns the units whose calls are known."""
        return self._calls.items()

    def _find_calls(self, unit: Unit) -> tuple[Call, ...]:
        facts = unit.facts
        local = dict(facts.imports)
        classes = tuple(self._with_bases(self._classes(unit.file, local.values())))
        own = OWN | {unit.name.rpartition(".")[0] or None}
        found = {
            Call(other, called.root in own or called.root is None, called.bare)
            for called in facts.calls
            for other in self._meant(unit, called, local, classes)
        }
        read = self._properties_of(unit.file)
        if read is not None and read(unit.text):
            found.add(Call(Unit(unit.file, REST), own=True, bare=True))
        self.program.consulted.note(unit, (one.unit for one in found))
        return tuple(sorted(found, key=lambda one: (one.unit.file.source.path, one.unit.name, *one[1:])))

    def _properties_of(self, file: File) -> Callable[[str], bool] | None:
        """Returns a test whether a text reads a property of the file; None if the file has no properties. Such a read
        calls a method, and properties are never pieces."""
        if file not in self._properties:
            names = file.names.properties
            self._properties[file] = any_word(names, r"\.\s*") if names else None
        return self._properties[file]

    def _meant(
        self, unit: Unit, called: Called, local: Mapping[str, str], classes: Iterable[tuple[File, str]]
    ) -> Iterator[Unit]:
        """Yields the units that a call may mean. ``local``: the unit's own imports. ``classes``: the classes among
        these, and their bases."""
        file = unit.file
        if (called.root, called.name) in OWN_CLASS:
            made = self._defined(file, unit.name.rpartition(".")[0])
            yield from () if made is None else (made,)
        if called.root is not None:
            name = f"{called.root}.{called.name}" if called.root else called.name
            found = list(self._named(file, name, local))
            yield from found
            if is_constructor(called.name):
                yield from self._named(file, f"{name}.{file.language.methods.call}", local)  # for the new object
            if found or not called.root:
                return
        words = None if called.root is not None and called.root.partition(".")[0] in OWN else self._words_of(unit)
        for other, owner in self._methods_around(file).get(called.name, ()):
            if words is None or owner is None or owner in words:
                yield other
        for home, owner in classes:
            if (method := self._methods_of(home).get(owner, {}).get(called.name)) is not None:
                yield method

    def _named(self, file: File, name: str, local: Mapping[str, str]) -> Iterator[Unit]:
        """Yields the units that a full name means."""
        defined = self._defined(file, name)
        if defined is not None:
            yield defined
            return
        first, _, rest = name.partition(".")
        names, alternatives = file.names.imports, file.names.alternatives
        stands_for = [one for one in (local.get(first), names.get(first)) if one is not None]
        dotted = [f"{one}.{rest}" if rest else one for one in stands_for]
        others = [other for one in dotted for other in alternatives.get(one, ())]
        for meant in [*dotted, *others]:
            found = self._imported(file, meant)
            if found is not None:
                yield found
        if not dotted and not rest and file.names.stars:
            located = self.program.starred(file, name, thorough=False)
            found = self._defined(*located) if located is not None else None
            if found is not None:
                yield found

    def _imported(self, file: File, dotted: str) -> Unit | None:
        located = self._located(file, dotted)
        return self._defined(*located) if located is not None else None

    def _located(self, file: File, dotted: str) -> tuple[File, str] | None:
        """Returns the file that defines a name, and the name there."""
        key = file, dotted
        if key not in self._places:
            self._places[key] = self.program.locate(file, dotted, thorough=False)
        return self._places[key]

    def _defined(self, file: File, name: str) -> Unit | None:
        """Returns the unit of a function, of a class's constructor or of a method, by its full name in a file."""
        methods = file.language.methods
        owner, last = (name, methods.constructor) if name in file.classes else name.rpartition(".")[::2]
        if owner not in file.classes:
            return _unit_in(file, name)
        wanted = (last, *methods.after_constructor) if last == methods.constructor else (last,)
        classes = list(self.program.with_bases(file, owner, thorough=False))
        found = (_unit_in(home, f"{one}.{last}") for last in wanted for home, one in classes)
        return next((unit for unit in found if unit is not None), None)

    # -- objects of unknown class

    def _methods_around(self, file: File) -> Mapping[str, tuple[tuple[Unit, str | None], ...]]:
        """Returns by name the methods of the objects that a file may use: those of its own classes and their bases, and
        those of imported classes. Each comes with the name of the imported class; None for the file's own classes."""
        if file not in self._around:
            found: dict[str, dict[tuple[Unit, str | None], None]] = {}
            own = [(file, name) for name in [*self._methods_of(file), *file.classes]]
            imported = [*self._classes(file, list(file.names.imports.values()))]
            everything: list[tuple[tuple[File, str], str | None]] = [(one, None) for one in self._with_bases(own)]
            everything += [(base, one[1]) for one in imported for base in self._with_bases([one])]
            for (home, owner), called in everything:
                for name, unit in self._methods_of(home).get(owner, {}).items():
                    found.setdefault(name, {})[unit, called] = None
            self._around[file] = {name: tuple(units) for name, units in found.items()}
        return self._around[file]

    def _words_of(self, unit: Unit) -> frozenset[str]:
        """Returns the words of a unit and of the code in no piece, because that code has the types of module
        variables."""

        def work_out() -> frozenset[str]:
            own = unit.facts.words
            return own if unit.name == REST else own | self._words_of(Unit(unit.file, REST))

        return self._words.of(unit, work_out)

    def _classes(self, file: File, dotted: Iterable[str]) -> Iterator[tuple[File, str]]:
        """Yields the classes that names mean. For the name of a module, yields all its classes."""
        for one in dotted:
            located = self._located(file, one)
            if located is not None and located[1] in located[0].classes:
                yield located
            elif located is None and (home := self.program.module(file, one)) is not None:
                yield from ((home, name) for name in list(home.classes))

    def _with_bases(self, classes: Iterable[tuple[File, str]]) -> Iterable[tuple[File, str]]:
        found = (base for one in classes for base in self.program.with_bases(*one, thorough=False))
        return dict.fromkeys(found)

    def _methods_of(self, file: File) -> Mapping[str, Mapping[str, Unit]]:
        """Returns for each class of a file its own methods by name."""
        if file not in self._methods:
            found: dict[str, dict[str, Unit]] = {}
            for name in file.names.functions:
                owner, _, last = name.rpartition(".")
                if owner and NESTED not in name:
                    found.setdefault(owner, {})[last] = file.unit(name)
            self._methods[file] = found
        return self._methods[file]


def _unit_in(file: File, name: str) -> Unit | None:
    """Returns the unit of a function that a file itself defines under this name."""
    if name in file.names.functions:
        return file.unit(name)
    same = file.names.same
    return file.unit(same[name]) if name in same else file.unit(REST) if name in file.names.lambdas else None
