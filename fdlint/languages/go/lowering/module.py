"""Lowers a Go package, the files of one directory, to the graphs of its functions."""

from __future__ import annotations

from fdlint.catalog import Catalog
from fdlint.core.ir import RETURN, Block, Functions, Graph, Jump, LoweredModule, ModuleNames, by_base
from fdlint.languages.go.lowering.context import Unit
from fdlint.languages.go.lowering.functions import lower_declared, lower_literal, run_literal
from fdlint.languages.go.lowering.language import GO
from fdlint.languages.go.lowering.nonnil import NonNil
from fdlint.languages.go.lowering.package import Package


def lower_package(package: Package, catalog: Catalog) -> tuple[LoweredModule, ModuleNames]:
    """Lowers the functions and methods of a package, each when it is needed first."""
    unit = Unit(package, catalog, lower_literal, run_literal, NonNil(package))
    waiting = dict.fromkeys(package.functions)

    def lower(name: str) -> None:
        for declared in package.twins(name):
            if name not in unit.graphs:
                waiting.pop(name, None)
                lower_declared(unit, name, declared)
            name += "#"

    body = Graph(None, GO, blocks=[Block(), Block(), Block(end=Jump((RETURN,)))], module=True)
    classes: dict[str, tuple[str, ...]] = {
        name: tuple(package.embedded.get(name, ())) for name in sorted(package.types)
    }
    subclasses = by_base(classes)
    order = {name: number for number, name in enumerate(package.functions)}
    functions = Functions(unit.graphs, waiting, lower, order)
    lowered = LoweredModule(functions, body, {}, classes, subclasses, {})
    return lowered, ModuleNames(classes=classes, subclasses=subclasses, functions=dict.fromkeys(package.functions))
