"""Repairs a file: one proved change after the other, each on the text that the one before left."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import libcst as cst

from fdlint.core.finding import Finding, Severity
from fdlint.fixes.alignment import edits
from fdlint.fixes.candidate import Candidate
from fdlint.fixes.proof import Looked, Prover, compared, is_rest, is_safe
from fdlint.fixes.registry import fixes_of
from fdlint.report.findings.fix import Fix
from fdlint.scan.process.stack import call
from fdlint.scan.reading.nesting import TooDeepError

_MAX_LOOKS = 100  # analyses of one file
_MAX_READ = 20_000_000  # characters in all of them
_MAX_PASSES = 3  # over the findings of one file: one fix can make room for another
_MAX_STEPS = 2  # changes that are proved together
_REFUSED = (cst.ParserSyntaxError, SyntaxError, ValueError, RecursionError, TooDeepError)


@dataclass(frozen=True, slots=True)
class Proved:
    """A proved change. ``after``: the analysis of the changed text. ``pairs``: the old finding of each new one."""

    title: str
    safe: bool
    after: Looked
    pairs: Mapping[Finding, Finding]


@dataclass(frozen=True, slots=True)
class Repaired:
    """A file after its repair. ``fixed``: the reported findings that are gone. ``offered``: how many others have a fix
    that was not asked for, because it is not safe."""

    text: str
    fixed: tuple[Finding, ...]
    offered: int = 0


@dataclass(slots=True)
class Repair:
    """The repair of one file."""

    prover: Prover
    _looks: int = 0
    _proved: dict[tuple[str, Finding], Proved | None] = field(default_factory=dict)

    def look(self, text: str) -> Looked:
        """Analyses a text of the file."""
        self._looks += 1
        return self.prover.look(text)

    def proved(self, before: Looked, finding: Finding) -> Proved | None:
        """Returns a change that ends a finding: a safe one if there is one. ``finding``: one of the analysis. Returns
        None after too many analyses."""
        key = before.text, finding
        if key not in self._proved:
            self._proved[key] = self._best(before, finding, self._candidates(before.text, finding))
        return self._proved[key]

    def fixes(self, text: str, reported: Sequence[Finding]) -> dict[Finding, Fix]:
        """Returns the fix of each reported finding that has one, each for the same text."""
        before = self.look(text)
        known = _known(before, reported)
        found: dict[Finding, Fix] = {}
        for one, finding in known.items():
            proved = self.proved(before, one)
            if proved is not None:
                found[finding] = Fix(proved.title, proved.safe, edits(before.lines, proved.after.lines))
        return found

    def repaired(self, text: str, reported: Sequence[Finding], *, unsafe: bool) -> Repaired:
        """Repairs the text. ``reported``: the findings to end. ``unsafe``: also by changes that are not safe."""
        now = self.look(text)
        known = _known(now, reported)
        there = set(known.values())
        for _ in range(_MAX_PASSES):
            before = now
            for finding in dict.fromkeys(known.values()):
                current = next((one for one, other in known.items() if other == finding), None)
                proved = self.proved(now, current) if current is not None else None
                if proved is not None and current is not None and (proved.safe or unsafe):
                    revealed = _revealed(now, current, proved)
                    now = proved.after
                    known = {one: known[old] for one, old in proved.pairs.items() if old in known} | revealed
            if now is before:
                break
        left = set(known.values())
        offered = sum(self.proved(now, one) is not None for one in known)
        return Repaired(now.text, tuple(one for one in reported if one in there and one not in left), offered)

    def _best(
        self, before: Looked, finding: Finding, candidates: Iterable[Candidate], steps: int = _MAX_STEPS
    ) -> Proved | None:
        """Returns the first change that is safe, otherwise the first that is proved."""
        best: Proved | None = None
        for candidate in candidates:
            if best is None or candidate.sound:
                other = self._checked(before, finding, candidate, steps)
                best = other if other is not None and (best is None or other.safe) else best
            if best is not None and best.safe:
                break
        return best

    def _checked(self, before: Looked, finding: Finding, candidate: Candidate, steps: int) -> Proved | None:
        """Returns a change if it is proved. If all that is left is another leak of the same descriptor, a second change
        may end that, and both are proved together. ``steps``: how many changes there may be."""
        spent = self._looks >= _MAX_LOOKS or self._looks * len(before.text) > _MAX_READ
        if spent or candidate.text == before.text:
            return None
        if not self._is_as_declared(before.text, candidate):
            return None
        after = self.look(candidate.text)
        found = compared(before, after, finding, candidate.closes)
        if found is None:
            return None
        if not found.fresh:
            safe = candidate.sound and is_safe(before, after, finding, candidate.changes)
            return Proved(candidate.title, safe, after, found.pairs)
        rest = found.fresh[0]
        if len(found.fresh) > 1 or not is_rest(rest, finding, before, after):
            return None
        partial = candidate.partial and finding.severity is Severity.ERROR and rest.severity is Severity.WARNING
        more = self._candidates(candidate.text, rest) if steps > 1 else []
        best = self._best(before, finding, (_both(candidate, one) for one in more), steps - 1)
        if best is None and partial:
            return Proved(candidate.title, safe=False, after=after, pairs=found.pairs)
        return best

    def _candidates(self, text: str, finding: Finding) -> list[Candidate]:
        known = fixes_of(self.prover.language)
        try:
            return call(lambda: list(known.candidates(text, self.prover.config.models, finding)))
        except _REFUSED:
            return []

    def _is_as_declared(self, before: str, candidate: Candidate) -> bool:
        known = fixes_of(self.prover.language)
        try:
            return call(lambda: known.differs_only(before, candidate.text, candidate.changes))
        except _REFUSED:
            return False


def _both(first: Candidate, more: Candidate) -> Candidate:
    """Returns a change with one more change of its text."""
    title = more.title
    return replace(
        more,
        title=title if title == first.title else f"{first.title}; {title[:1].lower()}{title[1:]}",
        changes=(*first.changes, *more.changes),
        sound=first.sound and more.sound,
        closes=(*first.closes, *more.closes),
    )


def _revealed(before: Looked, finding: Finding, proved: Proved) -> dict[Finding, Finding]:
    """Returns the findings that were a part of one that is gone, and now stand for themselves."""
    shown = {*before.shown}
    return {
        one: one
        for one, old in proved.pairs.items()
        if old not in shown and (old.code, old.function) == (finding.code, finding.function)
        if old.confidence.reaches(finding.confidence) and one in proved.after.shown
    }


def _known(looked: Looked, reported: Sequence[Finding]) -> dict[Finding, Finding]:
    """Returns the reported finding of each finding of an analysis that is reported."""
    by_place = {(one.code, one.span.line, one.span.column): one for one in reported}
    found = {}
    for one in looked.shown:
        finding = by_place.get((one.code, one.span.line, one.span.column))
        if finding is not None:
            found[one] = finding
    return found
