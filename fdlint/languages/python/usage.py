"""Where a Python file defines, calls and gives away functions, from Python's own parser."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from fdlint.catalog.lifetimes import Lifetimes, Table, lifetimes_of
from fdlint.languages.index.facts import OWN, Facts, dotted_name, facts_of, parts_of
from fdlint.languages.index.imports import absolute
from fdlint.languages.index.outline import parsed
from fdlint.languages.python.commands import commands
from fdlint.program.usage import Class, Definition, Lines, Loop, Mention, Usage, UsageRules, Way, parameter_name

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SUPER = "super()"
_READ = frozenset({"property", "functools.cached_property", "cached_property"})
_STATIC = "staticmethod"
_NOT_CREATION = frozenset({"__call__", "__get__", "__set__", "__getattr__"})
_START = "__main__"
_PROGRAM = b"#!"
_BODIES = ("body", "handlers", "orelse", "finalbody", "cases")  # of statements, as Python's parser names them
_SUITES = ("body", "orelse", "finalbody")
_OR_SUBCLASS = "<: "  # before the class of an annotation
_AS_DAEMON = "once per process, as it becomes a daemon"


class _Place(NamedTuple):
    """The surroundings of a node. ``scope``: the qualified name of the definitions around it. ``owner``: the class
    around. ``to``: the calls that get it, ``at``: as which argument. ``way``: what happens to it. ``held``: the local
    variable that keeps it."""

    scope: str = ""
    owner: str = ""
    way: Way = Way.KEPT
    to: tuple[str, ...] = ()
    held: str = ""
    at: int | str = -1

    @property
    def plain(self) -> _Place:
        """The same place for what is only a part of the node."""
        is_plain = self.way is Way.KEPT and not (self.to or self.held)
        return self if is_plain else _Place(self.scope, self.owner)


def usage_of(data: bytes, path: str, module: str) -> Usage | None:
    """Returns the facts of a file; None if Python cannot parse it. ``path``: as reports show it. ``module``: its path
    from the top of the project, with dots, without the suffix."""
    found = parsed(data)
    if found is None:
        return None
    table = lifetimes_of("python")
    may_daemonize = all(one in found[0] for one in table.entries.daemon)
    reader = _Reader(found[2], path, module, table, may_daemonize)
    return reader.read(is_program=data.startswith(_PROGRAM) or module.rpartition(".")[2] in (_START, "setup"))


@dataclass(slots=True)
class _Raw:
    """A mention before the names of the file are known: ``dotted`` as the source spells it, None for the attribute
    ``name`` of another expression. ``made``: the class of that expression, as the source spells it. ``parameter``: the
    full name of a parameter."""

    name: str
    dotted: str | None
    line: int
    place: _Place
    made: str | None = None
    parameter: str = ""


@dataclass(slots=True)
class _Reader:
    tree: ast.Module
    path: str
    module: str
    table: Table
    may_daemonize: bool
    definitions: list[Definition] = field(default_factory=list)
    classes: list[Class] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    start: list[Lines] = field(default_factory=list)
    imports: dict[str, str] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    _raw: list[_Raw] = field(default_factory=list)
    _bound: dict[tuple[str, str], str] = field(default_factory=dict)  # by scope and name: what a name is made by
    _parameters: dict[str, tuple[str, ...]] = field(default_factory=dict)  # of each function so far
    _names: set[str] = field(default_factory=set)  # the qualified names of definitions
    _class_names: set[str] = field(default_factory=set)
    _known: set[str] = field(default_factory=set)  # what a plain name can be: imported or defined here
    _called: dict[str, set[str]] = field(default_factory=dict)  # by scope, if something there can make a daemon
    _calls: set[tuple[str, str]] = field(default_factory=set)  # by scope: the names that are called
    _uses: set[tuple[str, str]] = field(default_factory=set)  # those that something else happens to
    _package: str = ""

    @property
    def entries(self) -> Lifetimes:
        """What the names of calls mean."""
        return self.table.entries

    def read(self, *, is_program: bool) -> Usage:
        """Returns the facts of the file."""
        home, _, last = self.module.rpartition(".")
        if last == "__init__":
            self.module = self._package = home
        else:
            self._package = home
        self._collect_names()
        self._known = {*self.imports, *(one.rpartition(".")[2] for one in self._names)}
        self._walk()
        mentions = tuple(map(self._mention, self._raw))
        definitions = [one._replace(entry=_AS_DAEMON) if self._daemonizes(one) else one for one in self.definitions]
        return Usage(
            self.path, self.module, tuple(definitions), tuple(self.classes), tuple(self.loops), mentions,
            tuple(self.start), is_program or bool(self.start),
        )  # fmt: skip

    # -- names

    def _collect_names(self) -> None:
        pending: list[tuple[ast.AST, str]] = [(self.tree, "")]
        while pending:
            node, scope = pending.pop()
            match node:
                case ast.Import(names):
                    for one in names:
                        root = one.name.partition(".")[0]
                        self.imports.setdefault(one.asname or root, one.name if one.asname else root)
                case ast.ImportFrom(module, names, level):
                    origin = absolute("." * level + (module or ""), self._package).rstrip(".")
                    for one in names:
                        if one.name == "*":
                            self.stars.append(origin)
                        else:
                            self.imports.setdefault(one.asname or one.name, f"{origin}.{one.name}".lstrip("."))
                case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    self._names.add(f"{scope}{name}")
                    if isinstance(node, ast.ClassDef):
                        self._class_names.add(f"{scope}{name}")
                    scope = f"{scope}{name}."
            for name in _BODIES:
                pending.extend([(one, scope) for one in getattr(node, name, ())])

    def _full(self, dotted: str, scope: str) -> str:
        """Returns the full name of a dotted name in a scope; empty if the file does not tell."""
        first, dot, rest = dotted.partition(".")
        for around in _scopes(scope):
            known = _joined(around, first)
            if known in self._names and around not in self._class_names:
                return f"{self.module}.{known}{dot}{rest}".lstrip(".")
        if first in self.imports:
            return f"{self.imports[first]}{dot}{rest}"
        if self.stars and not dot:
            return f"{self.stars[0]}.{first}".lstrip(".")
        return ""

    # -- the walk

    def _walk(self) -> None:
        """Visits all nodes. It uses no recursion."""
        pending: list[tuple[ast.AST, _Place]] = [(self.tree, _Place())]
        while pending:
            node, place = pending.pop()
            kind = type(node)
            visit = _VISITS.get(kind)
            if visit is not None:
                pending.extend(visit(self, node, place))
            elif kind not in _LEAVES:
                inner = place.plain
                for name in parts_of(kind):
                    value = getattr(node, name, None)
                    if isinstance(value, list):
                        pending.extend([(one, inner) for one in value if one is not None])
                    elif value is not None:
                        pending.append((value, inner))

    def _inside(self, node: ast.AST, place: _Place) -> list[tuple[ast.AST, _Place]]:
        return [(one, place) for one in ast.iter_child_nodes(node)]

    def _name(self, node: ast.Name, place: _Place) -> list[tuple[ast.AST, _Place]]:
        if isinstance(node.ctx, ast.Load):
            (self._calls if place.way is Way.CALLED else self._uses).add((place.scope, node.id))
            parameter = self._parameter(node.id, place.scope)
            if parameter or node.id in self._known or self.stars:
                self._raw.append(_Raw(node.id, node.id, node.lineno, place, parameter=parameter))
        return []

    def _parameter(self, name: str, scope: str) -> str:
        """Returns the full name of a parameter of a function or of one around it; empty if it is none."""
        while scope:
            if name in self._parameters.get(scope, ()):
                return parameter_name(self.module, scope, name)
            scope = scope.rpartition(".")[0]
        return ""

    def _lambda(self, node: ast.Lambda, place: _Place) -> list[tuple[ast.AST, _Place]]:
        name = f"<lambda {node.lineno}_{node.col_offset}>"
        self._define(node, name, place, ())
        self._raw.append(_Raw(name, name, node.lineno, place))
        return [(node.body, _Place(_joined(place.scope, name), place.owner))]

    def _loop(self, node: ast.While | ast.For | ast.AsyncFor, place: _Place) -> list[tuple[ast.AST, _Place]]:
        first = node.lineno if isinstance(node, ast.While) else node.body[0].lineno
        lines = Lines(first, node.body[-1].end_lineno or first)
        left = tuple(_left(node.body))
        self.loops.append(Loop(lines, self._is_endless(node, place.scope), node.lineno, left))
        return self._inside(node, place.plain)

    def _comprehension(self, node: ast.expr, place: _Place) -> list[tuple[ast.AST, _Place]]:
        self.loops.append(Loop(Lines(node.lineno, node.end_lineno or node.lineno), False, node.lineno))
        return self._inside(node, place.plain)

    def _if(self, node: ast.If, place: _Place) -> list[tuple[ast.AST, _Place]]:
        match node.test:
            case ast.Compare(left=ast.Name(id="__name__")) if not place.scope:
                self.start.append(Lines(node.lineno, node.body[-1].end_lineno or node.lineno))
        return self._inside(node, place.plain)

    def _assign(self, node: ast.Assign, place: _Place) -> list[tuple[ast.AST, _Place]]:
        for target in node.targets:
            self._bind(target, node.value, place)
        kept = place.plain
        match node.targets:
            case [ast.Name(id=name)] if place.scope:
                kept = _Place(place.scope, place.owner, held=name)
        return [*((one, place.plain) for one in node.targets), (node.value, kept)]

    def _annotate(self, node: ast.AnnAssign, place: _Place) -> list[tuple[ast.AST, _Place]]:
        self._bind_to(dotted_name(node.target), self._annotated(node.annotation), place, _OR_SUBCLASS)
        return self._inside(node, place.plain)

    def _enter(self, node: ast.withitem, place: _Place) -> list[tuple[ast.AST, _Place]]:
        if node.optional_vars is not None:
            self._bind(node.optional_vars, node.context_expr, place)
        return self._inside(node, place.plain)

    def _class(self, node: ast.ClassDef, place: _Place) -> list[tuple[ast.AST, _Place]]:
        name = _joined(place.scope, node.name)
        bases = [dotted_name(one.value if isinstance(one, ast.Subscript) else one) for one in node.bases]
        full = tuple(self._full(one, place.scope) or one for one in bases if one is not None)
        self.classes.append(Class(name, Lines(node.lineno, node.end_lineno or node.lineno), full))
        inner = _Place(name, name)
        return [*((one, place) for one in node.decorator_list), *((one, inner) for one in node.body)]

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, place: _Place) -> list[tuple[ast.AST, _Place]]:
        called = [one.func if isinstance(one, ast.Call) else one for one in node.decorator_list]
        decorators = tuple(filter(None, (self._spelled(one, place.scope) for one in called)))
        self._define(node, node.name, place, decorators)
        name = _joined(place.scope, node.name)
        inner = _Place(name, place.owner)
        arguments = node.args
        for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            if one.annotation is not None:
                self._bind_to(one.arg, self._annotated(one.annotation), inner, _OR_SUBCLASS)
        outside = (*node.decorator_list, *arguments.defaults)
        return [*((one, place.plain) for one in outside), *((one, inner) for one in node.body)]

    def _define(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, name: str, place: _Place, by: tuple[str, ...]
    ) -> None:
        owner = place.owner if place.owner == place.scope else ""
        qualified = _joined(place.scope, name)
        listed = [one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
        self._parameters[qualified] = tuple(listed[1:] if owner and _STATIC not in by else listed)
        special = name.startswith("__") and name.endswith("__") and name not in _NOT_CREATION
        self.definitions.append(
            Definition(
                qualified, Lines(node.lineno, node.end_lineno or node.lineno), owner, by,
                created=bool(owner) and special, read=not _READ.isdisjoint(by),
                tests=any(one in owner for one in self.entries.test_classes),
                parameters=self._parameters[qualified],
            )
        )  # fmt: skip

    def _daemonizes(self, function: Definition) -> bool:
        """Whether a function lets the process go on as a daemon."""
        names = self._called.get(function.name, set())
        return self.entries.daemon <= names and names.isdisjoint(self.entries.executing)

    def _call(self, node: ast.Call, place: _Place) -> list[tuple[ast.AST, _Place]]:
        called = _Place(place.scope, place.owner, Way.CALLED)
        if self.may_daemonize:
            self._called.setdefault(place.scope, set()).add(_last_name(node.func))
        name = self._spelled(node.func, place.scope)
        told = f"{name}({_last_name(node.args[0])})" if node.args else ""
        name = told if told in self.table.with_argument else name
        wraps = name in self.entries.wrapping
        given = place if wraps else _Place(place.scope, place.owner, Way.GIVEN, (name or "*.?", *place.to[:1]))
        values = [*enumerate(node.args), *((one.arg or -1, one.value) for one in node.keywords)]
        return [(node.func, called), *((one, given if wraps else given._replace(at=at)) for at, one in values)]

    def _attribute(self, node: ast.Attribute, place: _Place) -> list[tuple[ast.AST, _Place]]:
        if not isinstance(node.ctx, ast.Load):
            return [(node.value, place.plain)]
        dotted = dotted_name(node)
        if dotted is None and _is_super(node.value):
            dotted = f"{_SUPER}.{node.attr}"
        self._raw.append(_Raw(node.attr, dotted, node.lineno, place))
        if dotted is None:
            self._raw[-1].made = _made(node.value)
            return [(node.value, place.plain)]
        return []

    def _spelled(self, func: ast.expr, scope: str) -> str:
        """Returns the full name of a callee, or its last name behind a star."""
        dotted = dotted_name(func)
        if dotted is None:
            return f"*.{func.attr}" if isinstance(func, ast.Attribute) else ""
        full = self._full(dotted, scope)
        if full:
            return full
        _, dot, last = dotted.rpartition(".")
        return f"*.{last}" if dot else last

    # -- what names are bound to

    def _bind(self, target: ast.expr, value: ast.expr, place: _Place) -> None:
        self._bind_to(dotted_name(target), _made(value), place)

    def _bind_to(self, name: str | None, made: str | None, place: _Place, how: str = "") -> None:
        """Notes the class of what a name holds. A name with several stays unknown."""
        if name is None:
            return
        first, dot, rest = name.partition(".")
        key = (place.owner, rest) if dot and first in OWN else (place.scope, name)
        full = f"{how}{self._full(made, place.scope) or made}" if made is not None else ""
        if self._bound.setdefault(key, full) != full:
            self._bound[key] = ""

    def _annotated(self, annotation: ast.expr) -> str | None:
        match annotation:
            case ast.Constant(value=str(text)) if text.replace(".", "").isidentifier():
                return text
            case ast.BinOp(left=left, op=ast.BitOr()):
                return self._annotated(left)
            case ast.Subscript(value=value, slice=inner) if (dotted_name(value) or "").endswith("Optional"):
                return self._annotated(inner)
        return dotted_name(annotation)

    def _kind(self, root: str, place: _Place) -> str:
        """Returns the full name of the class of an object, empty if it is not known."""
        first, dot, rest = root.partition(".")
        if first in OWN and dot:
            return self._bound.get((place.owner, rest), "")
        return next((self._bound[one, root] for one in _scopes(place.scope) if (one, root) in self._bound), "")

    # -- mentions

    def _mention(self, raw: _Raw) -> Mention:
        place, held = raw.place, (raw.place.scope, raw.place.held)
        if held in self._calls and held not in self._uses:
            place = _Place(place.scope, place.owner, Way.CALLED)
        kind, full, own, exact = "", "", False, False
        root = (raw.dotted or "").rpartition(".")[0]
        if raw.dotted is None:
            kind = self._full(raw.made, place.scope) if raw.made is not None else ""
            exact = bool(kind)
        elif raw.parameter:
            full = raw.parameter
        elif root in OWN or root == _SUPER:
            kind, own = f"{self.module}.{place.owner}".lstrip("."), True
        elif raw.name.startswith("<"):
            full = f"{self.module}.{_joined(place.scope, raw.name)}".lstrip(".")
        else:
            kind = self._kind(root, place) if root else ""
            full = "" if kind else self._full(raw.dotted, place.scope)
            exact = bool(kind) and not kind.startswith(_OR_SUBCLASS)
            kind = kind.removeprefix(_OR_SUBCLASS)
        return Mention(raw.name, raw.line, place.way, full, kind, own, exact, place.to, place.at, place.scope)

    # -- loops

    def _waits(self, node: ast.AST) -> bool:
        """Whether a node is a call that waits for something."""
        return isinstance(node, ast.Call) and _last_name(node.func) in self.entries.waiting

    def _is_endless(self, node: ast.While | ast.For | ast.AsyncFor, scope: str) -> bool:
        if isinstance(node, ast.While):
            inside = [*_of_the_loop(node.body)]
            waits = any(self._waits(one) for one in inside)
            if isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not):  # while not stop.wait(5)
                asked = node.test.operand
                if self._waits(asked.value if isinstance(asked, ast.Subscript) else asked):
                    return True
            if isinstance(node.test, ast.Constant):
                leaves = any(isinstance(one, (ast.Break, ast.Return)) for one in inside)
                return bool(node.test.value) and (waits or not leaves)
            return waits and _is_flag(node.test, inside)
        if isinstance(node, ast.AsyncFor):
            return True
        iterated = node.iter
        if not isinstance(iterated, ast.Call):
            return False
        name = self._spelled(iterated.func, scope)
        return name in self.entries.endless or (name == "iter" and len(iterated.args) > 1)


def _made(value: ast.expr) -> str | None:
    """Returns the class of a value that a constructor makes, as the source spells it."""
    if isinstance(value, ast.Await):
        value = value.value
    made = dotted_name(value.func) if isinstance(value, ast.Call) else None
    return made if made is not None and made.rpartition(".")[2][:1].isupper() else None


_VISITS: dict[type[ast.AST], Callable[[_Reader, Any, _Place], list[tuple[ast.AST, _Place]]]] = {
    ast.ClassDef: _Reader._class,
    ast.FunctionDef: _Reader._function,
    ast.AsyncFunctionDef: _Reader._function,
    ast.Lambda: _Reader._lambda,
    ast.Call: _Reader._call,
    ast.Name: _Reader._name,
    ast.Attribute: _Reader._attribute,
    **dict.fromkeys((ast.Tuple, ast.List, ast.Dict, ast.Starred, ast.IfExp, ast.Set), _Reader._inside),
    **dict.fromkeys((ast.While, ast.For, ast.AsyncFor), _Reader._loop),
    **dict.fromkeys((ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp), _Reader._comprehension),
    ast.If: _Reader._if,
    ast.Assign: _Reader._assign,
    ast.AnnAssign: _Reader._annotate,
    ast.withitem: _Reader._enter,
}
_LEAVES = frozenset(
    {ast.Constant, ast.Pass, ast.Break, ast.Continue, ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom}
)


def _scopes(scope: str) -> Iterator[str]:
    """Yields the qualified name of a definition and those of the definitions around it, the empty one of the file
    last."""
    while scope:
        yield scope
        scope = scope.rpartition(".")[0]
    yield ""


def _joined(scope: str, name: str) -> str:
    return f"{scope}.{name}" if scope else name


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def _last_name(func: ast.expr) -> str:
    if isinstance(func, ast.Attribute):
        return func.attr
    return func.id if isinstance(func, ast.Name) else ""


def _of_the_loop(
    body: Sequence[ast.AST], parts: Callable[[ast.AST], Iterable[ast.AST]] = ast.iter_child_nodes
) -> Iterator[ast.AST]:
    """Yields the nodes of a loop's body, without those of functions that it defines. The statements that leave an
    inner loop alone are left out. ``parts``: those of a node that count."""
    pending: list[tuple[ast.AST, bool]] = [(one, False) for one in body]
    while pending:
        node, inner = pending.pop()
        if isinstance(node, (*_FUNCTIONS, ast.Lambda, ast.ClassDef)):
            continue
        if not (inner and isinstance(node, ast.Break)):
            yield node
        inner = inner or isinstance(node, (ast.While, ast.For, ast.AsyncFor))
        pending.extend([(one, inner) for one in parts(node)])


def _suites(node: ast.AST) -> Iterator[ast.AST]:
    """Yields the statements directly in a node, its handlers and its cases."""
    for name in _BODIES:
        yield from getattr(node, name, ())


_PLAIN = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign)


def _left(body: Sequence[ast.AST]) -> Iterator[Lines]:
    """Yields the lines that a loop runs once at most: a ``return`` or ``break`` after which it cannot go on, with the
    plain statements before it. They are not on a line with others, and no handler in the loop catches what they
    raise."""
    inside = [*_of_the_loop(body, _suites)]
    known = {id(one) for one in inside}
    begun = Counter(one.lineno for one in inside if isinstance(one, ast.stmt))
    tried = (one.body for one in inside if isinstance(one, ast.Try) and one.handlers)
    caught = {id(one) for tries in tried for one in _of_the_loop(tries, _suites)}
    for suite in (body, *(found for one in inside for name in _SUITES if (found := getattr(one, name, ())))):
        *before, last = suite
        if isinstance(last, ast.Return | ast.Break) and id(last) in known - caught and begun[last.lineno] == 1:
            first = last.lineno
            for one in reversed(before):
                if not isinstance(one, _PLAIN) or begun[one.lineno] > 1:
                    break
                first = one.lineno
            yield Lines(first, last.end_lineno or last.lineno)


def _is_flag(test: ast.expr, inside: Sequence[ast.AST]) -> bool:
    """Whether a condition asks only whether to go on: a name that the loop does not set, an attribute, an event."""
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test = test.operand
    if isinstance(test, ast.Call):
        return isinstance(test.func, ast.Attribute) and not test.args
    asked = dotted_name(test)
    return asked is not None and not any(_changes(one, asked) for one in inside)


def _changes(node: ast.AST, name: str) -> bool:
    """Whether a node sets a variable, or works with what is in it."""
    match node:
        case ast.Name(id=known, ctx=ast.Store()):
            return known == name
        case ast.Attribute(value=inside) | ast.Subscript(value=inside):
            return dotted_name(inside) == name
    return False


def _usage(data: bytes, path: str, place: Path, top: Path) -> Usage | None:
    inside = place.relative_to(top) if place.is_relative_to(top) else Path(place.name)
    return usage_of(data, path, ".".join(inside.with_suffix("").parts))


def _defines(name: str) -> tuple[bytes, ...]:
    return f"class {name}".encode(), f"def {name}".encode()


def _derives(name: str) -> re.Pattern[bytes]:
    return re.compile(rb"\bclass\s+\w+\s*\([^)]*\b%s\b" % re.escape(name).encode())


def _facts(data: bytes) -> Facts | None:
    found = parsed(data)
    return facts_of(found[2]) if found is not None else None


USAGE = UsageRules(usage=_usage, commands=commands, defines=_defines, derives=_derives, facts=_facts)
