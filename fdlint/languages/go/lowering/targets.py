"""Finds the functions that names stand for which are no functions: variables of a package that are set once, the fields
of structs in them, and the methods of an interface that one type implements."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fdlint.languages.go.lowering.constants import MAX_HOPS, Node, text
from fdlint.languages.go.lowering.package import Declared, Package


def function_of(package: Package, parts: Sequence[str]) -> str | None:
    """Returns the function that a variable of the package, or a field of the struct in one, holds from the start and is
    never set to another: its qualified name, or its dotted name in another package. ``parts``: the variable, and the
    field if there is one."""
    key = ".".join(parts)
    if key not in package.targets:
        package.targets[key] = _function_of(package, parts)
    return package.targets[key]


def _function_of(package: Package, parts: Sequence[str]) -> str | None:
    for _ in range(MAX_HOPS):
        value = package.constant_value(parts[0])
        node = value.node if value is not None else None
        if value is None or node is None:
            return None
        if len(parts) == 2:
            node = _field(node, parts[1])
            if node is None or _is_set(package, ".".join(parts)):
                return None
        elif len(parts) > 2:
            return None
        found = _named(package, value, parts[0], node)
        if found is not None or node.type != "identifier":
            return found
        parts = (text(node),)
    return None


def _named(package: Package, value: Declared, variable: str, node: Node) -> str | None:
    """Returns the function that an expression is."""
    if node.type == "func_literal":
        return f"{variable}.func1" if f"{variable}.func2" not in package.functions else None
    if node.type == "identifier":
        return text(node) if text(node) in package.functions else None
    if node.type != "selector_expression":
        return None
    module = package.imports[value.file].get(text(node.child_by_field_name("operand")))
    return package.meant(module, text(node.child_by_field_name("field"))) if module is not None else None


def _field(node: Node, name: str) -> Node | None:
    """Returns the value of a field in the literal of a struct, or of a pointer to one."""
    if node.type == "unary_expression" and node.named_children:
        node = node.named_children[0]
    body = node.child_by_field_name("body") if node.type == "composite_literal" else None
    for one in body.named_children if body is not None else ():
        key, value = one.child_by_field_name("key"), one.child_by_field_name("value")
        if one.type == "keyed_element" and text(key) == name and value is not None and value.named_children:
            return value.named_children[0]
    return None


def _is_set(package: Package, field: str) -> bool:
    setting = re.compile(rb"(?<![\w.])%s\s*=(?!=)" % re.escape(field).encode())
    return any(setting.search(one.data) for one in package.files)


def only_method(package: Package, interface: str, name: str) -> str | None:
    """Returns the method that an interface of the package means, if one type of the package has all its methods. A type
    that others embed gives them its methods: there the object is of another type."""
    wanted = package.interfaces.get(interface)
    if not wanted or name not in wanted:
        return None
    owners = {owner for owner, _, _ in (one.rpartition(".") for one in package.methods_named(name)) if owner}
    found = [one for one in sorted(owners) if all(f"{one}.{each}" in package.functions for each in wanted)]
    if len(found) != 1 or any(found[0] in embedded for embedded in package.embedded.values()):
        return None
    elsewhere = interface[:1].isupper() and found[0][:1].isupper()
    return f"{found[0]}.{name}" if not elsewhere else None
