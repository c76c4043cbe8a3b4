"""Abstract values: the possible contents of a place. All are immutable and hashable."""

from __future__ import annotations

import enum
import functools
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from operator import is_
from typing import ClassVar, NamedTuple, TypeAlias

from fdlint.core.domain.event import Chance
from fdlint.core.ir import Callee, Constant, Place

NUMBERS = "/fd/"  # the directory of a process's own descriptors: a path in it is valid while the descriptor is open


class Age(enum.IntEnum):
    """Recency abstraction: the descriptor that a site acquired last, and all that it acquired before.

    While the acquiring statement runs, the state also tells the one before the last apart: the statement may be about
    to overwrite it.
    """

    NEWEST = 0
    PREVIOUS = 1
    OLDER = 2

    __hash__ = int.__hash__  # the hash of Enum is written in Python, and this runs millions of times


class AllocationSite(int):
    """The origin of descriptors: an acquiring call of the function or of a callee, by its number in the log."""

    __slots__ = ()

    is_own: ClassVar[bool] = True


class IncomingSite(AllocationSite):
    """The origin of descriptors that a caller passed in."""

    __slots__ = ()

    is_own = False

    @classmethod
    def of_lot(cls, number: int) -> IncomingSite:
        """Returns the site of the lot with this number, counted from 0. All descriptors of a lot come from one call."""
        return cls(~number)  # below the numbers of the log, with which these are compared


UNDECODED = -1
"""The slot of what a message may have brought."""

FOREIGN = AllocationSite(UNDECODED)
"""The site of messages that a caller received."""


class Descriptor(NamedTuple):
    """A descriptor: the site that acquired it, its number among that site's descriptors, and its age."""

    site: AllocationSite
    slot: int
    age: Age

    @property
    def origin_slot(self) -> tuple[AllocationSite, int]:
        """The origin without the age: equal for descriptors that the same call acquired in the same slot."""
        return self.site, self.slot


class Maker(enum.IntEnum):
    """The code that creates a container."""

    DISPLAY = enum.auto()  # an expression, by the number of its node
    CATALOG_CALL = enum.auto()  # a call of a function in the catalog, by its number in the log
    RECEIVING_CALL = enum.auto()  # a call that fills the container with received data, by its number in the log
    PROJECT_CALL = enum.auto()  # a call of a function of the project, by the number of its node
    KEYWORDS = enum.auto()  # a ``**`` parameter
    ANYBODY = enum.auto()  # an unknown caller
    CALLER = enum.auto()  # a known caller
    RECORD = enum.auto()  # a class without methods, by the number of the call's node

    __hash__ = int.__hash__  # as for Age


class ContainerSite(NamedTuple):
    """The origin of a container: its maker, ``nth`` among those created together, and the ``function``, because the
    methods of an object share containers."""

    maker: Maker
    number: int = 0
    nth: int = 0
    function: str = ""


KEYWORDS = ContainerSite(Maker.KEYWORDS)


class Container(NamedTuple):
    """A list, dict or set: the site that made it, and its age."""

    site: ContainerSite
    age: Age


@dataclass(frozen=True, slots=True)
class Const:
    """A constant. Booleans and integers differ."""

    value: Constant
    is_bool: bool = False


@dataclass(frozen=True, slots=True)
class Success(Const):
    """The error number of a call that has succeeded. It is 0, and so is what it has as its ``value``."""


class Known(enum.Enum):
    """A value that is neither a descriptor nor a container, as far as it is known."""

    UNKNOWN = "unknown"
    SOME = "not None"
    TRUTHY = "true"
    POSITIVE = "above zero"
    FALSY = "false"

    __hash__ = object.__hash__  # as for Age


@dataclass(frozen=True, slots=True)
class Unlike:
    """A value that a test has shown to be of none of these types. ``known`` has everything else about it."""

    types: frozenset[str]
    known: Known


@dataclass(frozen=True, slots=True)
class Typed:
    """An object of a known class, so it is true and not None. Not ``certain``: the place may also be empty, as an
    attribute that some other method fills. An object of a builtin class may be empty, unless ``full``. ``maker``: the
    call that created it and gave it a descriptor, by its number in the log; None if it owns none that is known."""

    type: str
    certain: bool = True
    full: bool = False
    maker: int | None = None


@dataclass(frozen=True, slots=True)
class Fd:
    """The number of a descriptor."""

    descriptor: Descriptor


@dataclass(frozen=True, slots=True)
class Seq:
    """An immutable sequence. Not ``exact``: it may also have any number of uninteresting items, in any order."""

    items: tuple[Value, ...]
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Any_:
    """One of several values; the analysis does not know which. An operation on it applies to all of them."""

    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Some:
    """A sequence of some of these values, in any order, or of none. Not ``exact``: it may also have uninteresting
    items."""

    items: tuple[Value, ...]
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Text:
    """A string that shows the numbers of descriptors to its reader. It owns nothing. ``alone``: it is the text of one
    value and nothing else (``str(fd)``)."""

    items: tuple[Value, ...]
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Box:
    """A reference to a mutable container in the heap."""

    container: Container


@dataclass(frozen=True, slots=True)
class Length:
    """The number of descriptors in a list when they were counted, together with what it held at that time."""

    container: Container
    contents: Hashable


@dataclass(frozen=True, slots=True)
class Iter:
    """An iterator with the remaining items. Not ``exact``: it may also yield uninteresting ones. ``raises``: how often
    taking the next item raises, None for never."""

    items: tuple[Value, ...]
    exact: bool
    raises: Chance | None = None


@dataclass(frozen=True, slots=True)
class Lazy:
    """``map(f, items)``, where ``f`` closes or takes its argument. The call happens during iteration."""

    closes: bool
    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Fn:
    """A function. ``captured``: the functions that its variables held when it was created."""

    callee: Callee
    captured: tuple[tuple[Place, Fn], ...] = ()


@dataclass(frozen=True, slots=True)
class Pid:
    """The result of ``fork``: 0 in the child. ``site`` also created the child's descriptors, which do not matter."""

    site: AllocationSite


@dataclass(frozen=True, slots=True)
class Ancillary:
    """Ancillary data from ``recvmsg``, or the payload of one message, which becomes descriptors when it is converted to
    integers. ``single``: the buffer had room for one. ``starts``: it is cut after its first number."""

    site: AllocationSite
    level: int  # 0: the list, 1: one message, 2: its payload, 3: its type
    single: bool = False
    starts: bool = False

    @property
    def undecoded(self) -> Descriptor:
        """What the messages may have brought, until they are decoded."""
        return Descriptor(self.site, UNDECODED, Age.NEWEST)


@dataclass(frozen=True, slots=True)
class Sym:
    """The argument of a parameter: unknown, but the same value in every copy."""

    place: Place


@dataclass(frozen=True, slots=True)
class Held(Sym):
    """The value of a place of the caller: unknown, and passed to a callee."""


@dataclass(frozen=True, slots=True)
class Message(Sym):
    """The data that came with control messages. ``place`` holds ``undecoded``, what these may have brought, until they
    are decoded."""

    undecoded: Descriptor


@dataclass(frozen=True, slots=True)
class Borrowed:
    """The number of an object's own descriptor. If some code adopts it, the object (``giver``) has nothing left to give
    up. ``owner``: the object's place."""

    owner: Place
    giver: Value


Value: TypeAlias = (
    Const
    | Known
    | Unlike
    | Typed
    | Fd
    | Seq
    | Any_
    | Some
    | Text
    | Box
    | Length
    | Iter
    | Lazy
    | Fn
    | Pid
    | Ancillary
    | Borrowed
    | Sym
)

UNKNOWN = Known.UNKNOWN
NONE = Const(None)
SOME_FUNCTION = Fn(Callee("", own=True))  # a function of the project, from a table or created by a call


COMPOSED = frozenset({Seq, Any_, Some, Iter, Lazy, Text})  # a set of exact types: the test runs millions of times
_HOLDING = frozenset({Fd, Box, Ancillary, Pid})
LEADING = COMPOSED | {Fd, Box}  # values that may lead to a descriptor
PLAIN = frozenset({Const, Known, Sym, Unlike, Typed, Length})  # values that lead to none
MAX_VALUES = 4_000  # in one value; a literal table of numbers may have a few hundred


@functools.lru_cache(maxsize=4096, typed=True)
def constant(value: Constant) -> Const:
    """Returns a constant, and keeps True apart from 1."""
    return Const(value, isinstance(value, bool))


def inner(value: Value) -> tuple[Value, ...]:
    """Returns the direct parts of an immutable value."""
    if type(value) in COMPOSED:
        items: tuple[Value, ...] = value.items  # type: ignore[union-attr]
        return items
    return ()


def bounded(value: Value) -> Value:
    """Returns the value, or an unordered sequence of its leaves if it has more than ``MAX_VALUES`` parts. A tuple that
    holds the tuple before it twice doubles in size with each line of the source."""
    if type(value) not in COMPOSED:
        return value
    leaves: dict[Value, None] = {}
    pending, count = [value], 0
    while pending:
        one = pending.pop()
        count += 1
        if type(one) in COMPOSED:
            pending.extend(inner(one))
        elif type(one) in _HOLDING:
            leaves[one] = None
    if count <= MAX_VALUES:
        return value
    return Iter(tuple(leaves), False, value.raises) if isinstance(value, Iter) else Seq(tuple(leaves), exact=False)


def weight(value: Value) -> int:
    """Returns the number of values inside an immutable one."""
    items = inner(value)
    return len(items) + sum(weight(item) for item in items if type(item) in COMPOSED)


def descriptors(value: Value) -> Iterator[Descriptor]:
    """Yields the descriptors in an immutable value, without those in containers that it refers to."""
    if isinstance(value, Fd):
        yield value.descriptor
    for item in inner(value):
        yield from descriptors(item)


def is_any_holder(value: Value) -> bool:
    """Whether a value is one of several tuples or containers: an item of it is that item of any of them."""
    return isinstance(value, Any_) and all(isinstance(one, Seq | Box) for one in value.items)


def boxes(value: Value) -> Iterator[Container]:
    """Yields the containers that an immutable value refers to."""
    if isinstance(value, Box):
        yield value.container
    for item in inner(value):
        yield from boxes(item)


def mentions_any(value: Value) -> bool:
    """Whether the value contains a descriptor, a container, ancillary data that may become descriptors, or the id of a
    fork."""
    kind = type(value)
    if kind in _HOLDING:
        return True
    return kind in COMPOSED and any(map(mentions_any, inner(value)))


def substitute(value: Value, fds: dict[Descriptor, Descriptor], containers: dict[Container, Container]) -> Value:
    """Returns the value with descriptors and containers renamed, or the same object if it contains none of them."""
    kind = type(value)
    if kind is Fd:
        fd: Descriptor = value.descriptor  # type: ignore[union-attr]
        return Fd(fds[fd]) if fd in fds else value
    if kind is Box:
        container: Container = value.container  # type: ignore[union-attr]
        return Box(containers[container]) if container in containers else value
    if kind is Ancillary:
        known_as: Descriptor = value.undecoded  # type: ignore[union-attr]
        return replace(value, site=fds[known_as].site) if known_as in fds else value  # type: ignore[type-var]
    if kind not in COMPOSED:
        return value
    items = inner(value)
    renamed = tuple([substitute(item, fds, containers) for item in items])
    if all(map(is_, items, renamed)):
        return value
    if kind is Any_ and len(set(renamed)) < len(set(items)):  # two of them are one and the same now
        choices = tuple(dict.fromkeys(renamed))
        return choices[0] if len(choices) == 1 else Any_(choices)
    return replace(value, items=renamed)  # type: ignore[type-var]


def restricted(value: Value, known: set[Descriptor]) -> Value:
    """Returns the value with unknown descriptors replaced by a value without interest."""
    match value:
        case Unlike(_, plain):
            return plain
        case Ancillary():
            return value if value.undecoded in known else Known.SOME
        case Message():
            return Known.SOME
        case Fd(fd):
            return value if fd in known else Known.SOME
        case Typed() if value.maker is not None:
            return replace(value, maker=None)  # the number means another call elsewhere
        case Seq(items) | Any_(items) | Some(items) | Text(items):
            return replace(value, items=tuple(restricted(item, known) for item in items))
        case Fn() if is_portable(value):
            return value
        case Iter() | Lazy() | Fn() | Borrowed() | Length():
            return Known.SOME
    return value


def is_portable(function: Fn) -> bool:
    """Whether a function is the same one when another function or file refers to it."""
    callee = function.callee
    if callee.function is None:
        return not callee.name or (callee.dotted is not None and not callee.own)
    return not isinstance(callee.function, str)
