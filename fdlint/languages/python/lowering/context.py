"""The context of lowering one function: the growing graph, the names in scope, the functions so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import libcst as cst

from fdlint.catalog import Catalog
from fdlint.catalog.model import Api
from fdlint.core.ir import (
    AccessPath,
    Assign,
    CaughtException,
    ComprehensionVariable,
    Condition,
    Constant,
    Graph,
    Operand,
    Place,
    RValue,
)
from fdlint.core.ir.access_path import MAX_FIELDS
from fdlint.languages.python.lowering.attributes import Getters
from fdlint.languages.python.lowering.builder import Builder, Handler
from fdlint.languages.python.lowering.definitions import choose
from fdlint.languages.python.lowering.exceptions import canonical
from fdlint.languages.python.lowering.language import CLASS_RECEIVER, PYTHON
from fdlint.languages.python.lowering.names import Resolver, Scope, dotted_text
from fdlint.languages.python.lowering.texts import condition_text
from fdlint.languages.python.lowering.trees import Origin, Origins, Tree
from fdlint.languages.rounds import Rounds

Expression: TypeAlias = "Callable[[Context, Any], Operand]"
Statement: TypeAlias = "Callable[[Context, Any], None]"


@dataclass(slots=True)
class Unit:
    """One file that is being lowered. ``functions`` collects every function's graph by qualified name; the module's key
    is None."""

    catalog: Catalog
    resolver: Resolver
    expressions: Mapping[type[cst.CSTNode], Expression]
    statements: Mapping[type[cst.CSTNode], Statement]
    functions: dict[str, Graph] = field(default_factory=dict)
    classes: dict[str, tuple[str, ...]] = field(default_factory=dict)  # qualified name -> bases
    subclasses: dict[str, list[str]] = field(default_factory=dict)  # a base -> its direct subclasses
    generated: dict[str, dict[Place, tuple[Operand | None, Origin]]] = field(default_factory=dict)  # class -> fields
    constants: dict[str, Constant] = field(default_factory=dict)  # the values of NAMES of the module
    variable_types: dict[str, str] = field(default_factory=dict)  # variable of the module -> type
    attribute_types: dict[str, dict[str, str]] = field(default_factory=dict)  # class -> attribute -> type
    getters: Getters = field(default_factory=dict)  # class -> property -> the attribute that it returns, if only one
    methods: dict[str, frozenset[str]] = field(default_factory=dict)  # class -> its methods without decorators

    decides: bool = False  # platform tests select definitions, so they are decided everywhere
    others: frozenset[int] = frozenset()  # ids of the functions that another definition of the same name replaces

    ruled_out: frozenset[int] = frozenset()  # ids of those of the ``others`` that never run
    excluded: frozenset[int] = frozenset()  # ids of functions and classes in whose place another platform's count
    class_attributes: frozenset[str] = frozenset()  # those that several functions share, each with its class
    origins: Origins = field(default_factory=Origins)

    def choose(self, body: Sequence[cst.CSTNode], scope: Scope) -> None:
        """Finds the definitions in a module's or a class's body that their names refer to."""
        choice = choose(body, lambda test: self.resolver.answer(test, scope))
        self.others |= choice.others
        self.ruled_out |= choice.ruled_out
        self.excluded |= choice.excluded
        self.decides = self.decides or choice.platform

    def settle(self, tree: Tree) -> None:
        """Drops the data about the nodes of a tree after all of it has been lowered."""
        self.origins.settle(tree)
        self.others = self.ruled_out = self.excluded = frozenset()

    def add_class(self, name: str, bases: tuple[str, ...]) -> None:
        """Adds a class. Of two with one name, the last counts."""
        for base in self.classes.get(name, ()):
            self.subclasses[base].remove(name)
        self.classes[name] = bases
        for base in bases:
            self.subclasses.setdefault(base, []).append(name)

    def unique(self, name: str, other: bool = False) -> str:
        """Returns a qualified name that no earlier definition has. ``other``: the plain name belongs to another
        definition."""
        taken, number = (f"{name}#2", 3) if other else (name, 2)
        while taken in self.functions:
            taken, number = f"{name}#{number}", number + 1
        self.functions[taken] = Graph(taken, PYTHON)
        return taken


@dataclass(frozen=True, slots=True)
class Handling:
    """An ``except`` clause whose body is being lowered: the caught exception, and its name."""

    caught: CaughtException
    handler: Handler
    name: str | None


@dataclass(slots=True)
class Context:
    """One function that is being lowered."""

    unit: Unit
    builder: Builder
    scope: Scope
    prefix: str  # prefix of the qualified names of new definitions
    class_name: str | None = None  # qualified name of the class whose method this is
    handlers: list[Handling] = field(default_factory=list)
    lends: bool = False  # the function is a generator and a context manager
    nothrow_yield: bool = False  # the function is a generator into which nothing throws (a fixture)
    module: bool = False
    class_body: str | None = None  # path of the class whose body is being lowered in place
    excluded: bool = False  # another platform's definition counts in place of this function or class
    nested: list[Graph] = field(default_factory=list)
    keeping: set[str] = field(default_factory=set)  # those of the nested functions that keep what they capture
    renamed: list[dict[str, Place]] = field(default_factory=list)  # names in the enclosing comprehensions
    unused: cst.CSTNode | None = None  # a call whose result is unused
    thrown: cst.CSTNode | None = None  # a call whose result is raised
    consumes: bool = False  # the next expression is iterated to its end
    splits: bool = False  # the condition is being bound to a name: keep its two results apart
    zero: set[Place] = field(default_factory=set)  # the names that were last bound to 0
    indexed: dict[tuple[str, Place], Place] = field(default_factory=dict)  # sequence, its index -> the current item
    calls_held: dict[str, cst.Call] = field(default_factory=dict)  # name -> `len(x)` or `iter(x)`, as it was last bound
    rounds: list[Rounds] = field(default_factory=list)  # those of the loops around
    filled: dict[str, tuple[str, int]] = field(default_factory=dict)  # dict -> sequence, part that is the key

    def operand(self, node: cst.BaseExpression) -> Operand:
        """Evaluates an expression and lays its steps."""
        return self.unit.expressions[type(node)](self, node)

    def iterated(self, node: cst.BaseExpression) -> Operand:
        """Evaluates an expression that is iterated at once: a generator expression, or ``map``, runs here."""
        self.consumes = isinstance(node, (cst.GeneratorExp, cst.Call))
        value = self.operand(node)
        self.consumes = False
        return value

    def run(self, body: cst.BaseSuite | Sequence[cst.BaseStatement]) -> None:
        """Lays statements one after another."""
        statements = body.body if isinstance(body, cst.BaseSuite) else body
        for node in statements:
            if type(node) is cst.SimpleStatementLine:
                self.run_small(node.body)
            elif isinstance(node, cst.BaseSmallStatement):
                self.run_small([node])
            else:
                self.unit.statements[type(node)](self, node)

    def run_small(self, nodes: Sequence[cst.BaseSmallStatement]) -> None:
        """Lays simple statements, each with temporaries of its own."""
        for node in nodes:
            outer = self.builder.begin_statement(node)
            self.unit.statements[type(node)](self, node)
            self.builder.end_statement(outer, node)

    def assign(self, value: RValue, origin: cst.CSTNode) -> Place:
        """Binds a new temporary to a value."""
        place = self.builder.temporary()
        self.builder.emit(Assign(place, value), origin)
        return place

    def resolve(self, node: cst.BaseExpression) -> str | None:
        """Returns the dotted name of an expression, if it is a plain chain of names."""
        text = dotted_text(node)
        if text is None or (self.renamed and self._is_renamed(text.partition(".")[0])):
            return None
        return self.unit.resolver.resolve(text, self.scope)

    def apis(self, node: cst.BaseExpression) -> tuple[Api, ...]:
        """Returns the catalog's entries for a call; none for any other expression."""
        if not isinstance(node, cst.Call):
            return ()
        dotted = self.resolve(node.func)
        apis = self.unit.catalog.lookup(dotted) if dotted else ()
        if not apis and isinstance(node.func, cst.Attribute):
            apis = self.unit.catalog.method(node.func.attr.value)
        return apis

    def exception(self, node: cst.BaseExpression) -> str:
        """Returns the name of an exception class, or ``""`` if the expression names none."""
        text = dotted_text(node)
        own = text is not None and self.scope.is_class(text) and not self._is_renamed(text)
        return canonical(self.resolve(node)) or (text if own and text is not None else "")

    def _is_renamed(self, name: str) -> bool:
        """Whether the name is a variable of a comprehension."""
        return any(name in names for names in self.renamed)

    def local_name(self, name: str) -> Place:
        """Returns the place of a name; variables of a comprehension have their own."""
        for names in reversed(self.renamed):
            if name in names:
                return names[name]
        return AccessPath(name)

    def outlives(self, place: Place) -> bool:
        """Whether a name outlives the call: a global, a nonlocal, a name at module level."""
        if isinstance(place, ComprehensionVariable):
            return False
        return self.module or place in self.scope.outward

    def member(self, base: Operand, attribute: str) -> Place | None:
        """Returns the path of an attribute of a plain name or path."""
        if base == CLASS_RECEIVER and (own := f"{self.class_name}.{attribute}") in self.unit.class_attributes:
            return AccessPath(own)
        if isinstance(base, AccessPath) and not base.is_temporary and base.depth < MAX_FIELDS:
            return base.attribute(attribute)
        return None

    def rebound(self, name: str) -> None:
        """Notes that a name gets another value, or the items of a sequence do: its item is not the current one."""
        inner = f"{name}.", f"{name}["
        for key in [key for key in self.indexed if name in key or key[0].startswith(inner)]:
            del self.indexed[key]
        for entries in [entries for entries, (keys, _) in self.filled.items() if name in (entries, keys)]:
            del self.filled[entries]
        for one in [one for one, length in self.calls_held.items() if name in (one, dotted_text(length.args[0].value))]:
            del self.calls_held[one]

    def condition(self, node: cst.CSTNode) -> Condition | None:
        """Returns the text that identifies a condition if it is tested again."""
        text = condition_text(node)
        return Condition(text) if text is not None else None

    def is_pure(self, node: cst.Call) -> bool:
        """Whether a call returns the same result as long as its arguments are the same variables."""
        dotted = self.resolve(node.func)
        apis = self.unit.catalog.lookup(dotted) if dotted else ()
        return bool(apis) and all(api.raises is None and not api.actions for api in apis)
