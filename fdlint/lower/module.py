"""A file to the graphs of all its functions."""

from __future__ import annotations

import libcst as cst

from fdlint.catalog import Catalog
from fdlint.graph import RETURN, Graph
from fdlint.lower.attributes import attribute_types
from fdlint.lower.builder import Builder
from fdlint.lower.context import Context, Unit
from fdlint.lower.expressions import EXPRESSIONS
from fdlint.lower.functions import finish
from fdlint.lower.names import Resolver, module_scope
from fdlint.lower.statements import STATEMENTS


def lower_module(module: cst.Module, catalog: Catalog) -> list[Graph]:
    """The graphs of a module's functions, methods and lambdas in source order, and last that of its own body."""
    resolver = Resolver(catalog)
    scope = module_scope(module, resolver)
    unit = Unit(catalog, resolver, EXPRESSIONS, STATEMENTS)
    unit.attribute_types = attribute_types(module, resolver, scope)
    ctx = Context(unit, Builder(None), scope, "", module=True)
    ctx.run(module.body)
    ctx.builder.jump(RETURN)
    finish(ctx)
    return [*unit.functions.values(), ctx.builder.graph]
