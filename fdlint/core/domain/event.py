"""The events of a descriptor or of a path. The catalog, the engine and the rules share this vocabulary."""

from __future__ import annotations

import enum


class Event(enum.Enum):
    """One kind of event. The values are for people who debug the engine."""

    # to a descriptor
    ACQUIRED = "acquired"
    CLOSED = "closed"
    TRANSFERRED = "handed over"
    STORED = "stored in an attribute or a global"
    REPLACED = "an attribute lets go of it for another value"
    DETACHED = "an attribute lets go of it for a constant"
    TAKEN_OUT = "taken out of a container in an attribute"
    EMPTIED = "in an attribute's container when that is emptied"
    STRANDED = "taken out of an attribute, and still open when an exception leaves the function"
    SENT = "sent to another process"
    SPAWNED = "inherited by a child process"
    FORKED = "copied into a forked child"
    BOUND = "held by a name or a container of the function"
    USED = "used by its number"
    PROBED = "used by a call that may ask whether it is open"
    GIVEN = "given to a call that is not known"
    USED_BY_CHILD = "used by a forked child"
    LENT = "lent to the body of a `with`"
    SPARED = "left open by an exception that is caught and hardly ever comes"
    PICKED = "picked by a key that is not known, so it may as well be another one"
    CLOEXEC_SET = "closed by the next exec"
    INHERITABLE = "opened or received so that the next exec hands it to a child"
    EXPOSED = "open while a program starts that gets what is open without close-on-exec"
    TOLD = "a program gets its number as text"
    FINALIZED = "owned by an object that closes it when it is collected"
    REACHED = "a call that acquires is reached"
    TESTED = "tested as if 0 were none"
    NONZERO = "known not to be 0, or to be a copy of a stream"
    EXCUSED = "the same as something else, whose owner is not known"
    PASSED = "given to a method of the object that is not known"
    ENDED_WITH_OWNER = "closed by the object that had taken it over"
    ENTRUSTED = "handed to an object that keeps it in an attribute"
    KEPT = "kept in an attribute or a global"
    RESET = "an attribute is reset to the constant that is closed next"
    LOST = "nothing holds it any more"
    REGISTERED = "registered with an object that ends with the function, or with the object that holds it"
    WATCHED = "registered with what lives on: an event loop, an object that others hold, the interpreter"
    UNREGISTERED = "registered no longer"
    LOCKED = "a lock is taken on it"
    OWED = "in a struct that has started a child and that others get: they do not close it"
    DISOWNED = "it has another owner, or is no descriptor: its fate is not known"
    OUTLIVED = "closed before its registration ends, as it turns out"
    UNSENT = "not sent after all: the call raises"
    UNTAKEN = "not taken by an unknown call that got it, as what follows shows"
    ENDED = "closed or handed over by the function itself, while no exception is raised"
    LEFT_OPEN = "open when a return leaves the function"
    RAISED_OPEN = "open when an exception leaves the function right where it is raised"
    BLURRED = "perhaps misused, in a state that covers several"

    # to a number that is used as an object; each raises an exception
    REFUSED = "given where no descriptor fits"
    NO_METHOD = "asked for a method"
    NO_MANAGER = "entered as a context manager"
    NO_NUMBER = "given with more than the number"

    # on a path
    CALLED = "a call leads into a callee"
    RAISED = "a call raises"
    RAISE = "a raise statement"
    RAISED_AGAIN = "a caught exception is raised again"
    TRUE = "a condition is true"
    FALSE = "a condition is false"
    LOOPED = "a loop starts another iteration"
    LOOP_ENDED = "a loop ends"
    RETURNED = "a return statement"
    FELL_OFF = "the end of the body"

    __hash__ = object.__hash__  # the hash of Enum is written in Python, and this runs millions of times


class Chance(enum.Enum):
    """How often a call raises. The most frequent comes first."""

    KNOWN = "its failure is known: it depends on files, peers or users, or the project raises it"
    ASSUMED = "nothing is known about the call, so it is assumed to raise"
    OWN = "a system call fails that uses only what the function has open"
    RARE = "only if the system has run out of something"

    __hash__ = object.__hash__  # as for ``Event``

    def more_likely_than(self, other: Chance) -> bool:
        """Whether the exception comes more often than with the other chance."""
        listed = list(Chance)
        return listed.index(self) < listed.index(other)


ITEM_EVENTS = (Event.TAKEN_OUT, Event.EMPTIED)
"""Those by which a container in an attribute loses it."""
LET_GO_EVENTS = (Event.REPLACED, Event.DETACHED, *ITEM_EVENTS)
"""The events by which an attribute loses what it holds while the function goes on."""
ENDS = frozenset({Event.CLOSED, Event.TRANSFERRED})
"""The events that end the duty to close a descriptor."""

MARKS = {
    "cloexec_set": Event.CLOEXEC_SET,
    "finalized": Event.FINALIZED,
    "registered": Event.REGISTERED,
    "watched": Event.WATCHED,
    "unregistered": Event.UNREGISTERED,
    "locked": Event.LOCKED,
}
"""The events that the catalog adds to using, closing, handing over, sending and inheriting, by their names in the
catalog. The engine marks the descriptor and logs the event, and carries both from callees to callers."""

SINGLE = (Event.TESTED,)
"""Events with their own rules, wherever they happen: in functions, in their callees and in methods."""

CARRIED = frozenset({Event.REGISTERED, Event.WATCHED})
"""The marks that a descriptor has until an event removes them, closed or open: a callee gets them with its arguments,
and an attribute keeps them from one method to the next."""

PASSED_ON = (Event.SENT, Event.SPAWNED, Event.GIVEN, *MARKS.values())
"""The marks that a callee leaves on its arguments."""
