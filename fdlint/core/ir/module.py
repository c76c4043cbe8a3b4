"""A file as the analyses see it: the graphs of its functions, its classes, and its resolved names."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from fdlint.core.ir.effects import Constant, Place
from fdlint.core.ir.graph import Graph, outermost
from fdlint.core.ir.language import Language
from fdlint.core.memo import Watch


@dataclass(slots=True)
class Functions(Mapping[str, Graph]):
    """Functions by qualified name, lowered on first use. Iteration lowers all.

    ``waiting``: the pieces that are not lowered yet; ``lower`` lowers one of them. ``order``: the source order of the
    outermost functions. ``watch``: notes which are read.
    """

    lowered: dict[str, Graph]
    waiting: dict[str, None] = field(default_factory=dict)
    lower: Callable[[str], None] | None = None
    order: Mapping[str, int] = field(default_factory=dict)
    watch: Watch | None = None
    _waiting_by_head: dict[str, list[str]] | None = None  # of those that waited when it was made
    _lowered_by_head: dict[str, list[str]] = field(default_factory=dict)
    _indexed: int = 0  # how many of the lowered ones

    def __getitem__(self, name: str) -> Graph:
        self._read(name)
        if name not in self.lowered:
            self._ask_for(outermost(name))
        return self.lowered[name]

    def __contains__(self, name: object) -> bool:
        if isinstance(name, str) and name not in self.order:
            self._read(name)
        return name in self.lowered or name in self.waiting

    def __iter__(self) -> Iterator[str]:
        for name in list(self.waiting):
            self._ask_for(name)
        for name in self.order:
            self._read(name)
        return iter(self._in_order(self.lowered))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def known(self) -> list[tuple[str, Graph]]:
        """Returns the functions that are lowered so far."""
        return [(name, self.lowered[name]) for name in self._in_order(self.lowered)]

    def ask_for(self, names: Iterable[str]) -> None:
        """Lowers the pieces with these names."""
        for name in names:
            self._ask_for(name)

    def under(self, prefix: str) -> list[tuple[str, Graph]]:
        """Returns the functions whose names begin with a prefix: the methods of a class, the functions nested in
        another."""
        outer, head = outermost(prefix), _head(prefix)
        for name in self._waiting_under(head):
            if name in self.waiting and (name == outer or name.startswith(prefix)):
                self._ask_for(name)
        names = self._in_order(name for name in self._lowered_under(head) if name.startswith(prefix))
        for name in (outer, *names):
            self._read(name)
        return [(name, self.lowered[name]) for name in names]

    def of_piece(self, name: str) -> list[str]:
        """Lowers a piece and returns the names of its functions: itself, and those nested in it."""
        self._read(name)
        self._ask_for(name)
        return [one for one in self._lowered_under(_head(name)) if outermost(one) == name]

    def replace(self, name: str) -> list[Graph]:
        """Drops the graphs of a piece, which waits then, and returns them. All places in it must be new."""
        old = [one for one in self.lowered if outermost(one) == name]
        graphs = [self.lowered.pop(one) for one in old]
        if old:
            self._waiting_by_head = None
            self._lowered_by_head.clear()
            self._indexed = 0
            self.waiting[name] = None
        return graphs

    def _read(self, name: str) -> None:
        if self.watch is not None:
            self.watch.read(outermost(name))

    def _waiting_under(self, head: str) -> list[str]:
        if self._waiting_by_head is None:
            self._waiting_by_head = {}
            for name in self.waiting:
                self._waiting_by_head.setdefault(_head(name), []).append(name)
        return self._waiting_by_head.get(head, [])

    def _lowered_under(self, head: str) -> list[str]:
        """Returns the lowered functions whose names have the same first part."""
        if self._indexed != len(self.lowered):
            new = islice(reversed(self.lowered), len(self.lowered) - self._indexed)
            for name in reversed([*new]):
                self._lowered_by_head.setdefault(_head(name), []).append(name)
            self._indexed = len(self.lowered)
        return self._lowered_by_head.get(head, [])

    def _in_order(self, names: Iterable[str]) -> Iterable[str]:
        """Sorts names in source order, independent of the order of lowering."""
        if not self.order:
            return list(names)
        last = len(self.order)  # a lambda in the header of a piece
        place = {name: self.order.get(outermost(name), last) for name in names}
        return sorted(place, key=lambda name: (place[name], name if place[name] == last else ""))

    def _ask_for(self, name: str) -> None:
        if name in self.waiting and self.lower is not None:
            del self.waiting[name]
            self.lower(name)


def _head(name: str) -> str:
    """Returns the first part of a qualified name: the class of a method, the function around a nested one."""
    return name.partition(".")[0].partition("#")[0]


def by_base(classes: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Returns the direct subclasses of each base."""
    found: dict[str, list[str]] = {}
    for name, bases in classes.items():
        for base in bases:
            found.setdefault(base, []).append(name)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleNames:
    """The resolved names of a file, known before any function is lowered.

    ``imports``: name -> dotted name. ``alternatives``: dotted name -> the names that may replace it. ``same``: aliases
    of functions of the file. ``stars``: modules imported with a star. ``classes``: qualified name -> the bases as they
    resolve (dotted, or a plain name of the same file). ``subclasses``: name of a base -> its direct subclasses.
    ``functions``: qualified names in source order. ``properties``: the names of methods that run when code reads an
    attribute. ``decorated``: the functions and classes with decorators. ``lambdas``: names that are bound to a lambda.
    ``shared``: the globals that some function rebinds.
    """

    classes: Mapping[str, tuple[str, ...]]
    subclasses: Mapping[str, Sequence[str]]
    functions: Mapping[str, None]
    imports: Mapping[str, str] = field(default_factory=dict)
    alternatives: Mapping[str, Sequence[str]] = field(default_factory=dict)
    same: Mapping[str, str] = field(default_factory=dict)
    stars: tuple[str, ...] = ()
    properties: frozenset[str] = frozenset()
    decorated: frozenset[str] = frozenset()
    lambdas: frozenset[str] = frozenset()
    shared: frozenset[Place] = frozenset()


@dataclass(frozen=True, slots=True)
class LoweredModule:
    """The graphs of a file: its functions by qualified name, and its own body.

    ``same``: other names of functions, including names bound to a lambda. ``classes`` and ``subclasses`` are as in
    ``ModuleNames``, with the classes inside functions that have been lowered. ``constants`` grows when imported
    constants are found. ``edited``: gets a later text of the file, in pieces, and the pieces with other code; the
    other graphs stay, with new positions.
    """

    functions: Functions
    body: Graph
    same: Mapping[str, str]
    classes: Mapping[str, tuple[str, ...]]
    subclasses: Mapping[str, Sequence[str]]
    constants: dict[str, Constant]
    edited: Callable[[Any, Collection[str]], None] | None = None

    @property
    def language(self) -> Language:
        """The language of the file."""
        return self.body.language

    @property
    def graphs(self) -> list[Graph]:
        """All functions in source order; the module's own body is the last."""
        return [*self.functions.values(), self.body]
