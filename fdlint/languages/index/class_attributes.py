"""Finds the attributes of classes that functions set: ``cls._fd = …`` in a class method, ``Pool._fd = …`` anywhere.
They live as long as the process, as globals do."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator

SETS = re.compile(r"(?m)^[ \t]+(?:[\w.]+, *)*(?:cls|[A-Z]\w*)\.\w+[\w., ]*=[^=]")


def class_attributes_in(text: str) -> frozenset[str]:
    """Returns the same as ``class_attributes`` for a text; nothing if the running Python cannot parse it."""
    if not SETS.search(text):
        return frozenset()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return class_attributes(ast.parse(text), text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()


def class_attributes(tree: ast.Module, text: str) -> frozenset[str]:
    """Returns the attributes of a file's top-level classes that functions set, each with its class. Leaves out those
    that objects may have themselves, and classes with subclasses, each of which may have its own."""
    if not SETS.search(text):
        return frozenset()
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    sets = [(name, attribute) for name, attribute in _set(tree) if name == "cls" or name in classes]
    if not sets:
        return frozenset()
    found = {f"{name}.{attribute}" for name, attribute in sets if name in classes}
    for name, node in classes.items():
        found |= {f"{name}.{attribute}" for attribute in _set_by_class_methods(node)}
        if any(one.startswith(f"{name}.") for one in found):
            found -= {f"{name}.{attribute}" for attribute in _of_objects(node)}
    bases = {ast.unparse(base) for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for base in node.bases}
    return frozenset(one for one in found if one.partition(".")[0] not in bases)


def _set(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yields the attributes that code sets through a plain name, each with the name."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(ast.Name(name), attribute, ast.Store()):
                yield name, attribute


def _set_by_class_methods(node: ast.ClassDef) -> Iterator[str]:
    for method in node.body:
        if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef) and _is_of_class(method):
            yield from (attribute for name, attribute in _set(method) if name == "cls")


def _is_of_class(method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(isinstance(one, ast.Name) and one.id == "classmethod" for one in method.decorator_list)


def _of_objects(node: ast.ClassDef) -> Iterator[str]:
    """Yields the attributes of the object that a class's methods mention."""
    methods = [one for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
    own = {one.args.args[0].arg for one in methods if one.args.args and not _is_of_class(one)}
    for inner in ast.walk(node):
        match inner:
            case ast.Attribute(ast.Name(name), attribute) if name in own:
                yield attribute
