"""Attributes whose class is plain to see: ``self.sock = socket.socket()`` makes ``self.sock`` a socket."""

from __future__ import annotations

import libcst as cst

from fdlint.catalog.model import Instance
from fdlint.lower.names import Resolver, Scope, dotted_text


def attribute_types(module: cst.Module, resolver: Resolver, scope: Scope) -> dict[str, dict[str, str]]:
    """Qualified class name -> attribute -> the dotted name of its type, for types the catalog knows."""
    collector = _Collector(resolver, scope)
    module.visit(collector)
    return collector.found


class _Collector(cst.CSTVisitor):
    def __init__(self, resolver: Resolver, scope: Scope) -> None:
        super().__init__()
        self.found: dict[str, dict[str, str]] = {}
        self._resolver = resolver
        self._scope = scope
        self._path: list[str] = []
        self._classes: list[str] = []

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self._path.append(node.name.value)
        self._classes.append(".".join(self._path))

    def leave_ClassDef(self, original_node: cst.ClassDef) -> None:
        self._path.pop()
        self._classes.pop()

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._path.extend((node.name.value, "<locals>"))

    def leave_FunctionDef(self, original_node: cst.FunctionDef) -> None:
        del self._path[-2:]

    def visit_Assign(self, node: cst.Assign) -> None:
        if self._classes and isinstance(node.value, cst.Call):
            dotted = self._resolver.resolve(dotted_text(node.value.func), self._scope)
            kind = self._instance(dotted)
            for target in node.targets if kind else ():
                match target.target:
                    case cst.Attribute(value=cst.Name(value="self"), attr=cst.Name(value=attribute)):
                        self.found.setdefault(self._classes[-1], {})[attribute] = kind or ""

    def _instance(self, dotted: str | None) -> str | None:
        for api in self._resolver.catalog.lookup(dotted) if dotted else ():
            if isinstance(api.returns, Instance):
                return api.returns.type
        return None
