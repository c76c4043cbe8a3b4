"""Whether something that a Go function holds leaves it through the result of a call: a reader around a file, an item
that a function picks from a list, a text with the number."""

from __future__ import annotations

from collections.abc import Sequence

from fdlint.catalog.repairs import repairs_of
from fdlint.fixes.go_file import GoText, named
from fdlint.languages.go.lowering.constants import Node

_MAX_NAMES = 20
_THROUGH = ("argument_list", "selector_expression", "parenthesized_expression", "index_expression")
_BINDING = ("short_var_declaration", "assignment_statement")
_ENDS = (
    "expression_statement",
    "binary_expression",
    "if_statement",
    "for_statement",
    "range_clause",
    "defer_statement",
)
_ERRORS = ("_", "err", "ok")


def leaves(file: GoText, function: Node, names: Sequence[str], start: int) -> bool:
    """Whether a value that a call made of the variables may be used after the function. ``start``: the byte behind
    which their uses count. The variables themselves may be returned."""
    known, own = [*names], len([*names])
    for number, name in enumerate(known):
        for use in named(file, function, name):
            if use.start_byte < start:
                continue
            bound = _bound(file, use)
            if bound is None and (number >= own or not _is_returned(use)):
                return True
            known += [one for one in bound or () if one not in known and not one.startswith(_ERRORS)]
            if len(known) > _MAX_NAMES:
                return True
    return False


def _is_returned(use: Node) -> bool:
    at = use.parent
    if at is not None and at.type == "expression_list":
        at = at.parent
    return at is not None and at.type == "return_statement"


def _bound(file: GoText, use: Node) -> list[str] | None:
    """Returns the variables that get what calls make of a use; None if that goes elsewhere."""
    at, is_text = use, False
    while True:
        above = at.parent
        if above is None:
            return None
        if above.type == "call_expression":
            callee = above.child_by_field_name("function")
            last = file.code(callee).rpartition(".")[2] if callee is not None else ""
            if last.startswith(repairs_of("go").texts):
                is_text = True
            elif last.startswith(repairs_of("go").copying) and not last.endswith(repairs_of("go").wrapping):
                return []
            elif is_text:
                return None  # the call may keep it
        elif is_text and above.type != "argument_list":
            if above.type != "binary_expression":
                return None
        elif above.type == "expression_list" and above.parent is not None and above.parent.type in _BINDING:
            left = above.parent.child_by_field_name("left")
            if left is None or left == above:
                return []
            return _names(file, left)
        elif above.type in _BINDING:
            left = above.child_by_field_name("left")
            return _names(file, left) if left is not None and left != at else []
        elif above.type in _ENDS:
            return []
        elif above.type not in _THROUGH:
            return None
        at = above


def _names(file: GoText, left: Node) -> list[str] | None:
    targets = left.named_children if left.type == "expression_list" else [left]
    return [file.code(one) for one in targets] if all(one.type == "identifier" for one in targets) else None
