"""Compares a module before and after its safe fixes, path by path."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from fdlint.core.finding import Finding

from ..compare import Comparison, Kind
from ..execute import InvalidProgram
from ..oracle import LEAK_CODES
from ..shape import Place
from .repair import fixed
from .running import DIVERGED, Ran, compiled, ran
from .runtime import DOUBLE, HANDED, NOTHING
from .script import Recorded, Replayed, decisions

MISUSES = frozenset({"FD201", "FD202", "FD203"})
_MAX_PATHS = 120
_NAME = re.compile(r"`(\w+)`")
_Lost = tuple[int, int | None]
_UNBOUND = (("raise", "UnboundLocalError"), ("raise", "NameError"))


@dataclass(frozen=True, slots=True)
class FixComparison(Comparison):
    """The comparison of one module. Each verdict is a failure, at the number of the path that shows it. ``after``: the
    text after the fixes. ``codes``: of the findings that they ended."""

    after: str = ""
    codes: Sequence[str] = ()

    @property
    def is_changed(self) -> bool:
        """Whether a fix has changed the function."""
        return self.after != self.source


@dataclass(slots=True)
class _Seen:
    """What the runs of one module showed.

    ``lost``: the lines that opened what leaks, each with the end of a pair that it is, before and after. ``misused``:
    the lines of misdeeds before, and ``misdeeds``: their numbers before and after.
    """

    failures: dict[str, int] = field(default_factory=dict)
    lost: tuple[set[_Lost], set[_Lost]] = field(default_factory=lambda: (set(), set()))
    misused: set[int] = field(default_factory=set)
    misdeeds: list[int] = field(default_factory=lambda: [0, 0])
    paths: int = 0

    def add(self, before: Ran, after: Ran, *, resets: bool, tests: bool) -> None:
        """Compares the runs of one path."""
        self.paths += 1
        kind = next(differences(before, after, resets=resets, tests=tests), None)
        if kind is not None:
            self.failures.setdefault(kind, self.paths)
            return
        if before.broken or _closes_nothing(before):
            return
        for side, run in enumerate((before, after)):
            self.lost[side].update((line, before.ends.get(n)) for n in run.lost for line in before.lines[n][:1])
            self.misdeeds[side] += len(run.misdeeds)
        self.misused |= before.misused_at

    def left(self, findings: Sequence[Finding], source: str) -> Iterator[str]:
        """Yields what the fixes claimed to end, and did not."""
        lines = source.splitlines()
        leaks = [one for one in findings if one.code in LEAK_CODES]
        if any(_is_about(one, lines, *lost) for one in leaks for lost in self.lost[0] & self.lost[1]):
            yield "leaves the leak"
        before, after = self.misdeeds
        if after >= before and any(one.code in MISUSES and one.span.line in self.misused for one in findings):
            yield "leaves the misuse"


def _is_about(finding: Finding, lines: Sequence[str], line: int, end: int | None) -> bool:
    """Whether a finding is about a number that a line opened, and about this end of a pair if it names one of them."""
    if finding.span.line != line or end is None:
        return finding.span.line == line
    named = _NAME.findall(finding.message.partition(" from ")[0])
    targets = [one.strip() for one in lines[line - 1].partition("=")[0].split(",")]
    return len(targets) != 2 or not {*named} & {*targets} or targets[end] in named


def compare_fixes(source: str) -> FixComparison:
    """Compares one module in Python. Raises ``InvalidProgram`` if that is impossible."""
    return compare_runs(source, "generated.py", python_pairs)


def compare_runs(source: str, name: str, pairs: Callable[[str, str], Iterator[tuple[Ran, Ran]]]) -> FixComparison:
    """Compares one text before and after its safe fixes. ``name``: of the file. ``pairs`` yields the runs of each path.
    Raises ``InvalidProgram`` if that is impossible."""
    done = fixed(source, name)
    codes = [one.code for one in done.findings]
    if done.text == source:
        return FixComparison(source, {}, source)
    seen = _Seen()
    try:
        for first, second in pairs(source, done.text):
            seen.add(first, second, resets="FD204" in codes, tests="FD205" in codes)
    except SyntaxError:
        seen.failures["syntax"] = seen.paths
    if not seen.paths and not seen.failures:
        raise InvalidProgram("no path is short enough")
    for kind in seen.left(done.findings, source):
        seen.failures.setdefault(kind, 0)
    return FixComparison(source, _verdicts(seen.failures), done.text, codes)


def _verdicts(failures: dict[str, int]) -> dict[Place, Kind]:
    return {(number, path): (None, kind) for number, (kind, path) in enumerate(failures.items())}


def python_pairs(source: str, changed: str) -> Iterator[tuple[Ran, Ran]]:
    before, after = compiled(source), compiled(changed)
    for one in decisions(_MAX_PATHS):
        script = Recorded(one)
        first = ran(before, script)
        if first is None:
            continue
        second = ran(after, Replayed(script.trail))
        if second is not None:
            yield first, second


def differences(before: Ran, after: Ran, *, resets: bool = False, tests: bool = False) -> Iterator[str]:
    """Yields what a path does after the fixes that it did not before, or the other way round, the plainest first.

    A close of None that is gone ends the comparison: what followed its error was never meant. So does one that was
    there, if a fix compares with None (``tests``): a later one may stand for it. So does a closed number in an
    attribute, if a fix takes it away there (``resets``).
    """
    gone = _closes_nothing(before) - (Counter() if tests else _closes_nothing(after))
    if gone or (resets and (before.misdeeds or before.stale)):
        return
    yield from _misdeeds(before, after)
    if after.ended != before.ended and after.ended[:2] in _UNBOUND:
        yield "closes an unbound variable"
    if after.lost - before.lost:
        yield "more leaks"
    if after.ended == DIVERGED:
        yield "other calls"
        return
    yield from _changed("what it handed on", before.given, before, after)
    yield from _changed("what it borrowed", before.borrowed, before, after)
    if after.ended != before.ended:
        yield "other end"
    yield from _differences_of_calls(before, after)


def _misdeeds(before: Ran, after: Ran) -> Iterator[str]:
    for what, number in Counter(after.misdeeds) - Counter(before.misdeeds):
        if what == NOTHING:
            yield "closes None" if number is None else "closes -1"
        elif what == DOUBLE and number in before.given:
            yield HANDED
        else:
            yield what


def _closes_nothing(run: Ran) -> Counter[tuple[str, object]]:
    return Counter(one for one in run.misdeeds if one[0] == NOTHING)


def _changed(what: str, numbers: frozenset[int], before: Ran, after: Ran) -> Iterator[str]:
    if (numbers & before.open) - after.open:
        yield f"closes {what}"
    if (numbers & after.open) - before.open:
        yield f"no longer closes {what}"


def _differences_of_calls(before: Ran, after: Ran) -> Iterator[str]:
    if [one[:2] for one in before.log] != [one[:2] for one in after.log]:
        yield "other calls"
        return
    misused = {number for _, number in before.misdeeds}  # their closes may move: which one is too many is open
    for (*_, first), (*_, second) in zip(before.log, after.log, strict=True):
        assert isinstance(first, frozenset) and isinstance(second, frozenset)
        if second - first - misused:
            yield "closes later"
        if first - second - before.lost - misused:
            yield "closes earlier"
