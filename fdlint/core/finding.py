"""A finding: its code, its place, its trace, and how sure it is."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeVar


class Severity(enum.Enum):
    """An ``ERROR`` is a defect. A ``WARNING`` is a defect that needs an exception, an unusual number or a second
    call."""

    ERROR = "error"
    WARNING = "warning"


Graded = TypeVar("Graded", bound="_Graded")


class _Graded(enum.Enum):
    """Levels whose members are listed from the highest to the lowest."""

    def reaches(self: Graded, least: Graded) -> bool:
        """Whether it is not lower than another one."""
        listed = list(type(self))
        return listed.index(self) <= listed.index(least)


class Confidence(_Graded):
    """How sure a finding is, by what it assumes: see ``core/checks/confidence.py``."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Cost(_Graded):
    """What a defect costs where it stands. ``HIGH``: it repeats in a process that lives on, or somebody waits for the
    last copy. ``MEDIUM``: once for each call of a function whose callers are not known. ``LOW``: once per process at
    most, or only when a call fails that hardly ever does."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


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
class Impact:
    """What a defect costs, and why, as a phrase. ``awaited``: somebody waits for the last copy."""

    cost: Cost
    reason: str
    awaited: bool = False


UNKNOWN_CALLERS = Impact(Cost.MEDIUM, "its callers are outside this project")
TEST_CODE = Impact(Cost.LOW, "test code")


class AssumptionKind(enum.Enum):
    """What was not known on the path of a finding, as the key of the JSON output. The list is closed."""

    CALLEE_BY_NAME = "callee-by-name"  # the only method of that name is the callee
    DECORATOR_CALLS = "unknown-decorator-calls"  # a decorator that is not known calls the function as it is
    RECEIVER_GUESSED = "receiver-guessed"  # an object of unknown class has the method of this name in the catalog
    HANDLER_CATCHES = "handler-catches"  # a handler catches an exception whose class is not known
    CALL_RAISES = "unknown-call-raises"  # a call that is not known raises
    ONLY_USES = "unknown-call-only-uses"  # a call that is not known does not take the descriptor
    NAME_TAKES_NOTHING = "unknown-call-names-no-taking"  # the same, where a name would say that it takes
    LEFT_BY_CALL = "unknown-call-left-it"  # the same, and what the function does afterwards shows it
    TAKES_BY_NAME = "name-says-what-it-does"  # a call that is not known does what its name says
    NO_OTHER_CLOSES = "no-other-code-closes"  # no code that is not seen closes an attribute
    CONDITION = "condition-not-understood"  # a condition that is not understood lets this path happen
    SOME_PATHS = "callee-on-some-paths"  # a callee does it on some of its paths only
    IN_THIS_ORDER = "called-in-this-order"  # other code calls the methods of an object in this order
    PATHS_MERGED = "paths-merged"  # several paths were followed as one

    __hash__ = object.__hash__  # the hash of Enum is written in Python, and states have these among their marks


@dataclass(frozen=True, slots=True)
class Assumption:
    """One thing that a finding takes for granted. ``message``: a plain sentence."""

    kind: AssumptionKind
    message: str
    span: Span


class Repeated(enum.Enum):
    """What must repeat the function of a finding, so that it counts."""

    IN_ANY_CASE = "nothing"
    BY_A_LOOP = "a loop that calls it, or one without end that leads to it"
    WITHOUT_END = "a loop without end that leads to it"


@dataclass(frozen=True, slots=True)
class Finding:
    """A defect, its place and its trace.

    ``function`` is the qualified name (``Class.method``) or None at module level. ``api`` is the dotted name of the
    acquiring call or None. ``fingerprint`` stays the same when unrelated lines move. ``likeness`` does too, and it does
    not contain the path. ``in_tests``: the file belongs to the tests of the project.
    ``causes``: the places whose exceptions have the effect that it tells of. ``holding``: who can hold the descriptor.
    ``impact``: what the defect costs where it stands. ``assumptions``: what was not known on its path. ``leaves``: the
    call of the function ends with the defect. ``until_return``: what stays open is closed when the function returns;
    ``collected``: when it is collected. ``counts``: it is none unless its function is repeated so.
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
    language: str = ""
    likeness: str = ""
    in_tests: bool = False
    causes: tuple[Span, ...] = ()
    holding: Holding = Holding.UNKNOWN
    confidence: Confidence = field(kw_only=True)
    impact: Impact = UNKNOWN_CALLERS
    assumptions: tuple[Assumption, ...] = ()
    leaves: bool = False
    until_return: bool = False
    collected: bool = False
    counts: Repeated = Repeated.IN_ANY_CASE

    def placed(self, place: Callable[[Span], Span]) -> Finding:
        """Returns the finding with other places."""
        return replace(
            self,
            span=place(self.span),
            trace=tuple(replace(one, span=place(one.span)) for one in self.trace),
            causes=tuple(map(place, self.causes)),
            assumptions=tuple(replace(one, span=place(one.span)) for one in self.assumptions),
        )

    @property
    def sentences(self) -> tuple[Event | Assumption, ...]:
        """Its steps, then its assumptions: what has a place and a message."""
        return (*self.trace, *self.assumptions)

    @property
    def spans(self) -> list[Span]:
        """Its place, and the places of its trace and its assumptions."""
        return [self.span, *(one.span for one in self.trace), *(one.span for one in self.assumptions)]


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
    ``otherwise`` is the finding that holds if another file closes or takes the attribute. ``programs``: the claim is
    another one: that no file of the project starts a program which inherits what is open. ``importers``: and no other
    project that uses its code.
    """

    finding: Finding
    words: frozenset[str]
    relatives: frozenset[str]
    otherwise: Finding | None = None
    programs: bool = False
    importers: bool = False
