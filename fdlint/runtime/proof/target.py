"""What a proof has to call, by the text of the file alone. Nothing is imported."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from fdlint.core.finding import CAN_RAISE, EventKind, Finding, Span
from fdlint.runtime.proof.machinery.watching import Defect
from fdlint.scan.reading import intake, nesting

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_TWICE = ("FD105", "FD204")


class NoProofError(Exception):
    """There is no test for a finding. The message is the reason."""


@dataclass(slots=True)
class Sources:
    """The syntax trees of the files that the finding names."""

    _trees: dict[str, ast.Module] = field(default_factory=dict)

    def tree(self, path: str) -> ast.Module:
        """Returns the tree of a file. Raises ``NoProofError``."""
        if path not in self._trees:
            self._trees[path] = _parsed(path)
        return self._trees[path]


def defect_of(finding: Finding, sources: Sources) -> Defect:
    """Returns what to show. Raises ``NoProofError``."""
    path = finding.span.path
    begun = finding.trace[-1].span if finding.code == "FD401" and finding.trace else finding.span  # where the loop is
    if not path.endswith(".py"):
        raise NoProofError("a test can call Python only")
    if os.path.isabs(path) or path.startswith(".."):
        raise NoProofError("the file is not below the working directory: start the proof at the root of the project")
    tree = sources.tree(path)
    span = _first(finding, EventKind.ACQUIRED) if finding.code == "FD105" else finding.span
    span = finding.span if span is None or span.path != path else span
    last = finding.span.end_line if span is finding.span else _end_of_statement(tree, span.line)
    top, module = _module(begun.path)
    return Defect(
        finding.code,
        top,
        module,
        _calls(finding, sources.tree(begun.path), span, begun.line),
        path,
        span.line,
        last,
        tuple((one.span.path, one.span.line) for one in finding.trace),
        tuple(_raising(finding, sources)),
        tuple(_spelled(path, tree)),
    )


def _parsed(path: str) -> ast.Module:
    try:
        data = intake.read(Path(path), intake.SOURCE)
        nesting.check(data.decode("utf-8", "replace"))
        return ast.parse(data)
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError) as error:
        raise NoProofError(f"{path} cannot be read: {error}") from None


def _module(path: str) -> tuple[str, str]:
    """Returns the directory to import from, and the dotted name: folders with an ``__init__.py`` are packages."""
    place = Path(path)
    names = [] if place.stem == "__init__" else [place.stem]
    folder = place.parent
    while (folder / "__init__.py").is_file() and folder.name:
        names.insert(0, folder.name)
        folder = folder.parent
    if not all(name.isidentifier() for name in names):
        raise NoProofError(f"{path} cannot be imported: it is no name of a module")
    return str(folder), ".".join(names)


def _first(finding: Finding, kind: EventKind) -> Span | None:
    return next((one.span for one in finding.trace if one.kind is kind), None)


def _calls(finding: Finding, tree: ast.Module, acquiring: Span, line: int) -> tuple[str, ...]:
    """Returns the functions to call, in order; the last one is at a line. None: the code is at the level of the
    module."""
    first = _function_at(tree, acquiring.line)
    last = _function_at(tree, line)
    if last is None:
        return ()
    if finding.code in _TWICE:
        begun = (first,) if first is not None and first != last and _class(first) == _class(last) else ()
        fill = tuple(one for one in begun if not one.endswith(".__init__"))
        return (*fill, last) if begun else (last, last)
    if finding.code == "FD108":
        owner = _class(last)
        closing = [f"{owner}.{name}" for name in ("close",) if owner and _has_method(tree, owner, name)]
        return (last, *closing)
    return (last,)


def _class(function: str) -> str:
    return function.rpartition(".")[0]


def _has_method(tree: ast.Module, owner: str, name: str) -> bool:
    return any(
        isinstance(one, ast.ClassDef)
        and one.name == owner
        and any(getattr(each, "name", "") == name for each in one.body)
        for one in tree.body
    )


def _function_at(tree: ast.Module, line: int) -> str | None:
    """Returns the outermost function around a line, as ``Class.method``."""
    names: list[str] = []
    waiting: list[ast.stmt] = list(tree.body)
    while waiting:
        node = waiting.pop()
        start = min((one.lineno for one in getattr(node, "decorator_list", ())), default=node.lineno)
        if not start <= line <= (node.end_lineno or node.lineno):
            continue
        if isinstance(node, _FUNCTIONS):
            return ".".join([*names, node.name])
        if isinstance(node, ast.ClassDef):
            names.append(node.name)
        waiting = [one for one in ast.iter_child_nodes(node) if isinstance(one, ast.stmt)]
        waiting += [each for one in ast.iter_child_nodes(node) for each in getattr(one, "body", ()) if _is_block(one)]
    return None


def _is_block(node: ast.AST) -> bool:
    return isinstance(node, ast.ExceptHandler | ast.match_case)


def _raising(finding: Finding, sources: Sources) -> Iterator[tuple[str, int, tuple[str, ...]]]:
    """Yields the places at which the trace raises, and what is called there."""
    for one in finding.trace:
        if one.kind is EventKind.RAISED and one.message.endswith(CAN_RAISE):
            tree = sources.tree(one.span.path)
            yield one.span.path, one.span.line, tuple(_called(tree, one.span.line, one.message))


def _called(tree: ast.Module, line: int, message: str) -> Iterable[str]:
    """Returns the last names of the calls of a line; of those that the message quotes, if it quotes one."""
    found: dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.lineno <= line <= (node.end_lineno or line):
            name = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
            if name is not None and node.func.end_lineno is not None and node.lineno == line:
                found[name] = None
    quoted = re.findall(r"\w+(?=\()", message)
    return [name for name in found if name in quoted] or found


def _end_of_statement(tree: ast.Module, line: int) -> int:
    ends = [one.end_lineno or line for one in ast.walk(tree) if isinstance(one, ast.Call) and one.lineno == line]
    return max(ends, default=line)


def _spelled(path: str, tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yields the lines with a ``raise`` or an ``assert``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise | ast.Assert):
            yield from ((path, line) for line in range(node.lineno, (node.end_lineno or node.lineno) + 1))
