"""The front end of a language that is analysed file by file: what the program asks of it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from fdlint.catalog import Catalog
from fdlint.core.ir import LoweredModule, ModuleNames, Place
from fdlint.core.ir.language import Language
from fdlint.core.ir.source import SourceCode
from fdlint.languages.description import LanguageDescription
from fdlint.languages.index.language import Index
from fdlint.languages.index.outline import Sketch
from fdlint.languages.index.skeleton import Skeleton
from fdlint.languages.registry import MAIN
from fdlint.report.findings.finding import Skipped


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontEnd:
    """``language`` and ``index``: see there. The others get the catalog and the package of a file, if they need them.

    ``read`` returns a file, by its contents and its path in reports: in pieces, as a tree that only the front end
    knows, or the reason for which it cannot be read. ``names``: the names of a module
    from its skeleton, and the globals that some function rebinds. ``lower``: the graphs and the names of a tree.
    ``lower_pieces``: the graphs of a file in pieces. ``nothing``: a source without contents at a path. ``no_graphs``:
    what is lowered of it. ``change``: gives a source other contents.
    """

    language: Language
    index: Index
    read: Callable[[bytes, str], tuple[SourceCode, Any] | Skipped]
    names: Callable[[Skeleton, Catalog, str, frozenset[Place]], ModuleNames]
    lower: Callable[[Any, Catalog, str], tuple[LoweredModule, ModuleNames]]
    lower_pieces: Callable[[Any, Sketch, Catalog, str], LoweredModule]
    nothing: Callable[[str], SourceCode]
    change: Callable[[Any, bytes], None]
    no_graphs: Callable[[Catalog], LoweredModule]


@functools.cache
def front_end_of(language: LanguageDescription = MAIN) -> FrontEnd:
    """Returns the front end of a language."""
    return cast(FrontEnd, language.part("front_end").FRONT_END)
