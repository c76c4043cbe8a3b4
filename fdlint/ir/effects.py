"""What one step of a function does, and what a condition asks.

Nothing here belongs to one language: a place is a name, a test is a question about a place, and an origin is whatever
the lowering can turn into a position later.
"""

from __future__ import annotations

import enum
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TypeAlias

from fdlint.ir.access_path import AccessPath, CaughtException

Constant: TypeAlias = None | bool | int | str


@dataclass(frozen=True, slots=True)
class Lit:
    """A constant operand."""

    value: Constant


Place: TypeAlias = AccessPath
"""What a function calls a value: a variable, an attribute path or a temporary."""

Operand: TypeAlias = Place | Lit


# -- right-hand sides -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Build:
    """A new tuple, list, set or dict. ``stars`` are the positions of unpacked items; ``keys`` only for a dict.

    ``kind``: ``tuple``, ``list``, ``set`` or ``dict``; or what an operator makes of two: ``sum`` has all items,
    ``extend`` puts them into the first, ``rest`` has those of the first without the second's, ``part`` has some, and
    what is ``kept`` belongs to somebody else.
    """

    kind: str
    items: tuple[Operand, ...]
    stars: frozenset[int] = frozenset()
    keys: tuple[Operand, ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """``base[index]``; index None when it is not a plain operand."""

    base: Operand
    index: Operand | None


@dataclass(frozen=True, slots=True)
class Slice:
    """``base[low:high]``; bounds None when absent, ``exact`` False when a bound is not a constant or there is a
    step."""

    base: Operand
    low: int | None
    high: int | None
    exact: bool


@dataclass(frozen=True, slots=True)
class Unpack:
    """Item ``index`` when ``base`` is unpacked into ``count`` targets, of which number ``star`` takes the rest."""

    base: Operand
    index: int
    count: int
    star: int | None = None


@dataclass(frozen=True, slots=True)
class Iterator:
    """An iterator over ``base``."""

    base: Operand


@dataclass(frozen=True, slots=True)
class Opaque:
    """A value of no interest; ``some`` says that it is an object, so neither None nor a descriptor."""

    some: bool = False


@dataclass(frozen=True, slots=True)
class Closure:
    """A nested function or lambda, by its place in the file's list of functions."""

    name: str


@dataclass(frozen=True, slots=True)
class Named:
    """A function as a value: ``drop = os.close``, ``for act in (look, drop)``."""

    callee: Callee


RValue: TypeAlias = Place | Lit | Build | Item | Slice | Unpack | Iterator | Opaque | Closure | Named


def places_in(value: RValue) -> list[Place]:
    """The places of which a right-hand side is made."""
    operands: tuple[Operand | None, ...] = ()
    match value:
        case AccessPath():
            operands = (value,)
        case Build(_, items, _, keys):
            operands = (*items, *keys)
        case Item(base, index):
            operands = (base, index)
        case Slice(base) | Unpack(base) | Iterator(base):
            operands = (base,)
    return [one for one in operands if isinstance(one, AccessPath)]


# -- effects ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Assign:
    """Binds a local variable or a temporary."""

    target: Place
    value: RValue


@dataclass(frozen=True, slots=True)
class Store:
    """Stores into an attribute, a global or a name of an outer function: the value outlives the function. ``lasting``:
    into an attribute of a module, which lives as long as the process."""

    target: Place | None
    value: Operand
    lasting: bool = False


@dataclass(frozen=True, slots=True)
class StoreItem:
    """``base[index] = value``."""

    base: Operand
    index: Operand | None
    value: Operand


@dataclass(frozen=True, slots=True)
class Delete:
    """``del place``."""

    place: Place


@dataclass(frozen=True, slots=True)
class DeleteItem:
    """``del base[index]``; without an index everything goes."""

    base: Operand
    index: Operand | None
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Arg:
    """One argument of a call, with what is known of its spelling (for the catalog's conditions)."""

    value: Operand
    keyword: str | None = None
    stars: int = 0
    dotted: str | None = None
    mentions: frozenset[str] = frozenset()
    function: bool = False  # one of the project's own functions, by its name


@dataclass(frozen=True, slots=True)
class Callee:
    """What is called: a resolved dotted name, or a method on a receiver, and the last name as it is spelled.

    ``owner`` is the class by whose name a method is called; a class method's ``cls()`` constructs it. ``variable``
    holds the function when its name is a variable's; ``function`` is the function itself where that is known: its
    qualified name in the same file, or whatever the stage that looks functions up knows it by.
    """

    name: str
    dotted: str | None = None
    receiver: Operand | None = None
    own: bool = False  # defined in the file under scan, or imported from beside it
    constructs: bool = False  # a class of the file under scan
    inherited: bool = False  # `super().name`
    owner: str | None = None
    variable: Operand | None = None
    function: Hashable = None


@dataclass(frozen=True, slots=True)
class Call:
    """A call; its result goes to a temporary. ``unused``: it is a statement of its own; ``thrown``: its result is an
    exception that is raised."""

    result: Place
    callee: Callee
    args: tuple[Arg, ...]
    unused: bool = False
    thrown: bool = False

    @property
    def given(self) -> list[Place]:
        """Its arguments, but for constants."""
        return [arg.value for arg in self.args if isinstance(arg.value, AccessPath)]


@dataclass(frozen=True, slots=True)
class Enter:
    """Entering a context manager; ``calm`` when that cannot raise."""

    manager: Operand
    result: Place


@dataclass(frozen=True, slots=True)
class Leave:
    """Leaving a context manager, in whatever way."""

    manager: Operand


@dataclass(frozen=True, slots=True)
class Suspend:
    """``await``, ``async for``: anything can be raised here."""


@dataclass(frozen=True, slots=True)
class Yield:
    """Hands a value to the consumer of a generator; ``lends`` in a context manager, ``calm`` where nothing is thrown
    in."""

    value: Operand
    lends: bool = False
    calm: bool = False


@dataclass(frozen=True, slots=True)
class Leaving:
    """A ``return`` with its value, before any ``finally`` runs; ``falls_off``: the end of the body."""

    value: Operand
    falls_off: bool = False


@dataclass(frozen=True, slots=True)
class Throw:
    """A ``raise``; ``again`` names the handler whose exception it raises again, else the function spells it out.
    ``kind``: the exception's name, as far as it is known."""

    again: CaughtException | None
    kind: str


@dataclass(frozen=True, slots=True)
class Catch:
    """An exception is caught; ``handler`` remembers it for a later bare ``raise``."""

    handler: CaughtException


@dataclass(frozen=True, slots=True)
class Drop:
    """The temporaries of a statement die."""

    places: tuple[Place, ...]


Effect: TypeAlias = (
    Assign
    | Store
    | StoreItem
    | Delete
    | DeleteItem
    | Call
    | Enter
    | Leave
    | Suspend
    | Yield
    | Leaving
    | Throw
    | Catch
    | Drop
)


# -- tests ------------------------------------------------------------------------------------------


class Op(enum.Enum):
    """A comparison; ``IN`` also stands for ``not in`` with the branches exchanged."""

    IS = "is"
    EQ = "=="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    IN = "in"


@dataclass(frozen=True, slots=True)
class Truth:
    """Is the operand true?"""

    operand: Operand


@dataclass(frozen=True, slots=True)
class Compare:
    """``left op right``; ``length`` when it is ``len(left)`` that is compared."""

    op: Op
    left: Operand
    right: Operand
    length: bool = False


@dataclass(frozen=True, slots=True)
class Kind:
    """``isinstance(operand, types)`` with the types' dotted names."""

    operand: Operand
    types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Has:
    """``hasattr(operand, attribute)``."""

    operand: Operand
    attribute: str


Question: TypeAlias = Truth | Compare | Kind | Has


class Condition(str):
    """The text of a condition, in a form that all have in common that ask the same."""

    __slots__ = ()

    @property
    def is_plain(self) -> bool:
        """Whether it is about variables alone: attributes, and what calls return, may change without being bound."""
        return not _COMPOUND.intersection(self)

    def mentions(self, place: Place) -> bool:
        """Whether it may be about a place."""
        return place in self


_COMPOUND = frozenset(".(,")


@dataclass(frozen=True, slots=True)
class Test:
    """A condition; ``key`` is its text when the same condition may be asked again, else None."""

    __test__ = False  # pytest collects classes of this name

    question: Question
    key: Condition | None
