"""The catalog's vocabulary: what a call does to the descriptors it is given and what it returns.

The same nouns describe a function of the standard library (read from TOML) and, as a summary, a function
of the project under scan, so that the analysis knows one kind of call.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias


class Action(enum.Enum):
    """What a call does to the descriptor (or to every descriptor in the container) in one argument."""

    USE = "uses"  # reads, writes, asks; the caller still owns it
    CLOSE = "closes"
    TAKE = "takes"  # the callee owns it from here on
    SEND = "sends"  # duplicated into another process by SCM_RIGHTS
    SPAWN = "spawns"  # inherited by a child process; the parent's copy stays


class ContainerOp(enum.Enum):
    """What a method does to the list, dict, set or queue it is called on."""

    ADD = "add"  # puts its last positional argument in
    EXTEND = "extend"  # puts every element of its argument in
    TAKE = "take"  # removes and returns one element (pop, popleft, get_nowait, popitem)
    GET = "get"  # returns one element, which stays (dict.get)
    SETDEFAULT = "setdefault"
    REMOVE = "remove"  # removes its argument
    CLEAR = "clear"
    VIEW = "view"  # returns something that iterates over the same elements (values, copy)
    PAIRS = "pairs"  # the same, as (key, element) pairs (items)
    KEYS = "keys"  # iterates over keys
    UNION = "union"  # returns a new one with its elements and those of its arguments
    PART = "part"  # returns a new one with some of its elements (difference, intersection)
    ASK = "ask"  # looks only (index, count, sort, reverse, keys)


class Insisted(enum.Enum):
    """What an assert method checks about its first argument."""

    TRUE = "true"
    FALSE = "false"
    NONE = "none"
    NOT_NONE = "not none"


class AttributeOp(enum.Enum):
    """What a function does to an attribute of its first argument, whose name is the second."""

    READ = "read"
    WRITE = "write"
    DELETE = "delete"


# -- what a call returns ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Nothing:
    """Something that is neither a descriptor nor holds one; may be None. Written ``_``."""


@dataclass(frozen=True, slots=True)
class NoneResult:
    """Always None. Written ``None``."""


@dataclass(frozen=True, slots=True)
class Fresh:
    """A new descriptor, owned by the caller. Written ``fd``."""


@dataclass(frozen=True, slots=True)
class FreshList:
    """A list (or array) with any number of new descriptors. Written ``[fd]``."""


@dataclass(frozen=True, slots=True)
class Ancillary:
    """A list of ``(level, type, data)`` control messages, whose data may be new descriptors. Written ``ancillary``.

    Nothing is owned until a payload is turned into numbers (``array.array("i", data)``, ``struct.unpack``): most
    control messages carry something else.
    """


@dataclass(frozen=True, slots=True)
class TupleOf:
    """A tuple of known length. Written ``(fd, fd)``."""

    items: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Argument:
    """One of the call's own arguments, unchanged. Written ``arg NAME``."""

    name: str


@dataclass(frozen=True, slots=True)
class TextOf:
    """A string made of an argument, or of all. Written ``text NAME``."""

    name: str


@dataclass(frozen=True, slots=True)
class NumberIn:
    """The number that an argument is, or whose text it is (``int``). Written ``number NAME``."""

    name: str


@dataclass(frozen=True, slots=True)
class ElementsOf:
    """A new list, tuple or set with the elements of an argument. Written ``each NAME``."""

    name: str


@dataclass(frozen=True, slots=True)
class SomeOf:
    """A new list of some of the elements of an argument, perhaps of none. Written ``some NAME``."""

    name: str


@dataclass(frozen=True, slots=True)
class PairsOf:
    """Iterates over (number, element) pairs of an argument (``enumerate``). Written ``pairs NAME``."""

    name: str


@dataclass(frozen=True, slots=True)
class Counted:
    """The numbers that the arguments span. Written ``range``."""


@dataclass(frozen=True, slots=True)
class Number:
    """Always this number. Written as its digits, ``0``."""

    value: int


@dataclass(frozen=True, slots=True)
class Zipped:
    """Iterates over tuples of the elements of all positional arguments. Written ``zip``."""


@dataclass(frozen=True, slots=True)
class Borrowed:
    """The number of the receiver's own descriptor, which stays the receiver's (``fileno``). Written ``borrowed``."""


@dataclass(frozen=True, slots=True)
class ForkPid:
    """A process id that is 0 in the child (``os.fork``). Written ``pid``."""


@dataclass(frozen=True, slots=True)
class Instance:
    """An object (never None) of a known type whose methods the catalog may know. Written as the type's dotted name."""

    type: str


Shape: TypeAlias = (
    Nothing
    | NoneResult
    | Fresh
    | FreshList
    | Ancillary
    | TupleOf
    | Argument
    | TextOf
    | NumberIn
    | ElementsOf
    | SomeOf
    | PairsOf
    | Zipped
    | Counted
    | Number
    | Borrowed
    | ForkPid
    | Instance
)


# -- one entry --------------------------------------------------------------------------------------

Literal: TypeAlias = None | bool | int | str


@dataclass(frozen=True, slots=True)
class Condition:
    """Holds when the argument is spelled as one of ``values``.

    A value is a literal, or a string that is compared with a string constant and with the dotted name the
    argument resolves to (``"fcntl.F_DUPFD"``). ``absent`` holds (also) when the argument is not given.
    ``mentions`` holds when the argument's expression mentions one of these dotted names anywhere
    (``flags | socket.MSG_CMSG_CLOEXEC``, ``[(SOL_SOCKET, SCM_RIGHTS, fds)]``). ``negated`` turns all of it round.
    """

    argument: str
    values: tuple[Literal, ...] = ()
    absent: bool = False
    mentions: tuple[str, ...] = ()
    constant: bool = False  # holds when the argument is any constant, or absent
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Api:
    """One entry: a function, or a method (``socket.socket.detach``; ``*.append`` for a receiver of any type).

    ``params`` names the parameters in order; ``*name`` collects the rest, ``**name`` collects keywords. A
    parameter that is only ever given by keyword is named like any other. ``raises`` is the name of the only exception
    that can come out ("OSError"), "Exception" when any can, None when none does for our purpose.
    """

    name: str
    source: str
    params: tuple[str, ...] = ()
    returns: Shape = field(default_factory=Nothing)
    actions: Mapping[str, Action] = field(default_factory=dict)
    when: tuple[Condition, ...] = ()
    raises: str | None = "Exception"
    noreturn: bool = False
    calm_if_taken: bool = False  # does not raise when what it takes is a descriptor (open(fd), against open(path))
    received: bool = False  # what it returns came from another process (FD109)
    inheritable: bool = False  # ... and would be handed to a child by the next exec (FD301)
    closes_on_exec: str | None = None  # from here on the next exec closes this argument (FD301)
    closes_all: bool = False  # closes descriptors by number, whoever holds them (closerange)
    at_least: str | None = None  # what it returns is no smaller than this argument
    max_fds: str | None = None  # it receives no more descriptors than this argument
    max_bytes: str | None = None  # ... no more than fit into this many bytes, four for each
    duplicates_onto: str | None = None  # dup2: this argument's old descriptor is closed; the result is the same number
    suppresses: bool = False  # a context manager whose __exit__ swallows (the exceptions named by its arguments)
    expects: bool = False  # ... and fails when none comes (assertRaises): the last call in its body does not succeed
    adopts: bool = False  # what it returns is an object that owns what was taken, and closes it
    borrows: bool = False  # what it returns is an object that works on what was used, and does not close it
    by_number: bool = False  # it looks the number up in a table: no use of what may have been closed
    probes: bool = False  # asks about a descriptor; where its failure is handled, whether there is one
    calm_enter: bool = False  # entering it in a `with` never raises (locks, ExitStack, suppress)
    calm_iteration: bool = False  # iterating over its result never raises (range, zip, enumerate)
    endless: bool = False  # iterating over its result never ends by itself (itertools.count)
    container: ContainerOp | None = None
    asserts: Insisted | None = None
    attribute: AttributeOp | None = None
    applies: bool = False  # calls its first argument with the others, now (a retry wrapper)
    registers: bool = False  # will call its first argument with the others later (ExitStack.callback, finalize)
    on_exit: bool = False  # ... at the end of the `with` block of its object, in every case (ExitStack.callback)
    lazy: bool = False  # calls its first argument with each element of the others, but only when iterated (map)
    callee: str | None = None  # applies, registers: the parameter that is called
    passes: str | None = None  # ... and the one that holds its arguments: "*args", or "args" when given as one tuple
    since: str | None = None  # first Python version that has it
    platform: str | None = None  # the only sys.platform that has it
    words: tuple[str, ...] = ()  # for the prefilter; empty: the last part of the name


@dataclass(frozen=True, slots=True)
class Worker:
    """An object that is backed by pipes and worker processes.

    ``api`` says which call makes one. ``torn_down_by``: its methods that end it; ``swept_by``: functions that end all
    there are; ``collected_by``: functions that end it once nothing refers to it any more. ``lent``: functions that are
    given one only use it.
    """

    api: Api
    torn_down_by: tuple[str, ...]
    swept_by: tuple[str, ...] = ()
    collected_by: tuple[str, ...] = ()
    lent: bool = False
