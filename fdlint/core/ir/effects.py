"""The effects of single steps of a function, and the tests of its conditions.

Effects belong to no language: a place is a name, a test is a question about a place, and an origin is an object that
the front end can later turn into a position.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from fdlint.core.ir.access_path import AccessPath, CaughtException


class Member(NamedTuple):
    """A member of an enumeration: the name of its class, and its own. It may be equal to a number or a text, and 0."""

    owner: str
    name: str


Constant: TypeAlias = None | bool | int | str | Member


@dataclass(frozen=True, slots=True)
class Lit:
    """A constant operand."""

    value: Constant


Place: TypeAlias = AccessPath
"""The name of a value inside a function: a variable, an attribute path or a temporary."""

Operand: TypeAlias = Place | Lit


# -- right-hand sides -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Build:
    """A new tuple, list, set or dict. ``stars`` are the positions of unpacked items. Only a dict has ``keys``.

    ``kind``: ``tuple``, ``list``, ``set`` or ``dict``, or an operator on two containers. ``sum`` has all items of both.
    ``extend`` puts all of them into the first container. ``rest`` has the items of the first that the second lacks.
    ``part`` has some of the items. The items of ``kept`` have another owner. A ``record`` is an object of class
    ``type``, whose attributes are the keys. Without a class, it is followed only if it holds a descriptor.
    """

    kind: str
    items: tuple[Operand, ...]
    stars: frozenset[int] = frozenset()
    keys: tuple[Operand, ...] = ()
    type: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """``base[index]``; the index is None if it is not a plain operand."""

    base: Operand
    index: Operand | None


@dataclass(frozen=True, slots=True)
class Slice:
    """``base[low:high]``. A missing bound is None. ``exact`` is False if a bound is not a constant or the slice has a
    step. ``size``: the upper bound if it is no constant: what a call has put into a buffer goes with its size."""

    base: Operand
    low: int | None
    high: int | None
    exact: bool
    size: Operand | None = None


@dataclass(frozen=True, slots=True)
class Unpack:
    """Item ``index`` when ``base`` is unpacked into ``count`` targets. The target at ``star`` takes the rest."""

    base: Operand
    index: int
    count: int
    star: int | None = None


@dataclass(frozen=True, slots=True)
class Iterator:
    """An iterator over ``base``; over the values of a dict if ``values``. ``computed``: it may compute its items as
    they are asked for, and fail to. What has a name is a container nearly always."""

    base: Operand
    values: bool = False
    computed: bool = False


@dataclass(frozen=True, slots=True)
class Opaque:
    """A value that the analysis does not follow. ``some``: it is an object, neither None nor a descriptor.
    ``positive``: it is a number above zero. ``unless``: if this place holds a descriptor, its value stays."""

    some: bool = False
    positive: bool = False
    unless: Place | None = None


@dataclass(frozen=True, slots=True)
class Closure:
    """A nested function or lambda, by its place in the file's list of functions."""

    name: str


@dataclass(frozen=True, slots=True)
class Named:
    """A function used as a value: ``drop = os.close``, ``for act in (look, drop)``."""

    callee: Callee


RValue: TypeAlias = Place | Lit | Build | Item | Slice | Unpack | Iterator | Opaque | Closure | Named


def places_in(value: RValue) -> list[Place]:
    """Returns the places that a right-hand side uses."""
    operands: tuple[Operand | None, ...] = ()
    match value:
        case AccessPath():
            operands = (value,)
        case Build(_, items, _, keys):
            operands = (*items, *keys)
        case Item(base, index):
            operands = (base, index)
        case Slice(base, size=size):
            operands = (base, size)
        case Unpack(base) | Iterator(base):
            operands = (base,)
        case Opaque(unless=AccessPath() as place):
            operands = (place,)
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
    the attribute belongs to a module, which lives as long as the process."""

    target: Place | None
    value: Operand
    lasting: bool = False


@dataclass(frozen=True, slots=True)
class StoreItem:
    """``base[index] = value``. ``part``: the slice that is replaced by the items of the value."""

    base: Operand
    index: Operand | None
    value: Operand
    part: Slice | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    """``del place``. ``deferred``: the place is that of a value that a deferred call closes later, and a loop has come
    round to it again."""

    place: Place
    deferred: bool = False


@dataclass(frozen=True, slots=True)
class DeleteItem:
    """``del base[index]``; without an index all items are deleted."""

    base: Operand
    index: Operand | None
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Arg:
    """One argument of a call, and its spelling, which conditions of the catalog ask about."""

    value: Operand
    keyword: str | None = None
    stars: int = 0
    dotted: str | None = None
    mentions: frozenset[str] = frozenset()
    function: bool = False  # the name of a function of the project
    kept: bool = False  # an object that an unknown function keeps
    flags: bool = False  # made of constants with names only


@dataclass(frozen=True, slots=True)
class Callee:
    """The target of a call: a resolved dotted name, or a method on a receiver, and the last name as the source spells
    it.

    ``owner`` is the class that a method is called through; ``cls()`` in a class method constructs it. ``variable``
    holds the function when its name is a variable's. ``function`` is the called function if it is known: its qualified
    name in the same file, or the key of the stage that looks functions up.
    """

    name: str
    dotted: str | None = None
    receiver: Operand | None = None
    own: bool = False  # defined in the scanned file, or imported from a file beside it
    constructs: bool = False  # a class of the scanned file
    inherited: bool = False  # `super().name`
    owner: str | None = None
    variable: Operand | None = None
    function: Hashable = None


@dataclass(frozen=True, slots=True)
class Call:
    """A call; a temporary holds its result. ``unused``: the call is a statement of its own. ``thrown``: its result is
    an exception that is raised. ``captured``: the variables of the caller that the function called uses, because it is
    nested in it."""

    result: Place
    callee: Callee
    args: tuple[Arg, ...]
    unused: bool = False
    thrown: bool = False
    captured: tuple[Place, ...] = ()

    @property
    def given(self) -> list[Place]:
        """The arguments that are places."""
        return [arg.value for arg in self.args if isinstance(arg.value, AccessPath)]


@dataclass(frozen=True, slots=True)
class Enter:
    """Enters a context manager. ``nothrow``: this cannot raise."""

    manager: Operand
    result: Place


@dataclass(frozen=True, slots=True)
class Leave:
    """Leaves a context manager, normally or by an exception."""

    manager: Operand


@dataclass(frozen=True, slots=True)
class Suspend:
    """``await`` or ``async for``: any exception can be raised here."""


@dataclass(frozen=True, slots=True)
class Yield:
    """Hands a value to the consumer of a generator. ``lends``: the generator is a context manager."""

    value: Operand
    lends: bool = False


@dataclass(frozen=True, slots=True)
class Leaving:
    """A ``return`` with its value, before any ``finally`` runs. ``falls_off``: the end of the body."""

    value: Operand
    falls_off: bool = False


@dataclass(frozen=True, slots=True)
class Throw:
    """A ``raise``. ``again`` names the handler whose exception is raised again; otherwise the function spells out the
    exception. ``kind``: the exception's name, as far as it is known."""

    again: CaughtException | None
    kind: str


@dataclass(frozen=True, slots=True)
class Catch:
    """Catches an exception. ``handler`` remembers it for a later bare ``raise``. ``as_error``: it is an error that a
    call returned, so a result that the function already has stays."""

    handler: CaughtException
    as_error: bool = False


@dataclass(frozen=True, slots=True)
class Drop:
    """Ends the lifetime of the temporaries of a statement."""

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
    """A comparison. ``IN`` also stands for ``not in``, with the branches exchanged."""

    IS = "is"
    EQ = "=="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    IN = "in"


MIRRORED = {Op.EQ: Op.EQ, Op.IS: Op.IS, Op.LT: Op.GT, Op.GT: Op.LT, Op.LE: Op.GE, Op.GE: Op.LE}
"""The comparison that asks the same with its operands exchanged."""


@dataclass(frozen=True, slots=True)
class Truth:
    """Is the operand true?"""

    operand: Operand


@dataclass(frozen=True, slots=True)
class Compare:
    """``left op right``; with ``length``, ``len(left) op right``."""

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


@dataclass(frozen=True, slots=True)
class IsBound:
    """Is the variable bound? ``"fd" in locals()``."""

    operand: Place


Question: TypeAlias = Truth | Compare | Kind | Has | IsBound


class Condition(str):
    """The normalised text of a condition: conditions that ask the same have equal texts."""

    __slots__ = ()

    @property
    def is_plain(self) -> bool:
        """Whether the condition uses only variables. Attributes, items and the results of calls may change without a
        binding."""
        return not _COMPOUND.intersection(self)

    def asks_for_item(self, place: Place) -> bool:
        """Whether the condition is about an item of a container."""
        return f"{place}[" in self

    def mentions(self, place: Place) -> bool:
        """Whether the condition may depend on a place: names it, not only has its letters."""
        return place in self and re.search(rf"(?<!\w){re.escape(place)}(?!\w)", self) is not None


_COMPOUND = frozenset(".([,")


@dataclass(frozen=True, slots=True)
class Test:
    """A condition. ``key`` is its text if the same condition may be tested again, otherwise None."""

    __test__ = False  # pytest collects classes of this name

    question: Question
    key: Condition | None

    @property
    def is_call(self) -> bool:
        """Whether the result of a call is the answer."""
        return isinstance(self.question, Truth) and self.key is not None and "(" in self.key
