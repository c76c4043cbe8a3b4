"""A finding: its code, its place, its trace, and how sure it is."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from fdlint.languages.registry import MAIN


class Severity(enum.Enum):
    """An ``ERROR`` is a defect. A ``WARNING`` is a defect that needs an exception, an unusual number or a second
    call."""

    ERROR = "error"
    WARNING = "warning"


class Confidence(enum.Enum):
    """How sure a finding is. ``HIGH``: the path and the owner are certain. ``MEDIUM``: it rests on one assumption about
    code that is not seen. ``LOW``: it holds only if an unknown call does not take the descriptor, or only if a call
    fails that hardly ever does."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"

    def reaches(self, least: Confidence) -> bool:
        """Whether it is not lower than another one."""
        listed = list(Confidence)
        return listed.index(self) <= listed.index(least)


class Holding(enum.Enum):
    """Who can hold an acquired descriptor, over all paths of the function. ``SOLE``: the function alone. ``GIVES``: on
    some path the function hands it over or stores it, and the receiver is known. ``COLLECTED``: the function alone, and
    an object that closes it when it is collected. ``UNKNOWN``: a call that is not known got it, or nothing is known."""

    SOLE = "sole"
    COLLECTED = "collected"
    GIVES = "gives"
    UNKNOWN = "unknown"


class EventKind(enum.Enum):
    """The kinds of steps in a trace."""

    ACQUIRED = "acquired"
    RECEIVED = "received"
    BRANCH = "branch"
    CLOSED = "closed"
    SENT = "sent"
    SPAWNED = "spawned"
    TRANSFERRED = "transferred"
    OVERWRITTEN = "overwritten"
    RAISED = "raised"
    LEAKED = "leaked"


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A range of one file. Lines and columns count from 1; the end column is exclusive."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int


CAN_RAISE = " can raise"  # the end of the sentence about a call whose exception a path takes


@dataclass(frozen=True, slots=True)
class Event:
    """One step of the path that leads to a finding."""

    kind: EventKind
    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A defect, its place and its trace.

    ``function`` is the qualified name (``Class.method``) or None at module level. ``api`` is the dotted name of the
    acquiring call or None. ``fingerprint`` stays the same when unrelated lines move. ``likeness`` does too, and it does
    not contain the path. ``in_tests``: the file belongs to the tests of the project.
    ``causes``: the places whose exceptions have the effect that it tells of. ``holding``: who can hold the descriptor.
    """

    code: str
    name: str
    severity: Severity
    span: Span
    message: str
    function: str | None
    api: str | None
    fingerprint: str
    trace: tuple[Event, ...] = ()
    language: str = MAIN.key
    likeness: str = ""
    in_tests: bool = False
    causes: tuple[Span, ...] = ()
    holding: Holding = Holding.UNKNOWN
    confidence: Confidence = field(kw_only=True)


def fingerprint_of(path: str, likeness: str) -> str:
    """Returns the fingerprint of a finding in a file with this path."""
    import hashlib  # hashlib costs more than all other imports of this module

    return hashlib.sha256(f"{path}\0{likeness}".encode(errors="surrogateescape")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Unused:
    """A comment that silences no finding, or whose codes are partly unused. ``idle`` are the unused codes, ``keeps``
    the used ones. ``understood``: fdlint knows the request in the comment."""

    span: Span
    why: str
    idle: frozenset[str]
    keeps: frozenset[str]
    function: None = None
    api: None = None
    understood: bool = True


@dataclass(frozen=True, slots=True)
class Claim:
    """A finding about an attribute that holds only if no other file of the project closes or takes it.

    ``words`` are the attribute's names. ``relatives`` are the names of its class, of the bases and of the subclasses.
    ``otherwise`` is the finding that holds if another file closes or takes the attribute.
    """

    finding: Finding
    words: frozenset[str]
    relatives: frozenset[str]
    otherwise: Finding | None = None
