"""Finds the lines on which the functions and classes of a file begin."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping

from fdlint.core.ir import NESTED
from fdlint.scan.reading.nesting import check


def definition_lines(text: str) -> Mapping[str, int]:
    """Returns the line of each definition by its qualified name; of the last definition if several have the same name.
    Returns nothing if the running Python cannot parse the file."""
    try:
        check(text)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found: dict[str, int] = {}
    pending: list[tuple[ast.AST, str]] = [(tree, "")]
    while pending:
        node, prefix = pending.pop()
        inside = prefix
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            name = f"{prefix}{node.name}"
            found[name] = max(node.lineno, found.get(name, 0))
            inside = f"{name}." if isinstance(node, ast.ClassDef) else f"{name}{NESTED}"
        pending.extend((child, inside) for child in ast.iter_child_nodes(node))
    return found
