"""Resolves names through imports in all their forms, simple aliases and builtins, without importing anything."""

from __future__ import annotations

import builtins
from dataclasses import dataclass, field
from sys import stdlib_module_names
from types import EllipsisType

import libcst as cst

from fdlint.catalog import Catalog
from fdlint.catalog.shape import acquires
from fdlint.core.ir import Constant, Place
from fdlint.languages.index.imports import absolute
from fdlint.languages.python.lowering.constants import answer, integer, string

AnyImport = cst.Import | cst.ImportFrom | cst.LazyImport | cst.LazyImportFrom
_BUILTINS = frozenset(dir(builtins))


def dotted_text(node: cst.BaseExpression) -> str | None:
    """Returns ``a.b.c`` for a chain of plain attributes on a name, otherwise None."""
    if type(node) is cst.Name:  # the classes of nodes are abstract, for which ``isinstance`` is slow
        return node.value
    parts: list[str] = []
    while type(node) is cst.Attribute:
        parts.append(node.attr.value)
        node = node.value
    if type(node) is not cst.Name:
        return None
    parts.append(node.value)
    return ".".join(reversed(parts))


def path_text(node: cst.BaseExpression) -> str | None:
    """Returns the text of a path that may lead through items at constant keys: ``a.b``, ``a[0]``, ``a["fds"].b``."""
    match node:
        case cst.Subscript(
            value=base, slice=[cst.SubscriptElement(slice=cst.Index(value=cst.Integer() | cst.SimpleString() as key))]
        ):
            text = path_text(base)
            return f"{text}[{key.value}]" if text is not None else None
        case cst.Attribute(value=cst.Subscript() as base, attr=name):
            text = path_text(base)
            return f"{text}.{name.value}" if text is not None else None
    return dotted_text(node)


@dataclass(slots=True)
class Scope:
    """One function's (or the module's) names. ``bound`` are locals. ``stands_for`` maps a name to a dotted name.

    ``outer`` is the enclosing function's scope, or the module's.
    """

    outer: Scope | None = None
    bound: set[Place] = field(default_factory=set)
    read: set[Place] = field(default_factory=set)
    outward: set[Place] = field(default_factory=set)  # declared global or nonlocal
    globals: set[Place] = field(default_factory=set)  # declared global
    stands_for: dict[str, str] = field(default_factory=dict)
    classes: set[str] = field(default_factory=set)
    tables: set[str] = field(default_factory=set)  # variables that hold functions: `CLOSERS = {"fd": os.close}`
    alternatives: dict[str, list[str]] = field(default_factory=dict)  # the meanings of a name if an import fails
    same: dict[str, str] = field(default_factory=dict)  # aliases of functions of the file
    stars: list[str] = field(default_factory=list)  # modules imported with a star
    constants: dict[str, Constant] = field(default_factory=dict)  # NAMES of the module with one value
    groups: dict[str, tuple[cst.BaseExpression, ...]] = field(default_factory=dict)  # `ERRORS = (OSError, EOFError)`
    times: dict[str, int] = field(default_factory=dict)  # how often a plain statement of the module binds a variable
    fixed: dict[str, bool] = field(default_factory=dict)  # variables of the module with the result of a platform test
    kinds: dict[str, tuple[str, ...]] = field(default_factory=dict)  # variables of the module that hold types
    platform: bool = False  # a platform test selects the meaning of some of the module's names
    own: set[str] = field(default_factory=set)  # functions and classes of the file, or imported from beside it
    later: set[str] = field(default_factory=set)  # those that the module defines further down

    def is_own(self, name: str) -> bool:
        """Whether a name means a function or class of the project. A builtin keeps its name until the module defines
        another."""
        return name in self.own and not (name in self.later and name in _BUILTINS)

    def is_class(self, name: str) -> bool:
        """Whether the file defines a class of this name that is visible here."""
        return name in self.classes or (self.outer is not None and self.outer.is_class(name))

    @property
    def module(self) -> Scope:
        """The names of the module."""
        return self if self.outer is None else self.outer.module

    def is_table(self, name: str) -> bool:
        """Whether the name is a variable of the module that holds functions."""
        return name in self.module.tables and not self.hides(name)

    def hides(self, name: str) -> bool:
        """Whether a function binds the name, so that it is not the module's."""
        if self.outer is None:
            return False
        return name in self.bound or name in self.stands_for or name in self.own or self.outer.hides(name)

    def fixed_answer(self, name: str) -> bool | None:
        """Returns the value of a module variable that is bound to a platform test; None for any other name."""
        fixed = self.module.fixed
        return fixed[name] if name in fixed and not self.hides(name) else None

    def kinds_of(self, name: str) -> tuple[str, ...]:
        """Returns the types in a variable of the module; none for any other name."""
        return () if self.hides(name) else self.module.kinds.get(name, ())

    def group(self, node: cst.BaseExpression) -> tuple[cst.BaseExpression, ...]:
        """Returns the items of the tuple in a variable of the module; none for any other expression."""
        if not isinstance(node, cst.Name) or self.hides(node.value):
            return ()
        return self.module.groups.get(node.value, ())

    def find(self, name: str) -> tuple[str | None, bool]:
        """Returns the dotted name that ``name`` stands for, or None, and whether it belongs to the project."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.stands_for:
                return scope.stands_for[name], name in scope.own
            if scope.is_own(name):
                return None, True
            if name in scope.bound:
                return None, False
            scope = scope.outer
        return (f"builtins.{name}", False) if name in _BUILTINS else (None, False)


@dataclass(frozen=True, slots=True)
class Resolver:
    """Resolves names by a scope and the catalog. ``package``: the file's package, empty if unknown."""

    catalog: Catalog
    package: str = ""

    def resolve(self, text: str | None, scope: Scope) -> str | None:
        """Returns the dotted name for a name in the source, or None for a variable."""
        if text is None:
            return None
        root, _, rest = text.partition(".")
        found, _ = scope.find(root)
        if found is None:
            return None
        return f"{found}.{rest}" if rest else found

    def answer(self, node: cst.BaseExpression, scope: Scope) -> bool | None:
        """Returns the value of a condition that depends only on the platform; None for any other."""
        return answer(node, lambda part: self._constant(part, scope))

    def number(self, node: cst.BaseExpression, scope: Scope) -> int | EllipsisType:
        """Returns the number that a name of another module always stands for, or flags of such names; ``...`` if that
        is not known."""
        if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.BitOr):
            left, right = self.number(node.left, scope), self.number(node.right, scope)
            return ... if isinstance(left, EllipsisType) or isinstance(right, EllipsisType) else left | right
        known = self.catalog.constants.get(self.resolve(dotted_text(node), scope) or "")
        return known if type(known) is int else ...

    def _constant(self, node: cst.BaseExpression, scope: Scope) -> object:
        called = isinstance(node, cst.Call)
        text = dotted_text(node.func if isinstance(node, cst.Call) else node)
        if text is not None and not called and (fixed := scope.fixed_answer(text)) is not None:
            return fixed
        dotted = self.resolve(text, scope)
        return ... if dotted is None else self.catalog.constants.get(f"{dotted}()" if called else dotted, ...)

    def bind_import(self, node: AnyImport, scope: Scope) -> None:
        """Adds the names that an import statement binds."""
        if isinstance(node, (cst.Import, cst.LazyImport)):
            for alias in node.names:
                self.bind_module(dotted_text(alias.name) or "", _local_name(alias), scope)
            return
        module = "." * len(node.relative) + ((dotted_text(node.module) or "") if node.module else "")
        if isinstance(node.names, cst.ImportStar):
            self.bind_star(module, scope)
            return
        for alias in node.names:
            if isinstance(alias.name, cst.Name):
                self.bind_member(alias.name.value, _local_name(alias), module, scope)

    def bind_module(self, name: str, local: str | None, scope: Scope) -> None:
        """Binds the name of ``import name as local``."""
        if local is not None:
            scope.stands_for.setdefault(local, name)
        else:
            root = name.partition(".")[0]
            scope.stands_for.setdefault(root, root)

    def bind_member(self, member: str, local: str | None, module: str, scope: Scope) -> None:
        """Binds the name of ``from module import member as local``."""
        local, relative = local or member, module.startswith(".")
        if self._is_disguised_module(module, member, relative):
            scope.stands_for.setdefault(local, member)  # `from compat import os` is os, even if the import is wrapped
        else:
            dotted = self._modelled(f"{module}.{member}" if module.strip(".") else f"{module}{member}")
            first = scope.stands_for.setdefault(local, dotted)
            if first != dotted:
                scope.alternatives.setdefault(first, []).append(dotted)
            if relative and not self.catalog.lookup(dotted):
                scope.own.add(local)

    def _modelled(self, dotted: str) -> str:
        """Returns the full name of an import from beside the file, if the catalog knows it or its module."""
        if not self.package or not dotted.startswith("."):
            return dotted
        full = absolute(dotted, self.package)
        known = self.catalog.knows(full) or self.catalog.knows_module(full.rpartition(".")[0])
        return full if known else dotted

    def _is_disguised_module(self, module: str, member: str, relative: bool) -> bool:
        """Whether an import gives a standard module under another package: ``from compat import os``. A member of a
        standard module never counts: ``from sys import platform``. Nor does any other module that the catalog knows: it
        may be one of the project."""
        known = f"{module.strip('.')}.{member}"
        if (relative and not module.strip(".")) or (not relative and module.partition(".")[0] in stdlib_module_names):
            return False
        catalog = self.catalog
        return (
            member in stdlib_module_names
            and catalog.knows_module(member)
            and not (catalog.knows_module(known) or catalog.lookup(known) or catalog.knows_type(known))
        )

    def bind_star(self, module: str, scope: Scope) -> None:
        """Binds the names of ``from module import *``: the members that the catalog knows."""
        scope.stars.append(module)
        origin = absolute(module, self.package) if self.package else module
        for member in self.catalog.members(origin):
            scope.stands_for.setdefault(member, f"{origin}.{member}")

    def bind_starred_modules(self, scope: Scope) -> None:
        """Binds the names of standard modules that nothing else in a module binds, if it has a star import of a module
        that is not standard: ``from .compat import *`` brings the ``os`` of ``compat`` along."""
        if all(module.partition(".")[0] in stdlib_module_names for module in scope.stars):
            return
        for name in self.catalog.modules & stdlib_module_names:
            if name not in scope.own and name not in scope.times:
                scope.stands_for.setdefault(name, name)

    def _wraps(self, node: cst.BaseExpression, scope: Scope) -> bool:
        """Whether a function is assumed to wrap the one that it gets: it binds arguments, or nothing is known of it."""
        return all(api.binds for api in self.catalog.lookup(self.resolve(dotted_text(node), scope) or ""))

    def _by_its_own_name(self, value: cst.BaseExpression, scope: Scope) -> str | None:
        """Resolves ``libc.pidfd_open`` and ``prototype(("pidfd_open", libc))``, if a known function of that name
        acquires."""
        name: str | bytes
        match value:
            case cst.Attribute(attr=cst.Name(value=name)) if self.resolve(dotted_text(value), scope) is None:
                pass
            case cst.Call(func=cst.Call(), args=[cst.Arg(value=cst.Tuple(elements=[first, *_]))]):
                name = string(first.value) if isinstance(first.value, cst.SimpleString) else ""
            case _:
                return None
        if not isinstance(name, str) or not any(acquires(api.returns) for api in self.catalog.method(name)):
            return None
        return f"*.{name}"

    def _is_import(self, target: str, value: cst.BaseExpression) -> bool:
        """Whether a call gets the name of a standard module and fills the variable of this name."""
        match value:
            case cst.Call(args=[cst.Arg(value=cst.SimpleString() as named)]) if string(named) == target:
                return target in stdlib_module_names and self.catalog.knows_module(target)
        return False

    def bind_alias(self, target: str, value: cst.BaseExpression, scope: Scope) -> bool:
        """Binds the name of ``close = os.close``, ``close = retrying(os.close)``, ``close = partial(os.close)``,
        ``fcntl = _fcntl`` or ``fcntl = import_module("fcntl")``. Returns whether the catalog knows the value."""
        if self._is_import(target, value):
            scope.stands_for[target] = target
            return True
        kernels = self._by_its_own_name(value, scope)
        if kernels is not None:
            scope.stands_for[target] = kernels
            return True
        plain = not isinstance(value, cst.Call)
        if isinstance(value, cst.Call) and len(value.args) == 1 and self._wraps(value.func, scope):
            value = value.args[0].value
        dotted = self.resolve(dotted_text(value), scope)
        if dotted is None or not (self.catalog.lookup(dotted) or (plain and self.catalog.knows_module(dotted))):
            return False
        scope.stands_for[target] = dotted
        return True


def _local_name(alias: cst.ImportAlias) -> str | None:
    named = alias.asname is not None and isinstance(alias.asname.name, cst.Name)
    return alias.asname.name.value if named else None  # type: ignore[union-attr]


def literal(node: cst.BaseExpression) -> Constant | EllipsisType:
    """Returns a plain literal's value; ``...`` for anything else."""
    match node:
        case cst.Name(value="None"):
            return None
        case cst.Integer():
            return integer(node)
        case cst.UnaryOperation(operator=cst.Minus(), expression=cst.Integer() as number):
            return -integer(number)
    return ...
