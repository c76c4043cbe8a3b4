"""Where a file defines functions, and where it calls them, gives them away or keeps them: the facts of one file from
which ``lifetimes`` tells how often code runs. They come from the text alone, so they can be read in any order."""

from __future__ import annotations

import enum
import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from fdlint.languages.description import LanguageDescription

if TYPE_CHECKING:
    from fdlint.languages.index.facts import Facts

TABLE = "a table"
"""What gets a function that stands in a literal with keys."""


class Way(enum.Enum):
    """What happens to a function where its name stands."""

    CALLED = "called"
    GIVEN = "given to a call"
    KEPT = "kept"


class Lines(NamedTuple):
    """A range of lines, both ends included."""

    first: int
    last: int

    def has(self, line: int) -> bool:
        """Whether a line lies in the range."""
        return self.first <= line <= self.last


class Loop(NamedTuple):
    """The lines that a loop repeats. ``endless``: it has no end, or waits in each round for what comes next. ``left``:
    the lines before a ``return`` or ``break`` in it, which it does not repeat."""

    lines: Lines
    endless: bool
    line: int
    left: tuple[Lines, ...] = ()

    def repeats(self, line: int) -> bool:
        """Whether the loop runs a line again."""
        return self.lines.has(line) and not any(one.has(line) for one in self.left)


class Definition(NamedTuple):
    """A function. ``name``: qualified in its file. ``owner``: its class, empty if it has none. ``decorators``: their
    full names. ``created``: it runs when an object of the class is made, or used as a context manager. ``read``: it
    runs when code reads it as an attribute. ``entry``: what runs it by the rules of the language; ``tests``: it is test
    code. ``private``: only its own module can mention it. ``parameters``: their names, without that of the object.
    ``gives``: the full name of the class of its first result, empty if it is not known."""

    name: str
    lines: Lines
    owner: str = ""
    decorators: tuple[str, ...] = ()
    created: bool = False
    read: bool = False
    entry: str = ""
    tests: bool = False
    private: bool = False
    parameters: tuple[str, ...] = ()
    gives: str = ""

    @property
    def last_name(self) -> str:
        """The name without its class."""
        return self.name.rpartition(".")[2]


class Class(NamedTuple):
    """A class with the full names of its bases. ``asks``: the methods of an interface, which any class may have.
    ``fields``: with the full names of their classes."""

    name: str
    lines: Lines
    bases: tuple[str, ...]
    asks: tuple[str, ...] = ()
    fields: tuple[tuple[str, str], ...] = ()


class Mention(NamedTuple):
    """A place where the name of a function or a class stands. ``full``: the full name that it has by the imports and
    definitions of the file, empty if that is not known. ``kind``: the full name of the class of the object before it,
    or one for ``Kinds``, empty if that is not known; ``exact``: it is no subclass. ``own``: that object is the method's
    own. ``to``: the full name of the call or decorator that it is given to, with its last name alone behind a star if
    the object is not known; then that of the call which gets the result. ``at``: the number or the name of the argument
    there, -1 if it is not known. ``scope``: the qualified name of the definitions around. Parameters are mentioned,
    too, by the full name ``module.function(name)``."""

    name: str
    line: int
    way: Way
    full: str = ""
    kind: str = ""
    own: bool = False
    exact: bool = False
    to: tuple[str, ...] = ()
    at: int | str = -1
    scope: str = ""


class Where(NamedTuple):
    """Where a name can stand: as an attribute if it is one of a ``method``, in the directory of a file if ``private``,
    and otherwise in files that can name its ``module``."""

    path: str
    module: str
    method: bool = False
    private: bool = False


@dataclass(frozen=True)
class Usage:
    """The facts of one file. ``path``: as reports show it. ``module``: its dotted name, from the top of the project.
    ``start``: the lines that only run if the file is started as a program, and ``program``: it can be.
    ``sealed``: no other project can import it. ``missing``: the lines that only run while a file is missing whose path
    no caller gives."""

    path: str
    module: str
    definitions: tuple[Definition, ...]
    classes: tuple[Class, ...]
    loops: tuple[Loop, ...]
    mentions: tuple[Mention, ...]
    start: tuple[Lines, ...] = ()
    program: bool = False
    sealed: bool = False
    missing: tuple[Lines, ...] = ()

    @functools.cached_property
    def by_name(self) -> Mapping[str, Sequence[Mention]]:
        """The mentions by name."""
        found: dict[str, list[Mention]] = {}
        for one in self.mentions:
            found.setdefault(one.name, []).append(one)
        return found

    @functools.cached_property
    def defined(self) -> Mapping[str, Sequence[Definition]]:
        """The functions by their last names."""
        found: dict[str, list[Definition]] = {}
        for one in self.definitions:
            found.setdefault(one.last_name, []).append(one)
        return found

    @functools.cached_property
    def class_names(self) -> Mapping[str, Class]:
        """The classes by their last names."""
        return {one.name.rpartition(".")[2]: one for one in self.classes}

    def around(self, line: int) -> Definition | None:
        """Returns the innermost function around a line."""
        return _innermost(self.definitions, line)

    def function(self, mention: Mention) -> Definition | None:
        """Returns the function that a mention stands in."""
        scope = mention.scope
        while scope:
            named = self.defined.get(scope.rpartition(".")[2], ())
            found = _innermost((one for one in named if one.name == scope), mention.line)
            if found is not None:
                return found
            scope = scope.rpartition(".")[0]  # a class
        return None

    def loop(self, line: int, within: Definition | None) -> Loop | None:
        """Returns the loop of a function around a line: one without end before others, the innermost first."""
        inside = within.lines if within is not None else Lines(0, 1 << 60)
        around = [
            one for one in self.loops
            if one.repeats(line) and inside.has(one.line) and (within is None or one.line > inside.first - 1)
        ]  # fmt: skip
        around.sort(key=lambda one: (not one.endless, -one.line))
        return around[0] if around else None


def _innermost(definitions: Iterable[Definition], line: int) -> Definition | None:
    around = [one for one in definitions if one.lines.has(line)]
    return max(around, key=lambda one: (one.lines.first, -one.lines.last), default=None)


def full_name(usage: Usage, name: str) -> str:
    """Returns the full name of what a file defines under a qualified name: its module stands before a colon."""
    return f"{usage.module}:{name}"


def parameter_name(module: str, function: str, name: str) -> str:
    """Returns the full name of a parameter."""
    return f"{module}.{function}({name})".lstrip(".")


def last_name(full: str) -> str:
    """Returns the last part of a full name."""
    return full.replace(":", ".").rpartition(".")[2]


def means(full: str, known: str) -> bool:
    """Whether a full name at a mention means what has a full name by its definition. Imports name a module from some
    directory on the path of imports, or a package that passes the name on."""
    if full == known:
        return True
    module, colon, name = known.partition(":")
    full = full.replace(":", ".")
    if not colon or not full.endswith(name):
        return False
    home = full[: -len(name)]
    if not home.endswith("."):
        return not home and not module
    return f".{home}" in f".{module}." or f".{home}".endswith(f".{module}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageRules:
    """What a language tells of the callers in its files. ``usage``: the facts of a file with these contents, its path
    in reports, its place, and the top directory of the project; None if it cannot be parsed. ``commands``: the
    functions that the project in a directory declares as programs, by their full names, with the names of the
    programs. ``defines``: what stands in a file that defines a function or a class of a name. ``derives``: a pattern
    that files match which derive a class from one of a name. ``facts``: those of a whole file; None if it
    cannot be parsed.
    """

    usage: Callable[[bytes, str, Path, Path], Usage | None]
    defines: Callable[[str], Sequence[bytes]]
    derives: Callable[[str], re.Pattern[bytes]]
    commands: Callable[[Path], Mapping[str, str]]
    facts: Callable[[bytes], Facts | None]


@functools.cache
def usage_rules(language: LanguageDescription) -> UsageRules:
    """Returns the rules of a language."""
    return cast(UsageRules, language.part("usage").USAGE)
