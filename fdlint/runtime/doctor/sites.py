"""Finds the calls of a project that open descriptors, with their paths as far as the code spells them.

Python's own parser reads the files; nothing is executed. A call counts by its name alone, so a wrapper of the project
appears as the call inside it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from fdlint.catalog import Catalog, catalog_of
from fdlint.catalog.model import Made
from fdlint.languages.index.facts import dotted_name
from fdlint.languages.index.outline import parsed
from fdlint.runtime.doctor.suspects import Parts, Site
from fdlint.scan.files.discover import FileToScan
from fdlint.scan.reading import intake

_BUILTINS = "builtins."
_JOINING = frozenset({"join", "Path", "PurePath", "PosixPath", "fspath", "str"})
_LONGEST_CODE = 100
_DEEPEST = 8
_MOST_WORK = 200  # expressions of one path
_QUOTED = re.compile(r'"([^"\\\n]{1,300})"')


def sites_of(file: FileToScan) -> Iterator[Site]:
    """Yields the acquiring calls of a Python file in the order of its text. Yields none if it cannot be read."""
    data = intake.content(file.path, intake.SOURCE)
    found = parsed(data) if data is not None else None
    if found is None:
        return
    text, _, tree = found
    lines = text.split("\n")
    module = _Module(catalog_of(file.config.models), tree)
    for node, api, makes in module.calls():
        parts = module.path(node) if Made.PATH in makes else ()
        yield Site(file.shown, node.lineno, _shown(lines, node.lineno), api, makes, parts)


def makes_of(catalog: Catalog, api: str) -> frozenset[Made]:
    """Returns the kinds of descriptors that a call of this name can open."""
    if catalog.makers(api):
        return frozenset({Made.PIPE})
    return frozenset(one.makes for one in catalog.lookup(api) if one.makes is not None)


def quoted_path(code: str) -> Parts:
    """Returns the first quoted text of a line of Go that looks like a path."""
    found = (one for one in _QUOTED.findall(code) if one.startswith("/"))
    path = next(found, None)
    return (path,) if path is not None else ()


def _shown(lines: Sequence[str], number: int) -> str:
    code = lines[number - 1].strip() if number <= len(lines) else ""
    return code if len(code) <= _LONGEST_CODE else code[: _LONGEST_CODE - 1] + "…"


class _Module:
    """One module: its imports, its constants and its calls. It uses no recursion over the tree."""

    def __init__(self, catalog: Catalog, tree: ast.Module) -> None:
        self._catalog = catalog
        self._nodes = list(ast.walk(tree))
        self._imports = _imports(self._nodes)
        self._constants = _constants(self._nodes)
        self._work = 0

    def calls(self) -> Iterator[tuple[ast.Call, str, frozenset[Made]]]:
        """Yields each acquiring call with the catalog's name and its kinds."""
        found = []
        for node in self._nodes:
            if isinstance(node, ast.Call) and (name := self._meaning(node.func)) is not None:
                makes = makes_of(self._catalog, name)
                if makes:
                    found.append((node, name, makes))
        return iter(sorted(found, key=lambda one: (one[0].lineno, one[0].col_offset)))

    def _meaning(self, func: ast.expr) -> str | None:
        dotted = dotted_name(func)
        if dotted is None:
            return None
        first, dot, rest = dotted.partition(".")
        if first in self._imports:
            return self._catalog.canonical(f"{self._imports[first]}{dot}{rest}")
        return _BUILTINS + first if not dot else None

    def path(self, call: ast.Call) -> Parts:
        """Returns the path that a call opens: its first argument."""
        given = call.args[0] if call.args else next((one.value for one in call.keywords if one.arg), None)
        self._work = _MOST_WORK
        return _joined(self._spelled(given, 0)) if given is not None else ()

    def _spelled(self, node: ast.expr, depth: int) -> Parts:
        """The text of an expression. Names can stand for each other, so depth and work have bounds."""
        self._work -= 1
        if depth > _DEEPEST or self._work < 0:
            return (None,)
        match node:
            case ast.Constant(str(text)):
                return (text,)
            case ast.Name(name) if name in self._constants:
                return self._spelled(self._constants[name], depth + 1)
            case ast.JoinedStr(values):
                return tuple(part for one in values for part in self._spelled(one, depth + 1))
            case ast.BinOp(left, ast.Add(), right):
                return (*self._spelled(left, depth + 1), *self._spelled(right, depth + 1))
            case ast.BinOp(left, ast.Div(), right):
                return (*self._spelled(left, depth + 1), "/", *self._spelled(right, depth + 1))
            case ast.Call(func, args, _) if args and (dotted_name(func) or "").rpartition(".")[2] in _JOINING:
                parts = [self._spelled(one, depth + 1) for one in args]
                return tuple(part for one in parts for part in ("/", *one))[1:]
            case _:
                return (None,)


def _imports(nodes: Sequence[ast.AST]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.partition(".")[0]
                found[alias.asname or root] = alias.name if alias.asname else root
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            found.update((alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names)
    return found


def _constants(nodes: Sequence[ast.AST]) -> Mapping[str, ast.expr]:
    """The names that are bound once in the whole file, each with its value. The others can mean several things."""
    bound: dict[str, list[ast.expr | None]] = {}
    for node in nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound.setdefault(node.id, []).append(None)
        elif isinstance(node, ast.arg):
            bound.setdefault(node.arg, []).extend((None, None))
    values: dict[str, ast.expr] = {}
    for node in nodes:
        match node:
            case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(ast.Name(name), _, ast.expr() as value):
                if len(bound[name]) == 1:
                    values[name] = value
    return values


def _joined(parts: Parts) -> Parts:
    """Joins neighbours; a path without a spelled part is unknown."""
    found: list[str | None] = []
    for part in parts:
        if found and part is not None and found[-1] is not None:
            found[-1] = f"{found[-1]}{part}"
        elif part is not None or not found or found[-1] is not None:
            found.append(part)
    return tuple(found) if any(part and part.strip("/") for part in found) else ()
