"""Finds the types in ``isinstance``: one, several, or a variable of the module that holds them."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from fdlint.languages.python.lowering.language import NONE_TYPE, NOT_KNOWN
from fdlint.languages.python.lowering.names import Resolver, Scope, dotted_text


def kinds(node: cst.BaseExpression, resolver: Resolver, scope: Scope) -> tuple[str, ...]:
    """Returns the dotted names of the types, or the plain name of a class of the file. ``NOT_KNOWN`` is among them if
    there may be others."""
    return tuple(dict.fromkeys(_kinds(node, resolver, scope)))


def _kinds(node: cst.BaseExpression, resolver: Resolver, scope: Scope) -> Iterator[str]:
    match node:
        case cst.Tuple():
            for element in node.elements:
                yield from _kinds(element.value, resolver, scope)
        case cst.BinaryOperation(operator=cst.BitOr()):
            yield from _kinds(node.left, resolver, scope)
            yield from _kinds(node.right, resolver, scope)
        case cst.Name(value="None"):
            yield NONE_TYPE
        case _:
            yield from _named(dotted_text(node) or "", resolver, scope)


def _named(text: str, resolver: Resolver, scope: Scope) -> tuple[str, ...]:
    dotted = resolver.resolve(text, scope)
    if dotted is not None:
        known = resolver.catalog.constants.get(dotted)
        return known if isinstance(known, tuple) else (dotted,)
    if scope.is_class(text):
        return (text,)
    return scope.kinds_of(text) or (NOT_KNOWN,)
