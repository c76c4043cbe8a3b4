"""Properties: what reading ``self.fd`` comes to when the class says so with ``@property``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import libcst as cst

from fdlint.lower.names import dotted_text

Getters = dict[str, Mapping[str, str]]


def getters(module: cst.Module) -> Getters:
    """Qualified class name -> property -> the attribute that its getter returns and does nothing else, ``""`` for one
    that does more. Properties that can also be set are left out: what they hold is their own affair."""
    return {path: found for path, node in _classes(module.body, "") if (found := _getters(node))}


def _classes(body: Sequence[cst.CSTNode], prefix: str) -> Iterator[tuple[str, cst.ClassDef]]:
    for node in body:
        if isinstance(node, cst.ClassDef):
            path = f"{prefix}{node.name.value}"
            yield path, node
            yield from _classes(node.body.body, f"{path}.")


def _getters(node: cst.ClassDef) -> dict[str, str]:
    methods = [one for one in node.body.body if isinstance(one, cst.FunctionDef)]
    plain = {one.name.value: _returned(one) for one in methods if _decorators(one) == ["property"]}
    changed = {one.partition(".")[0] for method in methods for one in _decorators(method) if "." in one}
    return {name: attribute for name, attribute in plain.items() if name not in changed}


def _decorators(node: cst.FunctionDef) -> list[str]:
    return [dotted_text(one.decorator) or "?" for one in node.decorators]


def _returned(node: cst.FunctionDef) -> str:
    match node.body.body:
        case [*_, cst.SimpleStatementLine(body=[cst.Return(value=cst.Attribute(cst.Name("self"), cst.Name(name)))])]:
            return name if len(node.body.body) == 1 or _is_documentation(node.body.body[:-1]) else ""
    return ""


def _is_documentation(nodes: Sequence[cst.CSTNode]) -> bool:
    match nodes:
        case [cst.SimpleStatementLine(body=[cst.Expr(value=cst.SimpleString() | cst.ConcatenatedString())])]:
            return True
    return False
