"""Access paths: the names under which a function's values are found.

The class of a path is its kind. Its text tells it apart from the other paths of its function, whatever their kinds, and
is what a reader sees. A path is a string, so that states hash and compare paths at the speed of strings; no other
module looks at the characters of one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import ClassVar

_DOT = "."


class AccessPath(str):
    """A variable (``fd``), or an attribute that is reached from one (``self._fd``)."""

    __slots__ = ()

    is_named: ClassVar[bool] = True
    """Whether the source has a name for it."""
    is_temporary: ClassVar[bool] = False
    """Whether it holds the value of an expression that the source gives no name."""

    def attribute(self, name: str) -> AccessPath:
        """The path of an attribute of what is found here."""
        return AccessPath(f"{self}{_DOT}{name}")

    @property
    def is_attribute(self) -> bool:
        """Whether it is reached through another object."""
        return _DOT in self

    @property
    def root(self) -> AccessPath:
        """The variable that it begins with."""
        return AccessPath(self.partition(_DOT)[0]) if _DOT in self else self

    @property
    def field(self) -> Field | None:
        """The attribute that it is of the object in its root; None for a variable."""
        return self.field_of(self.root)

    @property
    def name(self) -> str:
        """The last of its names."""
        return self.rpartition(_DOT)[2]

    @property
    def depth(self) -> int:
        """How many attributes lead to it."""
        return self.count(_DOT)

    @property
    def prefixes(self) -> Iterator[AccessPath]:
        """The objects that it leads through, its root first, without itself."""
        at = self.find(_DOT)
        while at >= 0:
            yield AccessPath(self[:at])
            at = self.find(_DOT, at + 1)

    def is_below(self, other: str) -> bool:
        """Whether it is an attribute of another path, directly or not."""
        return self.startswith(other + _DOT)

    def field_of(self, receiver: AccessPath) -> Field | None:
        """The attribute of an object that it is, None if it is none of the object that ``receiver`` names."""
        return Field(self[len(receiver) :]) if self.startswith(receiver + _DOT) else None


class ComprehensionVariable(AccessPath):
    """A target of a comprehension: its own, however the variables around it are called."""

    __slots__ = ()

    @classmethod
    def at(cls, depth: int, name: str) -> ComprehensionVariable:
        """The variable of that name in the comprehension of that depth."""
        return cls(f"{name}'{depth}")


class _Unnamed(AccessPath):
    __slots__ = ()

    is_named = False


class Temporary(_Unnamed):
    """The value of an expression. It dies with its statement or, for a context manager, with its block."""

    __slots__ = ()

    is_temporary = True

    @classmethod
    def of_statement(cls, number: int) -> Temporary:
        """A temporary of a statement, by its number in the function."""
        return cls(f"%{number}")

    @classmethod
    def of_block(cls, number: int) -> Temporary:
        """What a ``with`` block holds, by its number in the function."""
        return cls(f"%with{number}")


class CaughtException(_Unnamed):
    """The exception that a handler caught, for a later bare ``raise``."""

    __slots__ = ()

    @classmethod
    def by(cls, block: int) -> CaughtException:
        """What the handler that begins with a block caught."""
        return cls(f"!{block}")


class InitialValue(_Unnamed):
    """What a parameter was given, whatever its name is bound to later."""

    __slots__ = ()

    @classmethod
    def of(cls, parameter: AccessPath) -> InitialValue:
        """That of a parameter."""
        return cls(f"={parameter}")

    @property
    def parameter(self) -> AccessPath:
        """The parameter itself."""
        return AccessPath(self[1:])


NOWHERE = Temporary("%")
"""Stands for a place where there is none, as for the result of a call that is only imagined."""
RESULT = Temporary("%return")
"""What a function is about to return, while its cleanups run."""
DEFAULT = Temporary("%default")
"""The default of a parameter that is something, and not None."""


def below(paths: Iterable[AccessPath], roots: Iterable[str], others: Collection[str] = frozenset()) -> list[AccessPath]:
    """Those of some paths that are attributes of certain objects, directly or not, or that are among ``others``."""
    prefixes = tuple([root + _DOT for root in roots])
    return [path for path in paths if path.startswith(prefixes) or path in others] if prefixes or others else []


class Field(str):
    """What several functions know: an attribute of an object, whatever each of them calls the object, or a global.

    The text of an attribute begins with a dot (``._fd``), that of a global is its name.
    """

    __slots__ = ()

    @property
    def is_attribute(self) -> bool:
        """Whether it is an attribute of an object, not a global."""
        return self.startswith(_DOT)

    @property
    def dotted(self) -> str:
        """Its name: of an attribute of an attribute, both (``files.reader``)."""
        return self.removeprefix(_DOT)

    @property
    def names(self) -> list[str]:
        """The names that lead to it, one by one."""
        return self.dotted.split(_DOT)

    def leads_through(self, other: Field) -> bool:
        """Whether it is another field, or an attribute of what that holds."""
        return self == other or self.startswith(other + _DOT)

    def on(self, receiver: AccessPath | None) -> AccessPath:
        """The path by which a function knows it that calls the object ``receiver``."""
        return AccessPath(f"{receiver}{self}" if self.is_attribute else self)
