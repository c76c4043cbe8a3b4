"""A file of the program, its pieces and its functions. Their names and calls are known without lowering."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from fdlint.core.domain.values import Fn, Value
from fdlint.core.ir import NESTED, Graph, LoweredModule, ModuleNames, Place, outermost
from fdlint.core.ir.language import Language
from fdlint.core.ir.source import SourceCode
from fdlint.languages.front_end import front_end_of
from fdlint.languages.index.facts import Facts, facts_of_graphs
from fdlint.languages.index.outline import Sketch
from fdlint.report.findings.grounds import REST


def _main_language() -> Language:
    return front_end_of().language


@dataclass(slots=True, eq=False)
class File:
    """One file of the program. Its graphs are created on first use.

    ``package``: the dotted name of its package. ``root``: the directory where its imports start. ``touches``: it
    mentions something about descriptors, not only about workers. ``place``: its resolved path, None for a file that
    stands alone. ``pieces``: the text of each function that can be lowered by itself. ``rest``: the text without these
    functions, None for a file that is lowered as a whole. ``known``: the facts of its units. ``read``: finds the facts
    of one more unit; without it, they are those of the file's graphs. ``outline``: the file in pieces, None if it is
    lowered as a whole or only its imports count.
    """

    source: SourceCode
    names: ModuleNames
    package: str
    root: Path | None
    touches: bool
    place: Path | None
    lower: Callable[[File], LoweredModule]
    pieces: Mapping[str, str] = field(default_factory=dict)
    rest: str | None = None
    known: dict[str, Facts] = field(default_factory=dict)
    outline: Sketch | None = None
    read: Callable[[str], Facts] | None = None
    language: Language = field(default_factory=_main_language)
    _lowered: LoweredModule | None = None

    def __repr__(self) -> str:
        return self.source.path

    @property
    def lowered(self) -> LoweredModule:
        """The file's graphs."""
        if self._lowered is None:
            self._lowered = self.lower(self)
        return self._lowered

    @property
    def classes(self) -> Mapping[str, tuple[str, ...]]:
        """The file's classes and their bases: those at its top level, and those inside lowered functions."""
        return self.names.classes if self._lowered is None else self._lowered.classes

    @property
    def subclasses(self) -> Mapping[str, Sequence[str]]:
        """The subclasses of each base in the file."""
        return self.names.subclasses if self._lowered is None else self._lowered.subclasses

    def defines(self, name: str) -> bool:
        """Whether the file has a function of this qualified name."""
        if self._lowered is not None:
            return name in self._lowered.functions
        if name in self.names.functions:
            return True
        # A decorator can add a constructor. A nested function is known once the enclosing function is lowered.
        owner, _, last = name.rpartition(".")
        written = owner in self.names.decorated and last == self.language.methods.constructor
        return (written or NESTED in name) and name in self.lowered.functions

    def unit(self, name: str) -> Unit:
        """Returns the unit that contains a function."""
        outer = outermost(name)
        return Unit(self, outer if outer in self.pieces else REST)

    def text(self, name: str) -> str:
        """Returns the source of a unit."""
        if name != REST:
            return self.pieces[name]
        return self.rest if self.rest is not None else self.source.code

    def facts(self, name: str) -> Facts:
        """Returns the facts of a unit."""
        if name not in self.known:
            self.known[name] = self.read(name) if self.read is not None else facts_of_graphs(self.lowered.graphs)
        return self.known[name]


class Unit(NamedTuple):
    """A piece of a file, or the rest of the file without its pieces."""

    file: File
    name: str

    @property
    def text(self) -> str:
        """The unit's source."""
        return self.file.text(self.name)

    @property
    def facts(self) -> Facts:
        """The unit's calls, references and imports, and whether it gives its caller something."""
        return self.file.facts(self.name)


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function of a file, lowered when its graph is first needed. ``name``: its qualified name, None for the module's
    body. ``captured``: the functions that the variables of its creator held. ``method``: it stands for a decorated
    method."""

    file: File
    name: str | None
    captured: tuple[tuple[Place, Value], ...] = ()
    method: bool = False

    def __repr__(self) -> str:
        return f"Function({self.name})"

    @property
    def key(self) -> Hashable:
        """The identity of the function."""
        return self.file, self.name, self.captured

    @property
    def depth(self) -> int:
        """How many functions are captured inside each other."""
        return max((1 + one.depth for one in self.holds), default=0)

    @property
    def holds(self) -> list[Function]:
        """The project's functions among those that it captured."""
        held = (value.callee.function for _, value in self.captured if isinstance(value, Fn))
        return [one for one in held if isinstance(one, Function)]

    @property
    def unit(self) -> Unit:
        """The unit that contains it."""
        return self.file.unit(self.name or REST)

    @property
    def owner(self) -> str | None:
        """The class of the method; None for any other function."""
        owner = (self.name or "").rpartition(".")[0]
        return owner if owner in self.file.classes else None

    @property
    def may_be_decorated(self) -> bool:
        """Whether it may have decorators. This does not lower it."""
        name = self.name or ""
        return name in self.file.names.decorated or NESTED in name or "#" in name

    @property
    def may_nest(self) -> bool:
        """Whether there may be functions inside it. This does not lower it."""
        unit = self.unit
        return unit.name == REST or self.name != unit.name or unit.facts.nests

    @property
    def graph(self) -> Graph:
        """Its control-flow graph."""
        lowered = self.file.lowered
        return lowered.functions[self.name] if self.name is not None else lowered.body
