"""Rewrites of control flow: conditions, loops, ``try`` and ``return``."""

from __future__ import annotations

import ast
from collections.abc import Callable

from tests.metamorphic.rewrite import Rewrite, add_at_top, bodies, dotted, functions, imports, inside, statements


def _inverted(tree: ast.Module) -> bool:
    """``if a: b else: c`` becomes ``if not a: c else: b``."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.If)]
    for node in found:
        node.test = ast.UnaryOp(ast.Not(), node.test)
        node.body, node.orelse = node.orelse or [ast.Pass()], node.body
    return bool(found)


def _else_after_return(tree: ast.Module) -> bool:
    """What follows an ``if`` that leaves becomes its ``else``."""
    changed = False
    for block in list(bodies(tree)):
        for index, node in enumerate(block):
            if isinstance(node, ast.If) and not node.orelse and _leaves(node.body) and block[index + 1 :]:
                node.orelse, changed = block[index + 1 :], True
                del block[index + 1 :]
                break
    return changed


def _leaves(block: list[ast.stmt]) -> bool:
    return isinstance(block[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)


def _choice_as_if(tree: ast.Module) -> bool:
    """``x = a if c else b`` becomes an ``if``."""
    changed = False
    for block in bodies(tree):
        for index, node in enumerate(block):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.IfExp):
                chosen = node.value
                one, other = ast.Assign(node.targets, chosen.body), ast.Assign(node.targets, chosen.orelse)
                block[index], changed = ast.If(chosen.test, [one], [other]), True
    return changed


def _endless(tree: ast.Module) -> bool:
    """``while c: b`` becomes ``while True: if not c: break; b``."""
    changed = False
    for node in ast.walk(tree):
        if isinstance(node, ast.While) and not node.orelse and not isinstance(node.test, ast.Constant):
            leaving = ast.If(ast.UnaryOp(ast.Not(), node.test), [ast.Break()], [])
            node.test, node.body, changed = ast.Constant(True), [leaving, *node.body], True
    return changed


def _by_next(tree: ast.Module) -> bool:
    """``for x in xs`` becomes ``while`` with ``next``."""
    changed = False
    for block in list(bodies(tree)):
        for index, node in reversed(list(enumerate(block))):
            if isinstance(node, ast.For) and not node.orelse:
                first, loop = statements(
                    "steps = iter(xs)\nwhile True:\n  try:\n    x = next(steps)\n  except StopIteration:\n    break"
                )
                first.value.args, loop.body[0].body[0].targets = [node.iter], [node.target]
                name = f"steps{node.lineno}"
                first.targets[0].id = loop.body[0].body[0].value.args[0].id = name
                loop.body += node.body
                block[index : index + 1], changed = [first, loop], True
    return changed


def _named_result(tree: ast.Module) -> bool:
    """``return a`` becomes ``result = a; return result``."""
    changed = False
    for block in bodies(tree):
        for index, node in reversed(list(enumerate(block))):
            if isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
                stored = ast.Assign([ast.Name("result", ast.Store())], node.value)
                block[index : index + 1] = [stored, ast.Return(ast.Name("result", ast.Load()))]
                changed = True
    return changed


def _suppressed(tree: ast.Module) -> bool:
    """``try: a except E: pass`` becomes ``with contextlib.suppress(E): a``."""
    changed = False
    for block in bodies(tree):
        for index, node in enumerate(block):
            match node:
                case ast.Try(_, [ast.ExceptHandler(kind, None, [ast.Pass()])], [], []) if kind is not None:
                    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
                    manager = ast.Call(
                        ast.Attribute(ast.Name("contextlib", ast.Load()), "suppress", ast.Load()), kinds, []
                    )
                    block[index], changed = ast.With([ast.withitem(manager)], node.body), True
    if changed and not imports(tree, "contextlib"):
        add_at_top(tree, statements("import contextlib"))
    return changed


def _finally_that_closes(node: ast.stmt) -> ast.Name | None:
    """Returns the variable that a ``finally`` closes, if it does nothing else and the body does not change it."""
    match node:
        case ast.Try(body, [], [], [ast.Expr(ast.Call(func, [ast.Name(id) as name], []))]) if (
            dotted(func) == "os.close"
        ):
            rebound = any(
                isinstance(one, ast.Name) and one.id == id and not isinstance(one.ctx, ast.Load)
                for part in body
                for one in ast.walk(part)
            )
            return None if rebound else name
    return None


def _closed_by(head: str, top: str) -> Callable[[ast.Module], bool]:
    """Returns a rewrite of ``try: a finally: os.close(fd)`` into a ``with``. ``head``: its start, with ``NUMBER`` for
    the variable; ``top``: what the module needs for it."""

    def change(tree: ast.Module) -> bool:
        changed = False
        for block in bodies(tree):
            for index, node in enumerate(block):
                name = _finally_that_closes(node)
                if name is not None:
                    (made,) = statements(head.replace("NUMBER", name.id))
                    made.body += node.body
                    block[index], changed = made, True
        if changed:
            add_at_top(tree, statements(top))
        return changed

    return change


_STACK = "with contextlib.ExitStack() as stack:\n  stack.callback(os.close, NUMBER)"
_MANAGER = "with closing_number(NUMBER):\n  pass"
_CLOSING = (
    "import contextlib\n@contextlib.contextmanager\ndef closing_number(number):\n"
    "  try:\n    yield\n  finally:\n    os.close(number)"
)


_ENTERED = "with Closing(NUMBER):\n  pass"
_CLASS = (
    "import os\nclass Closing:\n  def __init__(self, number):\n    self.number = number\n"
    "  def __enter__(self):\n    return self.number\n  def __exit__(self, *_):\n    os.close(self.number)"
)


def _continues(tree: ast.Module) -> bool:
    """``for x in xs: if a: b`` becomes ``for x in xs: if not a: continue; b``."""
    changed = False
    for node in ast.walk(tree):
        match node:
            case (
                ast.For(body=[*before, ast.If(test, body, []) as last])
                | ast.While(body=[*before, ast.If(test, body, []) as last])
            ):
                last.test, last.body = ast.UnaryOp(ast.Not(), test), [ast.Continue()]
                node.body, changed = [*before, last, *body], True
    return changed


def _chosen(tree: ast.Module) -> bool:
    """``if a: x = b else: x = c`` becomes ``x = b if a else c``."""
    changed = False
    for block in bodies(tree):
        for index, node in enumerate(block):
            match node:
                case ast.If(test, [ast.Assign([ast.Name(one) as name], yes)], [ast.Assign([ast.Name(other)], no)]) if (
                    one == other
                ):
                    block[index], changed = ast.Assign([name], ast.IfExp(test, yes, no)), True
    return changed


def _walrus(tree: ast.Module) -> bool:
    """``x = f()`` before ``if x is None:`` becomes ``if (x := f()) is None:``."""
    changed = False
    for block in bodies(tree):
        for index in range(len(block) - 1, 0, -1):
            match block[index - 1], block[index]:
                case ast.Assign([ast.Name(stored)], value), ast.If(ast.Compare(ast.Name(asked)) as test) if (
                    stored == asked and not isinstance(value, ast.Yield | ast.YieldFrom)
                ):
                    test.left = ast.NamedExpr(ast.Name(stored, ast.Store()), value)
                    del block[index - 1]
                    changed = True
    return changed


def _spelled_comprehension(tree: ast.Module) -> bool:
    """``xs = [f(y) for y in ys]`` becomes a loop with ``append``."""
    changed = False
    for block in bodies(tree):
        for index, node in reversed(list(enumerate(block))):
            match node:
                case ast.Assign([ast.Name(name)], ast.ListComp(element, [ast.comprehension(target, items, tests, 0)])):
                    (start, add) = statements(f"{name} = []\n{name}.append(0)")
                    add.value.args = [element]
                    inside = [ast.If(test, [ast.Pass()], [ast.Continue()]) for test in tests]
                    block[index : index + 1] = [start, ast.For(target, items, [*inside, add], [])]
                    changed = True
    return changed


def _indexed(tree: ast.Module) -> bool:
    """``for x in (a, b)`` becomes a loop over indices."""
    changed = False
    for block in bodies(tree):
        for index, node in reversed(list(enumerate(block))):
            match node:
                case ast.For(target, ast.Tuple() | ast.List() as items, body, orelse):
                    every, at = f"all{index}", f"at{index}"
                    start, loop = statements(f"{every} = 0\nfor {at} in range(len({every})):\n  x = {every}[{at}]")
                    start.value, loop.body[0].targets = items, [target]
                    loop.body += body
                    loop.orelse = orelse
                    block[index : index + 1], changed = [start, loop], True
    return changed


def _generated(tree: ast.Module) -> bool:
    """``for x in xs`` becomes ``for x in (one for one in xs)``."""
    changed = False
    for node in ast.walk(tree):
        if isinstance(node, ast.For):
            one = ast.Name("one", ast.Load())
            of = ast.comprehension(ast.Name("one", ast.Store()), node.iter, [], 0)
            node.iter, changed = ast.GeneratorExp(one, [of]), True
    return changed


def _matched(tree: ast.Module) -> bool:
    """``if x is None: a else: b`` becomes a ``match``."""
    changed = False
    for block in bodies(tree):
        for index, node in enumerate(block):
            match node:
                case ast.If(ast.Compare(ast.Name() as asked, [ast.Is()], [ast.Constant(None)]), yes, no):
                    pass
                case ast.If(ast.Compare(ast.Name() as asked, [ast.IsNot()], [ast.Constant(None)]), no, yes):
                    pass
                case _:
                    continue
            nothing = ast.match_case(ast.MatchSingleton(None), None, yes or [ast.Pass()])
            other = ast.match_case(ast.MatchAs(), None, no or [ast.Pass()])
            block[index], changed = ast.Match(asked, [nothing, other]), True
    return changed


def _in_nested(tree: ast.Module) -> bool:
    """The body of a function becomes that of a nested one, which it calls."""
    changed = False
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef) or node.decorator_list:
            continue
        parameters = {one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg)}
        inner = list(inside(node))
        stored = {one.id for one in inner if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)}
        if parameters & stored or any(isinstance(one, ast.Yield | ast.YieldFrom | ast.Nonlocal) for one in inner):
            continue
        (nested,) = statements("def inner():\n  pass")
        nested.body = node.body
        node.body, changed = [nested, ast.Return(ast.Call(ast.Name("inner", ast.Load()), [], []))], True
    return changed


def _by_constant(tree: ast.Module) -> bool:
    """``except OSError`` becomes ``except ERRORS``, with ``ERRORS = (OSError,)`` at the top."""
    changed = False
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and node.type is not None and dotted(node.type) == "OSError":
            node.type, changed = ast.Name("ERRORS", ast.Load()), True
    if changed:
        add_at_top(tree, statements("ERRORS = (OSError,)"))
    return changed


def _named_condition(tree: ast.Module) -> bool:
    """``if a is None:`` becomes ``test = a is None; if test:``."""
    count = 0
    for block in [one for function in functions(tree) for one in list(bodies(function))]:
        for index, node in reversed(list(enumerate(block))):
            if isinstance(node, ast.If) and isinstance(node.test, ast.Compare | ast.BoolOp | ast.UnaryOp):
                if any(isinstance(one, ast.NamedExpr | ast.Await | ast.Yield) for one in ast.walk(node.test)):
                    continue
                count += 1
                stored = ast.Assign([ast.Name(f"test{count}", ast.Store())], node.test)
                node.test = ast.Name(f"test{count}", ast.Load())
                block.insert(index, stored)
    return bool(count)


REWRITES = (
    Rewrite("inverted conditions", _inverted),
    Rewrite("else after a return", _else_after_return),
    Rewrite("conditional expression as if", _choice_as_if),
    Rewrite("while True with break", _endless),
    Rewrite("while with next", _by_next),
    Rewrite("result in a variable", _named_result),
    Rewrite("suppress", _suppressed),
    Rewrite("finally as ExitStack", _closed_by(_STACK, "import contextlib")),
    Rewrite("finally as a manager", _closed_by(_MANAGER, _CLOSING)),
    Rewrite("finally as a class", _closed_by(_ENTERED, _CLASS)),
    Rewrite("match None", _matched),
    Rewrite("continue", _continues),
    Rewrite("if as conditional expression", _chosen),
    Rewrite("walrus", _walrus),
    Rewrite("comprehension as a loop", _spelled_comprehension),
    Rewrite("loop by index", _indexed),
    Rewrite("loop over a generator", _generated),
    Rewrite("body in a nested function", _in_nested),
    Rewrite("errors by a constant", _by_constant),
    Rewrite("named condition", _named_condition),
)
