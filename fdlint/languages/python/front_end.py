"""The front end of Python, as the program uses it."""

from __future__ import annotations

from fdlint.catalog import Catalog
from fdlint.core.ir import LoweredModule, ModuleNames, Place
from fdlint.languages.front_end import FrontEnd
from fdlint.languages.index.python import PYTHON_INDEX
from fdlint.languages.index.skeleton import Skeleton
from fdlint.languages.python.lowering.language import PYTHON
from fdlint.languages.python.lowering.module import lower_module, lower_sketch
from fdlint.languages.python.lowering.module_scope import names_of
from fdlint.languages.python.lowering.names import Resolver
from fdlint.languages.python.lowering.source import Source, read_file
from fdlint.languages.python.lowering.trees import Tree


def _names(skeleton: Skeleton, catalog: Catalog, package: str, shared: frozenset[Place]) -> ModuleNames:
    return names_of(skeleton, Resolver(catalog, package), shared)


def _nothing(path: str) -> Source:
    return Source(path, b"", "utf-8")


def _no_graphs(catalog: Catalog) -> LoweredModule:
    return lower_module(Tree(""), catalog)[0]


FRONT_END = FrontEnd(
    language=PYTHON,
    index=PYTHON_INDEX,
    read=read_file,
    names=_names,
    lower=lower_module,
    lower_pieces=lower_sketch,
    nothing=_nothing,
    change=Source.change,
    no_graphs=_no_graphs,
)
