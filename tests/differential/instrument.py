"""Instruments generated code for its runs. Lines stay the same."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from .shape import acquiring, has_objects, is_own_call, place


@dataclass(frozen=True, slots=True)
class Root:
    """A function that runs on its own. ``name``: dotted in a class. ``method``: it is called on an object."""

    name: str
    parameters: tuple[str, ...]
    method: bool


class Instrument(ast.NodeTransformer):
    """Turns asserts into assumptions, counts the iterations of loops, and checks the exceptions that handlers catch.

    Acquisitions get their place. Nested functions take over what they capture, because all that capture something close
    it. Calls of the module's own functions go through a hook, and each of these functions reports its entry.
    """

    def __init__(self, own: frozenset[str]) -> None:
        self._own = own
        self._loops = 0
        self._depth = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt | list[ast.stmt]:
        self._depth += 1
        self.generic_visit(node)
        self._depth -= 1
        if not _is_called_by_itself(node):
            node.body.insert(0, self._call("_enter", node))
        if not self._depth:
            return node
        return [node, self._call("_capture", node, ast.Name(node.name, ast.Load()))]

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        return ast.copy_location(ast.Call(ast.Name("_capture", ast.Load()), [node], []), node)

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        return self._call("_assume", node, node.test)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        where = _where(node)
        own = is_own_call(node, self._own)
        self.generic_visit(node)
        if acquiring(node) is not None:
            node.keywords.append(ast.keyword("_site", where))
        if own:
            node.args[:0] = [where, node.func]
            node.func = ast.copy_location(ast.Name("_own", ast.Load()), node)
        return node

    def visit_With(self, node: ast.With) -> ast.stmt:
        self.generic_visit(node)
        for item in node.items:
            inner = item.context_expr
            given = [_where(inner), inner]
            item.context_expr = ast.copy_location(ast.Call(ast.Name("_managed", ast.Load()), given, []), inner)
        return node

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        self.generic_visit(node)
        self._loops += 1
        number = ast.Constant(self._loops)
        node.body.insert(0, self._call("_round", node, number))
        return [self._call("_loop", node, number), node]

    def visit_Try(self, node: ast.Try) -> ast.stmt:
        self.generic_visit(node)
        for handler in node.handlers:
            handler.type = handler.type or ast.copy_location(ast.Name("Exception", ast.Load()), handler)
            handler.body.insert(0, self._call("_caught", node))
        if node.finalbody:
            node.finalbody.insert(0, self._call("_caught", node))
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        return node if node.exc is not None else [self._call("_again", node), node]

    def _call(self, name: str, at: ast.stmt, *args: ast.expr) -> ast.stmt:
        call = ast.Expr(ast.Call(ast.Name(name, ast.Load()), list(args), []))
        for node in ast.walk(call):
            if not isinstance(node, ast.expr_context):
                ast.copy_location(node, at)
        return call


def _where(node: ast.expr) -> ast.expr:
    return ast.Tuple([ast.Constant(number) for number in place(node)], ast.Load())


def _is_called_by_itself(node: ast.FunctionDef) -> bool:
    """Whether no call stands for it: its frame would keep its object alive after its end."""
    return node.name == "__del__" or any(ast.unparse(one) == "property" for one in node.decorator_list)


def roots(tree: ast.Module) -> list[tuple[Root, ast.FunctionDef]]:
    """Returns the functions that run on their own: all except those that capture a name."""
    found = []
    for node in tree.body:
        match node:
            case ast.FunctionDef():
                found.append((_root(node.name, node, method=False), node))
            case ast.ClassDef(name=owner, body=body) if not has_objects(node):
                for inner in body:
                    if isinstance(inner, ast.FunctionDef):
                        static = any(isinstance(one, ast.Name) for one in inner.decorator_list)
                        found.append((_root(f"{owner}.{inner.name}", inner, method=not static), inner))
    for _, function in list(found):
        for inner in ast.walk(function):
            if isinstance(inner, ast.FunctionDef) and inner is not function:
                found.append((_root(inner.name, inner, method=False), inner))
    return found


def _root(name: str, node: ast.FunctionDef, *, method: bool) -> Root:
    names = [argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)]
    return Root(name, tuple(names[1:] if method else names), method)
