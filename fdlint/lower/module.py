"""A file to the graphs of all its functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import libcst as cst

from fdlint.catalog import Catalog
from fdlint.graph import RETURN, Assign, Constant, Graph
from fdlint.lower.attributes import attribute_types, variable_types
from fdlint.lower.builder import Builder
from fdlint.lower.context import Context, Unit
from fdlint.lower.expressions import EXPRESSIONS
from fdlint.lower.functions import finish
from fdlint.lower.names import Resolver
from fdlint.lower.properties import getters
from fdlint.lower.scan import module_scope
from fdlint.lower.statements import STATEMENTS


@dataclass(frozen=True, slots=True)
class LoweredModule:
    """A file as the analysis sees it: its functions by qualified name, its own body, what its names stand for.

    ``classes``: qualified name -> the bases as they resolve (dotted, or a plain name of the same file). ``constants``
    grows when those that it imports are found.
    """

    functions: Mapping[str, Graph]
    body: Graph
    names: Mapping[str, str]
    alternatives: Mapping[str, Sequence[str]]
    same: Mapping[str, str]
    stars: tuple[str, ...]
    classes: Mapping[str, tuple[str, ...]]
    constants: dict[str, Constant]

    @property
    def graphs(self) -> list[Graph]:
        """All functions in source order, and last the module's own body."""
        return [*self.functions.values(), self.body]


def share_globals(graphs: Sequence[Graph]) -> None:
    """Tells every function which names are globals that some function rebinds; not those that are local anywhere."""
    rebound = frozenset[str]().union(*(graph.globals for graph in graphs))
    local: set[str] = set()
    for graph in graphs:
        own = {place for place in graph.parameters if place in rebound}
        for block in graph.blocks:
            for step in block.steps:
                if isinstance(step.effect, Assign) and step.effect.target in rebound and not graph.module:
                    own.add(step.effect.target)
        local |= own
    for graph in graphs:
        graph.globals = rebound - local
        for name in rebound & graph.types.keys() - set(graph.parameters):
            del graph.types[name]


def lower_module(module: cst.Module, catalog: Catalog, package: str = "") -> LoweredModule:
    """Lowers a file: its functions, methods, lambdas and its own body. ``package``: the one it is in, where known."""
    resolver = Resolver(catalog, package)
    scope = module_scope(module, resolver)
    unit = Unit(catalog, resolver, EXPRESSIONS, STATEMENTS)
    unit.constants = scope.constants
    unit.attribute_types = attribute_types(module, resolver, scope)
    unit.variable_types = variable_types(module, resolver, scope)
    unit.getters = getters(module)
    ctx = Context(unit, Builder(None), scope, "", module=True)
    unit.choose(module.body, scope)
    unit.decides = unit.decides or scope.platform
    ctx.run(module.body)
    ctx.builder.jump(RETURN)
    finish(ctx)
    share_globals([*unit.functions.values(), ctx.builder.graph])
    return LoweredModule(
        unit.functions,
        ctx.builder.graph,
        scope.stands_for,
        scope.alternatives,
        scope.same,
        tuple(scope.stars),
        unit.classes,
        unit.constants,
    )
