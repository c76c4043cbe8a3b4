"""The package's own source, for tests of its structure."""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent / "fdlint"


@dataclass(frozen=True, eq=False)
class Module:
    """One module of the package: its dotted name without ``fdlint.``, its file and its syntax tree."""

    name: str
    path: Path
    text: str
    tree: ast.Module

    @functools.cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Those of the tree. To walk through all trees again takes a second."""
        return tuple(ast.walk(self.tree))


@functools.cache
def modules() -> list[Module]:
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        text = path.read_text(encoding="utf-8")
        found.append(Module(name, path, text, ast.parse(text)))
    return found


@functools.cache
def imports(module: Module) -> list[str]:
    """The imports of ``module``, anywhere in it; ``from fdlint import discover`` counts as
    ``fdlint.scan.files.discover``."""
    found: list[str] = []
    for node in module.nodes:
        if isinstance(node, ast.Import):
            found += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module.path}:{node.lineno}: relative import"
            assert node.module
            found += (f"{node.module}.{alias.name}" for alias in node.names)
    return found
