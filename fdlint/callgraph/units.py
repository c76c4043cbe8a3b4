"""A file of the program, its pieces and its functions. What is known of their names and calls needs no lowering."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from fdlint.domain.values import Value
from fdlint.frontend.python.language import PYTHON
from fdlint.frontend.python.source import Source
from fdlint.index.facts import Facts, facts_of_graphs
from fdlint.ir import NESTED, Graph, LoweredModule, ModuleNames, Place, outermost
from fdlint.ir.language import Language

REST = ""  # the unit of all that is in no piece of its own


@dataclass(slots=True, eq=False)
class File:
    """One file of the program. Its graphs are made when one is first asked for.

    ``package`` is the dotted name of the package it is in, ``root`` the directory in which its imports start;
    ``touches``: it mentions something that has to do with descriptors, not with workers alone; ``place``: its resolved
    path, None for a file that stands alone; ``pieces``: the text of each function that can be lowered by itself;
    ``rest``: the text without them, None for a file that is lowered whole; ``known``: the facts of its units.
    """

    source: Source
    names: ModuleNames
    package: str
    root: Path | None
    touches: bool
    place: Path | None
    lower: Callable[[File], LoweredModule]
    pieces: Mapping[str, str] = field(default_factory=dict)
    rest: str | None = None
    known: dict[str, Facts] = field(default_factory=dict)
    _lowered: LoweredModule | None = None

    def __repr__(self) -> str:
        return self.source.path

    @property
    def lowered(self) -> LoweredModule:
        """Its graphs."""
        if self._lowered is None:
            self._lowered = self.lower(self)
        return self._lowered

    @property
    def classes(self) -> Mapping[str, tuple[str, ...]]:
        """Its classes and their bases: those at its top level, and those inside functions that have been lowered."""
        return self.names.classes if self._lowered is None else self._lowered.classes

    @property
    def subclasses(self) -> Mapping[str, Sequence[str]]:
        """By name of a base, the classes that name it."""
        return self.names.subclasses if self._lowered is None else self._lowered.subclasses

    @property
    def language(self) -> Language:
        """The language that it is written in."""
        return PYTHON

    def defines(self, name: str) -> bool:
        """Whether it has a function of this qualified name."""
        if self._lowered is not None:
            return name in self._lowered.functions
        if name in self.names.functions:
            return True
        # A decorator can write a constructor; a nested function is known when the one round it is.
        owner, _, last = name.rpartition(".")
        written = owner in self.names.decorated and last == self.language.methods.constructor
        return (written or NESTED in name) and name in self.lowered.functions

    def unit(self, name: str) -> Unit:
        """The unit in which a function is."""
        outer = outermost(name)
        return Unit(self, outer if outer in self.pieces else REST)

    def text(self, name: str) -> str:
        """The source of a unit."""
        if name != REST:
            return self.pieces[name]
        return self.rest if self.rest is not None else self.source.code

    def facts(self, name: str) -> Facts:
        """The facts of a unit."""
        if name not in self.known:
            self.known[name] = facts_of_graphs(self.lowered.graphs)
        return self.known[name]


class Unit(NamedTuple):
    """A piece of a file, or what remains of it without its pieces."""

    file: File
    name: str

    @property
    def text(self) -> str:
        """Its source."""
        return self.file.text(self.name)

    @property
    def facts(self) -> Facts:
        """What it calls, refers to, imports and gives."""
        return self.file.facts(self.name)


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function of a file, lowered when its graph is first asked for. ``name``: its qualified name, None for the body
    of the module; ``captured``: the functions that it found in the variables of the one it was made by; ``method``: it
    stands for a method that was decorated."""

    file: File
    name: str | None
    captured: tuple[tuple[Place, Value], ...] = ()
    method: bool = False

    def __repr__(self) -> str:
        return f"Function({self.name})"

    @property
    def key(self) -> Hashable:
        """What tells it from others."""
        return self.file, self.name, self.captured

    @property
    def owner(self) -> str | None:
        """The class of which it is a method."""
        owner = (self.name or "").rpartition(".")[0]
        return owner if owner in self.file.classes else None

    @property
    def may_be_decorated(self) -> bool:
        """Whether it may have decorators, without lowering it."""
        name = self.name or ""
        return name in self.file.names.decorated or NESTED in name or "#" in name

    @property
    def may_nest(self) -> bool:
        """Whether there may be functions inside it, without lowering it."""
        unit = self.file.unit(self.name or "")
        return unit.name == REST or self.name != unit.name or unit.facts.nests

    @property
    def graph(self) -> Graph:
        """Its control-flow graph."""
        lowered = self.file.lowered
        return lowered.functions[self.name] if self.name is not None else lowered.body
