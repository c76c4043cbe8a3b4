"""A file of the program, its pieces and its functions. Their names and calls are known without lowering."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, cast

from fdlint.core.domain.values import Fn, Value
from fdlint.core.ir import NESTED, Graph, LoweredModule, ModuleNames, Place, outermost
from fdlint.core.ir.language import Language
from fdlint.core.ir.source import SourceCode
from fdlint.core.memo import Watch
from fdlint.languages.front_end import front_end_of
from fdlint.languages.index.facts import Facts, facts_of_graphs
from fdlint.languages.index.outline import Sketch
from fdlint.report.findings.grounds import REST
from fdlint.scan.reading.search import any_word


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
    watch: Watch | None = None
    _lowered: LoweredModule | None = None
    _answers: dict[Hashable, object] = field(default_factory=dict)  # to questions about all pieces

    def __repr__(self) -> str:
        return self.source.path

    @property
    def lowered(self) -> LoweredModule:
        """The file's graphs."""
        if self._lowered is None:
            self._lowered = self.lower(self)
            self._lowered.functions.watch = self.watch
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
        self.read_piece(name)
        if name != REST:
            return self.pieces[name]
        return self.rest if self.rest is not None else self.source.code

    def facts(self, name: str) -> Facts:
        """Returns the facts of a unit."""
        self.read_piece(name)
        return self._facts(name)

    def _facts(self, name: str) -> Facts:
        if name not in self.known:
            self.known[name] = self.read(name) if self.read is not None else facts_of_graphs(self.lowered.graphs)
        return self.known[name]

    def edit(self, outline: Sketch, changed: Collection[str]) -> tuple[int, list[Graph]] | None:
        """Goes on with a later text, in which only some pieces have other code. Returns the bits of the inputs that
        have changed, and the graphs that are gone; None if all of the file must be read again."""
        lowered = self._lowered
        if self.watch is None or (lowered is not None and lowered.edited is None):
            return None
        if lowered is not None and lowered.edited is not None:
            lowered.edited(outline, changed)
        before = {name: self.watch.answers(name) for name in changed}
        self.pieces = {name: piece.text for name, piece in outline.pieces.items()}
        self.rest, self.outline, self.known = outline.text, outline, {**outline.facts, REST: outline.own_facts}
        self._answers.clear()
        bits, gone = 0, []
        for name in changed:
            bits |= self.watch.bit_of(name)
            after = self.watch.answers(name)
            for bit, answer in before[name].items():
                bits |= bit if after[bit] != answer else 0
            gone += lowered.functions.replace(name) if lowered is not None else []
        return bits, gone

    def read_piece(self, name: str) -> None:
        """Notes that the code of a unit is read."""
        if self.watch is not None:
            self.watch.read(name)

    def graphs_of(self, pieces: Collection[str]) -> list[Graph]:
        """Lowers some pieces. Returns their graphs and those in no piece, the body of the module last."""
        functions = self.lowered.functions
        functions.ask_for(pieces)
        wanted = {*pieces, REST}
        for name in wanted:
            self.read_piece(name)
        known = functions.known()
        return [*(graph for name, graph in known if self.unit(name).name in wanted), self.lowered.body]

    def pieces_with(self, words: Collection[str]) -> Sequence[str]:
        """Returns the pieces whose text has one of the words, or a property, which may stand for any attribute."""
        question = "words", *words
        has_one = any_word([*words, *self.names.properties])
        if self.watch is not None:
            self.watch.ask(question, lambda name: has_one(self.pieces[name]))
        if question not in self._answers:
            self._answers[question] = [name for name, text in self.pieces.items() if has_one(text)]
        return cast("Sequence[str]", self._answers[question])

    def any_unit(self, question: Hashable, is_so: Callable[[Facts], bool]) -> bool:
        """Whether the facts of some unit are so. ``question``: a name for what is asked."""
        if self.watch is not None:
            self.watch.ask(question, lambda name: is_so(self._facts(name)))
        if question not in self._answers:
            self._answers[question] = any(is_so(self._facts(name)) for name in (*self.pieces, REST))
        return bool(self._answers[question])


class Unit(NamedTuple):
    """A piece of a file, or the rest of the file without its pieces."""

    file: File
    name: str

    def read(self) -> None:
        """Notes that the code of the unit is read."""
        self.file.read_piece(self.name)

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
        return [one for place, _ in self.captured if (one := self.held_by(place)) is not None]

    def held_by(self, variable: object) -> Function | None:
        """Returns the project's function in a variable of its creator, as in one that a decorator returns."""
        for place, value in self.captured:
            if place == variable and isinstance(value, Fn) and isinstance(value.callee.function, Function):
                return value.callee.function
        return None

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
