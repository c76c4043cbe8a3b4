"""A file as the analyses see it: the graphs of its functions, its classes, and what its names stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fdlint.ir.effects import Constant, Place
from fdlint.ir.graph import Graph, outermost
from fdlint.ir.language import Language


@dataclass(slots=True)
class Functions(Mapping[str, Graph]):
    """Functions by qualified name. The ones in ``waiting`` are lowered by ``lower`` when somebody first asks for one;
    iteration lowers all. ``order``: the source order of the outermost functions."""

    lowered: dict[str, Graph]
    waiting: dict[str, None] = field(default_factory=dict)
    lower: Callable[[str], None] | None = None
    order: Mapping[str, int] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Graph:
        if name not in self.lowered:
            self._ask_for(outermost(name))
        return self.lowered[name]

    def __contains__(self, name: object) -> bool:
        return name in self.lowered or name in self.waiting

    def __iter__(self) -> Iterator[str]:
        for name in list(self.waiting):
            self._ask_for(name)
        return iter(self._in_order(self.lowered))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def known(self) -> list[tuple[str, Graph]]:
        """Those that have been lowered so far."""
        return [(name, self.lowered[name]) for name in self._in_order(self.lowered)]

    def ask_for(self, names: Iterable[str]) -> None:
        """Lowers some of the pieces."""
        for name in names:
            self._ask_for(name)

    def under(self, prefix: str) -> list[tuple[str, Graph]]:
        """Those whose names begin so: the methods of a class, what is nested in a function."""
        outer = outermost(prefix)
        for name in [one for one in self.waiting if one == outer or one.startswith(prefix)]:
            self._ask_for(name)
        names = self._in_order(name for name in self.lowered if name.startswith(prefix))
        return [(name, self.lowered[name]) for name in names]

    def _in_order(self, names: Iterable[str]) -> Iterable[str]:
        """In source order, whatever was asked for first."""
        if not self.order:
            return list(names)
        last = len(self.order)  # a lambda in the header of a piece
        place = {name: self.order.get(outermost(name), last) for name in names}
        return sorted(place, key=lambda name: (place[name], name if place[name] == last else ""))

    def _ask_for(self, name: str) -> None:
        if name in self.waiting and self.lower is not None:
            del self.waiting[name]
            self.lower(name)


@dataclass(frozen=True, slots=True)
class ModuleNames:
    """What the names of a file stand for, known before anything is lowered.

    ``imports``: name -> dotted name; ``alternatives``: a dotted name -> those that it may be instead; ``same``: other
    names of functions of the file; ``stars``: modules imported with a star; ``classes``: qualified name -> the bases as
    they resolve (dotted, or a plain name of the same file); ``subclasses``: name of a base -> the classes that name it;
    ``functions``: the qualified names, in source order;
    ``properties``: the names of methods that run when an attribute is read; ``decorated``: the functions and classes
    that have decorators; ``lambdas``: names that are bound to a lambda; ``shared``: the globals that some function
    rebinds.
    """

    imports: Mapping[str, str]
    alternatives: Mapping[str, Sequence[str]]
    same: Mapping[str, str]
    stars: tuple[str, ...]
    classes: Mapping[str, tuple[str, ...]]
    subclasses: Mapping[str, Sequence[str]]
    functions: Mapping[str, None]
    properties: frozenset[str]
    decorated: frozenset[str]
    lambdas: frozenset[str]
    shared: frozenset[Place]


@dataclass(frozen=True, slots=True)
class LoweredModule:
    """A file's functions by qualified name, its own body, and what its names stand for.

    ``classes``: qualified name -> the bases as they resolve (dotted, or a plain name of the same file);
    ``subclasses``: the classes that name one as a base. ``constants`` grows when those that it imports are found.
    """

    functions: Functions
    body: Graph
    names: Mapping[str, str]
    alternatives: Mapping[str, Sequence[str]]
    same: Mapping[str, str]
    stars: tuple[str, ...]
    classes: Mapping[str, tuple[str, ...]]
    subclasses: Mapping[str, Sequence[str]]
    constants: dict[str, Constant]

    @property
    def language(self) -> Language:
        """The language of the file."""
        return self.body.language

    @property
    def graphs(self) -> list[Graph]:
        """All functions in source order, and last the module's own body."""
        return [*self.functions.values(), self.body]
