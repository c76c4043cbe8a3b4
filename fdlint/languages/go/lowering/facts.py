"""Finds what a Go function calls and names, from its text: a fraction of the cost of lowering it.

The facts have too much rather than too little: a word of a comment counts, and a name has every type that some
declaration of that name in the function gives it. Only calls on objects whose type no declaration tells are missing;
lowering does not find their targets either.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from fdlint.catalog.model import Instance
from fdlint.core.ir import outermost
from fdlint.languages.go.lowering.constants import Node, text
from fdlint.languages.go.lowering.package import Declared, Package
from fdlint.languages.go.lowering.targets import function_of, only_method
from fdlint.languages.go.lowering.type_names import item_type
from fdlint.languages.index.facts import Called, Facts, Read

_NAME = r"[^\W\d]\w*"
_CHAIN = rf"{_NAME}(?:\.{_NAME}){{0,6}}"
_CHAINS = re.compile(rf"(?<![\w.])({_CHAIN})(\(\)|[(\[]|\s?=(?!=))?")
_ON_RESULTS = re.compile(rf"[)\]}}]\.\s{{0,9}}({_NAME})")
_BOUND = re.compile(
    rf"(?<![\w.])({_NAME}(?:, ?{_NAME}){{0,4}}) ?:?= ?(range |new\(\*?|)&?({_CHAIN})(?:\.\(\*?({_CHAIN})\)|([({{[]))?"
)
_DECLARED = re.compile(rf"(?<![\w.])({_NAME}) (?:\*|\[\]|\.\.\.){{0,3}}({_NAME}(?:\.{_NAME})?)(?=\s{{0,9}}[,)={{\n])")
_FILLED = re.compile(rf"(?<![\w.])({_NAME})(?:\.\w+|\[[^\]\n]{{0,40}}\]){{1,4}}(?:, ?[\w.]{{1,40}}){{0,3}} ?=(?!=)")
_POINTED = re.compile(rf"\*({_NAME})(?:, ?[\w.*]{{1,40}}){{0,3}} ?=(?!=)")
_GETS_ADDRESS = re.compile(rf"(?<![\w.])({_NAME}):\s{{0,9}}&(?=[\w(])")
_MAX_MEANT = 200  # methods of one name: where thousands of types have one, all calls would take time squared
_LITERAL = "func("
_NOTHING = frozenset[Any]()
_PLAIN = frozenset({"error", "bool", "string"})


def facts_of(package: Package, name: str) -> Facts:
    """Returns the facts of a function of a package, and of its definitions for other systems: the calls of functions in
    the module, and the dotted names that it reads. ``name``: its qualified name."""
    reader = _Reader(package)
    for declared in package.twins(name):
        reader.read(declared)
    return reader.facts()


def text_of(package: Package, name: str) -> str:
    """Returns the text of a function, and of its definitions for other systems."""
    return "\n".join(one.source.data[one.start : one.end].decode("utf-8", "replace") for one in package.twins(name))


class Texts(Mapping[str, str]):
    """The texts of a package's functions, by qualified name. A text is decoded when it is asked for."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._names = dict.fromkeys(map(outermost, package.functions))

    def __getitem__(self, name: str) -> str:
        return text_of(self._package, name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class _Reader:
    """Collects the facts of definitions of one function."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._file = 0
        self._types: dict[str, set[str]] = {}
        self._calls: set[Called] = set()
        self._references: set[str] = set()
        self._members: set[str] = set()
        self._reads: set[str] = set()
        self._gives = self._nests = False

    def facts(self) -> Facts:
        """Returns the facts so far."""
        roots = {one.partition(".")[0] for one in self._references}
        words = (word for one in (*self._references, *self._members) for word in one.split("."))
        return Facts(
            frozenset(self._calls) or _NOTHING,
            _names(self._references),
            _names(self._members),
            _NOTHING,
            _names(words),
            tuple((root, root) for root in sorted(roots)),
            self._gives,
            self._nests,
            frozenset(map(Read, _names(self._reads))) or _NOTHING,
        )

    def read(self, declared: Declared) -> None:
        """Adds the facts of a definition."""
        self._file = declared.file
        node = declared.node
        code = text(node.child_by_field_name("body"))
        parameters = self._read_types(declared, node, code)
        for chain, suffix in set(_CHAINS.findall(code)):
            parts = chain.split(".")
            sets = suffix.endswith("=")
            self._reads.update(parts[1:-1] if sets else parts[1:])
            self._chain(parts, "" if sets else suffix)
        for name in set(_ON_RESULTS.findall(code)):
            self._members.add(name)
            self._reads.add(name)
            meant = self._package.methods_named(name)
            self._calls.update(_called(outermost(one), False) for one in meant if len(meant) <= _MAX_MEANT)
        self._members.update(_GETS_ADDRESS.findall(code))  # the field of a struct that a call fills
        self._nests = self._nests or _LITERAL in code
        filled = {*_FILLED.findall(code), *_POINTED.findall(code)}
        if not (_PLAIN.issuperset(declared.results) and filled.isdisjoint(parameters)):
            self._gives = True

    def _chain(self, parts: Sequence[str], suffix: str) -> None:
        """Notes a name with its selectors. ``suffix``: what follows, if it is a parenthesis or a bracket. A function
        that is only named counts as called, too: whoever gets it may call it."""
        first, *rest = parts
        module = self._imports.get(first)
        bare = suffix == "()"
        if not rest:
            if first in self._package.functions:
                self._calls.add(_called(first, bare))
            elif suffix and first in self._package.variables:
                self._held(parts, bare)
        elif module is not None:
            known = self._package.meant(module, rest[0])
            self._references.add(known)
            self._members.update(rest[1:])
            if len(rest) == 1:
                self._calls.add(_called(known, bare))
        else:
            self._members.update(rest)
            if suffix and len(rest) == 1 and first in self._package.variables:
                self._held(parts, bare)
            self._calls.update(_called(target, bare) for target, _ in self._methods(parts))

    def _held(self, parts: Sequence[str], bare: bool) -> None:
        """Notes the function that a variable of the package holds, or a field of the struct in it."""
        found = function_of(self._package, parts)
        if found is not None:
            self._calls.add(_called(found, bare))
            if found not in self._package.functions:
                self._references.add(found)

    # -- types

    @property
    def _imports(self) -> Mapping[str, str]:
        return self._package.imports[self._file]

    def _read_types(self, declared: Declared, node: Node, code: str) -> list[str]:
        """Reads the types of the names. Returns the names of the receiver and the parameters."""
        lists = [node.child_by_field_name(name) for name in ("receiver", "parameters", "result")]
        groups = [self._package.parameters(declared.file, one) for one in lists]
        for name, kind in (each for group in groups for each in group):
            self._note(name, kind)
        for name, spelled in _DECLARED.findall(code):
            self._note(name, self._type(spelled))
        for names, how, chain, asserted, suffix in _BOUND.findall(code):
            bound = [one.strip() for one in names.split(",")]
            for name, kind in zip(bound, self._kinds(how, chain, asserted, suffix), strict=False):
                self._note(name, kind)
        return [name for group in groups[:2] for name, _ in group]

    def _note(self, name: str, kind: str) -> None:
        if kind:
            self._types.setdefault(name, set()).add(kind)

    def _type(self, spelled: str) -> str:
        """Returns the name of a type as packages know it: ``module.T`` for one of another package."""
        first, dot, last = spelled.partition(".")
        return f"{self._imports.get(first, first)}.{last}" if dot else spelled

    def _kinds(self, how: str, chain: str, asserted: str, suffix: str) -> Sequence[str]:
        """Returns the types of what names are bound to. ``how``: ``range`` or ``new`` before it."""
        if asserted or suffix == "{" or how.startswith("new"):
            return (self._type(asserted or chain),)
        parts = chain.split(".")
        found = self._results(parts) if suffix == "(" else sorted(self._kinds_of(parts))[:1]
        if suffix != "[" and not how:
            return found
        items = [item_type(self._package.spelled_out(one)) for one in found]
        return items if suffix == "[" else ("", *items[:1])

    def _results(self, parts: Sequence[str]) -> Sequence[str]:
        """Returns the types of the results of a call."""
        package = self._package
        if len(parts) == 1:
            return (parts[0],) if parts[0] in package.types else package.results("", parts[0])
        module = self._imports.get(parts[0])
        if module is None or len(parts) > 2:
            return next((results for _, results in self._methods(parts)), ())
        path, _, last = package.meant(module, parts[1]).rpartition(".")
        apis = package.catalog.lookup(f"{path}.{last}")
        shape = apis[0].returns if apis else None
        return (shape.type,) if isinstance(shape, Instance) else package.results(path, last)

    def _methods(self, parts: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yields the methods that a chain may mean, with the types of their results."""
        for kind in sorted(self._kinds_of(parts[:-1])):
            found = self._package.method(kind, parts[-1])
            if found is not None:
                yield found
            elif (only := only_method(self._package, kind, parts[-1])) is not None:
                yield only, self._package.functions[only].results

    def _kinds_of(self, parts: Sequence[str]) -> set[str]:
        """Returns the types that a chain may have."""
        kinds = self._types.get(parts[0], set())
        for name in parts[1:]:
            kinds = {found for one in kinds if (found := self._package.field_type(one, name))}
        return kinds


def _called(name: str, bare: bool) -> Called:
    root, _, last = name.rpartition(".")
    return Called(sys.intern(root), sys.intern(last), bare)


def _names(found: Iterable[str]) -> frozenset[str]:
    """Returns a set of names. Each name, and the empty set, is always the same object: many thousands are kept."""
    return frozenset(map(sys.intern, found)) or _NOTHING
