"""Collects the facts of one piece of a file: its calls, references and imports, and whether it gives its caller
something.

They come from Python's own parser, so strings and comments do not look like code. They cost a tenth of the lowering,
and they tell which pieces must be lowered.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from fdlint.core.ir import AccessPath, Graph

OWN = frozenset({"self", "cls"})
OWN_CLASS = frozenset({("", "cls"), ("", "type"), ("self", "__class__")})
"""Calls that may create an object of the class whose method makes them, by their roots and names: ``type(self)(…)``."""
_LONGEST_NAME = 60  # characters; a longer string does not name a function or a type
_NO_NODES = frozenset(
    {"ctx", "op", "ops", "type_comment", "kind", "name", "id", "attr", "arg", "asname", "level", "module", "names"}
    | {"is_async", "simple", "rest", "conversion", "kwd_attrs"}
)
_WORD = re.compile(r"\w+")
_BY_NAME = frozenset({"getattr", "setattr", "hasattr", "delattr", "__setattr__"})  # their second argument is a name
_READS_BY_NAME = "getattr"
_TAKE_KEYS = frozenset({"get", "pop", "setdefault"})  # methods of a dict: their first argument is a key
_ATTRIBUTES = frozenset({"__dict__", "vars"})  # what makes a dict of the attributes of an object
_SLOTS = "__slots__"
TESTED = "if"
"""What gets the value of an attribute that is only tested or compared."""


class Read(NamedTuple):
    """A read of an attribute of an object other than the method's own. ``by``: the last name of the call that gets the
    value, ``TESTED`` for a condition, otherwise empty. ``nameless``: the object is the result of a call, or an item."""

    name: str
    by: str = ""
    nameless: bool = False


class Called(NamedTuple):
    """A call. ``root``: the dotted name before the last name; empty for a plain name, None if there is no such name
    (``make().close()``). ``bare``: it has no arguments."""

    root: str | None
    name: str
    bare: bool


class Facts(NamedTuple):
    """The facts of a piece. ``calls``: its calls. ``references``: the dotted names that it reads, as the source spells
    them. ``members``: the attributes that it reads from other expressions. ``strings``: the short strings that are
    identifiers. ``words``: all identifiers, and the words of short strings, because a string may name a type.
    ``imports``: the local names that its own imports bind, each with the imported name. ``gives``: it may return a
    value other than a constant, or put something into a parameter. ``nests``: it has a function inside a function.
    ``reads``: the attributes of other objects that it reads. ``named``: the strings that may be names of attributes,
    without those that show how the attribute is used. ``flags``: the arguments of calls that are truth values or
    numbers."""

    calls: frozenset[Called]
    references: frozenset[str]
    members: frozenset[str]
    strings: frozenset[str]
    words: frozenset[str]
    imports: tuple[tuple[str, str], ...]
    gives: bool
    nests: bool
    reads: frozenset[Read] = frozenset()
    named: frozenset[str] = frozenset()
    flags: frozenset[tuple[str, int]] = frozenset()


def facts_of(tree: ast.Module) -> Facts:
    """Returns the facts of a piece from its syntax tree."""
    return _Collector().collect(tree)


def facts_of_graphs(graphs: Iterable[Graph]) -> Facts:
    """Returns the facts of a file from its graphs. This is for files that only the other parser can read."""
    calls: set[Called] = set()
    references: set[str] = set()
    members: set[str] = set()
    for call in (call for graph in graphs for call in graph.calls()):
        callee, bare = call.callee, not call.args
        references.update(arg.dotted for arg in call.args if arg.dotted is not None)
        if callee.dotted is not None:
            references.add(callee.dotted)
            calls.add(Called(callee.dotted.rpartition(".")[0], callee.dotted.rpartition(".")[2], bare))
        elif isinstance(callee.receiver, AccessPath) and not callee.receiver.is_temporary:
            members.add(callee.name)
            calls.add(Called(str(callee.receiver), callee.name, bare))
        else:
            members.add(callee.name)
            calls.add(Called("" if callee.receiver is None else None, callee.name, bare))
    roots = {one.partition(".")[0] for one in references}
    words = frozenset(word for one in (*references, *members) for word in one.split("."))
    imports = tuple((root, root) for root in sorted(roots))
    reads = frozenset(map(Read, words - roots))
    return Facts(
        frozenset(calls), frozenset(references), frozenset(members), frozenset(), words, imports, True, True, reads
    )  # fmt: skip


class _Collector:
    """Collects facts from a tree. It uses no recursion."""

    def __init__(self) -> None:
        self._calls: set[Called] = set()
        self._references: set[str] = set()
        self._members: set[str] = set()
        self._strings: set[str] = set()
        self._words: set[str] = set()
        self._imports: list[tuple[str, str]] = []
        self._parameters: set[str] = set()
        self._filled: set[str] = set()  # names with a method call, an item or a slice
        self._gives = False
        self._functions = 0
        self._reads: set[Read] = set()
        self._named: set[str] = set()
        self._flags: set[tuple[str, int]] = set()
        self._by: dict[int, str] = {}  # what gets the value of a node, by the node's identity
        self._understood: set[int] = set()  # strings that are used like attributes
        self._pending: list[ast.AST | None] = []

    def collect(self, tree: ast.Module) -> Facts:
        """Returns the facts of a module or of a piece."""
        pending = self._pending
        pending.append(tree)
        visits = _VISITS
        while pending:
            node = pending.pop()
            if node is None:  # the key of `**other` in a dict
                continue
            visit = visits.get(type(node))
            if visit is None or visit(self, node):
                for name in parts_of(type(node)):
                    value = getattr(node, name, None)
                    if isinstance(value, list):
                        pending.extend(value)
                    elif value is not None:
                        pending.append(value)
        gives = self._gives or not self._filled.isdisjoint(self._parameters - OWN)
        return Facts(
            frozenset(self._calls),
            frozenset(self._references),
            frozenset(self._members),
            frozenset(self._strings),
            frozenset(self._words),
            tuple(self._imports),
            gives,
            self._functions > 1,
            frozenset(self._reads),
            frozenset(self._named),
            frozenset(self._flags),
        )

    # -- one method for each node type; it returns whether to visit the parts of the node

    def name(self, node: ast.Name) -> bool:
        self._words.add(node.id)
        self._references.add(node.id)
        return False

    def attribute(self, node: ast.Attribute) -> bool:
        dotted = dotted_name(node)
        if dotted is None:
            self._words.add(node.attr)
            self._members.add(node.attr)
            self._pending.append(node.value)
            if isinstance(node.ctx, ast.Load):
                nameless = isinstance(node.value, (ast.Call, ast.Subscript))
                self._reads.add(Read(node.attr, self._by.get(id(node), ""), nameless))
        else:
            parts = dotted.split(".")
            self._references.add(dotted)
            self._words.update(parts)
            if len(parts) > 2:
                self._reads.update(map(Read, parts[2 if parts[0] in OWN else 1 : -1]))
            if (len(parts) > 2 or parts[0] not in OWN) and isinstance(node.ctx, ast.Load):
                self._reads.add(Read(node.attr, self._by.get(id(node), "")))
        return False

    def call(self, node: ast.Call) -> bool:
        self._note_call(node.func, not node.args and not node.keywords)
        for value in (*node.args, *(one.value for one in node.keywords)):
            self._note_call(value, False)  # whoever gets a function may call it
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
            self._filled.add(node.func.value.id)
        if node.args or node.keywords:
            self._arguments(node)
        return True

    def _arguments(self, node: ast.Call) -> None:
        func = node.func
        name = func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
        for one in node.args:
            if isinstance(one, ast.Attribute):
                self._by[id(one)] = name
        for keyword in node.keywords:
            value = keyword.value
            if isinstance(value, ast.Attribute):
                self._by[id(value)] = name
            elif keyword.arg is not None and isinstance(value, ast.Constant) and isinstance(value.value, int):
                self._flags.add((keyword.arg, value.value))
        if name in _BY_NAME and len(node.args) > 1 and isinstance(node.args[1], ast.Constant):
            self._use_name(name, *node.args[:2])
        if name in _TAKE_KEYS and node.args and isinstance(func, ast.Attribute):
            self._use_key(func.value, node.args[0])

    def _use_name(self, how: str, whose: ast.expr, name: ast.expr) -> None:
        """Notes the attribute that a call reads or sets by its name."""
        self._understood.add(id(name))
        own = isinstance(whose, ast.Name) and whose.id in OWN
        if how == _READS_BY_NAME and not own and isinstance(name, ast.Constant) and isinstance(name.value, str):
            self._reads.add(Read(name.value))

    def _use_key(self, base: ast.expr, key: ast.expr) -> None:
        """Notes that a string is a key of a dict: no attribute, except in the dict of the attributes of an object."""
        source = base.func if isinstance(base, ast.Call) else base
        name = source.attr if isinstance(source, ast.Attribute) else source.id if isinstance(source, ast.Name) else ""
        if name not in _ATTRIBUTES:
            self._understood.add(id(key))

    def compare(self, node: ast.Compare) -> bool:
        for one in (node.left, *node.comparators):
            self._test(one)
        return True

    def condition(self, node: ast.If | ast.While | ast.IfExp | ast.Assert) -> bool:
        self._test(node.test)
        return True

    def _test(self, node: ast.expr) -> None:
        """Notes the attributes that a condition only tests."""
        pending = [node]
        while pending:
            one = pending.pop()
            match one:
                case ast.Attribute():
                    self._by[id(one)] = TESTED
                case ast.UnaryOp(operand=operand):
                    pending.append(operand)
                case ast.BoolOp(values=values):
                    pending.extend(values)

    def assigned(self, node: ast.Assign) -> bool:
        self._note_call(node.value, False)  # `close = self.close`
        if any(isinstance(one, ast.Name) and one.id == _SLOTS for one in node.targets):
            self._understood.update(map(id, ast.walk(node.value)))
        return True

    def _note_call(self, func: ast.expr | None, bare: bool) -> None:
        if isinstance(func, ast.Name):
            self._calls.add(Called("", func.id, bare))
        elif isinstance(func, ast.Attribute):
            self._calls.add(Called(dotted_name(func.value), func.attr, bare))

    def subscript(self, node: ast.Subscript) -> bool:
        if isinstance(node.value, ast.Name):
            self._filled.add(node.value.id)
        self._use_key(node.value, node.slice)
        return True

    def constant(self, node: ast.Constant) -> bool:
        value = node.value
        if isinstance(value, str) and len(value) <= _LONGEST_NAME:
            if value.isidentifier():
                self._strings.add(value)
                self._words.add(value)
                if id(node) not in self._understood:
                    self._named.add(value)
            else:
                self._words.update(_WORD.findall(value))
        return False

    def singleton(self, _: ast.MatchSingleton) -> bool:
        return False

    def returned(self, node: ast.Return) -> bool:
        if node.value is not None and not _is_plain(node.value):
            self._gives = True
        return True

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        self._functions += 1
        for default in (*node.args.defaults, *node.args.kw_defaults):
            self._note_call(default, False)
        return self.defined(node)

    def lambda_(self, _: ast.Lambda | ast.GeneratorExp) -> bool:
        self._functions += 1
        return True

    def defined(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
        for decorator in node.decorator_list:
            if not isinstance(decorator, ast.Call):
                self._note_call(decorator, False)
        return True

    def parameter(self, node: ast.arg) -> bool:
        self._parameters.add(node.arg)
        return True

    def imported(self, node: ast.Import) -> bool:
        for alias in node.names:
            root = alias.name.partition(".")[0]
            self._imports.append((alias.asname, alias.name) if alias.asname else (root, root))
        return False

    def imported_from(self, node: ast.ImportFrom) -> bool:
        origin = "." * node.level + (node.module or "")
        dot = "" if origin.endswith(".") else "."
        self._imports.extend((alias.asname or alias.name, f"{origin}{dot}{alias.name}") for alias in node.names)
        return False


_VISITS: dict[type[ast.AST], Callable[[_Collector, Any], bool]] = {
    ast.Name: _Collector.name,
    ast.Assign: _Collector.assigned,
    ast.Attribute: _Collector.attribute,
    ast.Call: _Collector.call,
    ast.Assert: _Collector.condition,
    ast.Compare: _Collector.compare,
    ast.If: _Collector.condition,
    ast.IfExp: _Collector.condition,
    ast.While: _Collector.condition,
    ast.Subscript: _Collector.subscript,
    ast.Constant: _Collector.constant,
    ast.MatchSingleton: _Collector.singleton,
    ast.Return: _Collector.returned,
    ast.FunctionDef: _Collector.function,
    ast.AsyncFunctionDef: _Collector.function,
    ast.Lambda: _Collector.lambda_,
    ast.GeneratorExp: _Collector.lambda_,
    ast.ClassDef: _Collector.defined,
    ast.arg: _Collector.parameter,
    ast.Import: _Collector.imported,
    ast.ImportFrom: _Collector.imported_from,
}


def parts_of(kind: type[ast.AST]) -> tuple[str, ...]:
    """Returns the fields of a node type that hold nodes, without contexts and operators."""
    if kind not in _PARTS:
        fields = getattr(kind, "_fields", ())  # a newer Python may keep plain values in new kinds of nodes
        _PARTS[kind] = tuple(name for name in fields if name not in _NO_NODES)
    return _PARTS[kind]


_PARTS: dict[type[ast.AST], tuple[str, ...]] = {}


def dotted_name(node: ast.expr) -> str | None:
    """Returns ``a.b.c`` for a chain of plain attributes on a name, otherwise None."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    parts.append(node.id)
    return ".".join(reversed(parts))


def _is_plain(node: ast.expr) -> bool:
    """Whether a returned value is None, a truth value or a number."""
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant) and not isinstance(node.value, (str, bytes))
