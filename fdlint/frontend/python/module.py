"""A file to the graphs of all its functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import libcst as cst

from fdlint.catalog import Catalog
from fdlint.frontend.python.attributes import attribute_types, getters, variable_types
from fdlint.frontend.python.builder import Builder
from fdlint.frontend.python.context import Context, Unit
from fdlint.frontend.python.expressions import EXPRESSIONS
from fdlint.frontend.python.functions import finish
from fdlint.frontend.python.module_scope import module_scope
from fdlint.frontend.python.names import Resolver, Scope
from fdlint.frontend.python.source import Source
from fdlint.frontend.python.statements import STATEMENTS
from fdlint.frontend.python.trees import Tree
from fdlint.index.outline import Made, Piece, Sketch
from fdlint.ir import RETURN, AccessPath, Assign, Constant, Graph, Place


@dataclass(slots=True)
class Functions(Mapping[str, Graph]):
    """Functions by qualified name. Those of pieces that could wait are lowered when somebody first asks for one; what
    asks for all of them lowers all. ``texts``: what every piece says; ``rest``: the file without them, None if it has
    none; ``order``: that of a file in pieces, by the outermost functions."""

    lowered: dict[str, Graph]
    waiting: dict[str, Piece] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    rest: str | None = None
    lower: Callable[[Piece], None] | None = None
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

    def names(self) -> list[str]:
        """All that are known without lowering any more: the pieces, and what has been lowered besides."""
        return [*self.texts, *(name for name, _ in self.known() if name not in self.texts)]

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
        piece = self.waiting.pop(name, None)
        if piece is not None and self.lower is not None:
            self.lower(piece)


def outermost(name: str) -> str:
    """The function or method in which something is nested."""
    return name.partition(".<locals>.")[0].partition("#")[0]


@dataclass(frozen=True, slots=True)
class LoweredModule:
    """A file as the analysis sees it: its functions by qualified name, its own body, what its names stand for.

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
    def graphs(self) -> list[Graph]:
        """All functions in source order, and last the module's own body."""
        return [*self.functions.values(), self.body]


def _rebound(graphs: Sequence[Graph]) -> tuple[frozenset[Place], frozenset[Place]]:
    """The names of globals that some function rebinds, and those of them that are local nowhere."""
    rebound = frozenset[Place]().union(*(graph.globals for graph in graphs))
    local: set[Place] = set()
    for graph in graphs if rebound else ():
        own = {place for place in graph.parameters if place in rebound}
        assigned = {one.target for one in graph.effects() if isinstance(one, Assign)} if not graph.module else set()
        local |= own | (assigned & rebound)
    return rebound, rebound - local


def _share(graphs: Iterable[Graph], rebound: frozenset[Place], shared: frozenset[Place]) -> None:
    """Tells functions which globals some function rebinds: nothing is known of what those hold."""
    for graph in graphs:
        graph.globals = shared
        for name in rebound & graph.types.keys() - set(graph.parameters):
            del graph.types[name]


def lower_module(tree: Tree, catalog: Catalog, package: str = "") -> LoweredModule:
    """Lowers a file: its functions, methods, lambdas and its own body. The tree is given up. ``package``: the one it is
    in, where known."""
    unit, scope, body = _lower(tree, catalog, package, {})
    graphs = [*unit.functions.values(), body]
    _share(graphs, *_rebound(graphs))
    return _lowered(unit, scope, body, Functions(unit.functions))


def lower_sketch(source: Source, outline: Sketch, catalog: Catalog, package: str) -> LoweredModule:
    """The same of a file whose pieces can wait."""
    unit, scope, body = _lower(source.head, catalog, package, outline.made)
    order = {name: number for number, name in enumerate(unit.functions)}
    for name in outline.pieces:
        unit.functions.pop(name, None)  # its stub
    rebound, shared = (frozenset(map(AccessPath, names)) for names in (outline.rebound, outline.shared))
    _share([*unit.functions.values(), body], rebound, shared)

    def lower(piece: Piece) -> None:
        before, decides = set(unit.functions), unit.decides
        _lower_piece(source, piece, unit, scope)
        unit.decides = decides
        new = [graph for name, graph in unit.functions.items() if name not in before]
        _share(new, rebound, shared)

    texts = {name: piece.text for name, piece in outline.pieces.items()}
    return _lowered(
        unit, scope, body, Functions(unit.functions, dict(outline.pieces), texts, outline.text, lower, order)
    )


def _lower_piece(source: Source, piece: Piece, unit: Unit, scope: Scope) -> None:
    tree = source.parse_more(piece.text, piece.line)
    ctx = Context(unit, Builder(None, unit.origins), scope, "", module=True)
    with ctx.builder.bounded():
        match tree.module.body if tree is not None else ():
            case [cst.ClassDef(body=body)] if piece.owner is not None:
                ctx.class_body, ctx.prefix, ctx.class_name = piece.owner, f"{piece.owner}.", piece.owner
                ctx.run(body)
            case statements:
                ctx.run(statements)
    if piece.name not in unit.functions:  # Python can read it, the parser cannot; or its decorators are too large
        unit.functions[piece.name] = Graph(piece.name, abstract=True, too_large=ctx.builder.graph.too_large)
    if tree is not None:
        unit.settle(tree)


def _lower(tree: Tree, catalog: Catalog, package: str, made: Made) -> tuple[Unit, Scope, Graph]:
    module = tree.module
    resolver = Resolver(catalog, package)
    scope = module_scope(module, resolver)
    unit = Unit(catalog, resolver, EXPRESSIONS, STATEMENTS)
    unit.constants = scope.constants
    unit.attribute_types = attribute_types(module, resolver, scope, made)
    unit.variable_types = variable_types(module, resolver, scope)
    unit.getters = getters(module)
    ctx = Context(unit, Builder(None, unit.origins), scope, "", module=True)
    unit.choose(module.body, scope)
    unit.decides = unit.decides or scope.platform
    with ctx.builder.bounded():
        ctx.run(module.body)
        ctx.builder.jump(RETURN)
    finish(ctx)
    unit.settle(tree)
    return unit, scope, ctx.builder.graph


def _lowered(unit: Unit, scope: Scope, body: Graph, functions: Functions) -> LoweredModule:
    return LoweredModule(
        functions,
        body,
        scope.stands_for,
        scope.alternatives,
        scope.same,
        tuple(scope.stars),
        unit.classes,
        unit.subclasses,
        unit.constants,
    )
