"""Finds the parts of a file whose results an edit can change, by the names that they mention.

The parts are the file's pieces, the rest of its code, its classes and its module as a whole. The answer contains too
many parts rather than too few. It is None if everything counts.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from fdlint.core.dataflow.reachability import closure
from fdlint.languages.index.facts import Facts
from fdlint.languages.index.outline import Sketch
from fdlint.program.units import File
from fdlint.report.findings.grounds import REST

_UNSEEN = frozenset({"getattr", "setattr", "delattr", "vars", "globals", "locals", "eval", "exec", "__dict__"})
"""Names with which code can reach attributes by strings. If an edit brings or drops one, it can matter to anything."""
_ATTRIBUTE = re.compile(r"(?:\b(\w+)\s*)?\.\s*(\w+)\b(?!\s*\()")
_OWN = re.compile(r"\b(?:self|cls)\s*\.\s*(\w+)\b(?!\s*\()")
_BLANK = re.compile(r"(?m)^\s*\n")


@dataclass(frozen=True, slots=True)
class Parts:
    """The pieces, with ``REST`` for the other code, the classes, and whether the module as a whole."""

    units: frozenset[str]
    classes: frozenset[str]
    module: bool

    def has(self, name: str) -> bool:
        """Whether a class is among the parts; an empty name is the module as a whole."""
        return name in self.classes if name else self.module


def affected(before: Sketch, after: Sketch, file: File) -> Parts | None:
    """Returns the parts whose results may differ from those of an earlier text. ``file``: that of the later one."""
    if not _alike(before, after):
        return None
    changed = [name for name, piece in after.pieces.items() if before.pieces[name].text != piece.text]
    texts = [sketch.pieces[name].text for name in changed for sketch in (before, after)]
    facts = [sketch.facts[name] for name in changed for sketch in (before, after)]
    if any(before.facts[name].words & _UNSEEN != after.facts[name].words & _UNSEEN for name in changed):
        return None
    return _Edit(file, after).parts(changed, texts, facts)


def _alike(before: Sketch, after: Sketch) -> bool:
    """Whether two texts differ in nothing but the bodies of their pieces."""
    return (
        list(before.pieces) == list(after.pieces)
        and _BLANK.sub("", before.text) == _BLANK.sub("", after.text)
        and before.skeleton == after.skeleton
        and (before.rebound, before.shared, before.made) == (after.rebound, after.shared, after.made)
    )


@dataclass(frozen=True, slots=True)
class _Edit:
    """The names in one text."""

    file: File
    sketch: Sketch

    def parts(self, changed: Collection[str], texts: Collection[str], facts: Collection[Facts]) -> Parts:
        """Returns what an edit of some pieces can matter to. ``texts`` and ``facts``: theirs, before and after.

        The effects of a function can change with those that it mentions. The findings in a method can change with any
        method of its class, and with all code that uses the same attributes.
        """
        units = set(self._callers(changed))
        edited = frozenset(word for one in facts for word in one.words)
        words = edited | {word for name in units for word in self._facts(name).words}
        spelled = frozenset(name for one in facts if one.words & _UNSEEN for name in one.strings)
        held = spelled.union(*map(self._held, texts)) & (self._own() | spelled)
        units |= {name for name in self._names() if held and not held.isdisjoint(self._held(self._text(name)))}
        own = set(closure({_owner(name) for name in units} & set(self.file.classes), self._relatives))
        last = {_last(name) for name in own}
        units |= {name for name in self._names() if _owner(name) in own or not last.isdisjoint(self._facts(name).words)}
        globals_ = self.sketch.rebound & edited
        units |= {name for name in self._names() if not globals_.isdisjoint(self._facts(name).words)}
        named = {name for name in self.file.classes if _last(name) in words}
        module = REST in units or not self.sketch.rebound.isdisjoint(words)
        return Parts(frozenset(units), frozenset(own | set(closure(named, self._relatives))), module)

    def _callers(self, changed: Collection[str]) -> Iterator[str]:
        """Yields pieces, and all that mention one of them or what the other code binds with one."""
        users = self._users()
        bindings: list[tuple[frozenset[str], frozenset[str]]] = []

        def led(name: str) -> Iterator[str]:
            found = users.get(name, set())
            yield from found
            if REST in found and not bindings:
                bindings.extend(_bindings(self.sketch))
            for mentioned, bound in bindings if REST in found else ():
                if _last(name) in mentioned:
                    yield from (one for one in self._names() if not bound.isdisjoint(self._facts(one).words))

        return closure(changed, led)

    def _names(self) -> Iterator[str]:
        yield from self.sketch.pieces
        yield REST

    def _facts(self, name: str) -> Facts:
        return self.sketch.own_facts if name == REST else self.sketch.facts[name]

    def _text(self, name: str) -> str:
        return self.sketch.text if name == REST else self.sketch.pieces[name].text

    def _held(self, text: str) -> Iterator[str]:
        """Yields the attributes that a text mentions without a call, except for those of imported names."""
        for root, name in _ATTRIBUTE.findall(text):
            if root not in self.file.names.imports:
                yield name

    def _own(self) -> frozenset[str]:
        """Returns the attributes that the methods of the file's classes mention on their own objects."""
        return frozenset(name for piece in self.sketch.pieces.values() for name in _OWN.findall(piece.text))

    def _users(self) -> Mapping[str, set[str]]:
        """Returns for each piece the parts that mention its name."""
        by_word: dict[str, set[str]] = {}
        by_attribute: dict[str, set[str]] = {}
        imported = self.file.names.imports
        for name in self._names():
            facts = self._facts(name)
            for word in facts.words:
                by_word.setdefault(word, set()).add(name)
            dotted = (one for one in facts.references if one.partition(".")[0] not in imported)
            for last in {*facts.members, *facts.strings, *(part for one in dotted for part in one.split(".")[1:])}:
                by_attribute.setdefault(last, set()).add(name)
        found = {}
        for name, piece in self.sketch.pieces.items():
            last = _last(name)
            found[name] = (by_word if piece.owner is None else by_attribute).get(last, set())
            if piece.owner is not None and last.startswith("__"):  # called by the language, or by the class's name
                found[name] = found[name] | by_word.get(piece.owner, set())
        return found

    def _relatives(self, name: str) -> Iterator[str]:
        """Yields the bases and the subclasses of a class, by the last parts of their names."""
        classes = self.file.classes
        bases = set(map(_last, classes.get(name, ())))
        for other, its_bases in classes.items():
            if _last(other) in bases or _last(name) in set(map(_last, its_bases)):
                yield other


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _owner(name: str) -> str:
    return name.rpartition(".")[0]


def _bindings(sketch: Sketch) -> list[tuple[frozenset[str], frozenset[str]]]:
    """Returns the words of each statement outside of the pieces, and the names that it binds. ``__all__`` does not
    count."""
    found = []
    for node in ast.walk(ast.parse(sketch.text)):
        if isinstance(node, ast.stmt) and not isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            names = [one for one in ast.walk(node) if isinstance(one, (ast.Name, ast.Attribute))]
            spelled = {one.id if isinstance(one, ast.Name) else one.attr for one in names}
            bound = {
                one.id if isinstance(one, ast.Name) else one.attr for one in names if isinstance(one.ctx, ast.Store)
            }
            if bound and "__all__" not in bound:
                found.append((frozenset(spelled), frozenset(bound)))
    return found
