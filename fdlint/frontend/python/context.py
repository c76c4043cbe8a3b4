"""What lowering one function carries along: the growing graph, the names in scope, the functions met on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import libcst as cst

from fdlint.catalog import Catalog
from fdlint.frontend.python.attributes import Getters
from fdlint.frontend.python.builder import Builder, Handler
from fdlint.frontend.python.definitions import choose
from fdlint.frontend.python.exceptions import canonical
from fdlint.frontend.python.language import PYTHON
from fdlint.frontend.python.names import Resolver, Scope, dotted_text
from fdlint.frontend.python.texts import condition_text
from fdlint.frontend.python.trees import Origin, Origins, Tree
from fdlint.ir import (
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

Expression: TypeAlias = "Callable[[Context, Any], Operand]"
Statement: TypeAlias = "Callable[[Context, Any], None]"
_MAX_DEPTH = 4  # attributes of attributes that are told apart


@dataclass(slots=True)
class Unit:
    """One file being lowered. ``functions`` collects every function's graph by qualified name, the module's as None."""

    catalog: Catalog
    resolver: Resolver
    expressions: Mapping[type[cst.CSTNode], Expression]
    statements: Mapping[type[cst.CSTNode], Statement]
    functions: dict[str, Graph] = field(default_factory=dict)
    classes: dict[str, tuple[str, ...]] = field(default_factory=dict)  # qualified name -> bases
    subclasses: dict[str, list[str]] = field(default_factory=dict)  # a base -> the classes that name it
    generated: dict[str, dict[Place, tuple[Operand | None, Origin]]] = field(default_factory=dict)  # class -> fields
    constants: dict[str, Constant] = field(default_factory=dict)  # what NAMES of the module stand for
    variable_types: dict[str, str] = field(default_factory=dict)  # variable of the module -> type
    attribute_types: dict[str, dict[str, str]] = field(default_factory=dict)  # class -> attribute -> type
    getters: Getters = field(default_factory=dict)  # class -> property -> the attribute it stands for, if only one

    decides: bool = False  # definitions are picked by platform tests, and so those tests are decided throughout
    others: frozenset[int] = frozenset()  # ids of the functions that are not the ones meant by their names

    ruled_out: frozenset[int] = frozenset()  # ids of those of them that never run
    origins: Origins = field(default_factory=Origins)

    def choose(self, body: Sequence[cst.CSTNode], scope: Scope) -> None:
        """Finds out which of the definitions in a module's or a class's body are meant by their names."""
        choice = choose(body, lambda test: self.resolver.answer(test, scope))
        self.others |= choice.others
        self.ruled_out |= choice.ruled_out
        self.decides = self.decides or choice.platform

    def settle(self, tree: Tree) -> None:
        """All of a tree has been lowered: what is known by its nodes is known no more."""
        self.origins.settle(tree)
        self.others = self.ruled_out = frozenset()

    def add_class(self, name: str, bases: tuple[str, ...]) -> None:
        """A class has been found; of two with one name, the last counts."""
        for base in self.classes.get(name, ()):
            self.subclasses[base].remove(name)
        self.classes[name] = bases
        for base in bases:
            self.subclasses.setdefault(base, []).append(name)

    def unique(self, name: str, other: bool = False) -> str:
        """The qualified name, told apart from earlier definitions of the same name; ``other``: the plain name is
        another's."""
        taken, number = (f"{name}#2", 3) if other else (name, 2)
        while taken in self.functions:
            taken, number = f"{name}#{number}", number + 1
        self.functions[taken] = Graph(taken, PYTHON)
        return taken


@dataclass(frozen=True, slots=True)
class Handling:
    """An ``except`` clause whose body is being lowered: what it caught, and the name that it gives that."""

    caught: CaughtException
    handler: Handler
    name: str | None


@dataclass(slots=True)
class Context:
    """One function being lowered."""

    unit: Unit
    builder: Builder
    scope: Scope
    prefix: str  # qualified name + "." of what encloses new definitions
    class_name: str | None = None  # qualified name of the class whose method this is
    handlers: list[Handling] = field(default_factory=list)
    lends: bool = False  # a generator that is a context manager
    calm_yield: bool = False  # a generator into which nobody throws (a fixture)
    module: bool = False
    class_body: str | None = None  # path of the class whose body is being lowered inline
    nested: list[Graph] = field(default_factory=list)
    renamed: list[dict[str, Place]] = field(default_factory=list)  # names of comprehensions under way
    unused: cst.CSTNode | None = None  # a call whose result nobody looks at
    thrown: cst.CSTNode | None = None  # a call whose result is raised
    consumes: bool = False  # the next expression is iterated to its end
    splits: bool = False  # a condition is being bound to a name: keep its two answers apart

    def operand(self, node: cst.BaseExpression) -> Operand:
        """Evaluates an expression; what it evaluates on the way becomes steps."""
        return self.unit.expressions[type(node)](self, node)

    def iterated(self, node: cst.BaseExpression) -> Operand:
        """Evaluates an expression that is iterated right away: a generator expression runs here."""
        self.consumes = isinstance(node, cst.GeneratorExp)
        value = self.operand(node)
        self.consumes = False
        return value

    def run(self, body: cst.BaseSuite | Sequence[cst.BaseStatement]) -> None:
        """Lays statements one after another."""
        statements = body.body if isinstance(body, cst.BaseSuite) else body
        for node in statements:
            if isinstance(node, cst.SimpleStatementLine):
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
        """The dotted name that an expression stands for, if it is a plain chain of names."""
        text = dotted_text(node)
        if text is None or (self.renamed and self._is_renamed(text.partition(".")[0])):
            return None
        return self.unit.resolver.resolve(text, self.scope)

    def exception(self, node: cst.BaseExpression) -> str:
        """The name of an exception class, or ``""`` when the expression names none."""
        text = dotted_text(node)
        own = text is not None and self.scope.is_class(text) and not self._is_renamed(text)
        return canonical(self.resolve(node)) or (text if own and text is not None else "")

    def _is_renamed(self, name: str) -> bool:
        """Whether it is a variable of a comprehension."""
        return any(name in names for names in self.renamed)

    def local_name(self, name: str) -> Place:
        """The place of a name: itself, but for the variables of a comprehension."""
        for names in reversed(self.renamed):
            if name in names:
                return names[name]
        return AccessPath(name)

    def outlives(self, place: Place) -> bool:
        """Whether a name lives longer than the call: a global, a nonlocal, a name at module level."""
        if isinstance(place, ComprehensionVariable):
            return False
        return self.module or place in self.scope.outward

    def member(self, base: Operand, attribute: str) -> Place | None:
        """The path of an attribute of a plain name or path."""
        if isinstance(base, AccessPath) and not base.is_temporary and base.depth < _MAX_DEPTH:
            return base.attribute(attribute)
        return None

    def condition(self, node: cst.CSTNode) -> Condition | None:
        """The text by which a condition is known when it is asked again."""
        text = condition_text(node)
        return Condition(text) if text is not None else None

    def is_pure(self, node: cst.Call) -> bool:
        """A call that answers the same as long as its arguments are the same variables."""
        dotted = self.resolve(node.func)
        apis = self.unit.catalog.lookup(dotted) if dotted else ()
        return bool(apis) and all(api.raises is None and not api.actions for api in apis)
