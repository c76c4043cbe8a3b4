"""The context of lowering one Go function: the growing graph, the variables in scope, the deferred calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from fdlint.catalog import Catalog
from fdlint.catalog.model import Api
from fdlint.core.ir import AccessPath, Assign, ComprehensionVariable, Graph, Lit, Operand, Place, RValue, Store
from fdlint.core.ir.access_path import MAX_FIELDS
from fdlint.languages.blocks import TooLargeError
from fdlint.languages.go.lowering.builder import Builder
from fdlint.languages.go.lowering.constants import MAX_DEPTH, Node
from fdlint.languages.go.lowering.nonnil import NonNil
from fdlint.languages.go.lowering.package import Package
from fdlint.languages.rounds import Rounds


class Variable(NamedTuple):
    """A variable: its place and its type, empty if unknown."""

    place: Place
    type: str


@dataclass(slots=True)
class Deferred:
    """A deferred call. ``flag``: the place that tells whether it was deferred; None if it always is from there on.
    ``scopes``: the variables that it sees."""

    lay: Callable[[], object]
    flag: Place | None
    node: Node
    scopes: list[dict[str, Variable]]


class Pointed(NamedTuple):
    """A variable whose address a field of a struct has, and the entry of that field in the catalog."""

    place: Place
    field: Api


@dataclass(frozen=True, slots=True)
class Inlined:
    """A function literal that is laid in place: the block after it, and the places of its results."""

    after: int
    results: tuple[Place, ...]


@dataclass(slots=True)
class Unit:
    """One package that is being lowered, and its graphs so far. ``lower_literal`` makes a function literal a graph of
    its own; ``run_literal`` lays its body in place, for the given arguments. ``nonnil`` tells what is
    never nil."""

    package: Package
    catalog: Catalog
    lower_literal: Callable[[Context, Node], Operand]
    run_literal: Callable[[Context, Node, Sequence[Operand], int], list[Operand]]
    nonnil: NonNil
    graphs: dict[str, Graph] = field(default_factory=dict)


@dataclass(slots=True)
class Context:
    """One function that is being lowered. ``results``: its named results. ``taken``: how often each name was declared,
    also in the functions around it: each declaration has a place of its own. ``rooms``: the results of calls that
    measure the room for control messages. ``inlined``: where a ``return`` in an inlined function literal goes on.
    ``pointed``: the variables that a call fills through a struct. ``kept_in_loop``: for each deferred call in a loop,
    by its first byte, the place that tells whether it was deferred, and that of what it closes. ``held_literals``: the
    function literals in variables; None if there was more than one. ``made_literals``: those that no variable has yet,
    by their values. ``lengths``: the lengths with which slices and arrays were made, as they are written."""

    unit: Unit
    builder: Builder
    file: int
    outer: Context | None = None
    scopes: list[dict[str, Variable]] = field(default_factory=lambda: [{}])
    taken: dict[str, int] = field(default_factory=dict)
    results: list[Place] = field(default_factory=list)
    returns: tuple[str, ...] = ()  # the types of the results
    deferred: list[Deferred] = field(default_factory=list)
    conditional: int = 0  # the number of conditional statements around the current one
    nested: list[Graph] = field(default_factory=list)
    read: set[Place] = field(default_factory=set)
    bound: set[Place] = field(default_factory=set)
    literals: int = 0
    inlined: list[Inlined] = field(default_factory=list)
    rooms: list[Operand] = field(default_factory=list)
    pointed: list[Pointed] = field(default_factory=list)
    kept_in_loop: dict[int, tuple[Place, Place]] = field(default_factory=dict)
    made_literals: dict[Operand, str] = field(default_factory=dict)
    held_literals: dict[Place, str | None] = field(default_factory=dict)
    lengths: dict[str, str] = field(default_factory=dict)
    rounds: list[Rounds] = field(default_factory=list)  # those of the loops around
    loops: int = 0  # the number of loops around the current statement
    depth: int = 0

    @property
    def package(self) -> Package:
        """The package of the function."""
        return self.unit.package

    # -- variables

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Opens a block scope."""
        self.scopes.append({})
        yield
        self.scopes.pop()

    @contextmanager
    def maybe(self) -> Iterator[None]:
        """Marks the statements inside as conditional, in a scope of their own."""
        self.conditional += 1
        with self.scope():
            yield
        self.conditional -= 1

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """Counts nested expressions and statements. Raises ``TooLargeError``."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise TooLargeError(self.builder.graph.name)
        yield
        self.depth -= 1

    def declare(self, name: str, kind: str = "") -> Place:
        """Returns the place of a new variable. It may be an item in a loop: ``x.fds[i]``."""
        shown = name.rpartition(".")[2]
        number = self.taken[shown] = self.taken.get(shown, 0) + 1
        place = AccessPath(shown) if number == 1 else ComprehensionVariable.at(number, shown)
        self.scopes[-1][name] = Variable(place, kind)
        if kind in self.package.types:
            self.builder.graph.classes[place] = kind
        self.bound.add(place)
        return place

    def variable(self, name: str) -> Variable | None:
        """Returns the variable of a name; None if it is none of this function or of those around it."""
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return self.outer.variable(name) if self.outer is not None else None

    def variables(self) -> Iterator[Variable]:
        """Yields the variables in scope, those of the functions around included."""
        for scope in self.scopes:
            yield from scope.values()
        if self.outer is not None:
            yield from self.outer.variables()

    def literal_of(self, place: Place) -> str | None:
        """Returns the function literal that a variable holds, if it has held no other."""
        if place in self.held_literals:
            return self.held_literals[place]
        return self.outer.literal_of(place) if self.outer is not None else None

    def is_new(self, name: str) -> bool:
        """Whether ``:=`` declares the name: the innermost scope has no such variable."""
        return name not in self.scopes[-1]

    # -- steps

    def assign(self, value: RValue, node: Node) -> Place:
        """Binds a new temporary to a value."""
        place = self.builder.temporary()
        self.builder.add(Assign(place, value), node)
        return place

    def hand_over(self, value: Operand, node: Node) -> None:
        """Gives a value to an owner that is not followed."""
        self.builder.add(Store(None, value), node)

    def hold(self, value: Operand, node: Node) -> Operand:
        """Returns a place that keeps a value until the function ends; a constant stays as it is."""
        if isinstance(value, Lit):
            return value
        place = self.builder.held()
        self.builder.add(Assign(place, value), node)
        return place

    def member(self, base: Operand, name: str) -> Place | None:
        """Returns the path of a field of a plain name or path."""
        if isinstance(base, AccessPath) and not base.is_temporary and base.depth < MAX_FIELDS:
            return base.attribute(name)
        return None
