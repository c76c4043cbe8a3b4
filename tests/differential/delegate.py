"""Moves the acquisitions, uses and closes of a function to callees."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

from .callee_bodies import Role
from .shape import acquiring

if TYPE_CHECKING:
    from .callees import Callee

ONE = frozenset({"os.open", "os.dup", "os.memfd_create"})


def delegate(source: str, callees: Sequence[Callee], rng: Random, probability: float) -> str:
    """Returns ``source`` with that share of its statements moved to the callees."""
    if not callees:
        return source
    tree = _Delegate(callees, rng, probability).visit(ast.parse(source))
    return ast.unparse(ast.fix_missing_locations(tree))


class _Delegate(ast.NodeTransformer):
    def __init__(self, callees: Sequence[Callee], rng: Random, probability: float) -> None:
        self._callees = callees
        self._rng = rng
        self._probability = probability

    def _able(self, *roles: Role) -> Callee | None:
        """Returns a callee with one of these roles, or None to do without."""
        found = [callee for callee in self._callees if callee.role in roles]
        if not found or self._rng.random() >= self._probability:
            return None
        return self._rng.choices(found, [4**callee.level for callee in found])[0]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if node.name == "closer":  # it captures the descriptor that it closes, and others call it
            return node
        return self.generic_visit(node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        match node.value:
            case ast.Call(func=ast.Attribute(value=ast.Name("os"), attr="close"), args=[item]):
                callee = self._able(Role.CLOSE, Role.CLOSE, Role.CLOSE_IF_ANY, Role.SETTLE)
            case ast.Call(func=ast.Name("adopt" | "use" as name), args=[item]):
                callee = self._able(*([Role.USE] if name == "use" else [Role.CLOSE]))
            case ast.Call(func=ast.Attribute(value=ast.Name(bag), attr="append"), args=[ast.Call() as call]):
                callee = self._able(Role.FILL) if acquiring(call) in ONE and bag != "out" else None
                item = ast.Name(bag)
            case _:
                return self.generic_visit(node)
        if callee is None:
            return self.generic_visit(node)
        return _statement(callee.call(self._rng, ast.unparse(self.visit(item))))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        api = acquiring(node)
        role = {"os.pipe": Role.PAIR, "tempfile.mkstemp": Role.NAMED, "socket.recv_fds": Role.RECEIVE}.get(api or "")
        callee = self._able(Role.GIVE if api in ONE else role) if api in ONE or role else None
        if callee is not None:
            return ast.parse(callee.call(self._rng), mode="eval").body
        return self.generic_visit(node)

    def visit_If(self, node: ast.If) -> ast.AST:
        match node:
            case ast.If(
                test=ast.Compare(left=ast.Name(name), ops=[ast.IsNot()]),
                body=[ast.Expr(ast.Call(func=ast.Attribute(attr="close"), args=[ast.Name(closed)]))],
                orelse=[],
            ) if name == closed:
                callee = self._able(Role.CLOSE_IF_ANY)
                if callee is not None:
                    return _statement(callee.call(self._rng, name))
        return self.generic_visit(node)

    def visit_For(self, node: ast.For) -> ast.AST:
        match node:
            case ast.For(iter=ast.Name(name), body=[ast.Expr(ast.Call(func=ast.Attribute(attr="close")))], orelse=[]):
                callee = self._able(Role.ALL)
                if callee is not None:
                    return _statement(callee.call(self._rng, name))
        return self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.AST]:
        match node:
            case ast.Assign(targets=[ast.Name(name)], value=ast.Call() as call) if acquiring(call) in ONE:
                return self._acquired(node, name)
            case _:
                return self.generic_visit(node)

    def _acquired(self, node: ast.Assign, name: str) -> ast.AST | list[ast.AST]:
        rng = self._rng
        callee = self._able(Role.MAYBE)
        if callee is not None:
            other = rng.choice(["return None", "raise ValueError('bad')", f"{name} = os.dup(0)", "pass"])
            test = ast.parse(f"if {name} is None:\n {other}").body[0]
            return [_statement(f"{name} = {callee.call(rng)}"), *([test] if other != "pass" else [])]
        done: list[ast.AST] = [self.generic_visit(node)]
        for roles, statement, share in ((_SAME, f"{name} = ", 0.4), ((Role.USE,), "", 0.3), ((Role.SETTLE,), "", 0.15)):
            callee = self._able(*roles)
            if callee is not None and rng.random() < share:
                done.append(_statement(statement + callee.call(rng, name)))
        return done

    def visit_Module(self, node: ast.Module) -> ast.AST:
        self.generic_visit(node)
        for inner in ast.walk(node):
            for body in (getattr(inner, field, None) for field in ("body", "orelse", "finalbody")):
                if isinstance(body, list):
                    self._pairs(body)
        return node

    def _pairs(self, body: list[ast.stmt]) -> None:
        """Replaces two closes in a row by one call."""
        for index in range(len(body) - 1):
            match body[index : index + 2]:
                case [
                    ast.Expr(ast.Call(func=ast.Attribute(attr="close"), args=[one])),
                    ast.Expr(ast.Call(func=ast.Attribute(attr="close"), args=[two])),
                ]:
                    callee = self._able(Role.BOTH)
                    if callee is not None:
                        call = callee.call(self._rng, ast.unparse(one), ast.unparse(two))
                        body[index : index + 2] = [_statement(call)]
                        return


_SAME = (Role.SAME, Role.MOVE)


def _statement(text: str) -> ast.stmt:
    return ast.parse(text).body[0]
