"""Abstract values: what a place may hold. All are immutable and hashable."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, replace
from operator import is_
from typing import ClassVar, NamedTuple, TypeAlias

from fdlint.ir import Callee, Constant, Place

NUMBERS = "/fd/"  # the directory of a process's own descriptors: a path in it is of use as long as the number is open


class Age(enum.IntEnum):
    """Recency abstraction: the descriptor that a site acquired last, and all that it acquired before.

    While the acquiring statement is under way, the one before the last is still told apart: it may be about to be
    overwritten.
    """

    NEWEST = 0
    PREVIOUS = 1
    OLDER = 2

    __hash__ = int.__hash__  # an enumeration's own is written in Python, and asked millions of times


class AllocationSite(int):
    """Where descriptors come from: an acquiring call of the function, or one that it has met, by its number in the
    log."""

    __slots__ = ()

    is_own: ClassVar[bool] = True


class IncomingSite(AllocationSite):
    """Where descriptors come from that came in when the function was called."""

    __slots__ = ()

    is_own = False

    @classmethod
    def of_lot(cls, number: int) -> IncomingSite:
        """That of a lot, of which all came from one call; lots are counted from 0."""
        return cls(~number)  # below the numbers of the log, which are compared with these


class Descriptor(NamedTuple):
    """A descriptor: the site that acquired it, which of that site's descriptors it is, and its age."""

    site: AllocationSite
    slot: int
    age: Age

    @property
    def origin_slot(self) -> tuple[AllocationSite, int]:
        """What it has in common with those that the same call acquired in its place earlier."""
        return self.site, self.slot


class Maker(enum.IntEnum):
    """What makes a container."""

    DISPLAY = enum.auto()  # an expression, by the number of its node
    CATALOG_CALL = enum.auto()  # a call of a function of the catalog, by its number in the log
    RECEIVING_CALL = enum.auto()  # a call that fills it with what it receives, by its number in the log
    PROJECT_CALL = enum.auto()  # a call of a function of the project, by the number of its node
    KEYWORDS = enum.auto()  # a ``**`` parameter
    ANYBODY = enum.auto()  # an unknown caller
    CALLER = enum.auto()  # a known caller

    __hash__ = int.__hash__  # as for Age


class ContainerSite(NamedTuple):
    """Where a container is made: by what, ``nth`` says which of those that are made together, and in which
    ``function``, as the methods of an object share containers."""

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
    """A constant. Booleans and integers are told apart."""

    value: Constant
    is_bool: bool = False


class Known(enum.Enum):
    """What is known of a value that is no descriptor and no container."""

    UNKNOWN = "unknown"
    SOME = "not None"
    TRUTHY = "true"
    FALSY = "false"

    __hash__ = object.__hash__  # as for Age


@dataclass(frozen=True, slots=True)
class Unlike:
    """Something of which a test has shown that it is of none of these types; else ``known`` of it is all."""

    types: frozenset[str]
    known: Known


@dataclass(frozen=True, slots=True)
class Typed:
    """An object of a known class; it is true and not None. Not ``certain``: so it is when there is one, but there may
    be none, as in an attribute that some other method fills. Of a builtin class it may be empty, unless ``full``."""

    type: str
    certain: bool = True
    full: bool = False


@dataclass(frozen=True, slots=True)
class Fd:
    """A descriptor's number."""

    descriptor: Descriptor


@dataclass(frozen=True, slots=True)
class Seq:
    """An immutable sequence. Not ``exact``: any number of other, uninteresting items may be among them, in any
    order."""

    items: tuple[Value, ...]
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Any_:
    """One of several values, it is not known which: what happens to it is taken to happen to all."""

    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Some:
    """A sequence of some of these, in any order; perhaps of none. Not ``exact``: and of other, uninteresting ones."""

    items: tuple[Value, ...]
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Text:
    """A string that tells the numbers of descriptors to whoever reads it. ``alone``: the text of one value, and nothing
    else (``str(fd)``). It owns nothing."""

    items: tuple[Value, ...]
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Box:
    """A reference to a mutable container in the heap."""

    container: Container


@dataclass(frozen=True, slots=True)
class Iter:
    """An iterator: the items still to come. Not ``exact``: uninteresting ones may come as well."""

    items: tuple[Value, ...]
    exact: bool
    calm: bool


@dataclass(frozen=True, slots=True)
class Lazy:
    """``map(f, items)`` for an ``f`` that closes or takes: it does so when iterated."""

    closes: bool
    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Fn:
    """A function. ``captured``: the functions that it found in variables when it was made."""

    callee: Callee
    captured: tuple[tuple[Place, Fn], ...] = ()


@dataclass(frozen=True, slots=True)
class Pid:
    """What ``fork`` returned: 0 in the child. ``site`` also made the child's descriptors, which are no concern."""

    site: AllocationSite


@dataclass(frozen=True, slots=True)
class Ancillary:
    """Ancillary data as ``recvmsg`` returns it, or one message's payload: descriptors once it is turned into ints.
    ``single``: there was room for one."""

    site: AllocationSite
    level: int  # 0: the list, 1: one message, 2: its payload, 3: its type
    single: bool = False


@dataclass(frozen=True, slots=True)
class Sym:
    """What a parameter was given: unknown, but the same wherever it has been copied to."""

    place: Place


@dataclass(frozen=True, slots=True)
class Held(Sym):
    """What a place of the caller holds: unknown, and given to a function that it calls."""


@dataclass(frozen=True, slots=True)
class Borrowed:
    """The number of an object's own descriptor: whoever adopts it leaves the object nothing to give away."""

    owner: Place


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
SOME_FUNCTION = Fn(Callee("", own=True))  # one of the project's, out of a table or made by a call


COMPOSED = frozenset({Seq, Any_, Some, Iter, Lazy, Text})  # asked millions of times, so by identity
_HOLDING = frozenset({Fd, Box, Ancillary})
LEADING = COMPOSED | {Fd, Box}  # what may lead to a descriptor
MAX_VALUES = 4_000  # in one value; a literal table of numbers may have some hundreds


def constant(value: Constant) -> Const:
    """A constant, keeping True apart from 1."""
    return Const(value, isinstance(value, bool))


def inner(value: Value) -> tuple[Value, ...]:
    """The values directly inside an immutable one."""
    if type(value) in COMPOSED:
        items: tuple[Value, ...] = value.items  # type: ignore[union-attr]
        return items
    return ()


def bounded(value: Value) -> Value:
    """The value; a lot in no order of all that is in it if that is more than ``MAX_VALUES``. A tuple that holds the
    one before it twice, and so on, doubles with each line of the source."""
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
    return Iter(tuple(leaves), False, value.calm) if isinstance(value, Iter) else Seq(tuple(leaves), exact=False)


def weight(value: Value) -> int:
    """How many values there are inside an immutable one."""
    items = inner(value)
    return len(items) + sum(weight(item) for item in items if type(item) in COMPOSED)


def descriptors(value: Value) -> Iterator[Descriptor]:
    """The descriptors in an immutable value, not those in containers it refers to."""
    if isinstance(value, Fd):
        yield value.descriptor
    for item in inner(value):
        yield from descriptors(item)


def boxes(value: Value) -> Iterator[Container]:
    """The containers an immutable value refers to."""
    if isinstance(value, Box):
        yield value.container
    for item in inner(value):
        yield from boxes(item)


def mentions_any(value: Value) -> bool:
    """Whether the value holds a descriptor, a container or descriptors still to be unpacked anywhere."""
    kind = type(value)
    if kind in _HOLDING:
        return True
    return kind in COMPOSED and any(map(mentions_any, inner(value)))


def substitute(value: Value, fds: dict[Descriptor, Descriptor], containers: dict[Container, Container]) -> Value:
    """The value with descriptors and containers renamed; the same object if it contains none of them."""
    kind = type(value)
    if kind is Fd:
        fd: Descriptor = value.descriptor  # type: ignore[union-attr]
        return Fd(fds[fd]) if fd in fds else value
    if kind is Box:
        container: Container = value.container  # type: ignore[union-attr]
        return Box(containers[container]) if container in containers else value
    if kind not in COMPOSED:
        return value
    items = inner(value)
    renamed = tuple([substitute(item, fds, containers) for item in items])
    if all(map(is_, items, renamed)):
        return value
    return replace(value, items=renamed)  # type: ignore[type-var]


def restricted(value: Value, known: set[Descriptor]) -> Value:
    """The value with descriptors that are not known replaced by something of no interest."""
    match value:
        case Unlike(_, plain):
            return plain
        case Fd(fd):
            return value if fd in known else Known.SOME
        case Seq(items, exact):
            return Seq(tuple(restricted(item, known) for item in items), exact)
        case Any_(items):
            return Any_(tuple(restricted(item, known) for item in items))
        case Some(items, exact):
            return Some(tuple(restricted(item, known) for item in items), exact)
        case Text(items, alone):
            return Text(tuple(restricted(item, known) for item in items), alone)
        case Fn() if is_portable(value):
            return value
        case Iter() | Lazy() | Fn() | Ancillary() | Borrowed():
            return Known.SOME
    return value


def is_portable(function: Fn) -> bool:
    """Whether a function is the same one seen from another function or file."""
    callee = function.callee
    if callee.function is None:
        return not callee.name or (callee.dotted is not None and not callee.own)
    return not isinstance(callee.function, str)
