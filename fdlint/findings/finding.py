"""The nouns of a report: where something is, what happened there, what is wrong with it."""

from __future__ import annotations

import enum
import functools
from dataclasses import dataclass, field

from fdlint.findings.audited import Audited
from fdlint.findings.silencing import NOTHING, Silencing
from fdlint.reading.lines import split
from fdlint.reading.search import Words


class Severity(enum.Enum):
    """An ``ERROR`` is a defect; a ``WARNING`` is one that needs an exception, an unusual number or a second call."""

    ERROR = "error"
    WARNING = "warning"


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
    """A stretch of one file; lines and columns count from 1, the end column is exclusive."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int


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
    acquiring call or None. ``fingerprint`` stays the same when unrelated lines move. So does ``likeness``, which has no
    path in it. ``confidence`` is ``high``, ``medium`` or ``low``, or None if it is not rated.
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
    language: str = "python"
    likeness: str = ""
    confidence: str | None = None


def fingerprint_of(path: str, likeness: str) -> str:
    """The fingerprint that a finding has when its file is seen under a path."""
    import hashlib  # costs more than all the rest that is imported here

    return hashlib.sha256(f"{path}\0{likeness}".encode(errors="surrogateescape")).hexdigest()[:16]


def lines_of(data: bytes, encoding: str) -> tuple[str, ...]:
    """A file's lines, without their ends; bytes that cannot be decoded are replaced."""
    return split(data.decode(encoding, "replace"))


def digest_of(data: bytes) -> str:
    """What tells a file's contents from others."""
    import hashlib

    return hashlib.blake2b(data, digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file, or a function of it, that was not analysed, and the reason in words."""

    path: str
    reason: str


NOT_SCANNED = "not scanned: a signal ended the scan"
"""The reason why a file is skipped that the scan did not reach."""
NOT_INSTALLED = "not checked, as Semgrep is not installed: pip install 'fdlint[go]'"
"""The reason why Go files are skipped."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The size of a scan. ``seconds`` is wall time."""

    files: int
    files_analysed: int
    lines: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Suppression:
    """A comment that silences findings on its lines, or in the ``whole_file``; without ``codes``, all of them.

    ``own``: it speaks to fdlint alone; ``unknown`` is what it asks for when that is nothing that fdlint does; ``since``
    is the first of its lines if backslashes or a string join several, otherwise 0.
    """

    span: Span
    codes: frozenset[str]
    whole_file: bool
    own: bool
    unknown: str | None = None
    since: int = 0


@dataclass(frozen=True, slots=True)
class Unused:
    """A comment that silences nothing, or not by all of its codes. ``idle`` are those that do nothing, ``keeps`` those
    that do. ``understood``: it asks for something that fdlint knows."""

    span: Span
    why: str
    idle: frozenset[str]
    keeps: frozenset[str]
    function: None = None
    api: None = None
    understood: bool = True


@dataclass(frozen=True, slots=True)
class Withheld:
    """A finding that is not reported. ``by`` names what silences it, such as ``comments`` or ``the command line``."""

    finding: Finding
    by: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a scanned directory comes from. ``repository``: its address; ``revision``: the commit that is checked out;
    ``branch``: None without one; ``whole``: the directory is the top of the work tree."""

    repository: str
    revision: str
    branch: str | None
    whole: bool


@dataclass(frozen=True, slots=True)
class Trend:
    """``older``: the name of the older report; ``scans``: what it knows of its scans. ``new`` and ``unchanged`` are
    findings of the newer report, all others of the older one. ``silenced``: still found, but a comment, a baseline, the
    configuration or an option leaves them out; ``unknown``: the newer scan did not analyse their files in full."""

    older: str
    new: tuple[Finding, ...]
    fixed: tuple[Finding, ...]
    unchanged: tuple[Finding, ...]
    silenced: tuple[Finding, ...] = ()
    unknown: tuple[Finding, ...] = ()
    scans: tuple[Audited, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """The results of one scan; findings and skipped files are in a stable order."""

    findings: tuple[Finding, ...]
    skipped: tuple[Skipped, ...]
    summary: Summary
    sources: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Path -> the lines of each file that has a finding, for reports that quote code."""
    unused: tuple[Unused, ...] = ()
    """The unused suppressions."""
    silenced: int = 0
    """The number of findings that comments have silenced."""
    baselined: int = 0
    """The number of findings that are in a baseline."""
    unchanged: int = 0
    """With ``--diff``, the number of findings in functions that have not changed."""
    scanned: tuple[str, ...] = ()
    """The paths of all scanned files."""
    shard: str | None = None
    """The part of a scan, such as ``2/4``."""
    silencing: Silencing = NOTHING
    """Everything by which the scanned tree itself keeps findings from the report."""
    digests: dict[str, str] = field(default_factory=dict)
    """Path -> what tells the scanned contents of each file that has findings or ``unused`` comments."""
    provenance: Provenance | None = None
    """The repository and revision of the working directory, for SARIF."""
    ended: int | None = None
    """The exit status of a scan that a signal ended before it was complete."""
    withheld: tuple[Withheld, ...] = ()
    """The findings that a comment, a baseline, the configuration or an option leaves out."""
    scans: tuple[Audited, ...] = ()
    """The audited scans: several in a merged report, none if that is not known."""
    owners: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Path -> the owners of each file that has a finding, if the tree has CODEOWNERS."""
    trend: Trend | None = None
    """How it compares with an older report."""

    def counts(self) -> dict[str, int]:
        """Number of findings by code, in code order."""
        codes = sorted(finding.code for finding in self.findings)
        return {code: codes.count(code) for code in dict.fromkeys(codes)}


@dataclass(frozen=True, slots=True)
class Wrapper:
    """A function of the project that gives its caller a descriptor it acquired, or workers that it made; ``module`` is
    its file's own name."""

    module: str
    function: str
    makes_workers: bool = False


def mentions(data: bytes, wrappers: frozenset[Wrapper]) -> bool:
    """Whether a file may call one of these: it has both names somewhere."""
    return bool(wrappers) and _names_of(wrappers).occur_in(data)


@functools.lru_cache(maxsize=64)
def _names_of(wrappers: frozenset[Wrapper]) -> Words:
    return Words((one.function.encode(), one.module.encode()) for one in wrappers)


@dataclass(frozen=True, slots=True)
class Claim:
    """A finding about an attribute that holds unless other files of the project have to do with it.

    ``words`` are the attribute's names; ``relatives`` the names of its class, of the bases and of the subclasses;
    ``otherwise`` is what holds if they do.
    """

    finding: Finding
    words: frozenset[str]
    relatives: frozenset[str]
    otherwise: Finding | None = None


@dataclass(frozen=True, slots=True)
class Abroad:
    """What the analysis of one file found in another: the other's path, its text, the findings."""

    path: str
    text: tuple[str, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Grounds:
    """What the result of one file rests on besides its own text: other ``files``, by their paths, and where ``modules``
    were found: the directory in which imports start, the module's name, its file (empty: there is none)."""

    files: frozenset[str] = frozenset()
    modules: frozenset[tuple[str, str, str]] = frozenset()


@dataclass(frozen=True, slots=True)
class FileResult:
    """What one file came to. ``analysed`` is False when nothing in it could matter; ``gives``: what others may call;
    ``claims``: findings that other files may refute; ``guards``: calls, also in other files, that receive descriptors
    which this file keeps from being inherited; ``suppressions``: comments that silence findings; ``abroad``: findings
    that are in other files; ``digest``: of the file's contents, None when it could not be read; ``encoding``: its
    text's; ``grounds``: what else of the project it rests on."""

    path: str
    lines: int = 0
    analysed: bool = False
    findings: tuple[Finding, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    text: tuple[str, ...] = field(default=())
    gives: tuple[Wrapper, ...] = ()
    claims: tuple[Claim, ...] = ()
    guards: frozenset[Span] = frozenset()
    suppressions: tuple[Suppression, ...] = ()
    abroad: tuple[Abroad, ...] = ()
    digest: str | None = None
    encoding: str = "utf-8"
    grounds: Grounds = Grounds()
