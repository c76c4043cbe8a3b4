"""The answer of ``fdlint explain PATH:LINE`` and ``fdlint why-not PATH:LINE``, as reports show it."""

from __future__ import annotations

from dataclasses import dataclass

from fdlint.core.finding import Finding, Span


@dataclass(frozen=True, slots=True)
class Reason:
    """One sentence about a descriptor or a line. ``span``: where it happens; None for no single place."""

    message: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of the descriptors of one acquiring call. ``verdict``: why there is no finding, or which one there
    is. ``ends``: what closes it, takes it or keeps it. ``exits``: the ways out of the function, and its state on each.
    """

    subject: str
    function: str | None
    span: Span
    verdict: str
    ends: tuple[Reason, ...] = ()
    exits: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class ReportedFinding:
    """The whole story of one finding. ``hidden``: why a scan does not report it; None if it does. ``sure``: the reasons
    for its confidence. ``repair``: what the rule's page advises. ``suppress``: the comment that silences it."""

    finding: Finding
    hidden: str | None
    sure: tuple[str, ...]
    repair: str
    suppress: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What fdlint knows about one line. ``source``: the lines of the file. ``findings``: those of the line. ``fates``:
    of the descriptors of the line. ``reasons``: what speaks about the line as a whole. ``nearest``: where the file has
    findings."""

    path: str
    line: int
    source: tuple[str, ...]
    findings: tuple[ReportedFinding, ...] = ()
    fates: tuple[Fate, ...] = ()
    reasons: tuple[Reason, ...] = ()
    nearest: tuple[int, ...] = ()
