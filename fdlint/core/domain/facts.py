"""The results of the analysis in the terms of the checks: no syntax, no states.

A ``Lifetime`` is one acquiring call of one function together with every way its descriptors ended, over all paths.
``Happened`` is one event at one statement. The other facts are about attributes and globals, which outlive functions,
and about worker processes.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TypeAlias

from fdlint.core.domain.event import Event
from fdlint.core.domain.owner import OwnerClass
from fdlint.core.domain.typestate import Mark
from fdlint.core.finding import Assumption, Repeated, Span, Unused
from fdlint.core.finding import Event as TraceEvent


class Death(enum.Enum):
    """How the last reference to an open, owned descriptor disappeared."""

    RETURN = "return"  # the function left normally (also after catching an exception)
    FAILED = "failed"  # the function returned an error
    RAISE = "raise"  # left by a `raise` statement of the function
    RERAISE = "reraise"  # left by a bare `raise` that passes a caught exception on
    ABANDONED = "abandoned"  # a constructor raised after it stored the descriptor, so no caller gets the object
    NOT_ENTERED = "not entered"  # a context manager raised in entering after it stored the descriptor; it is not left
    EXCEPTION = "exception"  # left by an exception from a call
    NEXT_ROUND = "next round"  # overwritten by the same statement that acquired it, one iteration later
    REBOUND = "rebound"  # the last variable was rebound by another statement
    DELETED = "deleted"  # the last variable was deleted
    DISCARDED = "discarded"  # was never bound
    DEFERRED = "deferred"  # another iteration began, and a deferred call closes it only when the function ends
    DROPPED = "dropped"  # removed from a container and never bound, or the container was cleared


PASSING = frozenset({Death.RERAISE, Death.EXCEPTION, Death.ABANDONED, Death.NOT_ENTERED})
"""An exception from a call left the function, or a constructor and its object, or a context manager's entering."""

FAILING = PASSING | {Death.FAILED, Death.RAISE}
"""The function tells its caller that it has failed."""


@dataclass(frozen=True, slots=True)
class Ending:
    """One way in which an owned descriptor was lost.

    ``marks``: its earlier events on the same path. ``mistake``: how the code misused the number as an object; the text
    completes a sentence that begins with the descriptor. ``assumptions``: what was not known on the path. ``rare``: it
    is lost only after an exception that hardly ever comes. ``causes``: the places whose exceptions have this end;
    ``exits``: the returns that have it. ``own``: it is lost only if a system call
    on it fails.
    """

    death: Death
    marks: frozenset[Event]
    trace: tuple[TraceEvent, ...]
    mistake: str | None = None
    assumptions: tuple[Assumption, ...] = ()
    rare: bool = False
    causes: tuple[Span, ...] = ()
    exits: tuple[Span, ...] = ()
    own: bool = False


GIVEN_AWAY = frozenset({Event.TRANSFERRED, Event.STORED, Event.ENTRUSTED, Event.KEPT, Event.ENDED_WITH_OWNER})
"""The events after which something other than the function has to close."""


@dataclass(frozen=True, slots=True)
class Lifetime:
    """One acquiring call and the fate of its descriptors, over all paths.

    ``api``: the dotted name in the catalog. ``variable``: the first name that the descriptor was bound to, or None.
    ``received``: it came from another process. ``released``: on some path all of its descriptors were closed or handed
    over. ``endings``: the ways it was lost; empty means none. ``events``: its events on any path. ``shared``:
    ``variable`` names several descriptors with the same fate. ``kept``: an attribute holds it for good. ``of``: the
    call gives an object of this class, which owns a descriptor.
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
    of: OwnerClass | None = None

    @property
    def given_away(self) -> bool:
        """Whether it is for something other than the function to close it, on some path."""
        return not self.events.isdisjoint(GIVEN_AWAY)

    @property
    def finalized(self) -> bool:
        """Whether objects own the descriptors wherever they are lost, and close them when they are collected."""
        ends = [Event.FINALIZED in one.marks for one in self.endings]
        return all(ends) if ends else Event.FINALIZED in self.events


class Excuse(enum.Enum):
    """A reason why an event may be no mistake. Each rule decides which reasons it accepts."""

    NOT_ACQUIRED = "the function did not acquire the descriptor, but met it"
    GUARDED = "the next exec closes everything that the call gave"
    SAFE_ELSEWHERE = "another call of the same API in the function asks for close-on-exec"
    BRIEF = "the function closes what it opened, gives it to nobody, and starts no program before"
    OTHER_SYSTEM = "only other systems than Linux come to it"


@dataclass(frozen=True, slots=True)
class Happened:
    """One event at one statement. ``api``: the call that acquired the descriptor, None if it is unknown. ``text``: the
    statement's source. ``events``: the descriptor's events on any path. ``assumptions``: what was not known on the
    path. ``rare``: a call before it must fail that hardly ever does. ``caught``: something failed before
    it, and the function goes on whether the statement fails or not."""

    event: Mark
    variable: str | None
    function: str | None
    span: Span
    api: str | None
    trace: tuple[TraceEvent, ...]
    text: str = ""
    events: frozenset[Mark] = frozenset()
    excuses: frozenset[Excuse] = frozenset()
    assumptions: tuple[Assumption, ...] = ()
    rare: bool = False
    caught: bool = False
    of: OwnerClass | None = None


@dataclass(frozen=True, slots=True)
class Keeping:
    """A descriptor that an attribute of a class's objects holds, and that no method of the class releases.

    ``attribute`` is spelled as in the class (``self._fd``). ``owner`` is the class. ``relatives`` are the names of the
    class, of its bases and of its subclasses. ``assumptions``: what was not known.
    """

    attribute: str
    owner: str
    trace: tuple[TraceEvent, ...]
    relatives: frozenset[str] = frozenset()
    assumptions: tuple[Assumption, ...] = ()


@dataclass(frozen=True, slots=True)
class Overwriting:
    """A statement that overwrites an attribute or a global, the only holder of an open descriptor.

    ``api``: the call that acquired the descriptor, None if the object received it. ``certain``: the function then
    closes the value that it just stored, so no other code can be meant to close it. ``finalized``: it belongs to an
    object that closes itself when it is collected. ``rare``: it is lost only after an exception that hardly ever comes.
    ``assumptions``: what was not known. ``of``: the class of the object that is overwritten; None for a descriptor.
    ``item``: it is taken out of a container in the attribute. ``followed``: the bases whose methods are known.
    """

    attribute: str
    function: str | None
    span: Span
    api: str | None
    trace: tuple[TraceEvent, ...]
    relatives: frozenset[str] = frozenset()
    certain: bool = False
    finalized: bool = False
    rare: bool = False
    assumptions: tuple[Assumption, ...] = ()
    of: OwnerClass | None = None
    item: bool = False
    followed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Staleness:
    """A close after which an attribute still holds the number, so that another method closes it again.

    ``again``: the other method. ``raised``: the attribute keeps the number only after an exception.
    ``assumptions``: what was not known.
    """

    attribute: str
    function: str | None
    span: Span
    api: str | None
    again: str
    raised: bool
    trace: tuple[TraceEvent, ...]
    assumptions: tuple[Assumption, ...] = ()


@dataclass(frozen=True, slots=True)
class Rebuilding:
    """An object with worker processes that a loop recreates in every iteration and that no code tears down.

    ``function`` creates it. ``again``: what does so again and again, an iteration of a loop or a call of a function.
    ``ends``: its methods that would tear it down. ``collectors``: functions that would do so once it is deleted.
    ``released``: its pipes are closed as soon as nothing refers to it. ``counts``: what must repeat it.
    """

    api: str
    function: str | None
    span: Span
    again: str
    ends: tuple[str, ...]
    collectors: tuple[str, ...]
    trace: tuple[TraceEvent, ...]
    released: bool = False
    counts: Repeated = Repeated.IN_ANY_CASE


Fact: TypeAlias = Lifetime | Happened | Overwriting | Staleness | Rebuilding | Unused
