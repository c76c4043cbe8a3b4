"""Compares a fix with the one of the maintainers: which closes each adds to a file, and where.

A close is a call whose name begins with `close`, and what it closes is its argument or its receiver. Its way is the
part of the function that it is in: a `finally`, a handler, a `defer`, a branch or the plain body.
"""

from __future__ import annotations

import ast
import enum
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from fdlint.fixes.go_file import GoText, below


class Likeness(enum.Enum):
    """How much one fix is like another, the closest first."""

    SAME = "same close, same way"
    CLOSE = "same close, other way"
    FUNCTION = "other change, same function"
    OTHER = "other function"


@dataclass(frozen=True, slots=True)
class Close:
    """A close of something in a function. ``way``: the part of the function."""

    function: str
    what: str
    way: str


def likeness(path: str, before: str, ours: str, theirs: str) -> Likeness:
    """Compares two changes of one text."""
    closes = _of_go if path.endswith(".go") else _of_python
    old, mine, their = closes(before), closes(ours), closes(theirs)
    added, wanted = mine - old, their - old
    if added & wanted:
        return Likeness.SAME
    places = {(one.function, one.what) for one in added}
    if places & {(one.function, one.what) for one in wanted}:
        return Likeness.CLOSE
    changed = _changed(path, before, ours) & _changed(path, before, theirs)
    return Likeness.FUNCTION if changed else Likeness.OTHER


def _changed(path: str, before: str, after: str) -> set[str]:
    """The functions whose code differs."""
    functions = _go_functions if path.endswith(".go") else _python_functions
    old, new = functions(before), functions(after)
    return {name for name in old.keys() & new.keys() if old[name] != new[name]}


def _parsed(text: str) -> ast.AST:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def _python_functions(text: str) -> dict[str, str]:
    found = {}
    for node, name in _named(_parsed(text), ""):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found[name] = ast.dump(node)
    return found


def _named(node: ast.AST, name: str) -> Iterator[tuple[ast.AST, str]]:
    for child in ast.iter_child_nodes(node):
        inner = name
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            inner = f"{name}.{child.name}".lstrip(".")
        yield child, inner
        yield from _named(child, inner)


def _of_python(text: str) -> Counter[Close]:
    return Counter(_python_closes(_parsed(text), "", "plain"))


def _python_closes(node: ast.AST, function: str, way: str) -> Iterator[Close]:
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST):
                continue
            inside, inner = function, way
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                inside, inner = f"{function}.{child.name}".lstrip("."), "plain"
            elif isinstance(node, ast.Try) and name in ("handlers", "finalbody"):
                inner = name
            elif isinstance(node, ast.If) and way == "plain":
                inner = "branch"
            if isinstance(child, ast.Call) and _last(child.func).lower().startswith("close"):
                about = child.args[0] if child.args else getattr(child.func, "value", child.func)
                yield Close(function, ast.unparse(about), way)
            yield from _python_closes(child, inside, inner)


def _last(callee: ast.expr) -> str:
    return callee.attr if isinstance(callee, ast.Attribute) else getattr(callee, "id", "")


def _go_functions(text: str) -> dict[str, str]:
    file = GoText(text)
    found = {}
    for node in below(file.root):
        name = node.child_by_field_name("name")
        if node.type in ("function_declaration", "method_declaration") and name is not None:
            found[file.code(name)] = " ".join(file.code(node).split())
    return found


def _of_go(text: str) -> Counter[Close]:
    return Counter(_go_closes(GoText(text)))


def _go_closes(file: GoText) -> Iterator[Close]:
    for node in below(file.root):
        callee = node.child_by_field_name("function") if node.type == "call_expression" else None
        if callee is None:
            continue
        owner, _, last = file.code(callee).rpartition(".")
        arguments = node.child_by_field_name("arguments")
        given = [file.code(one) for one in arguments.named_children] if arguments is not None else []
        if last.lower().startswith("close"):
            function, way, at = "", "plain", node.parent
            while at is not None:
                if at.type in ("if_statement", "for_statement") and way == "plain":
                    way = "branch"
                elif at.type == "defer_statement":
                    way = "defer"
                name = at.child_by_field_name("name")
                if at.type in ("function_declaration", "method_declaration") and name is not None:
                    function = file.code(name)
                at = at.parent
            yield Close(function, given[0] if given else owner, way)
