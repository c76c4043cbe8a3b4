"""Generates the ``__init__`` of a class whose decorator or base writes it from the fields.

https://docs.python.org/3/library/dataclasses.html#module-contents, https://www.attrs.org/en/stable/api.html,
https://docs.python.org/3/library/typing.html#typing.NamedTuple
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from fdlint.catalog.naming import is_field_call, is_named_tuple, writes_constructor
from fdlint.core.ir import DEFAULT, RETURN, AccessPath, Call, Callee, Leaving, Lit, Operand, Place, Signature, Store
from fdlint.languages.python.lowering.builder import Builder
from fdlint.languages.python.lowering.context import Context
from fdlint.languages.python.lowering.exceptions import ANY
from fdlint.languages.python.lowering.functions import default_of
from fdlint.languages.python.lowering.language import AFTER_INIT, CONSTRUCTOR, RECEIVER
from fdlint.languages.python.lowering.names import dotted_text
from fdlint.languages.python.lowering.trees import Origin

_OF_THE_CLASS = "ClassVar"
_WITHOUT_FIELDS = frozenset({"builtins.object", "object", "abc.ABC", "typing.Generic", "typing.Protocol"})
_Fields = dict[Place, tuple[Operand | None, Origin]]
"""Name -> default, and the declaration."""


def generate_constructor(ctx: Context, node: cst.ClassDef) -> None:
    """Lays the ``__init__`` that a decorator or the base of a class generates. Does nothing if the class has its own,
    or if a field is unknown."""
    path = f"{ctx.prefix}{node.name.value}"
    name = f"{path}.{CONSTRUCTOR}"
    written = _is_decorated(ctx, node) or any(map(is_named_tuple, ctx.unit.classes[path]))
    generated = written and name not in ctx.unit.functions
    fields = _all_fields(ctx, node, path) if generated else None
    if fields is None:
        return
    ctx.unit.generated[path] = fields
    builder = Builder(name, ctx.unit.origins)
    graph = ctx.unit.functions[name] = builder.graph
    graph.parameters = (RECEIVER, *fields)
    graph.owner = path
    defaults = {place: default for place, (default, _) in fields.items() if default is not None}
    graph.signature = Signature((RECEIVER, *fields), defaults=defaults, bound=True)
    for place, (_, origin) in fields.items():
        builder.emit(Store(RECEIVER.attribute(place), place), origin)
    for last in AFTER_INIT:
        if f"{path}.{last}" in ctx.unit.functions:
            after = Callee(last, receiver=RECEIVER)
            builder.emit(Call(builder.temporary(), after, (), unused=True), node, ANY)
    builder.emit(Leaving(Lit(None), falls_off=True), node)
    builder.jump(RETURN)
    graph.constants = ctx.unit.constants


def _is_decorated(ctx: Context, node: cst.ClassDef) -> bool:
    for one in node.decorators:
        called = one.decorator.func if isinstance(one.decorator, cst.Call) else one.decorator
        if writes_constructor(ctx.resolve(called) or ""):
            return not isinstance(one.decorator, cst.Call) or not _argument(one.decorator, "init")
    return False


def _all_fields(ctx: Context, node: cst.ClassDef, path: str) -> _Fields | None:
    """Returns the fields of a class and of its bases; None if one of them is unknown."""
    found: _Fields = {}
    for base in ctx.unit.classes[path]:
        if base.partition("[")[0] not in _WITHOUT_FIELDS and not is_named_tuple(base):
            if base not in ctx.unit.generated:
                return None
            found |= ctx.unit.generated[base]
    for place, declared, value in _declared(ctx, node):
        if isinstance(value, cst.Call) and is_field_call(ctx.resolve(value.func) or ""):
            if _argument(value, "init") or _argument(value, "kw_only") or _argument(value, "alias"):
                return None
            default = _default_in(value)
        else:
            default = default_of(value) if value is not None else None
        found[place] = default, ctx.unit.origins.of(declared)
    return found


def _default_in(field: cst.Call) -> Operand | None:
    """Returns the default of a field that a call declares; None if it has none."""
    given = {arg.keyword.value: arg.value for arg in field.args if arg.keyword is not None}
    if "default" in given:
        return default_of(given["default"])
    return DEFAULT if not _FACTORIES.isdisjoint(given) else None


_FACTORIES = frozenset({"default_factory", "factory"})


def _declared(ctx: Context, node: cst.ClassDef) -> Iterator[tuple[Place, cst.CSTNode, cst.BaseExpression | None]]:
    """Yields the fields of a class, their declarations, and the values there."""
    lines = [line for line in node.body.body if isinstance(line, cst.SimpleStatementLine)]
    for small in (one for line in lines for one in line.body):
        if isinstance(small, cst.AnnAssign) and isinstance(small.target, cst.Name):
            kind = small.annotation.annotation
            kind = kind.value if isinstance(kind, cst.Subscript) else kind
            if (dotted_text(kind) or "").rpartition(".")[2] != _OF_THE_CLASS:
                yield AccessPath(small.target.value), small, small.value
        elif isinstance(small, cst.Assign) and isinstance(small.value, cst.Call):
            target = small.targets[0].target
            if isinstance(target, cst.Name) and is_field_call(ctx.resolve(small.value.func) or ""):
                yield AccessPath(target.value), small, small.value


def _argument(call: cst.Call, name: str) -> bool:
    return any(arg.keyword is not None and arg.keyword.value == name for arg in call.args)
