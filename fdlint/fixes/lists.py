"""Lists of descriptors in variables."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from fdlint.fixes.python_file import Place, PythonFile, fresh, nodes


def are_lists(file: PythonFile, place: Place, names: Sequence[str], *, received: bool) -> bool:
    """Whether the code treats variables as lists of descriptors. A wrong answer does no harm: the proof knows better.
    ``place``: where they are bound. ``received``: they come from another process."""
    uses = [node for one in place.later for node in nodes(one) if isinstance(node, cst.Name) and node.value in names]
    if not uses:
        targets = (node for node in nodes(place.statement) if isinstance(node, cst.AssignTarget))
        return received and any(isinstance(one.target, cst.Tuple) for one in targets)
    return any(_is_of_list(file, one) for one in uses)


def loop_variable(file: PythonFile, function: cst.FunctionDef, name: str) -> str | None:
    """Returns a variable for a loop over a list: that of another loop over it, or a new one."""
    loops = [node for node in nodes(function.body) if isinstance(node, cst.For) and file.code(node.iter) == name]
    target = file.code(loops[0].target) if loops else ""
    inside = {node for loop in loops for node in nodes(loop)}
    others = (node for node in nodes(function) if node not in inside)
    alone = not any(isinstance(one, cst.Name) and one.value == target for one in others)
    if target.isidentifier() and alone and all(file.code(loop.target) == target for loop in loops):
        return target
    return fresh(function, "fd", "each_fd", "number")


def _is_of_list(file: PythonFile, name: cst.Name) -> bool:
    """Whether only a list can stand where a name does."""
    above = file.parents.get(name)
    if isinstance(above, cst.Subscript):
        return above.value is name
    if isinstance(above, (cst.For, cst.CompFor)):
        return above.iter is name
    call = file.parents.get(above) if isinstance(above, cst.Arg) else None
    return isinstance(call, cst.Call) and file.code(call.func) == "len"


def is_item(node: cst.CSTNode | None, of: cst.CSTNode) -> bool:
    """Whether a node is a single item of a list."""
    if not isinstance(node, cst.Subscript) or node.value is not of or len(node.slice) != 1:
        return False
    index = node.slice[0].slice
    return isinstance(index, cst.Index) and isinstance(index.value, cst.Integer)
