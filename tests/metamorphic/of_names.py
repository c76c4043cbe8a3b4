"""Rewrites of names: imports, variables and attributes."""

from __future__ import annotations

import ast

from tests.metamorphic.rewrite import Rewrite, add_at_top, dotted, functions, imports, inside, local_variables

_MODULES = ("os", "socket", "subprocess", "tempfile", "fcntl", "array", "select", "selectors", "contextlib")


def _aliased(tree: ast.Module) -> bool:
    """``import os`` becomes ``import os as os_``."""
    renamed = {module for module in _MODULES if imports(tree, module)}
    for node in ast.walk(tree):
        match node:
            case ast.alias(name, None) if name in renamed:
                node.asname = f"{name}_"
            case ast.Name(id) if id in renamed:
                node.id = f"{id}_"
    return bool(renamed)


class _Unqualified(ast.NodeTransformer):
    def __init__(self, modules: set[str]) -> None:
        self.modules, self.found = modules, dict[str, str]()

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = dotted(node.func)
        module, _, function = name.rpartition(".")
        if module in self.modules and not function[0].isupper():
            self.found[name] = local = f"{module}_{function}"
            node.func = ast.Name(local, ast.Load())
        return node


def _from_imports(tree: ast.Module) -> bool:
    """``os.close(fd)`` becomes ``os_close(fd)`` with ``from os import close as os_close``."""
    unqualified = _Unqualified({module for module in _MODULES if imports(tree, module)})
    unqualified.visit(tree)
    for name, local in unqualified.found.items():
        module, _, function = name.rpartition(".")
        add_at_top(tree, [ast.ImportFrom(module, [ast.alias(function, local)], 0)])
    return bool(unqualified.found)


def _renamed_variables(tree: ast.Module) -> bool:
    """Every local variable gets another name."""
    changed = False
    for function in functions(tree):
        names = local_variables(function)
        for node in inside(function):
            if isinstance(node, ast.Name) and node.id in names:
                node.id, changed = f"its_{node.id}", True
    return changed


def _renamed_attributes(tree: ast.Module) -> bool:
    """Every attribute of ``self`` that a class assigns gets another name."""
    called = {
        node.func.attr for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    stored = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and dotted(node.value) == "self"
    }
    named = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    defined = {one.name for one in functions(tree)}
    names = stored - called - texts - named - defined
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in names:
            node.attr = f"{node.attr}_kept"
    return bool(names)


REWRITES = (
    Rewrite("import os as os_", _aliased),
    Rewrite("from os import close", _from_imports),
    Rewrite("renamed variables", _renamed_variables),
    Rewrite("renamed attributes", _renamed_attributes),
)
