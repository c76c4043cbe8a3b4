"""What the analysis found out, in the words the checks use: no syntax, no states.

A ``Lifetime`` is one acquiring call of one function together with every way its descriptors ended, over all paths.
``Happened`` is one event at one statement. The other facts are about attributes and globals, which outlive functions,
and about worker processes.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TypeAlias

from fdlint.domain.event import Event
from fdlint.domain.typestate import Mark
from fdlint.findings.finding import Event as TraceEvent
from fdlint.findings.finding import Span, Unused


class Death(enum.Enum):
    """How the last reference to a descriptor that was still open and owned went away."""

    RETURN = "return"  # the function left normally (also after catching an exception)
    RAISE = "raise"  # left by a `raise` that the function spells out
    RERAISE = "reraise"  # left by a bare `raise` that lets a caught exception go on
    ABANDONED = "abandoned"  # a constructor raised after storing it, and nobody gets the object
    EXCEPTION = "exception"  # left by an exception out of something it called
    NEXT_ROUND = "next round"  # overwritten by the very statement that acquired it, one loop round later
    REBOUND = "rebound"  # the last variable was rebound by another statement
    DELETED = "deleted"  # the last variable was deleted
    DISCARDED = "discarded"  # was never bound to anything
    DROPPED = "dropped"  # taken out of a container and bound to nothing, or the container was cleared


@dataclass(frozen=True, slots=True)
class Ending:
    """One way an owned descriptor was lost. ``marks``: what had been done with it before, on the same path.
    ``mistake``: how the code misused the number as an object; it completes a sentence that begins with the
    descriptor."""

    death: Death
    marks: frozenset[Event]
    trace: tuple[TraceEvent, ...]
    mistake: str | None = None


@dataclass(frozen=True, slots=True)
class Lifetime:
    """One acquiring call and what became of what it acquired, over all paths.

    ``api``: dotted name as the catalog has it. ``variable``: the first name it was bound to, or None. ``received``: it
    came from another process. ``released``: on some path every descriptor of it was closed or handed over.
    ``endings``: the ways it was lost; empty means it is clean. ``events``: all that happened to it, on any path.
    ``shared``: ``variable`` names several that fare alike. ``kept``: an attribute has it for good.
    """

    api: str
    function: str | None
    span: Span
    variable: str | None
    received: bool
    released: bool
    endings: tuple[Ending, ...]
    events: frozenset[Mark] = frozenset()
    shared: bool = False
    kept: Keeping | None = None


class Excuse(enum.Enum):
    """A reason for which an event may be no mistake. Each rule decides which of them it accepts."""

    CORRELATED = "it and what came before may hang on conditions that exclude each other"
    NOT_ACQUIRED = "the function did not acquire the descriptor, but met it"
    GUARDED = "the next exec closes everything that the call gave"
    SAFE_ELSEWHERE = "another call of the same API in the function asks for close-on-exec"
    OTHER_SYSTEM = "only other systems than Linux come to it"


@dataclass(frozen=True, slots=True)
class Happened:
    """One event, at one statement. ``api``: the call that had acquired the descriptor, None where that is not known;
    ``text``: how the statement reads; ``events``: all that happened to the descriptor, on any path."""

    event: Mark
    variable: str | None
    function: str | None
    span: Span
    api: str | None
    trace: tuple[TraceEvent, ...]
    text: str = ""
    events: frozenset[Mark] = frozenset()
    excuses: frozenset[Excuse] = frozenset()


@dataclass(frozen=True, slots=True)
class Keeping:
    """A descriptor that an attribute of a class's objects holds, and that nobody releases there.

    ``attribute`` as the class spells it (``self._fd``); ``owner`` is the class; ``relatives`` are the names of that, of
    its bases and of its subclasses.
    """

    attribute: str
    owner: str
    trace: tuple[TraceEvent, ...]
    relatives: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Overwriting:
    """A statement by which an attribute or a global loses an open descriptor that nothing else holds.

    ``api``: the call that had acquired it, None if the object was given it; ``fills``: the statement stores another
    value, not a constant that says "none"; ``certain``: the function then closes what it has just put there, so no
    other code can be meant to close it.
    """

    attribute: str
    function: str | None
    span: Span
    api: str | None
    fills: bool
    trace: tuple[TraceEvent, ...]
    relatives: frozenset[str] = frozenset()
    certain: bool = False


@dataclass(frozen=True, slots=True)
class Staleness:
    """A close after which an attribute goes on holding the number, so that another method closes it again.

    ``again``: that method; ``raised``: only an exception leaves the attribute so.
    """

    attribute: str
    function: str | None
    span: Span
    api: str | None
    again: str
    raised: bool
    trace: tuple[TraceEvent, ...]


@dataclass(frozen=True, slots=True)
class Rebuilding:
    """Something backed by worker processes that a loop recreates in every round and that nothing tears down.

    ``function`` makes it; ``loop`` is what the loop goes by; ``ends``: its methods that would tear it down;
    ``collectors``: functions that would, once it is deleted.
    """

    api: str
    function: str | None
    span: Span
    loop: str
    ends: tuple[str, ...]
    collectors: tuple[str, ...]
    trace: tuple[TraceEvent, ...]


Fact: TypeAlias = Lifetime | Happened | Overwriting | Staleness | Rebuilding | Unused
