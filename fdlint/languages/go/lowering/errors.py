"""What does not parse in a Go file, and what the parser does not know yet: ``new(expression)`` of Go 1.26."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

import tree_sitter

Node = tree_sitter.Node
_NAMED = frozenset({"function_declaration", "method_declaration"})
_TYPE = rb"(?:\[\d{0,9}\]|\*){0,9}[^\W\d]\w*(?:\.\w+)?\s{0,9}\)|map\[|chan\b|func\b|struct\b"
_NEW = re.compile(rb"(?<![\w.])new\((?!\s{0,9}(?:%s))" % _TYPE)
_CALL = b"nEW("  # of an unknown function
_MAX_SAID = 5


def parsed(parse: Callable[[bytes], tree_sitter.Tree], data: bytes) -> Node:
    """Returns the root of the tree. Where a declaration does not parse, its ``new(expression)`` are read as calls of an
    unknown function, if that helps."""
    root = parse(data).root_node
    found = unparsed(root)
    if not found:
        return root
    text = bytearray(data)
    for node in found:
        text[node.start_byte : node.end_byte] = _NEW.sub(_CALL, data[node.start_byte : node.end_byte])
    other = parse(bytes(text)).root_node if text != data else root
    return other if len(unparsed(other)) < len(found) else root


def unparsed(root: Node) -> list[Node]:
    """Returns the declarations that do not parse."""
    if not root.has_error:
        return []
    return [one for one in root.children if has_error(one)] or [root]


def has_error(node: Node) -> bool:
    """Whether a node does not parse, or misses something."""
    return node.has_error or node.is_missing


def reasons(nodes: Iterable[Node]) -> Iterator[str]:
    """Yields a message for each declaration that does not parse. It begins with the name or the line."""
    more = iter(nodes)
    for node in islice(more, _MAX_SAID):
        line = _first(node).start_point[0] + 1
        name = node.child_by_field_name("name") if node.type in _NAMED else None
        if name is not None and name.text:
            yield f"{name.text.decode('utf-8', 'replace')}: does not parse: line {line}"
        else:
            yield f"line {line}: does not parse"
    left = sum(1 for _ in more)
    if left:
        yield f"{left} more declarations: do not parse"


def _first(node: Node) -> Node:
    """Returns the first place in a node that does not parse."""
    inner: Node | None = node
    while inner is not None:
        node = inner
        inner = next((one for one in node.children if has_error(one)), None) if node.type != "ERROR" else None
    return node
