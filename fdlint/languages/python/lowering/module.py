"""Lowers a file to the graphs of all its functions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import islice

import libcst as cst

from fdlint.catalog import Catalog
from fdlint.core.ir import RETURN, AccessPath, Assign, Functions, Graph, LoweredModule, ModuleNames, Place
from fdlint.languages.index.class_attributes import class_attributes_in
from fdlint.languages.index.outline import Made, Piece, Sketch
from fdlint.languages.python.lowering.attributes import attribute_types, getters, methods, variable_types
from fdlint.languages.python.lowering.builder import Builder
from fdlint.languages.python.lowering.context import Context, Unit
from fdlint.languages.python.lowering.expressions import EXPRESSIONS
from fdlint.languages.python.lowering.functions import finish
from fdlint.languages.python.lowering.language import PYTHON
from fdlint.languages.python.lowering.module_scope import module_scope
from fdlint.languages.python.lowering.names import Resolver, Scope
from fdlint.languages.python.lowering.source import Source
from fdlint.languages.python.lowering.statements import STATEMENTS
from fdlint.languages.python.lowering.trees import Tree


def _rebound(graphs: Sequence[Graph]) -> tuple[frozenset[Place], frozenset[Place]]:
    """Returns the globals that some function rebinds, and those of them that are local nowhere."""
    rebound = frozenset[Place]().union(*(graph.globals for graph in graphs))
    local: set[Place] = set()
    for graph in graphs if rebound else ():
        own = {place for place in graph.parameters if place in rebound}
        assigned = {one.target for one in graph.effects() if isinstance(one, Assign)} if not graph.module else set()
        local |= own | (assigned & rebound)
    return rebound, rebound - local


def _share(graphs: Iterable[Graph], rebound: frozenset[Place], shared: frozenset[Place]) -> None:
    """Tells functions which globals some function rebinds: the values of these are unknown."""
    for graph in graphs:
        graph.globals = shared
        for name in rebound & graph.types.keys() - set(graph.parameters):
            del graph.types[name]


def lower_module(tree: Tree, catalog: Catalog, package: str = "") -> tuple[LoweredModule, ModuleNames]:
    """Lowers a file: its functions, methods, lambdas and its own body. Drops the tree. ``package``: the file's package,
    if known."""
    own = class_attributes_in(tree.text)
    unit, scope, body = _lower(tree, catalog, package, {}, own)
    graphs = [*unit.functions.values(), body]
    rebound, shared = _rebound(graphs)
    _share(graphs, rebound, shared.union(map(AccessPath, own)))
    lowered = _lowered(unit, scope, body, Functions(unit.functions))
    return lowered, _known_names(scope, lowered)


def lower_sketch(source: Source, outline: Sketch, catalog: Catalog, package: str) -> LoweredModule:
    """Lowers a file whose pieces can wait. Returns no graphs if only Python can parse the rest of the file."""
    head = source.parse_more(outline.text, 1)
    if head is None:
        return lower_module(Tree(""), catalog, package)[0]
    unit, scope, body = _lower(head, catalog, package, outline.made, outline.shared)
    order = {name: number for number, name in enumerate(unit.functions)}
    for name in outline.pieces:
        unit.functions.pop(name, None)  # its stub
    pieces = _Pieces(source, outline, unit, scope, head)
    pieces.share([*unit.functions.values(), body])
    functions = Functions(unit.functions, dict.fromkeys(outline.pieces), pieces.lower, order)
    return replace(_lowered(unit, scope, body, functions), edited=pieces.edited)


class _Pieces:
    """Lowers the pieces of a file one by one, also in later texts of the file."""

    def __init__(self, source: Source, outline: Sketch, unit: Unit, scope: Scope, head: Tree) -> None:
        self._source, self._outline, self._unit, self._scope, self._head = source, outline, unit, scope, head
        self._trees: dict[str, Tree] = {}

    def lower(self, name: str) -> None:
        """Lowers a piece."""
        unit = self._unit
        before, decides = len(unit.functions), unit.decides
        tree = _lower_piece(self._source, self._outline.pieces[name], unit, self._scope)
        if tree is not None:
            self._trees[name] = tree
        unit.decides = decides
        self.share(islice(reversed(unit.functions.values()), len(unit.functions) - before))

    def share(self, graphs: Iterable[Graph]) -> None:
        """Tells functions which globals some function rebinds."""
        _share(graphs, *(frozenset(map(AccessPath, names)) for names in (self._outline.rebound, self._outline.shared)))

    def edited(self, outline: Sketch, changed: Collection[str]) -> None:
        """Goes on with a later text, in which only these pieces have other code, with the same classes in it."""
        self._outline = outline
        self._head.move(outline.text, 1)
        for name in changed:
            self._trees.pop(name, None)
        for name, tree in self._trees.items():
            tree.move(tree.text, outline.pieces[name].line)


def _lower_piece(source: Source, piece: Piece, unit: Unit, scope: Scope) -> Tree | None:
    tree = source.parse_more(piece.text, piece.line)
    ctx = Context(unit, Builder(None, unit.origins), scope, "", module=True)
    with ctx.builder.bounded():
        match tree.module.body if tree is not None else ():
            case [cst.ClassDef(body=body)] if piece.owner is not None:
                ctx.class_body, ctx.prefix, ctx.class_name = piece.owner, f"{piece.owner}.", piece.owner
                ctx.run(body)
            case statements:
                ctx.run(statements)
    if piece.name not in unit.functions:  # Python can read it, but the parser cannot; or its decorators are too large
        unit.functions[piece.name] = Graph(piece.name, PYTHON, abstract=True, too_large=ctx.builder.graph.too_large)
    if tree is not None:
        unit.settle(tree)
    return tree


def _lower(
    tree: Tree, catalog: Catalog, package: str, made: Made, shared: frozenset[str] = frozenset()
) -> tuple[Unit, Scope, Graph]:
    module = tree.module
    resolver = Resolver(catalog, package)
    scope = module_scope(module, resolver)
    unit = Unit(catalog, resolver, EXPRESSIONS, STATEMENTS)
    unit.constants = scope.constants
    unit.class_attributes = frozenset(name for name in shared if "." in name)
    unit.attribute_types = attribute_types(module, resolver, scope, made)
    unit.variable_types = variable_types(module, resolver, scope)
    unit.getters, unit.methods = getters(module), methods(module)
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
    return LoweredModule(functions, body, scope.same, unit.classes, unit.subclasses, unit.constants)


def _known_names(scope: Scope, lowered: LoweredModule) -> ModuleNames:
    """Returns the resolved names of a file that was lowered as a whole."""
    known = lowered.functions.known()
    decorated = frozenset(name for name, graph in known if graph.decorators or graph.wrappers)
    properties = frozenset(name.rpartition(".")[2] for name, graph in known if "property" in graph.decorators)
    return ModuleNames(
        imports=scope.stands_for,
        alternatives=scope.alternatives,
        same=lowered.same,
        stars=tuple(scope.stars),
        classes=lowered.classes,
        subclasses=lowered.subclasses,
        functions={name: None for name, _ in known},
        properties=properties,
        decorated=decorated,
        shared=lowered.body.globals,
    )
