"""The nouns of a report: findings, their places and events, and the results of a scan."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from fdlint.core.finding import Claim, Finding, Span, Unused
from fdlint.report.findings.audited import Audited
from fdlint.report.findings.fix import Fix
from fdlint.report.findings.grounds import Grounds
from fdlint.report.findings.hidden import NOTHING_HIDDEN, Hidden, Screen
from fdlint.report.findings.persona import Persona
from fdlint.report.findings.silencing import NOTHING, Silencing
from fdlint.scan.reading.lines import split
from fdlint.scan.reading.search import Words


def lines_of(data: bytes, encoding: str) -> tuple[str, ...]:
    """Splits a file's contents into lines without their ends. Replaces bytes that cannot be decoded."""
    return split(data.decode(encoding, "replace"))


def by_file(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    """Returns the findings of each file, by its path, in their order."""
    found: dict[str, list[Finding]] = {}
    for one in findings:
        found.setdefault(one.span.path, []).append(one)
    return found


def digest_of(data: bytes) -> str:
    """Returns a hash of a file's contents."""
    import hashlib

    return hashlib.blake2b(data, digest_size=16).hexdigest()


_IN_PART = "not analysed in full: "


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was not analysed, or not in full, and the reason in words."""

    path: str
    reason: str

    @classmethod
    def part(cls, path: str, what: str) -> Skipped:
        """Returns the entry of an analysed file. ``what``: the part that was not, and the reason."""
        return cls(path, f"{_IN_PART}{what}")

    @property
    def left_out(self) -> str:
        """The part of an analysed file that was not; empty if the whole file was not."""
        return self.reason.removeprefix(_IN_PART).partition(":")[0] if self.reason.startswith(_IN_PART) else ""


NOT_SCANNED = "not scanned: a signal ended the scan"
"""The reason for a skipped file that the scan did not reach."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The size of a scan. ``seconds`` is wall time."""

    files: int
    files_analysed: int
    lines: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Suppression:
    """A comment that silences findings on its lines, or in the ``whole_file``. Without ``codes`` it silences all
    findings.

    ``own``: the comment addresses only fdlint. ``unknown``: the request in the comment, if fdlint does not know it.
    ``since``: the first of its lines if backslashes or a string join several, otherwise 0.
    """

    span: Span
    codes: frozenset[str]
    whole_file: bool
    own: bool
    unknown: str | None = None
    since: int = 0


@dataclass(frozen=True, slots=True)
class Withheld:
    """A finding that is not reported. ``by`` names the reason, such as ``comments`` or ``the command line``.
    ``screen``: the level that hides it. ``alone``: nothing else does."""

    finding: Finding
    by: str
    screen: Screen | None = None
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Trend:
    """The comparison with an older report, which has the name ``older`` and describes its ``scans``.

    ``new`` and ``unchanged`` are findings of the newer report; all others are of the older one. ``silenced``: the newer
    scan still finds them, but a comment, a baseline, the configuration or an option leaves them out. ``unknown``: the
    newer scan did not analyse their files completely.
    """

    older: str
    new: tuple[Finding, ...]
    fixed: tuple[Finding, ...]
    unchanged: tuple[Finding, ...]
    silenced: tuple[Finding, ...] = ()
    unknown: tuple[Finding, ...] = ()
    scans: tuple[Audited, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """The results of one scan. Findings and skipped files are in a stable order."""

    findings: tuple[Finding, ...]
    skipped: tuple[Skipped, ...]
    summary: Summary
    sources: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The lines of each file that has a finding, by path, for reports that quote code."""
    unused: tuple[Unused, ...] = ()
    """The unused suppressions."""
    silenced: int = 0
    """The number of findings that comments silence."""
    baselined: int = 0
    """The number of findings that are in a baseline."""
    unchanged: int = 0
    """With ``--changed-since``, the number of findings in functions that have not changed."""
    scanned: tuple[str, ...] = ()
    """The paths of all scanned files."""
    shard: str | None = None
    """The part of a scan, such as ``2/4``."""
    silencing: Silencing = NOTHING
    """The ways in which the scanned tree itself keeps findings from the report, with their numbers."""
    digests: dict[str, str] = field(default_factory=dict)
    """The hash of the scanned contents of each file that has findings or ``unused`` comments, by path."""
    ended: int | None = None
    """The exit status of a scan that a signal ended before it was complete."""
    withheld: tuple[Withheld, ...] = ()
    """The findings that a comment, a baseline, the configuration or an option leaves out."""
    persona: Persona | None = None
    """The persona of the scan; None if it is not the same for all files."""
    hidden: Hidden = NOTHING_HIDDEN
    """The number of findings that only the persona and its refinements hide, and the options that show them."""
    scans: tuple[Audited, ...] = ()
    """The audited scans: several in a merged report, none if they are unknown."""
    trend: Trend | None = None
    """The comparison with an older report."""
    fixes: Mapping[Finding, Fix] = field(default_factory=dict)
    """The fix of each finding that has one, if fixes were searched for."""
    owners: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The owners of files with findings, by path, as far as the repository names them."""

    def counts(self) -> dict[str, int]:
        """Returns the number of findings by code, in the order of codes."""
        codes = sorted(finding.code for finding in self.findings)
        return {code: codes.count(code) for code in dict.fromkeys(codes)}


@dataclass(frozen=True, slots=True)
class Wrapper:
    """A function of the project that gives its caller a descriptor or workers that it created. ``module`` is the file's
    own name. ``passed_on``: the file only imports the function."""

    module: str
    function: str
    makes_workers: bool = False
    passed_on: bool = False


def mentions(data: bytes, wrappers: frozenset[Wrapper]) -> bool:
    """Whether a file may call one of the wrappers: it contains the names of both the function and its module."""
    return bool(wrappers) and _names_of(wrappers).occur_in(data)


@functools.lru_cache(maxsize=64)
def _names_of(wrappers: frozenset[Wrapper]) -> Words:
    return Words((one.function.encode(), one.module.encode()) for one in wrappers)


@dataclass(frozen=True, slots=True)
class CrossFileFindings:
    """Findings that the analysis of one file made in another: the other file's path, its text and the findings."""

    path: str
    text: tuple[str, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class FileResult:
    """The result of one file.

    ``analysed`` is False if nothing in the file could matter. ``idle``: its package was analysed, and no function of
    the file itself can have a descriptor. ``gives``: functions that other files may call.
    ``claims``: findings that other files may refute. ``guards``: receiving calls, also in other files, whose
    descriptors this file makes close-on-exec. ``suppressions``: comments that silence findings. ``cross_file``:
    findings in other files. ``digest``: the hash of the contents, None if the file could not be read. ``encoding``:
    that of its text. ``grounds``: the other files that the result depends on.
    """

    path: str
    lines: int = 0
    analysed: bool = False
    idle: bool = False
    findings: tuple[Finding, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    text: tuple[str, ...] = field(default=())
    gives: tuple[Wrapper, ...] = ()
    claims: tuple[Claim, ...] = ()
    guards: frozenset[Span] = frozenset()
    suppressions: tuple[Suppression, ...] = ()
    cross_file: tuple[CrossFileFindings, ...] = ()
    digest: str | None = None
    encoding: str = "utf-8"
    grounds: Grounds = field(default=Grounds(), compare=False)
