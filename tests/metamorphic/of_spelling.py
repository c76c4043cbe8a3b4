"""Rewrites of single expressions and statements: other spellings of a call, an assignment, a test or a cleanup."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from tests.metamorphic.rewrite import (
    Rewrite,
    add_at_top,
    bodies,
    dotted,
    expression,
    functions,
    imports,
    inside,
    local_variables,
    replace_calls,
    statements,
)

_PARAMETERS = {"os.close": ("fd",), "os.open": ("path", "flags", "mode"), "os.dup": ("fd",), "os.fstat": ("fd",)}


def _by_keyword(tree: ast.Module) -> bool:
    """``os.close(fd)`` becomes ``os.close(fd=fd)``."""

    def replaced(call: ast.Call) -> ast.expr | None:
        names = _PARAMETERS.get(dotted(call.func), ())
        if not 0 < len(call.args) <= len(names) or any(isinstance(one, ast.Starred) for one in call.args):
            return None
        given = [ast.keyword(name, value) for name, value in zip(names, call.args, strict=False)]
        return ast.Call(call.func, [], [*given, *call.keywords])

    return imports(tree, "os") and replace_calls(tree, replaced)


def _alias_of_acquiring(tree: ast.Module) -> bool:
    """``os.open(…)`` becomes ``acquire_number(…)``, after ``acquire_number = os.open`` at the top."""

    def replaced(call: ast.Call) -> ast.expr | None:
        return (
            ast.Call(expression("acquire_number"), call.args, call.keywords) if dotted(call.func) == "os.open" else None
        )

    changed = imports(tree, "os") and replace_calls(tree, replaced)
    if changed:
        add_at_top(tree, statements("acquire_number = os.open"))
    return changed


def _plain_assignments(tree: ast.Module) -> Iterator[tuple[list[ast.stmt], int, ast.Assign, ast.Name]]:
    """Yields each assignment of a call to one local variable: its block, its place there, itself, the variable."""
    for function in functions(tree):
        names = local_variables(function)
        own = {id(node) for node in inside(function)}
        for block in bodies(function):
            for index, node in reversed(list(enumerate(block))):
                match node:
                    case ast.Assign([ast.Name(name) as target], ast.Call()) if name in names and id(node) in own:
                        yield block, index, node, target


def _annotated(tree: ast.Module) -> bool:
    """``fd = f()`` becomes ``fd: object = f()``."""
    changed = False
    for block, index, node, target in list(_plain_assignments(tree)):
        block[index], changed = ast.AnnAssign(target, expression("object"), node.value, 1), True
    return changed


def _chained(tree: ast.Module) -> bool:
    """``fd = f()`` becomes ``fd = the_same = f()``, and ``the_same`` is deleted at once."""
    assignments = list(_plain_assignments(tree))
    for number, (block, index, node, _) in enumerate(assignments):
        node.targets.append(ast.Name(f"the_same{number}", ast.Store()))
        block[index + 1 : index + 1] = statements(f"del the_same{number}")
    return bool(assignments)


def _in_parallel(tree: ast.Module) -> bool:
    """``fd = f()`` becomes ``fd, nothing = f(), None``."""
    changed = False
    for block, index, node, target in list(_plain_assignments(tree)):
        (new,) = statements("a, nothing_here = 0, None")
        assert (
            isinstance(new, ast.Assign) and isinstance(new.targets[0], ast.Tuple) and isinstance(new.value, ast.Tuple)
        )
        new.targets[0].elts[0], new.value.elts[0] = target, node.value
        block[index], changed = new, True
    return changed


_FLIPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE,
    ast.Eq: ast.Eq, ast.NotEq: ast.NotEq, ast.Is: ast.Is, ast.IsNot: ast.IsNot,
}  # fmt: skip


class _Yoda(ast.NodeTransformer):
    def __init__(self) -> None:
        self.changed = False

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        match node:
            case ast.Compare(left, [op], [ast.Constant() | ast.UnaryOp() as right]) if type(op) in _FLIPPED:
                self.changed = True
                return ast.Compare(right, [_FLIPPED[type(op)]()], [left])
        return node


def _flipped(tree: ast.Module) -> bool:
    """``fd is None`` becomes ``None is fd``."""
    yoda = _Yoda()
    yoda.visit(tree)
    return yoda.changed


def _closes(node: ast.stmt) -> ast.expr | None:
    """Returns what a statement closes; None if it is not ``os.close(x)``."""
    match node:
        case ast.Expr(ast.Call(func, [ast.Name() | ast.Attribute() as given], [])) if dotted(func) == "os.close":
            return given
    return None


def _close_as(text: str) -> Callable[[ast.Module], bool]:
    """Returns a rewrite of the statement ``os.close(x)``, with ``NUMBER`` for ``x``."""

    def change(tree: ast.Module) -> bool:
        if not imports(tree, "os"):
            return False
        changed = False
        for block in list(bodies(tree)):
            for index, node in reversed(list(enumerate(block))):
                given = _closes(node)
                if given is not None:
                    block[index : index + 1] = statements(text.replace("NUMBER", ast.unparse(given)))
                    changed = True
        if changed and "functools." in text and not imports(tree, "functools"):
            add_at_top(tree, statements("import functools"))
        return changed

    return change


def _finally_by_function(tree: ast.Module) -> bool:
    """A ``finally`` that closes a variable calls a nested function that does it."""
    count = 0
    for function in functions(tree):
        for block in bodies(function):
            for index, node in reversed(list(enumerate(block))):
                match node:
                    case ast.Try(_, [], [], [ast.Expr(ast.Call(func, [ast.Name(name)], []))]) if dotted(
                        func
                    ) == "os.close" and name in local_variables(function):
                        count += 1
                        node.finalbody = statements(f"clean_up{count}()")
                        block.insert(index, statements(f"def clean_up{count}():\n  os.close({name})")[0])
    return bool(count)


def _passed_through(tree: ast.Module) -> bool:
    """Every function gets a decorator that passes all arguments and the result on."""
    changed = False
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.decorator_list:
            node.decorator_list, changed = [expression("passed_through")], True
    if changed:
        add_at_top(tree, statements(_DECORATOR))
    return changed


_DECORATOR = """
import functools
def passed_through(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)
    return wrapper
"""


def _else_of_try(tree: ast.Module) -> bool:
    """What follows ``try: a except E: leave`` becomes its ``else``."""
    changed = False
    for block in list(bodies(tree)):
        for index, node in enumerate(block):
            match node:
                case ast.Try(_, [_, *_] as handlers, [], []) if block[index + 1 :] and all(
                    isinstance(one.body[-1], ast.Return | ast.Raise | ast.Continue | ast.Break) for one in handlers
                ):
                    node.orelse, changed = block[index + 1 :], True
                    del block[index + 1 :]
                    break
    return changed


def _with_sentinel(tree: ast.Module) -> bool:
    """``return None`` and ``fd = None`` use a constant of the module, ``NOTHING = None``."""
    changed = False
    for node in ast.walk(tree):
        match node:
            case ast.Assign([ast.Name()], ast.Constant(None)) | ast.Return(ast.Constant(None)) if node not in tree.body:
                node.value, changed = ast.Name("NOTHING_AT_ALL", ast.Load()), True
    if changed:
        add_at_top(tree, statements("NOTHING_AT_ALL = None"))
    return changed


def _as_property(tree: ast.Module) -> bool:
    """``os.close(self._fd)`` and other calls read the attribute through a property."""
    changed = False
    for owner in [node for node in tree.body if isinstance(node, ast.ClassDef)]:
        names: set[str] = set()
        for node in ast.walk(owner):
            if isinstance(node, ast.Call) and dotted(node.func).startswith("os."):
                for index, one in enumerate(node.args):
                    match one:
                        case ast.Attribute(ast.Name("self"), attr):
                            node.args[index] = expression(f"self._read{attr}")
                            names.add(attr)
        for name in sorted(names):
            owner.body += statements(f"@property\ndef _read{name}(self):\n  return self.{name}")
        changed = changed or bool(names)
    return changed


REWRITES = (
    Rewrite("arguments by keyword", _by_keyword),
    Rewrite("opened by another name", _alias_of_acquiring),
    Rewrite("annotated variables", _annotated),
    Rewrite("chained assignment", _chained),
    Rewrite("parallel assignment", _in_parallel),
    Rewrite("constant on the left", _flipped),
    Rewrite("close by a lambda called at once", _close_as("(lambda number: os.close(number))(NUMBER)")),
    Rewrite(
        "close by a partial called later",
        _close_as("end_it = functools.partial(os.close, NUMBER)\nend_it()\ndel end_it"),
    ),
    Rewrite("close by a loop", _close_as("for each in (NUMBER,):\n  os.close(each)")),
    Rewrite("close by map", _close_as("list(map(os.close, [NUMBER]))")),
    Rewrite("finally by a nested function", _finally_by_function),
    Rewrite("decorated", _passed_through),
    Rewrite("else of a try", _else_of_try),
    Rewrite("none by a constant", _with_sentinel),
    Rewrite("read through a property", _as_property),
)
