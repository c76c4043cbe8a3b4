"""Collects the names of a module from its top level before any code is lowered."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from types import EllipsisType
from typing import TypeVar

import libcst as cst

from fdlint.core.ir import AccessPath, ModuleNames, Place, by_base
from fdlint.languages.index.skeleton import Alias, Choice, Definition, Import, ImportFrom, Skeleton, Statement
from fdlint.languages.python.lowering.kinds import kinds
from fdlint.languages.python.lowering.language import is_constant_name
from fdlint.languages.python.lowering.names import Resolver, Scope, dotted_text, literal

Arm = TypeVar("Arm")


def module_scope(module: cst.Module, resolver: Resolver) -> Scope:
    """Returns the names of a module: imports, definitions and aliases, also those under ``if`` and ``try`` at its top
    level."""
    scope = Scope()
    scope.later.update(_defined(module.body))
    scope.own.update(scope.later)
    _scan(module.body, resolver, scope)
    resolver.bind_starred_modules(scope)
    return scope


def _defined(body: Sequence[cst.BaseStatement]) -> Iterator[str]:
    """Yields the functions and classes that a module defines unconditionally. They count before their definition,
    too."""
    return (node.name.value for node in body if isinstance(node, (cst.FunctionDef, cst.ClassDef)))


def _scan(body: object, resolver: Resolver, scope: Scope) -> None:
    if isinstance(body, cst.IndentedBlock):
        body = body.body
    for node in body if isinstance(body, (list, tuple)) else ():
        match node:
            case cst.SimpleStatementLine():
                for small in node.body:
                    _scan_small(small, resolver, scope)
            case cst.FunctionDef() | cst.ClassDef():
                scope.own.add(node.name.value)
                scope.later.discard(node.name.value)
                if isinstance(node, cst.ClassDef):
                    scope.classes.add(node.name.value)
            case cst.If():
                _scan_if(node, resolver, scope)
            case cst.Try() | cst.TryStar() | cst.With():
                _scan_compound(node, resolver, scope)


def _scan_if(node: cst.If, resolver: Resolver, scope: Scope) -> None:
    """Scans the branch that a platform test selects first, so that its names win."""
    known = resolver.answer(node.test, scope)
    body: object = node.body
    orelse: object = node.orelse.body if isinstance(node.orelse, cst.Else) else [node.orelse]
    arms = (orelse, body) if known is False else (body, orelse)
    _scan_arms(known, arms, functools.partial(_scan, resolver=resolver, scope=scope), scope)


def _scan_arms(known: bool | None, arms: tuple[Arm, Arm], scan: Callable[[Arm], None], scope: Scope) -> None:
    scan(arms[0])
    imported, defined = set(scope.stands_for), set(scope.own)
    seen = sum(map(len, scope.alternatives.values()))
    scan(arms[1])
    if known is not None:
        hidden = (scope.stands_for.keys() - imported) & defined
        for name in hidden:
            del scope.stands_for[name]
        if hidden or sum(map(len, scope.alternatives.values())) > seen:
            scope.platform = True


def _scan_compound(node: cst.Try | cst.TryStar | cst.With, resolver: Resolver, scope: Scope) -> None:
    _scan(node.body, resolver, scope)
    if isinstance(node, (cst.Try, cst.TryStar)):
        for handler in node.handlers:
            _scan(handler.body, resolver, scope)
        if node.orelse is not None:
            _scan(node.orelse.body, resolver, scope)


def _scan_constant(name: str, node: cst.BaseExpression, resolver: Resolver, scope: Scope) -> None:
    """Notes ``LIMIT = 3``, and ``CHILD = pty.CHILD`` if the catalog has its number."""
    value = literal(node)
    if isinstance(value, EllipsisType):
        value = resolver.number(node, scope)
    if not is_constant_name(name) or isinstance(value, EllipsisType) or name in scope.bound:
        scope.constants.pop(name, None)
    else:
        scope.constants[name] = value


def _scan_fixed(name: str, node: cst.BaseExpression, resolver: Resolver, scope: Scope) -> None:
    """Notes ``WINDOWS = sys.platform == "win32"``, if the name is bound to nothing else."""
    known = resolver.answer(node, scope) if scope.times[name] == 1 else None
    if known is None:
        scope.fixed.pop(name, None)
    else:
        scope.fixed[name] = known


def _scan_group(name: str, node: cst.BaseExpression, scope: Scope) -> None:
    """Notes a tuple of names, as of exceptions, if the name is bound to nothing else."""
    scope.groups.pop(name, None)
    if isinstance(node, cst.Tuple) and scope.times[name] == 1:
        scope.groups[name] = tuple(element.value for element in node.elements)


def _scan_small(node: cst.BaseSmallStatement, resolver: Resolver, scope: Scope) -> None:
    match node:
        case cst.Import() | cst.ImportFrom() | cst.LazyImport() | cst.LazyImportFrom():
            resolver.bind_import(node, scope)
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]):
            _scan_constant(name, node.value, resolver, scope)
            scope.times[name] = scope.times.get(name, 0) + 1
            _scan_fixed(name, node.value, resolver, scope)
            _scan_group(name, node.value, scope)
            scope.kinds[name] = (*scope.kinds.get(name, ()), *kinds(node.value, resolver, scope))
            if isinstance(node.value, cst.Name) and scope.is_own(node.value.value):
                scope.same[name] = node.value.value
                scope.own.add(name)
            elif name not in scope.stands_for and not resolver.bind_alias(name, node.value, scope):
                _scan_variable(name, node.value, resolver, scope)
        case _:
            pass


def _scan_variable(name: str, value: cst.BaseExpression, resolver: Resolver, scope: Scope) -> None:
    """Notes a variable of the module. One that holds functions may be any of them when it is called."""
    if isinstance(value, cst.Lambda) and name not in scope.bound:
        scope.own.add(name)
    elif _is_made_of_functions(value, resolver, scope):
        scope.own.add(name)
        scope.tables.add(name)
    else:
        scope.bound.add(AccessPath(name))


def _is_made_of_functions(node: cst.BaseExpression, resolver: Resolver, scope: Scope) -> bool:
    """Whether a display, a call or a conditional expression mentions a function that may keep or close something."""
    match node:
        case cst.Lambda():
            return True
        case cst.Name() | cst.Attribute():
            text = dotted_text(node) or ""
            dotted = resolver.resolve(text, scope)
            apis = resolver.catalog.lookup(dotted) if dotted is not None else ()
            ends = any(api.ended for api in apis)
            return ends or (dotted is None and text in scope.own and text not in scope.classes)
        case cst.Dict() | cst.Tuple() | cst.List():
            parts = [element.value for element in node.elements]
        case cst.Call():
            made = resolver.resolve(dotted_text(node.func) or "", scope)
            worker = made is not None and resolver.catalog.makers(made)
            parts = [] if worker else [arg.value for arg in node.args]  # a process is no function
        case cst.IfExp():
            parts = [node.body, node.orelse]
        case _:
            return False
    return any(_is_made_of_functions(part, resolver, scope) for part in parts)


def names_of(skeleton: Skeleton, resolver: Resolver, shared: frozenset[Place]) -> ModuleNames:
    """Returns the resolved names of a module from its skeleton. They equal the names of its scope. ``shared``: the
    globals that some function rebinds."""
    scope = Scope()
    scope.later.update(one.name for one in skeleton.statements if isinstance(one, Definition))
    scope.own.update(scope.later)
    _scan_skeleton(skeleton.statements, resolver, scope)
    resolver.bind_starred_modules(scope)
    classes = {
        name: tuple(resolver.resolve(base, scope) or base if base != "?" else base for base in bases)
        for name, bases in skeleton.classes.items()
    }
    return ModuleNames(
        imports=scope.stands_for,
        alternatives=scope.alternatives,
        same=scope.same,
        stars=tuple(scope.stars),
        classes=classes,
        subclasses=by_base(classes),
        functions=skeleton.functions,
        properties=skeleton.properties,
        decorated=skeleton.decorated,
        lambdas=skeleton.lambdas,
        shared=shared,
    )


def _scan_skeleton(statements: Sequence[Statement], resolver: Resolver, scope: Scope) -> None:
    for one in statements:
        match one:
            case Import(names):
                for name, local in names:
                    resolver.bind_module(name, local, scope)
            case ImportFrom(origin, names):
                for name, local in names:
                    if name == "*":
                        resolver.bind_star(origin, scope)
                    else:
                        resolver.bind_member(name, local, origin, scope)
            case Alias(name, value):
                _scan_alias(name, value, resolver, scope)
            case Definition(name):
                scope.own.add(name)
                scope.later.discard(name)
            case Choice(test, body, orelse):
                known = resolver.answer(cst.parse_expression(test), scope)
                arms = (orelse, body) if known is False else (body, orelse)
                scan = functools.partial(_scan_skeleton, resolver=resolver, scope=scope)
                _scan_arms(known, arms, scan, scope)


def _scan_alias(name: str, value: str, resolver: Resolver, scope: Scope) -> None:
    node = cst.parse_expression(value) if value else cst.Ellipsis()
    scope.times[name] = scope.times.get(name, 0) + 1
    _scan_fixed(name, node, resolver, scope)
    if scope.is_own(value):
        scope.same[name] = value
        scope.own.add(name)
    elif name not in scope.stands_for:
        resolver.bind_alias(name, node, scope)
