"""Rewrites of whole functions: a slice of one moves to a helper, functions become methods, methods functions, and both
coroutines."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from tests.metamorphic.rewrite import (
    SCOPES,
    Function,
    Rewrite,
    add_at_top,
    bound,
    dotted,
    expression,
    functions,
    inside,
)

_LEAVING = (ast.Return, ast.Break, ast.Continue, ast.Yield, ast.YieldFrom, ast.Await, ast.Delete, ast.Raise)
_OUTWARD = (ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom)
_UNFIT = (*_LEAVING, *_OUTWARD, *SCOPES, ast.NamedExpr, ast.AsyncWith, ast.AsyncFor)


def _names(nodes: list[ast.stmt], context: type[ast.expr_context]) -> list[str]:
    found = (one for node in nodes for one in ast.walk(node) if isinstance(one, ast.Name))
    return list(dict.fromkeys(one.id for one in found if isinstance(one.ctx, context)))


def _sure(node: ast.stmt) -> list[str]:
    """Returns the variables that a statement is certain to bind."""
    match node:
        case ast.Assign(targets) if all(isinstance(one, ast.Name | ast.Tuple) for one in targets):
            return [name for target in targets for name in _names([ast.Expr(target)], ast.Store)]
    return []


def _extract(tree: ast.Module) -> bool:
    """The middle of a function moves to a helper, which gets what it reads and returns what is read later."""
    made: list[ast.stmt] = []
    for function in [node for node in tree.body if isinstance(node, ast.FunctionDef)]:
        size = len(function.body)
        slices = ((first, last) for first in range(1, size) for last in range(size - 1, first, -1))
        found = next((one for one in slices if _fits(function, *one)), None)
        if found is not None:
            made.append(_moved(function, *found, f"part_of_{function.name}"))
    add_at_top(tree, made)
    return bool(made)


def _fits(function: ast.FunctionDef, first: int, last: int) -> bool:
    part = function.body[first:last]
    if any(isinstance(one, _UNFIT) for node in function.body for one in ast.walk(node) if node in part):
        return False
    if any(isinstance(one, (*SCOPES, ast.Global, ast.Nonlocal)) for one in inside(function)):
        return False
    before = {arg.arg for arg in ast.walk(function.args) if isinstance(arg, ast.arg)}
    before |= {name for node in function.body[:first] for name in _sure(node)}
    known = before | {name for node in part for name in _sure(node)}
    used = set(_names(part, ast.Load)) & bound(function)
    later = set(_names(function.body[last:], ast.Load)) & set(_names(part, ast.Store))
    return used <= known and later <= known


def _moved(function: ast.FunctionDef, first: int, last: int, name: str) -> ast.stmt:
    part = function.body[first:last]
    given = [one for one in _names(part, ast.Load) if one in bound(function) and one not in _made_in(part, one)]
    later = _names(function.body[last:], ast.Load)
    back = [one for one in _names(part, ast.Store) if one in later]
    call: ast.expr = ast.Call(ast.Name(name, ast.Load()), [ast.Name(one, ast.Load()) for one in given], [])
    helper = ast.parse(f"def {name}({', '.join(given)}):\n  pass").body[0]
    assert isinstance(helper, ast.FunctionDef)
    helper.body = [*part]
    if back:
        stored = ", ".join(back)
        helper.body.append(ast.Return(expression(stored)))
        (assigned,) = ast.parse(f"{stored} = 0").body
        assert isinstance(assigned, ast.Assign)
        assigned.value = call
        function.body[first:last] = [assigned]
    else:
        function.body[first:last] = [ast.Expr(call)]
    return helper


def _made_in(part: list[ast.stmt], name: str) -> list[str]:
    """Returns the name if the part binds it before it reads it."""
    for node in part:
        if name in _names([node], ast.Load):
            return []
        if name in _sure(node):
            return [name]
    return []


def _called_only(tree: ast.Module, name: str) -> bool:
    """Whether all that a module does with a name is to call it."""
    calls = sum(isinstance(one, ast.Call) and dotted(one.func) == name for one in ast.walk(tree))
    mentions = sum(isinstance(one, ast.Name) and one.id == name for one in ast.walk(tree))
    return bool(calls) and calls == mentions


def _plain_functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """Yields the functions without decorators that the module calls and does nothing else with."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.decorator_list and _called_only(tree, node.name):
            yield node


def _as_functions(tree: ast.Module) -> bool:
    """``self._m(x)`` becomes ``_m(self, x)``, a function of the module."""
    made: list[ast.stmt] = []
    for owner in [node for node in tree.body if isinstance(node, ast.ClassDef)]:
        for method in [one for one in owner.body if isinstance(one, ast.FunctionDef)]:
            name = method.name
            if method.decorator_list or not name.startswith("_") or name.startswith("__") or _is_elsewhere(tree, name):
                continue
            if any(dotted(one.func) == "super" for one in ast.walk(method) if isinstance(one, ast.Call)):
                continue
            for call in [one for one in ast.walk(tree) if isinstance(one, ast.Call)]:
                if dotted(call.func) == f"self.{name}":
                    call.func = ast.Name(f"function{name}", ast.Load())
                    call.args.insert(0, ast.Name("self", ast.Load()))
            owner.body.remove(method)
            owner.body = owner.body or [ast.Pass()]
            made.append(method)
            method.name = f"function{name}"
    add_at_top(tree, made)
    return bool(made)


def _is_elsewhere(tree: ast.Module, name: str) -> bool:
    """Whether something else than ``self.name()`` speaks of a method, or no such call does."""
    calls = sum(isinstance(one, ast.Call) and dotted(one.func) == f"self.{name}" for one in ast.walk(tree))
    mentions = sum(isinstance(one, ast.Attribute) and one.attr == name for one in ast.walk(tree))
    defined = sum(isinstance(one, Function) and one.name == name for one in ast.walk(tree))
    return not calls or calls != mentions or defined != 1


def _spread(tree: ast.Module) -> bool:
    """``f(x)`` becomes ``spread_f(x)``, which passes all arguments on."""
    names = sorted(one.name for one in _plain_functions(tree))
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and dotted(call.func) in names:
            call.func = ast.Name(f"spread_{dotted(call.func)}", ast.Load())
    made = (f"def spread_{name}(*args, **kwargs):\n  return {name}(*args, **kwargs)" for name in names)
    add_at_top(tree, [node for text in made for node in ast.parse(text).body])
    return bool(names)


def _in_class(holder: str, first: str = "", decorator: str = "") -> Callable[[ast.Module], bool]:
    """Returns a rewrite of ``f(x)`` into ``holder.f(x)``, where the holder is the class ``Tools`` or an object of it.
    ``first``: the parameter that gets it, if one does."""

    def change(tree: ast.Module) -> bool:
        moved = list(_plain_functions(tree))
        names = {one.name for one in moved}
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and dotted(call.func) in names:
                call.func = expression(f"{holder}.{dotted(call.func)}")
        for one in moved:
            tree.body.remove(one)
            one.decorator_list = [expression(decorator)] if decorator else []
            one.args.args[:0] = [ast.arg(first)] if first else []
        if moved:
            made = [] if holder == "Tools" else ast.parse(f"{holder} = Tools()").body
            add_at_top(tree, [ast.ClassDef("Tools", [], [], [*moved], []), *made])
        return bool(moved)

    return change


def _by_keywords(tree: ast.Module) -> bool:
    """``f(x, y)`` becomes ``f(a=x, b=y)``."""
    changed = False
    for function in list(_plain_functions(tree)):
        names = [one.arg for one in function.args.args]
        for call in (one for one in ast.walk(tree) if isinstance(one, ast.Call) and dotted(one.func) == function.name):
            if call.args and not any(isinstance(one, ast.Starred) for one in call.args) and not function.args.vararg:
                named = [ast.keyword(name, given) for name, given in zip(names, call.args, strict=False)]
                call.args, call.keywords, changed = [], [*named, *call.keywords], True
    return changed


def _raised_again(tree: ast.Module) -> bool:
    """The body of a function stands in ``try: … except Exception: raise``."""
    changed = False
    for function in functions(tree):
        if not any(isinstance(one, ast.Global | ast.Nonlocal) for one in inside(function)):
            (guarded,) = ast.parse("try:\n  pass\nexcept Exception:\n  raise").body
            assert isinstance(guarded, ast.Try)
            guarded.body, function.body, changed = function.body, [guarded], True
    return changed


def _as_coroutines(tree: ast.Module) -> bool:
    """Functions that nothing in the module calls become coroutines."""
    mentioned = {one.id for one in ast.walk(tree) if isinstance(one, ast.Name)}
    changed = False
    for index, node in enumerate(tree.body):
        if not isinstance(node, ast.FunctionDef) or node.decorator_list or node.name in mentioned:
            continue
        if any(isinstance(one, ast.Yield | ast.YieldFrom) for one in inside(node)):
            continue
        fields = {name: getattr(node, name) for name in node._fields}
        tree.body[index], changed = ast.AsyncFunctionDef(**fields), True
    return changed


REWRITES = (
    Rewrite("middle in a helper", _extract, moves=True),
    Rewrite("functions as methods", _in_class("_tools", "self")),
    Rewrite("methods as functions", _as_functions, moves=True),
    Rewrite("functions as coroutines", _as_coroutines),
    Rewrite("functions as static methods", _in_class("Tools", decorator="staticmethod")),
    Rewrite("functions as class methods", _in_class("Tools", "cls", "classmethod")),
    Rewrite("all arguments passed on", _spread),
    Rewrite("own functions by keyword", _by_keywords),
    Rewrite("raised again", _raised_again),
)
