"""Rewrites of calls: helpers that close, acquire, send, start or use, other ways to call a function."""

from __future__ import annotations

import ast
from collections.abc import Callable

from tests.metamorphic.rewrite import Rewrite, add_at_top, dotted, imports, replace_calls, statements

_ACQUIRING = (
    "os.open",
    "os.dup",
    "os.pipe",
    "os.memfd_create",
    "os.eventfd",
    "tempfile.mkstemp",
    "os.openpty",
    "os.pidfd_open",
)
_SENDING = ("socket.send_fds", "reduction.send_handle")
_STARTING = ("subprocess.Popen", "subprocess.run", "subprocess.check_call")
_USING = ("os.write", "os.fsync", "os.ftruncate", "os.fchmod", "os.lseek", "os.set_inheritable", "os.read", "os.fstat")


def _call(name: str, arguments: list[ast.expr], keywords: list[ast.keyword] | None = None) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), arguments, keywords or [])


def _through(names: tuple[str, ...], prefix: str) -> Callable[[ast.Module], bool]:
    """Returns a rewrite that calls functions through helpers of the module with the same parameters."""

    def change(tree: ast.Module) -> bool:
        made: dict[str, list[ast.stmt]] = {}

        def replaced(call: ast.Call) -> ast.expr | None:
            name = dotted(call.func)
            if name not in names or not imports(tree, name.partition(".")[0]):
                return None
            if any(isinstance(one, ast.Starred) for one in call.args) or any(one.arg is None for one in call.keywords):
                return None
            keys = [one.arg or "" for one in call.keywords]
            helper = "_".join([prefix, name.rpartition(".")[2], str(len(call.args)), *keys])
            given = [f"given{number}" for number in range(len(call.args))]
            passed = ", ".join([*given, *(f"{key}={key}" for key in keys)])
            made[helper] = statements(f"def {helper}({', '.join([*given, *keys])}):\n  return {name}({passed})")
            return _call(helper, call.args, call.keywords)

        changed = replace_calls(tree, replaced)
        for helper in made.values():
            add_at_top(tree, helper)
        return changed

    return change


def _closing(new: Callable[[ast.expr], ast.expr], *, with_top: str = "") -> Callable[[ast.Module], bool]:
    """Returns a rewrite of ``os.close(x)``. ``with_top``: what it adds to the module."""

    def change(tree: ast.Module) -> bool:
        if not imports(tree, "os"):
            return False

        def replaced(call: ast.Call) -> ast.expr | None:
            plain = dotted(call.func) == "os.close" and len(call.args) == 1 and not call.keywords
            return new(call.args[0]) if plain and not isinstance(call.args[0], ast.Starred) else None

        changed = replace_calls(tree, replaced)
        if changed and with_top:
            add_at_top(tree, statements(with_top))
        return changed

    return change


def _spread(tree: ast.Module) -> bool:
    """``os.open(a, b)`` becomes ``os.open(*(a, b))``."""

    def replaced(call: ast.Call) -> ast.expr | None:
        if not dotted(call.func).startswith("os.") or not call.args or isinstance(call.args[0], ast.Starred):
            return None
        return ast.Call(call.func, [ast.Starred(ast.Tuple(call.args, ast.Load()), ast.Load())], call.keywords)

    return replace_calls(tree, replaced)


def _in_two_steps(tree: ast.Module) -> bool:
    """``os.close(fd)`` becomes ``copied_number = fd; os.close(copied_number)``."""
    from tests.metamorphic.rewrite import bodies

    changed = False
    for block in bodies(tree):
        for index, node in reversed(list(enumerate(block))):
            match node:
                case ast.Expr(ast.Call(func, [ast.Name() | ast.Attribute() as given], [])) if (
                    dotted(func) == "os.close"
                ):
                    (stored,) = statements("copied_number = given")
                    stored.value = given
                    node.value.args, changed = [ast.Name("copied_number", ast.Load())], True
                    block.insert(index, stored)
    return changed


def _shut_number(number: ast.expr) -> ast.expr:
    return _call("shut_number", [number])


_CLOSER = "def shut_number(number):\n  os.close(number)"
# Closing None raises a TypeError, so the helper does so as well.
_SURE_CLOSER = (
    "def shut_number(number):\n  if number is not None:\n    os.close(number)\n  else:\n    raise TypeError(number)"
)
_QUIET = "def shut_number(number):\n  try:\n    os.close(number)\n  except OSError:\n    pass"
_OF_CLASS = "class Shutter:\n  def shut_number(self, number):\n    os.close(number)\n_shutter = Shutter()"
_STATIC = "class Shutter:\n  @staticmethod\n  def shut_number(number):\n    os.close(number)"

REWRITES = (
    Rewrite("acquired by a helper", _through(_ACQUIRING, "acquire")),
    Rewrite("sent by a helper", _through(_SENDING, "pass")),
    Rewrite("started by a helper", _through(_STARTING, "start")),
    Rewrite("used by a helper", _through(_USING, "do")),
    Rewrite("closed by a helper", _closing(_shut_number, with_top=_CLOSER)),
    Rewrite("closed by a helper that asks", _closing(_shut_number, with_top=_SURE_CLOSER)),
    Rewrite("closed by a quiet helper", _closing(_shut_number, with_top=_QUIET)),
    Rewrite(
        "closed by a method",
        _closing(
            lambda x: ast.Call(ast.parse("_shutter.shut_number", mode="eval").body, [x], []),
            with_top=_OF_CLASS,
        ),
    ),
    Rewrite(
        "closed by a static method",
        _closing(
            lambda x: ast.Call(ast.parse("Shutter.shut_number", mode="eval").body, [x], []),
            with_top=_STATIC,
        ),
    ),
    Rewrite("closed by another name", _closing(_shut_number, with_top="shut_number = os.close")),
    Rewrite("closed by a lambda", _closing(_shut_number, with_top="shut_number = lambda number: os.close(number)")),
    Rewrite(
        "closed by a partial",
        _closing(_shut_number, with_top="import functools\nshut_number = functools.partial(os.close)"),
    ),
    Rewrite("arguments from a tuple", _spread),
    Rewrite("close of a copied number", _in_two_steps),
)
