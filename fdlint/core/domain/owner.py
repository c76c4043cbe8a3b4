"""Classes whose objects own a descriptor: whoever creates such an object must end it, as if it were a descriptor. And
objects of classes without methods, which only hold what others put into them."""

from __future__ import annotations

import enum
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:  # a scan that finds nothing new needs the rules, and with them this module, but no values
    from fdlint.core.domain.values import Value
    from fdlint.core.ir import Place


class Begins(enum.Enum):
    """When an object begins to own a descriptor."""

    CREATED = "its constructor acquires"
    GIVEN = "its constructor takes over what its creator acquired"
    FILLED = "one of its methods acquires"

    __hash__ = object.__hash__  # the hash of Enum is written in Python


@dataclass(frozen=True, slots=True, eq=False)
class OwnerClass:
    """A class whose objects hold a descriptor that nothing but their own methods closes. There is one object of this
    type for each class, so it is compared by identity.

    ``name``: as its file spells it; ``home``: the file. ``begins``: when an object owns something. ``fills``: the
    methods that acquire if it does not yet. ``ends``: the methods that may close what an object holds. ``leaves``: the
    one of them that runs at the end of a ``with`` block. ``gives_itself``: entering the block gives the object itself.
    ``fields``: the attributes that hold a descriptor, and the properties. ``number``: the one that has the number of
    the only descriptor. ``methods``: all other methods. ``closing``:
    the method to call at the end. ``stale``: the methods that are sure to close, and that leave the number where it
    was. After them, ``uses`` use the number, and ``again`` close it again. ``flags``: other attributes, and methods,
    that may tell whether the object holds something. ``ends_parts``: the closing methods of the objects in its
    attributes. ``nothrow``: the methods that raise nothing while the object is open. ``nothrow_closed``: those that
    raise nothing once it is closed. ``listed``: the catalog has the class, and its ``home`` is the entry: all other
    methods leave the object as it is, and its attributes are parts of it. ``borrowed``: a function that gets one only
    uses it.
    """

    name: str
    home: Hashable = field(repr=False)
    begins: Begins = Begins.CREATED
    fills: frozenset[str] = frozenset()
    ends: frozenset[str] = frozenset()
    leaves: str | None = None
    gives_itself: bool = True
    fields: frozenset[str] = frozenset()
    number: str | None = None
    methods: frozenset[str] = frozenset()
    closing: str = ""
    stale: frozenset[str] = frozenset()
    uses: frozenset[str] = frozenset()
    again: frozenset[str] = frozenset()
    flags: frozenset[str] = frozenset()
    ends_parts: frozenset[str] = frozenset()
    nothrow: frozenset[str] = frozenset()
    nothrow_closed: frozenset[str] = frozenset()
    listed: bool = False
    borrowed: bool = False


Parts: TypeAlias = "tuple[tuple[Place, OwnerClass], ...]"
"""The parameters of a constructor that get an object which owns a descriptor, each with the object's class."""


class Record(NamedTuple):
    """The attributes of a new object whose class has no methods: such an object only holds what others put there.
    ``type``: the name of its class, empty for a named tuple."""

    type: str
    names: tuple[str, ...]
    values: tuple[Value, ...]
