"""Proves a change: the engine analyses the changed text, the finding is gone, and nothing new has come.

Findings of every confidence count, also those that comments or options hide. The syntax tree may differ only in what
the fix declares, and no function may do anything else to the descriptors of its callers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from fdlint.core.finding import Finding, Span
from fdlint.fixes.alignment import edits, origins
from fdlint.fixes.ownership import are_safe
from fdlint.fixes.trees import Change, Inserted, Replaced, Wrapped
from fdlint.languages.description import LanguageDescription
from fdlint.languages.registry import language_of
from fdlint.report.findings.closings import Standing
from fdlint.report.findings.effects import Effect
from fdlint.report.findings.persona import EVERYTHING
from fdlint.scan.config import UNCONFIGURED, Config
from fdlint.scan.live import Live, Seen
from fdlint.scan.options import Options
from fdlint.scan.reading.lines import with_ends

_EVERYTHING = Options(levels=EVERYTHING, suppressions=False, select=("FD",))
_UNUSED, _AFTER_TRANSFER = "FD900", "FD203"
_MISUSES = frozenset({"FD201", "FD202", _AFTER_TRANSFER})
_MAX_LINES = 15  # added and removed lines of a safe change
Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Looked:
    """The analysis of one text. ``findings``: all of them, also those that are part of others."""

    text: str
    lines: Sequence[str]
    seen: Seen

    @property
    def findings(self) -> Iterator[Finding]:
        """All findings, those first that a report shows."""
        withheld = (one.finding for one in self.seen.report.withheld)
        return (one for one in (*self.seen.report.findings, *withheld) if one.code != _UNUSED)

    @property
    def shown(self) -> Sequence[Finding]:
        """The findings that a report shows to an auditor."""
        return [one for one in self.seen.report.findings if one.code != _UNUSED]


@dataclass(slots=True)
class Prover:
    """Analyses the texts of one file. ``encoding``: that of its bytes."""

    path: Path
    encoding: str
    config: Config = UNCONFIGURED
    live: Live = field(default_factory=Live)

    @property
    def language(self) -> LanguageDescription:
        """The language of the file."""
        return language_of(self.path.name)

    def look(self, text: str) -> Looked:
        """Analyses a text in the place of the file. Raises ``UnicodeError`` if the encoding lacks a character."""
        seen = self.live.look(text.encode(self.encoding), self.path, self._everything(), _EVERYTHING)
        return Looked(text, with_ends(text), seen)

    def _everything(self) -> Config:
        """Returns a configuration that hides nothing: only what it teaches about other code counts."""
        given = self.config
        return replace(UNCONFIGURED, models=given.models, flags=given.flags)


@dataclass(frozen=True, slots=True)
class Compared:
    """The difference between two analyses. ``pairs``: the old finding of each new one. ``fresh``: findings that were
    not there, or are surer than before, or the one that should be gone."""

    pairs: Mapping[Finding, Finding]
    fresh: Sequence[Finding]


def compared(before: Looked, after: Looked, finding: Finding, closes: Collection[str] = ()) -> Compared | None:
    """Compares the analyses before and after a change that is to end a finding. Returns None if one of them is not
    complete, or if a function now does something else to the descriptors of its callers. ``closes``: attributes that
    functions may close now."""
    if after.seen.report.skipped or before.seen.report.skipped:
        return None
    if _effects(before.seen.effects, closes) != _effects(after.seen.effects, closes):
        return None
    moved = origins(before.lines, after.lines)
    known: dict[Key, list[Finding]] = {}
    for one in before.findings:
        known.setdefault(_key(one, before.lines, {}), []).append(one)
    pairs: dict[Finding, Finding] = {}
    fresh: list[Finding] = []
    for one in after.findings:
        same = known.get(_key(one, after.lines, moved), [])
        old = next((other for other in same if not _is_surer(one, other)), None)
        if old is None or old == finding:
            fresh.append(one)
        else:
            same.remove(old)
            pairs[one] = old
    return Compared(pairs, fresh)


def is_rest(one: Finding, finding: Finding, before: Looked, after: Looked) -> bool:
    """Whether a fresh finding is about the same acquisition as a leak that has gone. Another misuse of a descriptor has
    a fix of its own: each close that a fix drops is looked at where it stands."""
    moved = origins(before.lines, after.lines)
    return finding.code not in _MISUSES and _key(one, after.lines, moved)[1:] == _key(finding, before.lines, {})[1:]


def is_safe(before: Looked, after: Looked, finding: Finding, changes: Sequence[Change]) -> bool:
    """Whether a proved change is small enough to be read, and its closes are those of the function on every path."""
    there = [one for one in (*before.seen.closings, *after.seen.closings) if one.function == finding.function]
    if any(Standing.NOTHING in one.found for one in there) and not all(isinstance(one, Replaced) for one in changes):
        return False  # such a close raises: the engine takes no path beyond it
    if any(isinstance(one, (Inserted, Wrapped)) for one in changes) and _misuses(after, finding.function):
        return False  # a new close may do so on other paths, too: nothing would show it
    lines = sum(one.end_line - one.line + len(with_ends(one.text)) for one in edits(before.lines, after.lines))
    taken = {Standing.OWNED} if finding.code == _AFTER_TRANSFER else set[Standing]()
    return lines <= _MAX_LINES and are_safe(before.seen.closings, after.seen.closings, changes, finding, ended=taken)


def _misuses(looked: Looked, function: str | None) -> bool:
    """Whether a function uses or closes what it has closed."""
    closes = (one for one in looked.seen.closings if one.function == function and not one.stale)
    found = (one.code for one in looked.findings if one.function == function)
    return any(Standing.CLOSED in one.found for one in closes) or not _MISUSES.isdisjoint(found)


def _is_surer(one: Finding, other: Finding) -> bool:
    """Whether a finding is surer than another one, or costs more."""
    surer = one.confidence is not other.confidence and one.confidence.reaches(other.confidence)
    return surer or (one.impact.cost is not other.impact.cost and one.impact.cost.reaches(other.impact.cost))


def _key(finding: Finding, lines: Sequence[str], moved: Mapping[int, int]) -> Key:
    """Returns what stays the same of a finding when lines move. ``moved``: the old number of each line; empty if no
    line has moved."""
    span = finding.span
    line = moved.get(span.line, -span.line) if moved else span.line
    return finding.code, finding.function, finding.api, line, span.column - _indent(span, lines)


def _indent(span: Span, lines: Sequence[str]) -> int:
    text = lines[span.line - 1] if span.line <= len(lines) else ""
    return len(text) - len(text.lstrip())


def _effects(found: Iterable[Effect], but: Collection[str]) -> Counter[tuple[object, ...]]:
    said = ((one.name, tuple(name for name in one.closes if name not in but), one.gives) for one in found)
    return Counter(one for one in said if any(one[1:]))
