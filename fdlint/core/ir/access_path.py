"""Access paths: the names under which a function finds its values.

The class of a path is its kind. Its text is unique among all paths of its function, of any kind, and is shown to users.
A path is a string, so that states hash and compare paths at the speed of strings. No other module looks at the
characters of a path.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import ClassVar

_DOT = "."
MAX_FIELDS = 4  # nested attributes that are told apart


class AccessPath(str):
    """A variable (``fd``), or an attribute that is reached from a variable (``self._fd``)."""

    __slots__ = ()

    is_named: ClassVar[bool] = True
    """Whether the source has a name for the path."""
    is_temporary: ClassVar[bool] = False
    """Whether the path holds the value of an expression without a name."""

    def attribute(self, name: str) -> AccessPath:
        """Returns the path of an attribute of this object."""
        return AccessPath(f"{self}{_DOT}{name}")

    @property
    def is_attribute(self) -> bool:
        """Whether the path leads through another object."""
        return _DOT in self

    @property
    def root(self) -> AccessPath:
        """The variable at the beginning of the path."""
        return AccessPath(self.partition(_DOT)[0]) if _DOT in self else self

    @property
    def field(self) -> Field | None:
        """The attribute of the root object that this path names; None for a variable."""
        return self.field_of(self.root)

    @property
    def name(self) -> str:
        """The last name of the path."""
        return self.rpartition(_DOT)[2]

    @property
    def base(self) -> AccessPath:
        """The path of the object that this attribute belongs to; empty for a variable."""
        return AccessPath(self.rpartition(_DOT)[0])

    @property
    def depth(self) -> int:
        """The number of attributes in the path."""
        return self.count(_DOT)

    @property
    def prefixes(self) -> Iterator[AccessPath]:
        """The objects that the path leads through: the root first, without the path itself."""
        at = self.find(_DOT)
        while at >= 0:
            yield AccessPath(self[:at])
            at = self.find(_DOT, at + 1)

    def is_below(self, other: str) -> bool:
        """Whether this path is an attribute of another path, directly or through other attributes."""
        return self.startswith(other + _DOT)

    def field_of(self, receiver: AccessPath) -> Field | None:
        """The attribute of the object ``receiver`` that this path names; None if the path does not begin there."""
        return Field(self[len(receiver) :]) if self.startswith(receiver + _DOT) else None


class ComprehensionVariable(AccessPath):
    """A target of a comprehension. It differs from a variable of the same name outside."""

    __slots__ = ()

    @classmethod
    def at(cls, depth: int, name: str) -> ComprehensionVariable:
        """Returns the variable of that name in a comprehension of that nesting depth."""
        return cls(f"{name}'{depth}")


_DEPTH = re.compile(r"(?<=\w)'\d+")


def spelled(name: str) -> str:
    """Returns a path as the source spells it: without the depths of comprehension variables."""
    return _DEPTH.sub("", name)


class _Unnamed(AccessPath):
    __slots__ = ()

    is_named = False


class Temporary(_Unnamed):
    """The value of an expression. It dies at the end of its statement or, for a context manager, of its block."""

    __slots__ = ()

    is_temporary = True

    def attribute(self, name: str) -> AccessPath:
        """Returns the path of an attribute of an object without a name: it has none either."""
        return Temporary(super().attribute(name))

    @classmethod
    def of_statement(cls, number: int) -> Temporary:
        """Returns a temporary of a statement, by its number in the function."""
        return cls(f"%{number}")

    @classmethod
    def of_block(cls, number: int) -> Temporary:
        """Returns the context manager of a ``with`` block, by its number in the function."""
        return cls(f"%with{number}")


class BoundArgument(_Unnamed):
    """An argument that a function object keeps for its calls."""

    __slots__ = ()

    @classmethod
    def of(cls, value: AccessPath) -> BoundArgument:
        """Returns the place that keeps the value of an expression."""
        return cls(f"&{value}")


class CaughtException(_Unnamed):
    """The caught exception, which a later bare ``raise`` needs."""

    __slots__ = ()

    @classmethod
    def by(cls, block: int) -> CaughtException:
        """Returns the exception that a handler caught; ``block`` is the first block of the handler."""
        return cls(f"!{block}")


class InitialValue(_Unnamed):
    """The argument that a parameter received, even after the parameter's name is rebound."""

    __slots__ = ()

    @classmethod
    def of(cls, parameter: AccessPath) -> InitialValue:
        """Returns the initial value of a parameter."""
        return cls(f"={parameter}")

    @property
    def parameter(self) -> AccessPath:
        """The parameter itself."""
        return AccessPath(self[1:])


NOWHERE = Temporary("%")
"""Stands in where no place exists, such as for the result of an assumed call."""
RESULT = Temporary("%return")
"""The return value of a function, while its cleanups run."""
DEFAULT = Temporary("%default")
"""The default value of a parameter, if it has one other than None."""


def below(paths: Iterable[AccessPath], roots: Iterable[str], others: Collection[str] = frozenset()) -> list[AccessPath]:
    """Returns the paths that are attributes of the ``roots``, directly or not, or that are among ``others``."""
    prefixes = tuple([root + _DOT for root in roots])
    return [path for path in paths if path.startswith(prefixes) or path in others] if prefixes or others else []


class Field(str):
    """A name that several functions share: a global, or an attribute of an object that each function may name
    differently.

    The text of an attribute begins with a dot (``._fd``); that of a global is its name.
    """

    __slots__ = ()

    @property
    def is_attribute(self) -> bool:
        """Whether the field is an attribute of an object, not a global."""
        return self.startswith(_DOT)

    @property
    def dotted(self) -> str:
        """Its name; for an attribute of an attribute, both names (``files.reader``)."""
        return self.removeprefix(_DOT)

    @property
    def names(self) -> list[str]:
        """The names that lead to the field, in order."""
        return self.dotted.split(_DOT)

    def leads_through(self, other: Field) -> bool:
        """Whether it is another field, or an attribute of what that holds."""
        return self == other or self.startswith(other + _DOT)

    def on(self, receiver: AccessPath | None) -> AccessPath:
        """Returns the path of this field in a function that calls the object ``receiver``."""
        return AccessPath(f"{receiver}{self}" if self.is_attribute else self)
