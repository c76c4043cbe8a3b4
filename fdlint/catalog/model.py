"""The catalog's vocabulary: the effects of a call on its descriptors, and its result.

The same nouns describe a function of the standard library (from TOML) and, as a summary, a function of the scanned
project, so that the analysis has one kind of call.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, TypeAlias

from msgspec import Meta, Struct, field

from fdlint.catalog.decode import key, value
from fdlint.core.domain.event import ENDS, Event
from fdlint.core.domain.owner import OwnerClass

ACTIONS = {
    "uses": Event.USED,  # reads, writes, asks; the caller still owns it
    "closes": Event.CLOSED,
    "takes": Event.TRANSFERRED,  # the callee owns it from then on
    "sends": Event.SENT,  # duplicated into another process by SCM_RIGHTS
    "spawns": Event.SPAWNED,  # inherited by a child process; the parent's copy stays
}
"""The effect of a call on the descriptor in an argument, or on every descriptor of a container, by the catalog's
keys."""


class ContainerOp(enum.Enum):
    """The effect of a method on its receiver: a list, dict, set or queue."""

    ADD = "add"  # adds its last positional argument
    EXTEND = "extend"  # adds every element of its argument
    TAKE = "take"  # removes and returns one element (pop, popleft, get_nowait, popitem)
    GET = "get"  # returns one element, which stays (dict.get)
    SETDEFAULT = "setdefault"
    REMOVE = "remove"  # removes its argument
    CLEAR = "clear"
    VIEW = "view"  # returns an iterable over the same elements (values, copy)
    PAIRS = "pairs"  # the same, as (key, element) pairs (items)
    KEYS = "keys"  # iterates over keys
    UNION = "union"  # returns a new container with its elements and those of its arguments
    PART = "part"  # returns a new container with some of its elements (difference, intersection)
    ASK = "ask"  # only reads (index, count, sort, reverse, keys)


REMOVING = frozenset({ContainerOp.TAKE, ContainerOp.REMOVE, ContainerOp.CLEAR})
"""The effects after which a container no longer has an element."""


class Insisted(enum.Enum):
    """The property of its first argument that an assert method checks."""

    TRUE = "true"
    FALSE = "false"
    NONE = "none"
    NOT_NONE = "not none"


class Stream(enum.Enum):
    """A standard stream."""

    STDIN = "stdin"
    STDOUT = "stdout"
    STDERR = "stderr"

    @property
    def number(self) -> int:
        """The number of its descriptor."""
        return list(Stream).index(self)


class Made(enum.Enum):
    """The kind of a descriptor, as ``/proc/PID/fd`` shows it."""

    PATH = "path"  # a file or a device with the name in the first argument
    SOCKET = "socket"
    PIPE = "pipe"
    TERMINAL = "terminal"
    EVENTPOLL = "eventpoll"
    EVENTFD = "eventfd"
    TIMERFD = "timerfd"
    INOTIFY = "inotify"
    MEMFD = "memfd"
    PIDFD = "pidfd"


class AttributeOp(enum.Enum):
    """The effect of a function on an attribute of its first argument. The second argument is the attribute's name."""

    READ = "read"
    WRITE = "write"
    DELETE = "delete"


# -- what a call returns ----------------------------------------------------------------------------


class Nothing(Struct, frozen=True):
    """A value that neither is a descriptor nor holds one; it may be None. Written ``_``."""


class NoneResult(Struct, frozen=True):
    """Always None. Written ``None``."""


class Fresh(Struct, frozen=True):
    """A new descriptor, owned by the caller. Written ``fd``."""


class FreshObject(Struct, frozen=True):
    """A new object that the caller must end: it has worker processes (``[[worker]]``), or holds a descriptor. The
    second is written ``object METHOD ATTRIBUTE``: the method closes the number that the attribute has."""

    of: OwnerClass


class FreshList(Struct, frozen=True):
    """A list (or array) with any number of new descriptors. Written ``[fd]``."""


class Ancillary(Struct, frozen=True):
    """A list of ``(level, type, data)`` control messages, whose data may be new descriptors. Written ``ancillary``.

    The code owns no descriptor until it converts a payload to numbers (``array.array("i", data)``, ``struct.unpack``):
    most control messages carry other data.
    """


class TupleOf(Struct, frozen=True):
    """A tuple of known length. Written ``(fd, fd)``."""

    items: tuple[Shape, ...]


class OfParameter(Struct, frozen=True):
    """A value that depends on one of the call's own arguments."""

    name: str


class Argument(OfParameter, frozen=True):
    """One of the call's own arguments, unchanged; for ``*NAME``, a list of all of them. Written ``arg NAME``."""


class TextOf(OfParameter, frozen=True):
    """A string that contains the text of one argument, or of all. Written ``text NAME``."""


class NumberIn(OfParameter, frozen=True):
    """The number in an argument, which is a number or its text (``int``). Written ``number NAME``."""


class CountOf(OfParameter, frozen=True):
    """The number of elements of an argument (``len``). Written ``count NAME``."""


class ElementsOf(OfParameter, frozen=True):
    """A new list, tuple or set with the elements of an argument. Written ``each NAME``."""


class FlatOf(OfParameter, frozen=True):
    """A new list with the elements of the elements of an argument. Written ``flat NAME``."""


class SomeOf(OfParameter, frozen=True):
    """A new list of some of the elements of an argument, perhaps of none. Written ``some NAME``."""


class AnyOf(OfParameter, frozen=True):
    """Something if one of the arguments is something, and nothing only if none is (``errors.Join``). Written ``any
    NAME``."""


class PairsOf(OfParameter, frozen=True):
    """An iterator over (number, element) pairs of an argument (``enumerate``). Written ``pairs NAME``."""


class Counted(Struct, frozen=True):
    """The numbers in the range that the arguments describe. Written ``range``."""


class Number(Struct, frozen=True):
    """Always this number. Written as its digits, ``0``."""

    value: int


class ErrorNumber(Struct, frozen=True):
    """An error number: 0 if the call succeeded, and only then there are descriptors beside it. Written ``error``."""


class Keywords(Struct, frozen=True):
    """A new dict or object with the keyword arguments as its items. Written ``keywords``."""


class Zipped(OfParameter, frozen=True):
    """An iterator over tuples of the elements of all these arguments, as long as the shortest. Written ``zip NAME``."""


class ZippedLongest(Zipped, frozen=True):
    """The same, as long as the longest. Written ``longest NAME``."""


class Borrowed(Struct, frozen=True):
    """The number of the receiver's own descriptor, which the receiver still owns (``fileno``). Written ``borrowed``."""


class ForkPid(Struct, frozen=True):
    """A process id that is 0 in the child (``os.fork``). Written ``pid``."""


class Instance(Struct, frozen=True):
    """An object (never None) of a known type whose methods the catalog may know. Written as the type's dotted name."""

    type: str


Shape: TypeAlias = (
    Nothing
    | NoneResult
    | Fresh
    | FreshObject
    | FreshList
    | Ancillary
    | TupleOf
    | Argument
    | TextOf
    | NumberIn
    | CountOf
    | ElementsOf
    | FlatOf
    | SomeOf
    | AnyOf
    | PairsOf
    | Keywords
    | Zipped
    | ZippedLongest
    | Counted
    | Number
    | ErrorNumber
    | Borrowed
    | ForkPid
    | Instance
)


# -- one entry --------------------------------------------------------------------------------------

Literal: TypeAlias = None | bool | int | str


@dataclass(frozen=True, slots=True)
class Condition:
    """Holds if the argument is spelled as one of ``values``.

    A value is a literal, or a string that is compared with a string constant and with the dotted name the argument
    resolves to (``"fcntl.F_DUPFD"``); ``*.KVM_CREATE_VM`` is that name in any module.
    ``absent`` holds (also) if the argument is missing. ``mentions`` holds if the
    argument's expression mentions one of these dotted names anywhere (``flags | socket.MSG_CMSG_CLOEXEC``,
    ``[(SOL_SOCKET, SCM_RIGHTS, fds)]``). ``negated`` inverts the whole condition.
    """

    argument: str
    values: tuple[Literal, ...] = ()
    absent: bool = False
    mentions: tuple[str, ...] = ()
    constant: bool = False  # holds if the argument is any constant, or absent
    flags: bool = False  # holds if the argument is made of constants with names only
    lacking: int = 0  # holds for a number without these bits
    negated: bool = False


Strings = Annotated[tuple[str, ...], Meta(extra_json_schema={"uniqueItems": True})]
Words = Annotated[Strings, key("words of which a file must have one to be parsed")]
Parameter = Annotated[str, value("a parameter")]


class Properties(Struct, frozen=True, kw_only=True):
    """The properties that the TOML of an entry and the analysis have in common."""

    adopts: Annotated[bool, key("it returns an object that owns and closes what it `takes` (FD203)")] = False
    binds: Annotated[bool, key("it returns a function that calls the first argument with the others")] = False
    borrows: Annotated[bool, key("it returns an object that works on what it `uses`, and does not close it")] = False
    by_number: Annotated[bool, key("it looks the number up in a table, open or not (not FD202)")] = False
    probes: Annotated[bool, key("its error, if handled, shows that a descriptor is closed already (not FD202)")] = False
    noreturn: Annotated[bool, key("it never returns")] = False
    nothrow_if_taken: Annotated[bool, key("it does not raise if it takes a descriptor")] = False
    takes_nothing_if_it_fails: Annotated[bool, key("if it fails, what it `takes` is still the caller's")] = False
    raises_rarely: Annotated[
        bool, key("it hardly ever raises: a finding that needs its exception has low confidence")
    ] = False
    contended: Annotated[
        bool, key("it also fails when others hold what it asks for, so its failure is an ordinary one")
    ] = False
    raises_rarely_for: Annotated[
        Parameter | None, key("it hardly ever raises if this is the number of a descriptor, and no path")
    ] = None
    runs_out: Annotated[bool, key("in a loop it also fails when a limit is reached, although it `raises_rarely`")] = (
        False
    )
    received: Annotated[bool, key("the descriptors that it returns came from another process (FD109)")] = False
    inheritable: Annotated[bool, key("the next exec would hand the descriptors that it returns to a child")] = False
    inherits: Annotated[bool, key("the program that it starts gets what is open without close-on-exec (FD302)")] = False
    ends_first: Annotated[bool, key("when it returns, no program that it starts runs any more (FD302)")] = False
    unregisters_all: Annotated[bool, key("it ends the registrations of all descriptors (FD206)")] = False
    waits: Annotated[bool, key("it waits for registered descriptors (FD206)")] = False
    hands_back: Annotated[bool, key("its object knows what it `uses`, and other methods return the number")] = False
    closes_all: Annotated[bool, key("it closes descriptors by number, even if others hold them")] = False
    frees: Annotated[Stream | None, key("it closes this standard stream")] = None
    at_least: Annotated[Parameter | None, key("the descriptor that it returns is not smaller than this")] = None
    max_fds: Annotated[Parameter | None, key("it receives no more descriptors than this number")] = None
    max_bytes: Annotated[
        Parameter | None, key("it receives no more descriptors than fit into this many bytes, four for each")
    ] = None
    numbers: Annotated[Strings, key("parameters that are numbers: it raises TypeError if it gets a text for one")] = ()
    duplicates_onto: Annotated[
        Parameter | None, key("like `dup2`: the descriptor this was is closed, and the result is this number")
    ] = None
    suppresses: Annotated[bool, key("a context manager that swallows exceptions")] = False
    expects: Annotated[bool, key("a context manager that swallows exceptions and fails when none comes")] = False
    nothrow_enter: Annotated[bool, key("entering it in a `with` does not raise")] = False
    endless: Annotated[bool, key("iterating over its result never ends by itself")] = False
    nothrow_iteration: Annotated[bool, key("iterating over its result does not raise")] = False
    container: Annotated[ContainerOp | None, key("what a method does to the container it is called on")] = None
    asserts: Annotated[Insisted | None, key("an assert method, which requires that its first argument is this")] = None
    attribute: Annotated[
        AttributeOp | None, key("what it does to an attribute of its first argument, whose name is the second")
    ] = None
    applies: Annotated[bool, key("it calls a function that it gets, now")] = False
    registers: Annotated[bool, key("it calls a function that it gets, later")] = False
    once: Annotated[bool, key("it calls that function once, and does not keep it")] = False
    awaited: Annotated[bool, key("awaited, it calls a function that it gets, and returns what that returns")] = False
    on_exit: Annotated[bool, key("it calls a function that it got when the `with` block of its object ends")] = False
    lazy: Annotated[bool, key("it calls a function that it got with each element, when its result is iterated")] = False
    callee: Annotated[Parameter | None, key("the parameter that is called; if left out, the first")] = None
    passes: Annotated[Parameter | None, key("the parameter with its arguments; if left out, the starred one")] = None
    child: Annotated[Parameter | None, key("the function in it runs in a child process, on copies")] = None
    words: Words = ()
    fills: Annotated[Parameter | None, key("it puts its descriptors into this array or structure")] = None
    field: Annotated[str | None, key("the field of the structure that it `fills`, in Python")] = None
    makes: Annotated[
        Made | None, key("the kind of descriptor that it opens, by which `fdlint doctor` finds the call")
    ] = None
    since: Annotated[str | None, key("the first Python version that has it: for the reader")] = None
    platform: Annotated[str | None, key("the only platform that has it: for the reader")] = None


class ReturningProperties(Properties, frozen=True, kw_only=True):
    """Those of a language whose calls return their errors, and whose objects close themselves when collected."""

    lends: Annotated[bool, key("its result is the number of its object, which closes it itself (FD203)")] = False
    measures: Annotated[
        bool, key("its result is the room that later calls with `max_bytes` in the same function have")
    ] = False
    finalized: Annotated[bool, key("its result is an object that closes itself when it is collected")] = False
    kind: Annotated[
        str | None, key("the type of the object with the descriptor that it returns: its methods have entries")
    ] = None
    false_of_nil: Annotated[Parameter | None, key("it returns false if this is nil")] = None
    duplicates: Annotated[
        bool, key("its result has a duplicate of the descriptor that it `uses`; for the Semgrep rules")
    ] = False
    messages: Annotated[Parameter | None, key("it puts the control messages that came into this buffer")] = None
    filled_by: Annotated[
        Strings, key("the calls that put its result into the variable whose address this field of a struct has")
    ] = ()
    fails_with_number: Annotated[bool, key("its result is -1 if it fails; otherwise nil")] = False
    returns_errno: Annotated[bool, key("its last result is an error number, which is 0 if it succeeds")] = False


class Api(ReturningProperties, frozen=True):
    """One entry: a function, or a method (``socket.socket.detach``; ``*.append`` for a receiver of any type).

    ``params`` names the parameters in order; ``*name`` collects the rest, ``**name`` collects keywords. A keyword-only
    parameter is named like any other. ``raises`` is the name of the only possible exception ("OSError"), "Exception"
    for any, or None if no exception matters. ``marks``: additional events of parameters after the call has returned.
    For an entry that calls a function, ``callee`` is never None.
    """

    name: str
    source: str
    params: tuple[str, ...] = ()
    returns: Shape = field(default_factory=Nothing)
    actions: Mapping[str, Event] = field(default_factory=dict)
    marks: Mapping[str, Event] = field(default_factory=dict)
    when: tuple[Condition, ...] = ()
    raises: str | None = "Exception"

    @property
    def closed(self) -> tuple[str, ...]:
        """Returns the parameters whose descriptors it closes."""
        return tuple([name for name, action in self.actions.items() if action is Event.CLOSED])

    @property
    def ended(self) -> tuple[str, ...]:
        """Returns the parameters whose descriptors it closes or takes."""
        return tuple([name for name, action in self.actions.items() if action in ENDS])


class Teardown(Struct, frozen=True, kw_only=True):
    """The ways to tear down an object with pipes and worker processes."""

    torn_down_by: Annotated[Strings, Meta(min_length=1), key("its methods that end it")]
    all_torn_down_by: Annotated[Strings, key("functions that end all of them")] = ()
    collected_by: Annotated[
        Strings, key("functions that end it once nothing refers to it any more: after `del`, `gc.collect`")
    ] = ()
    released: Annotated[bool, key("its pipes are closed as soon as nothing refers to it: losing it costs little")] = (
        False
    )
    borrowed: Annotated[bool, key("functions that get one only use it")] = False
    pair: Annotated[bool, key("a call returns a pair of them, and the end of one is enough")] = False
    repaired_by: Annotated[
        Strings, key("what a fix calls at the end of a round, in order; `with`: the object is a context manager")
    ] = ()


class Worker(Teardown, frozen=True):
    """An object with pipes and worker processes; ``api`` is the call that creates one."""

    api: Api
