"""The constants that stand for "no descriptor" in a variable or an attribute."""

from __future__ import annotations

import libcst as cst

from fdlint.fixes.python_file import PythonFile, nodes

_NONE = "None"


def sentinels(file: PythonFile, target: cst.BaseExpression, scope: cst.CSTNode | None = None) -> set[str]:
    """Returns the constants that the function assigns to a variable, or the class to an attribute, in source form.
    Parameters count with their defaults, or as ``?`` without one; so does the default of one that is assigned.
    ``scope``: the function or the class, if the target is not a part of the file."""
    scope = scope or _scope(file, target)
    code, found = file.code(target), set[str]()
    for node in nodes(scope) if scope is not None else ():
        if isinstance(node, cst.Param) and isinstance(target, cst.Name) and node.name.value == code:
            found |= _constant(file, node.default) if node.default is not None else {"?"}
        elif isinstance(node, (cst.Assign, cst.AnnAssign)) and node.value is not None:
            targets = [one.target for one in node.targets] if isinstance(node, cst.Assign) else [node.target]
            if any(file.code(one) == code for one in targets):
                found |= _constant(file, node.value) | _default(file, node.value)
    return found


def none_of(found: set[str]) -> str | None:
    """Returns the one constant that means "none": ``None``, a negative number, or a name in capitals; None if it is not
    clear."""
    (one,) = found if len(found) == 1 else (None,)
    return one if one is not None and (one == _NONE or one.startswith("-") or _is_named(one)) else None


def present(code: str, none: str | None) -> str:
    """Returns the test for a descriptor. ``none``: the constant that means "none"."""
    if none is not None and _is_named(none):
        return f"{code} != {none}"
    return f"{code} is not None" if none in (_NONE, None) else f"{code} >= 0"


def absent(code: str, none: str | None) -> str:
    """Returns the test for no descriptor."""
    if none is not None and _is_named(none):
        return f"{code} == {none}"
    return f"{code} is None" if none in (_NONE, None) else f"{code} < 0"


def _is_named(code: str) -> bool:
    return code.isidentifier() and code.isupper()


def _scope(file: PythonFile, target: cst.BaseExpression) -> cst.CSTNode | None:
    wanted = cst.FunctionDef if isinstance(target, cst.Name) else cst.ClassDef
    return next((one for one in file.above(target) if isinstance(one, wanted)), None)


def _default(file: PythonFile, value: cst.BaseExpression) -> set[str]:
    """Returns the constant that a parameter is by default."""
    function = file.function(value) if isinstance(value, cst.Name) else None
    for node in nodes(function.params) if function is not None else ():
        if isinstance(node, cst.Param) and node.name.value == file.code(value) and node.default is not None:
            return _constant(file, node.default)
    return set()


def _constant(file: PythonFile, value: cst.BaseExpression) -> set[str]:
    is_minus = isinstance(value, cst.UnaryOperation) and isinstance(value.expression, cst.Integer)
    is_name = isinstance(value, cst.Name) and value.value in {"None", "True", "False"}
    is_named = isinstance(value, cst.Name) and _is_named(value.value)
    if is_minus or is_name or is_named or isinstance(value, (cst.BaseNumber, cst.BaseString)):
        return {file.code(value)}
    return set()
