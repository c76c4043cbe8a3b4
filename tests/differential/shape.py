"""The syntax of a generated module by line: each line has one statement."""

from __future__ import annotations

import ast
from collections.abc import Iterator

PROGRAM = "<program>"
"""The file name of compiled generated code; it identifies its frames."""

Place = tuple[int, int]
"""Line and column of an acquiring call, both from 1."""

EXCEPTIONS: dict[str, type[Exception]] = {
    "Exception": Exception,
    "BaseException": Exception,  # no run raises anything else
    "OSError": OSError,
    "FileNotFoundError": FileNotFoundError,
    "ValueError": ValueError,
    "RuntimeError": RuntimeError,
}
OS_KINDS: tuple[type[Exception], ...] = (OSError, FileNotFoundError)
KINDS: tuple[type[Exception], ...] = (RuntimeError, OSError, FileNotFoundError, ValueError)

MODULES: dict[str, frozenset[str]] = {
    "os": frozenset({"open", "pipe", "dup", "memfd_create", "openpty"}),
    "tempfile": frozenset({"mkstemp"}),
    "socket": frozenset({"recv_fds"}),
}


_MODULES = frozenset({*MODULES, "subprocess"})


class Shape:
    """The lines of one module."""

    def __init__(self, tree: ast.Module) -> None:
        self._statements: dict[int, ast.stmt] = {}
        self._handlers: dict[int, list[tuple[type[Exception], ...]]] = {}
        self._kinds: dict[tuple[tuple[int, ...], bool], list[type[Exception]]] = {}
        self._own = own_calls(tree)
        self.has_objects = any(isinstance(node, ast.ClassDef) and has_objects(node) for node in tree.body)
        self.throwaways: set[tuple[Place, int]] = set()
        self.sites: dict[Place, str] = {}
        for node in ast.walk(tree):  # outer statements first: the innermost one stays
            match node:
                case ast.stmt():
                    self._learn(node)
                case ast.Call():
                    api = acquiring(node)
                    if api is not None:
                        self.sites[place(node)] = api

    def _learn(self, node: ast.stmt) -> None:
        for line in lines_of(node):
            self._statements[line] = node
        match node:
            case ast.Try(body=body, handlers=handlers):
                for handler in handlers:
                    self._guard(body, handler.type)
            case ast.With(items=items, body=body):
                for item in items:
                    match item.context_expr:
                        case ast.Call(func=ast.Name("suppress"), args=[kind]):
                            self._guard(body, kind)
            case ast.Assign(targets=[ast.Tuple(elts=elts)], value=ast.Call() as call):
                if acquiring(call) in ("os.pipe", "os.openpty", "tempfile.mkstemp") or is_own_call(call, self._own):
                    for index, target in enumerate(elts):
                        if isinstance(target, ast.Name) and target.id == "_":
                            self.throwaways.add((place(call), index))
            case ast.Assign(targets=[ast.Name("_")], value=ast.Call() as call):
                if acquiring(call) is not None or is_own_call(call, self._own):
                    self.throwaways.update({(place(call), 0), (place(call), 1)})

    def _guard(self, body: list[ast.stmt], kind: ast.expr | None) -> None:
        for statement in body:
            for line in lines_of(statement):
                self._handlers.setdefault(line, []).append(exception_types(kind))

    def same_statement(self, line: int, other: int) -> bool:
        """Whether both lines belong to one statement."""
        return self._statements.get(line) is self._statements.get(other)

    def binds(self, line: int) -> bool:
        """Whether the statement on ``line`` can give a name a new value."""
        match self._statements.get(line):
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.For() | ast.With():
                return True
            case ast.If(test=test) | ast.While(test=test) | ast.Expr(value=test):
                return any(isinstance(node, ast.NamedExpr) for node in ast.walk(test))
            case _:
                return False

    def leaves(self, line: int) -> bool:
        """Whether the statement on ``line`` leaves the function."""
        return isinstance(self._statements.get(line), ast.Return | ast.Raise)

    def kinds(self, lines: tuple[int, ...], *, of_os: bool) -> list[type[Exception]]:
        """Returns the exceptions a call may raise, one for each case that the surrounding handlers distinguish.

        ``lines``: the line of the call, of the call that led there, and so on.
        """
        key = (lines, of_os)
        if key not in self._kinds:
            handlers = [handler for line in lines for handler in self._handlers.get(line, [])]
            told: dict[tuple[bool, ...], type[Exception]] = {}
            for kind in OS_KINDS if of_os else KINDS:
                told.setdefault(tuple(issubclass(kind, handler) for handler in handlers), kind)
            self._kinds[key] = list(told.values())
        return self._kinds[key]


def lines_of(node: ast.stmt) -> Iterator[int]:
    """Yields the lines of ``node``."""
    return iter(range(node.lineno, (node.end_lineno or node.lineno) + 1))


def place(node: ast.expr) -> Place:
    """Returns the place where ``node`` begins."""
    return node.lineno, node.col_offset + 1


def exception_types(kind: ast.expr | None) -> tuple[type[Exception], ...]:
    """The classes that an ``except`` clause names."""
    match kind:
        case None:
            return (Exception,)
        case ast.Name(id=name):
            return (EXCEPTIONS[name],)
        case ast.Tuple(elts=elts):
            return tuple(found for elt in elts for found in exception_types(elt))
        case _:
            raise ValueError(f"not an exception: {ast.unparse(kind)}")


def acquiring(node: ast.expr) -> str | None:
    """The dotted name of an acquiring call, or None."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=name)) if name in MODULES.get(module, ()):
            return f"{module}.{name}"
        case _:
            return None


def own_calls(tree: ast.Module) -> frozenset[str]:
    """Returns the spellings of calls of the module's own functions."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=owner, body=body):
                methods = [inner for inner in body if isinstance(inner, ast.FunctionDef)]
                found |= {f"{'self' if not inner.decorator_list else owner}.{inner.name}" for inner in methods}
                if has_objects(node):
                    found |= {owner, *(f"*.{inner.name}" for inner in methods)}
            case ast.FunctionDef(name=name):
                found.add(name)
    return frozenset(found)


def has_objects(node: ast.ClassDef) -> bool:
    """Whether functions of the module create objects of a class: it says what its objects hold."""
    says = any(isinstance(inner, ast.FunctionDef) and inner.name == "__init__" for inner in node.body)
    return says or bool(node.bases or node.decorator_list)


def is_own_call(node: ast.Call, own: frozenset[str]) -> bool:
    """Whether the module's own function is called."""
    match node.func:
        case ast.Name(id=name):
            return name in own
        case ast.Attribute(value=ast.Name(id=owner), attr=name) if f"{owner}.{name}" in own:
            return True
        case ast.Attribute(value=inner, attr=name) if ast.unparse(inner) not in _MODULES:
            return f"*.{name}" in own
        case _:
            return False
