"""Rewrites of classes: methods that are extracted or inherited, attributes by name."""

from __future__ import annotations

import ast

from tests.metamorphic.rewrite import Rewrite, bodies, dotted, expression, functions, inside, statements


def _classes(tree: ast.Module) -> list[ast.ClassDef]:
    return [node for node in tree.body if isinstance(node, ast.ClassDef)]


def _methods(owner: ast.ClassDef) -> list[ast.FunctionDef]:
    plain = (one for one in owner.body if isinstance(one, ast.FunctionDef) and not one.decorator_list)
    return [one for one in plain if one.args.args and one.args.args[0].arg == "self"]


def _closing_method(tree: ast.Module) -> bool:
    """``os.close(self._fd)`` moves to a method of its own, ``self._shut_fd()``."""
    changed = False
    for owner in _classes(tree):
        shut: dict[str, ast.stmt] = {}
        for method in _methods(owner):
            for block in bodies(method):
                for index, node in enumerate(block):
                    match node:
                        case ast.Expr(ast.Call(func, [ast.Attribute(ast.Name("self"), attr)], [])) if (
                            dotted(func) == "os.close"
                        ):
                            block[index] = statements(f"self._shut{attr}()")[0]
                            shut[attr] = statements(f"def _shut{attr}(self):\n  os.close(self.{attr})")[0]
        owner.body += shut.values()
        changed = changed or bool(shut)
    return changed


def _filling_method(tree: ast.Module) -> bool:
    """``self._fd = os.open(...)`` moves to a method of its own that returns the number."""
    changed = False
    for owner in _classes(tree):
        made: dict[str, ast.stmt] = {}
        for method in _methods(owner):
            for block in bodies(method):
                for node in block:
                    match node:
                        case ast.Assign([ast.Attribute(ast.Name("self"), attr)], ast.Call(func, args, [])) if dotted(
                            func
                        ) in ("os.open", "os.dup", "os.memfd_create", "os.eventfd"):
                            name = f"_made_{len(made)}{attr}"
                            given = ", ".join(["self", *(f"given{number}" for number in range(len(args)))])
                            passed = ", ".join(f"given{number}" for number in range(len(args)))
                            text = f"def {name}({given}):\n  return {dotted(func)}({passed})"
                            made[name] = statements(text)[0]
                            node.value = ast.Call(ast.parse(f"self.{name}", mode="eval").body, args, [])
        owner.body += made.values()
        changed = changed or bool(made)
    return changed


def _inherited(tree: ast.Module) -> bool:
    """A class inherits everything from a base that has its body."""
    changed = False
    for index, node in reversed(list(enumerate(tree.body))):
        if isinstance(node, ast.ClassDef) and not node.decorator_list and not node.keywords and _is_plain(node):
            base = ast.ClassDef(f"Base{node.name}", node.bases, [], node.body, [])
            heir = ast.ClassDef(node.name, [ast.Name(base.name, ast.Load())], [], [ast.Pass()], [])
            tree.body[index : index + 1], changed = [base, heir], True
    return changed


def _is_plain(node: ast.ClassDef) -> bool:
    named = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    private = (one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute))
    return node.name not in named and not any(one.startswith("__") and not one.endswith("__") for one in private)


def _by_setattr(tree: ast.Module) -> bool:
    """``self._fd = x`` becomes ``setattr(self, "_fd", x)``."""
    changed = False
    for owner in _classes(tree):
        for method in _methods(owner):
            for block in bodies(method):
                for index, node in enumerate(block):
                    match node:
                        case ast.Assign([ast.Attribute(ast.Name("self"), attr)], value):
                            (made,) = statements(f"setattr(self, {attr!r}, 0)")
                            made.value.args[2] = value
                            block[index], changed = made, True
    return changed


def _by_local_name(tree: ast.Module) -> bool:
    """``os.close(self._fd)`` becomes ``number = self._fd; os.close(number)``, and every method calls self ``this``."""
    changed = False
    for owner in _classes(tree):
        for method in _methods(owner):
            method.args.args[0].arg = "this"
            for node in ast.walk(method):
                if isinstance(node, ast.Name) and node.id == "self":
                    node.id, changed = "this", True
    return changed


def _by_factory(tree: ast.Module) -> bool:
    """``Device(x)`` becomes ``make_Device(x)``, which passes all arguments on."""
    names = {one.name for one in _classes(tree)}
    used: set[str] = set()
    for node in [one for function in functions(tree) for one in inside(function)]:
        if isinstance(node, ast.Call) and dotted(node.func) in names:
            used.add(dotted(node.func))
            node.func = ast.Name(f"make_{dotted(node.func)}", ast.Load())
    for name in sorted(used):
        tree.body += statements(f"def make_{name}(*args, **kwargs):\n  return {name}(*args, **kwargs)")
    return bool(used)


def _by_class_method(tree: ast.Module) -> bool:
    """``Device(x)`` becomes ``Device.create(x)``, a class method that passes all arguments on."""
    changed = False
    for owner in _classes(tree):
        calls = [one for function in functions(tree) for one in inside(function) if isinstance(one, ast.Call)]
        made = [one for one in calls if dotted(one.func) == owner.name]
        for call in made:
            call.func = expression(f"{owner.name}.create")
        if made:
            owner.body += statements("@classmethod\ndef create(cls, *args, **kwargs):\n  return cls(*args, **kwargs)")
        changed = changed or bool(made)
    return changed


REWRITES = (
    Rewrite("closed by a method of its own", _closing_method, moves=True),
    Rewrite("filled by a method of its own", _filling_method),
    Rewrite("inherited", _inherited),
    Rewrite("setattr", _by_setattr),
    Rewrite("self by another name", _by_local_name),
    Rewrite("made by a factory", _by_factory),
    Rewrite("made by a class method", _by_class_method),
)
