"""What every rewrite has: a name, and a function that changes a module and tells whether it did."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Function = ast.FunctionDef | ast.AsyncFunctionDef
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.GeneratorExp)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True)
class Rewrite:
    """One way to write a program otherwise. ``change`` returns whether anything changed. ``moves``: it moves statements
    to new functions, and what is found in them with it."""

    name: str
    change: Callable[[ast.Module], bool]
    moves: bool = False

    def __call__(self, source: str) -> str | None:
        """Returns the rewritten source; None if the rewrite finds nothing to do."""
        tree = ast.parse(source)
        if not self.change(tree):
            return None
        return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def functions(tree: ast.AST) -> list[Function]:
    """Returns all functions and methods."""
    return [node for node in ast.walk(tree) if isinstance(node, Function)]


def inside(function: ast.AST) -> Iterator[ast.AST]:
    """Yields the nodes of a function's body, without those of nested scopes."""
    pending = list(ast.iter_child_nodes(function))
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, SCOPES):
            pending.extend(ast.iter_child_nodes(node))


def bodies(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    """Yields every list of statements."""
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and block:
                yield block


def statements(text: str) -> list[ast.stmt]:
    """Returns the statements of a piece of source."""
    return ast.parse(text).body


def expression(text: str) -> ast.expr:
    """Returns the expression in a piece of source."""
    return ast.parse(text, mode="eval").body


def dotted(node: ast.AST) -> str:
    """Returns ``os.close`` for such an expression, an empty text for any other."""
    match node:
        case ast.Name(id):
            return id
        case ast.Attribute(value, attr):
            owner = dotted(value)
            return f"{owner}.{attr}" if owner else ""
    return ""


def add_at_top(tree: ast.Module, added: list[ast.stmt]) -> None:
    """Adds statements behind the imports, before anything is defined."""
    at = 0
    for index, node in enumerate(tree.body):
        doc = index == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, ast.Import | ast.ImportFrom) or doc:
            at = index + 1
        elif isinstance(node, Function | ast.ClassDef):
            break
    tree.body[at:at] = added


def imports(tree: ast.Module, module: str) -> bool:
    """Whether a module is imported by its own name at the top, and the name has no other meaning."""
    imported = any(
        alias.name == module and alias.asname is None
        for node in tree.body
        if isinstance(node, ast.Import)
        for alias in node.names
    )
    return imported and module not in bound(tree)


def bound(tree: ast.AST) -> set[str]:
    """Returns every name that gets a value other than by an import."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id, ast.Store() | ast.Del()):
                found.add(id)
            case ast.arg(arg):
                found.add(arg)
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
                found.add(name)
            case ast.ExceptHandler(name=str(name)):
                found.add(name)
            case ast.Global(names) | ast.Nonlocal(names):
                found.update(names)
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                found.add(name)
    return found


def local_variables(function: Function) -> set[str]:
    """Returns the plain local variables that only the function itself uses: no parameter, no loop in a comprehension,
    nothing that a nested function sees, no throw-away. There are none if it asks for them by a text."""
    found: set[str] = set()
    if any(isinstance(node, ast.Name) and node.id in ("locals", "vars", "dir") for node in inside(function)):
        return found
    barred = {arg.arg for arg in ast.walk(function.args) if isinstance(arg, ast.arg)}
    for node in inside(function):
        match node:
            case ast.Name(id, ast.Store()) if id.strip("_"):
                found.add(id)
            case ast.Name(id, ast.Del()):
                barred.add(id)
            case ast.Global(names) | ast.Nonlocal(names):
                barred.update(names)
            case ast.NamedExpr(ast.Name(id)) | ast.AugAssign(ast.Name(id)) | ast.AnnAssign(ast.Name(id)):
                barred.add(id)
            case ast.Import(names) | ast.ImportFrom(names=names):
                barred.update(one.asname or one.name for one in names)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                barred.add(name)
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
                barred.add(name)
        if isinstance(node, (*SCOPES, *COMPREHENSIONS)):
            barred.update(name.id for name in ast.walk(node) if isinstance(name, ast.Name))
            barred.update(one for inner in ast.walk(node) if isinstance(inner, ast.Nonlocal) for one in inner.names)
    return found - barred


class Replacing(ast.NodeTransformer):
    """Replaces each call that ``replaced`` returns another expression for."""

    def __init__(self, replaced: Callable[[ast.Call], ast.expr | None]) -> None:
        self._replaced = replaced
        self.changed = False

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        new = self._replaced(node)
        if new is None:
            return node
        self.changed = True
        return new


def replace_calls(tree: ast.AST, replaced: Callable[[ast.Call], ast.expr | None]) -> bool:
    """Replaces calls in place. Returns whether there was any."""
    replacing = Replacing(replaced)
    replacing.visit(tree)
    return replacing.changed
