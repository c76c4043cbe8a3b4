"""Infers the classes of attributes from plain assignments: ``self.sock = socket.socket()`` makes it a socket.

Also finds the properties that only return an attribute.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

import libcst as cst

from fdlint.catalog.model import Instance
from fdlint.languages.index.outline import Made
from fdlint.languages.python.lowering.names import Resolver, Scope, dotted_text

Types = dict[str, dict[str, str]]
EMPTY: Mapping[str, str] = MappingProxyType({})


def attribute_types(module: cst.Module, resolver: Resolver, scope: Scope, made: Made) -> Types:
    """Returns qualified class name -> attribute -> the dotted name of its type, for types that the catalog knows.
    ``made``: the assignments in methods outside the module's tree."""
    found: Types = {}
    for path, attribute, called in ((path, *one) for path, calls in made.items() for one in calls):
        kind = instance_of(resolver, resolver.resolve(called, scope))
        if kind is not None:
            found.setdefault(path, {})[attribute] = kind
    for path, assignment in _assignments(module.body, (), None):
        call = assignment.value if isinstance(assignment.value, cst.Call) else None
        kind = _instance_of_call(resolver, scope, call) if call is not None else None
        for target in assignment.targets if kind is not None else ():
            match target.target:
                case cst.Attribute(value=cst.Name(value="self"), attr=cst.Name(value=attribute)):
                    found.setdefault(path, {})[attribute] = kind or ""
    return found


def variable_types(module: cst.Module, resolver: Resolver, scope: Scope) -> dict[str, str]:
    """Returns the variables that the module binds once, at its top level, to an instance of a type the catalog
    knows."""
    lines = [node for node in module.body if isinstance(node, cst.SimpleStatementLine)]
    assignments = [small for line in lines for small in line.body if isinstance(small, cst.Assign)]
    found: dict[str, str] = {}
    for node in assignments:
        match node:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=cst.Call() as call):
                kind = _instance_of_call(resolver, scope, call, found)
                if kind is not None and scope.times.get(name) == 1:
                    found[name] = kind
    return found


def _instance_of_call(resolver: Resolver, scope: Scope, call: cst.Call, types: Mapping[str, str] = EMPTY) -> str | None:
    """Returns the type of the result of a call, perhaps of a method. ``types``: those of variables."""
    given = frozenset().union(*(_spelled(resolver, scope, one.value) for one in call.args))
    text = dotted_text(call.func) or ""
    root, _, method = text.partition(".")
    called = f"{types[root]}.{method}" if root in types else resolver.resolve(text, scope)
    return instance_of(resolver, called, given)


def _spelled(resolver: Resolver, scope: Scope, node: cst.BaseExpression) -> frozenset[str]:
    """Returns an argument as the conditions of the catalog name it: a text, None, or a call with one text."""
    match node:
        case cst.SimpleString():
            return frozenset({node.raw_value})
        case cst.Name(value="None"):
            return frozenset({"None"})
        case cst.BooleanOperation():
            return _spelled(resolver, scope, node.left) | _spelled(resolver, scope, node.right)
        case cst.Call(func=func, args=[cst.Arg(value=cst.SimpleString() as text)]):
            return frozenset({f"{resolver.resolve(dotted_text(func), scope)}({text.raw_value})"})
    return frozenset()


def instance_of(resolver: Resolver, dotted: str | None, given: frozenset[str] = frozenset()) -> str | None:
    """Returns the type of the result of calling a dotted name, if the catalog knows it. ``given``: the arguments; they
    decide only if they decide on the type."""
    apis = [api for api in resolver.catalog.lookup(dotted) if isinstance(api.returns, Instance)] if dotted else []
    one_type = len({api.returns for api in apis}) == 1
    for api in apis:
        asked = {str(value) for condition in api.when for value in (*condition.values, *condition.mentions)}
        if isinstance(api.returns, Instance) and (one_type or not api.when or not given.isdisjoint(asked)):
            return api.returns.type
    return None


def _assignments(body: object, path: tuple[str, ...], owner: str | None) -> Iterator[tuple[str, cst.Assign]]:
    """Yields every assignment in a method, with the qualified name of the class. It does not use libcst's visitor,
    which is slow."""
    statements = body.body if isinstance(body, cst.BaseSuite) else body
    for node in statements if isinstance(statements, (list, tuple)) else ():
        match node:
            case cst.SimpleStatementLine():
                if owner is not None:
                    yield from ((owner, small) for small in node.body if isinstance(small, cst.Assign))
            case cst.ClassDef():
                inside = (*path, node.name.value)
                yield from _assignments(node.body, inside, ".".join(inside))
            case cst.FunctionDef():
                yield from _assignments(node.body, (*path, node.name.value, "<locals>"), owner)
            case _:
                for child in _bodies(node):
                    yield from _assignments(child, path, owner)


def _bodies(node: object) -> Iterator[object]:
    """Yields the suites of a compound statement."""
    if isinstance(node, (cst.If, cst.For, cst.While, cst.With, cst.Try, cst.TryStar, cst.Else, cst.Finally)):
        yield node.body
    orelse = getattr(node, "orelse", None)
    if orelse is not None:
        yield [orelse] if isinstance(orelse, cst.If) else orelse.body
    for handler in getattr(node, "handlers", ()):
        yield handler.body
    if getattr(node, "finalbody", None) is not None:
        yield node.finalbody.body  # type: ignore[attr-defined]
    for case in getattr(node, "cases", ()):
        yield case.body


Getters = dict[str, Mapping[str, str]]


def getters(module: cst.Module) -> Getters:
    """Returns qualified class name -> property -> the attribute that its getter returns without doing anything else, or
    ``""`` if it does more; also those from bases in the file. Leaves out properties with a setter: their values are
    their own."""
    found: Getters = {}
    for path, node in _classes(module.body, ""):
        bases = [found.get(dotted_text(base.value) or "", {}) for base in reversed(node.bases)]
        defined = {one.name.value for one in node.body.body if isinstance(one, cst.FunctionDef)}
        inherited = {name: one for base in bases for name, one in base.items() if name not in defined}
        found[path] = inherited | _getters(node)
    return found


def methods(module: cst.Module) -> dict[str, frozenset[str]]:
    """Returns qualified class name -> its methods without decorators."""
    return {path: frozenset(_plain_methods(node)) for path, node in _classes(module.body, "")}


def _plain_methods(node: cst.ClassDef) -> Iterator[str]:
    for one in node.body.body:
        if isinstance(one, cst.FunctionDef) and not one.decorators:
            yield one.name.value


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
        case [*_, cst.SimpleStatementLine(body=[cst.Return(value=cst.Attribute(cst.Name(base), cst.Name(name)))])] if [
            base
        ] == [one.name.value for one in node.params.params]:
            return name if len(node.body.body) == 1 or _is_documentation(node.body.body[:-1]) else ""
    return ""


def _is_documentation(nodes: Sequence[cst.CSTNode]) -> bool:
    match nodes:
        case [cst.SimpleStatementLine(body=[cst.Expr(value=cst.SimpleString() | cst.ConcatenatedString())])]:
            return True
    return False
