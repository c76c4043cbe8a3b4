"""The index of Python, from Python's own parser."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from fdlint.languages.index.language import Index
from fdlint.languages.index.mentions import module_imports
from fdlint.languages.index.outline import Sketch, sketch
from fdlint.languages.index.skeleton import Skeleton, skeleton_of


@dataclass(frozen=True, slots=True)
class PythonIndex:
    """Implements ``Index``."""

    def outline(self, data: bytes) -> Sketch | None:
        """Splits a file into pieces."""
        return sketch(data)

    def imports(self, data: bytes) -> Skeleton:
        """Returns the skeleton of a file's imports."""
        return skeleton_of(ast.parse(module_imports(data.decode(errors="replace"))))


PYTHON_INDEX: Index = PythonIndex()
