"""The values of constants: numbers, ``iota``, other constants, and what operators make of them."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator, Mapping

import tree_sitter

Node = tree_sitter.Node
NUMBERS = frozenset({"int", "int32", "int64", "uint", "uint32", "uint64", "uintptr", "byte"})
TEXTS = frozenset({"interpreted_string_literal", "raw_string_literal"})  # the kinds of nodes
MAX_DEPTH = 200  # nested expressions and types
MAX_HOPS = 6  # names, calls or packages in a row that stand for each other
_GROUPS = ("expression_list", "parenthesized_expression")
_LARGEST = 1 << 63
_NAME = 60  # characters: what is longer is no name
_OPERATORS: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "|": operator.or_,
    "&": operator.and_,
    "^": operator.xor,
    "&^": lambda left, right: left & ~right,
    "<<": lambda left, right: left << right if 0 <= right < 64 else _LARGEST,
    ">>": lambda left, right: left >> right if 0 <= right < 64 else _LARGEST,
}


def text(node: Node | None) -> str:
    """Returns the source of a node. The same name is always the same object: most of what is kept are names."""
    found = node.text.decode("utf-8", "replace") if node is not None and node.text is not None else ""
    return sys.intern(found) if len(found) <= _NAME else found


def parts(node: Node | None) -> list[Node]:
    """Returns what is directly in a node, without comments; nothing of None."""
    return [one for one in node.named_children if one.type != "comment"] if node is not None else []


def arguments_of(call: Node) -> list[Node]:
    """Returns the arguments of a call; none of another node."""
    return parts(call.child_by_field_name("arguments"))


def inside(node: Node | None) -> Iterator[Node]:
    """Yields a node and everything in it."""
    pending = [node] if node is not None else []
    while pending:
        one = pending.pop()
        yield one
        pending.extend(one.named_children)


def number_of(node: Node | None, known: Mapping[str, int], iota: int | None = None, depth: int = 0) -> int | None:
    """Returns the value of an expression of numbers, of ``iota``, of other constants, and of conversions to a type:
    ``Errno(0)``; None for any other value. ``known``: the constants so far."""
    while node is not None and node.type in _GROUPS and node.named_child_count == 1:
        node = node.named_children[0]
    if node is None or depth > MAX_DEPTH:
        return None
    match node.type:
        case "int_literal":
            return literal(text(node))
        case "iota" | "identifier":
            return iota if text(node) == "iota" else known.get(text(node))
        case "binary_expression":
            return _combined(node, known, iota, depth)
        case "unary_expression":
            inner = number_of(node.child_by_field_name("operand"), known, iota, depth + 1)
            return -inner if inner is not None and text(node).startswith("-") else None
        case "call_expression":
            return _converted(node, known, iota, depth)
    return None


def literal(digits: str) -> int | None:
    """Returns the value of a number as it is written; None if there is no such number."""
    digits = digits.replace("_", "").lower()
    try:
        return int(digits, 8) if len(digits) > 1 and digits[0] == "0" and digits.isdigit() else int(digits, 0)
    except ValueError:
        return None


def _combined(node: Node, known: Mapping[str, int], iota: int | None, depth: int) -> int | None:
    left, right = (number_of(node.child_by_field_name(side), known, iota, depth + 1) for side in ("left", "right"))
    combine = _OPERATORS.get(text(node.child_by_field_name("operator")))
    if combine is None or left is None or right is None:
        return None
    value = combine(left, right)
    return value if abs(value) < _LARGEST else None


def _converted(node: Node, known: Mapping[str, int], iota: int | None, depth: int) -> int | None:
    converter = text(node.child_by_field_name("function")).rpartition(".")[2]
    given = node.child_by_field_name("arguments")
    if not (converter in NUMBERS or converter[:1].isupper()) or given is None or given.named_child_count != 1:
        return None  # not a type
    return number_of(given.named_children[0], known, iota, depth + 1)
