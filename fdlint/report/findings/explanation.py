"""The answers of ``fdlint explain PATH:LINE`` and ``fdlint why-not PATH:LINE``, as reports show them."""

from __future__ import annotations

from dataclasses import dataclass

from fdlint.core.finding import Finding, Span
from fdlint.languages.registry import MAIN


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
class Explanation:
    """The answer to "why not" for one line. ``reasons``: what speaks about the line as a whole."""

    path: str
    line: int
    source: tuple[str, ...]
    fates: tuple[Fate, ...]
    reasons: tuple[Reason, ...] = ()
    language: str = MAIN.key


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
class Story:
    """The answer to "explain" for one line. ``nearest``: lines with findings, if this one has none."""

    path: str
    line: int
    source: tuple[str, ...]
    told: tuple[ReportedFinding, ...]
    nearest: tuple[int, ...] = ()
