"""Who calls a function that is given away, decorated, or a method of a known class, and how often, by language."""

from __future__ import annotations

import enum
import functools
from collections.abc import Iterable, Mapping

from msgspec import Struct

from fdlint.catalog.decode import decoded
from fdlint.catalog.loader import table_of

_ANY = "*."


class Runs(enum.Enum):
    """How often. ``FOR_EACH``: again and again, for each of something. ``HERE``: once, when the code comes to this
    place. ``PROCESS``: once in each process. ``CHILD``: once, in a child process. ``END``: once, when a signal asks the
    program to end. ``COMMAND``: once, as a command of a program. ``TEST``: in tests. ``NEVER``: the call only asks
    about it."""

    FOR_EACH = "for each"
    HERE = "here"
    PROCESS = "process"
    CHILD = "child"
    END = "end"
    COMMAND = "command"
    TEST = "test"
    NEVER = "never"


class Caller(Struct, forbid_unknown_fields=True, frozen=True):
    """``names``: dotted names; ``*.name`` stands for a method of any object. ``runs``: how often what is given to it
    runs, and ``each``: for each of what. With ``HERE``, if what runs leads to the same call again: a timer. The name of
    a field of a struct ends in ``=``. ``call(NAME)`` is the call with that first argument: ``signal.signal(SIGTERM)``.
    ``methods``: of a base class, those that it calls; all if there are none, and ``do_*`` stands for all that begin so.
    ``plain``: of a decorator, it means this for functions alone; the object of a method lives on, as a console or a
    bot."""

    names: tuple[str, ...]
    runs: Runs = Runs.FOR_EACH
    each: str = ""
    methods: tuple[str, ...] = ()
    plain: bool = False

    def calls(self, method: str) -> bool:
        """Whether a base class calls a method."""
        return not self.methods or any(
            method.startswith(one[:-1]) if one.endswith("*") else method == one for one in self.methods
        )


class Lifetimes(Struct, forbid_unknown_fields=True, frozen=True):
    """``registration``: calls that get functions. ``decorator``: what stands before them. ``base``: classes whose
    methods are called from elsewhere. ``waiting``: the last names of calls that wait for the outside: a loop around one
    goes on as long as its process. ``endless``: iterators without end. ``channels``: calls and types that give a
    channel which nobody closes, each with the name of the field that it is in, if any. ``wrapping``: calls that stand
    for the function that they get. ``daemon``: the calls that together make a process a daemon, unless one of
    ``executing`` follows. ``common``: names that many classes have, also those of other projects, for their methods.
    ``tests``: types of parameters and imports that make functions test code wherever they stand. ``test_classes``:
    parts of the names of classes that tests create once. ``busy``: texts in an acquiring call that show that somebody
    waits for the last copy, and what for."""

    registration: tuple[Caller, ...] = ()
    decorator: tuple[Caller, ...] = ()
    base: tuple[Caller, ...] = ()
    waiting: frozenset[str] = frozenset()
    endless: frozenset[str] = frozenset()
    channels: dict[str, str] = {}
    wrapping: frozenset[str] = frozenset()
    daemon: frozenset[str] = frozenset()
    executing: frozenset[str] = frozenset()
    common: frozenset[str] = frozenset()
    tests: tuple[str, ...] = ()
    test_classes: tuple[str, ...] = ()
    busy: dict[str, str] = {}


class Table:
    """The entries of one language, by name."""

    def __init__(self, entries: Lifetimes) -> None:
        self.entries = entries
        self._given = _by_name(entries.registration)
        self._declared = _by_name(entries.decorator)
        self._bases = _by_name(entries.base)

    @functools.cached_property
    def with_argument(self) -> frozenset[str]:
        """The names of calls whose first argument decides."""
        return frozenset(one for one in self._given if one.endswith(")"))

    def given_to(self, names: Iterable[str]) -> Caller | None:
        """Returns who gets a function, by the names of the call."""
        return _first(self._given, names)

    def command(self, names: Iterable[str]) -> Caller | None:
        """Returns what takes the result of the call that gets a function as a command: whether that call wraps the
        function or calls it at once, it runs once."""
        found = self.given_to(names)
        return found if found is not None and found.runs is Runs.COMMAND else None

    def declared_by(self, names: Iterable[str]) -> Caller | None:
        """Returns what a decorator with these names is."""
        return _first(self._declared, names)

    def base(self, name: str) -> Caller | None:
        """Returns the base class with a full name."""
        return _first(self._bases, (name,))


def unmarked(name: str) -> str:
    """Returns a name without the mark of a field."""
    return name.rstrip("=")


def _by_name(callers: Iterable[Caller]) -> dict[str, Caller]:
    return {name: one for one in callers for name in one.names}


def _first(known: Mapping[str, Caller], names: Iterable[str]) -> Caller | None:
    for name in names:
        parts = name.split(".")
        for one in (name, ".".join(parts[-2:]), _ANY + ".".join(parts[-2:]), _ANY + parts[-1]):
            if one in known:
                return known[one]
    return None


@functools.cache
def lifetimes_of(language: str) -> Table:
    """Returns the table of a language: ``python`` or ``go``."""
    return Table(decoded(table_of(__name__, f"{language}.toml"), Lifetimes))
