"""Works out what each finding costs: how often its code runs, by the calls of the whole project.

It comes after all findings are known, and reads only the files that contain the names in question. A scan without
findings pays nothing.
"""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from fdlint.catalog import catalog_of
from fdlint.catalog.lifetimes import lifetimes_of
from fdlint.catalog.model import Made
from fdlint.core.checks import by_code
from fdlint.core.checks.cost import FAILURE, LOCK, SELDOM
from fdlint.core.finding import TEST_CODE, UNKNOWN_CALLERS, Cost, EventKind, Finding, Impact, Repeated
from fdlint.languages.description import LanguageDescription
from fdlint.program.lifetimes import COSTS, Lifetimes, Often
from fdlint.report.findings.finding import FileResult, Skipped
from fdlint.report.findings.tests import aside, is_tool
from fdlint.scan.callers import ProjectFiles
from fdlint.scan.claims import Memory
from fdlint.scan.files.discover import FileToScan, discover
from fdlint.scan.files.guard import guarded
from fdlint.scan.top import MAX_FILES, marked_top_of

TOOL = Impact(Cost.LOW, "in a tool beside the product")
UNKNOWN_CALLERS_HERE = "its callers are outside this file"
NOT_WORKED_OUT = Impact(Cost.MEDIUM, "how often it happens was not worked out: its process was ended")
_WORTH_A_POOL = 400_000  # lines to search, those of a project once for each file with findings
_BY_CALLERS = (UNKNOWN_CALLERS, FAILURE, *SELDOM)


def with_impact(
    results: Mapping[str, FileResult],
    files: Mapping[str, FileToScan],
    language: LanguageDescription,
    memory: Memory | None = None,
    jobs: int = 1,
) -> dict[str, FileResult]:
    """Returns the results of files in one language with the impact of each finding. ``files``: the scanned ones, by the
    paths that reports show. ``memory``: the answers of earlier scans of the same files. ``jobs``: the number of
    processes that may share the work."""
    found = dict(results)
    wanted = [shown for shown, result in results.items() if result.findings and shown in files]
    scanned = {shown: one for shown, one in files.items() if one.language is language}
    projects: list[ProjectFiles] = []
    unrated: dict[str, _Unrated] = {}
    for (top, marked), paths in _by_top(wanted, scanned).items():
        inside = {one.shown: one for one in _files(top, scanned, language, marked=marked)}
        project = ProjectFiles(top, inside, language)
        lines = sum(results[shown].lines for shown in inside if shown in results)
        state = memory.question("impact", project.state(results)) if memory is not None else ""
        for path in paths:
            one = _Unrated(results[path], files[path], len(projects), lines)
            if memory is not None:
                one = one._replace(question=_question(memory, state, project, one))
                found[path] = guarded(one.result, functools.partial(_remembered, memory, one))
            if found[path] is one.result:
                unrated[path] = one
        projects.append(project)
    for rated in _rated(projects, [*unrated.values()], jobs):
        found[rated.path] = rated
        if memory is not None:
            found[rated.path] = guarded(rated, functools.partial(_noted, memory, unrated[rated.path], rated))
    return found


class _Unrated(NamedTuple):
    """A file with findings. ``project``: the number of its project, and ``lines`` that of the lines there.
    ``question``: that to the memory."""

    result: FileResult
    file: FileToScan
    project: int
    lines: int
    question: str = ""


class _Turn(NamedTuple):
    """What a process gets at a time: the number of an unrated file, its path, and the lines to search. It is small: a
    process that sends a large result does not read, and the scan would wait for it if the pipe were full."""

    number: int
    name: str
    size: int


def _rated(projects: Sequence[ProjectFiles], unrated: Sequence[_Unrated], jobs: int) -> Iterable[FileResult]:
    """Yields the results with the impact of their findings, in any order."""
    rater = _Rater(projects, unrated)
    turns = [_Turn(number, one.file.name, one.lines) for number, one in enumerate(unrated)]
    if jobs < 2 or len(turns) < 2 or sum(one.size for one in turns) < _WORTH_A_POOL:
        yield from map(rater, turns)
        return
    from fdlint.scan.processes import Pool

    with contextlib.closing(Pool[_Turn, FileResult](jobs, rater.lost)) as pool:
        yield from pool.run(rater, turns)


@dataclass(slots=True)
class _Rater:
    """Rates the findings of files in several projects. A process keeps what it has read of them."""

    projects: Sequence[ProjectFiles]
    unrated: Sequence[_Unrated]
    _ratings: dict[int, _Rating] = field(default_factory=dict)

    def lost(self, turn: _Turn, reason: str) -> FileResult:
        """Returns the result of a file whose process was ended."""
        one = self.unrated[turn.number]
        known = without_callers(one.result, one.file)
        return replace(known, skipped=(*known.skipped, Skipped(known.path, reason)))

    def __call__(self, turn: _Turn) -> FileResult:
        """Returns the result of a file with the impact of its findings."""
        one = self.unrated[turn.number]
        if one.project not in self._ratings:
            self._ratings[one.project] = _Rating.of(self.projects[one.project], UNKNOWN_CALLERS.reason)
        return guarded(one.result, lambda: self._ratings[one.project].rated(one.result, one.file))


def with_impact_alone(result: FileResult, file: FileToScan, data: bytes) -> FileResult:
    """Returns the result of a file with these contents with the impact of each finding, without any other file."""
    top = marked_top_of(file.place.parent) or file.place.parent
    project = ProjectFiles(top, {file.shown: file}, file.language, _data={file.shown: data})
    rating = _Rating.of(project, UNKNOWN_CALLERS_HERE)
    return guarded(result, functools.partial(rating.rated, result, file))


def without_callers(result: FileResult, file: FileToScan) -> FileResult:
    """Returns the result of a file with what its own path says about the impact of each finding, as a scan does that
    has no time left."""
    why = _beside(file)
    known = [one for one in result.findings if one.counts is Repeated.IN_ANY_CASE]
    return replace(result, findings=tuple(_without_callers(one, why) for one in known))


def _without_callers(finding: Finding, why: str) -> Finding:
    if why:
        return _beside_the_product(finding, why)
    return replace(finding, impact=NOT_WORKED_OUT) if finding.impact in _BY_CALLERS else finding


def _beside_the_product(finding: Finding, why: str) -> Finding:
    return finding if finding.impact.cost is Cost.LOW else replace(finding, impact=Impact(Cost.LOW, why))


def _beside(file: FileToScan) -> str:
    """Returns why nothing in a file costs much, by its path; empty if the path does not say so."""
    return TEST_CODE.reason if file.config.in_tests(file.shown) else aside(file.below)


def _by_top(wanted: Iterable[str], files: Mapping[str, FileToScan]) -> dict[tuple[Path, bool], list[str]]:
    """Groups files by the top directories of their projects. Files without one are a project with all scanned files;
    ``False`` tells these."""
    found: dict[tuple[Path, bool], list[str]] = {}
    tops: dict[Path, Path | None] = {}
    around: Path | None = None
    for shown in sorted(wanted):
        directory = files[shown].place.parent
        if directory not in tops:
            tops[directory] = marked_top_of(directory)
        top = tops[directory]
        if top is None:
            around = around or Path(os.path.commonpath([one.place.parent for one in files.values()]))
        found.setdefault((top or around or directory, top is not None), []).append(shown)
    return found


def _files(
    top: Path, files: Mapping[str, FileToScan], language: LanguageDescription, *, marked: bool
) -> Sequence[FileToScan]:
    """Returns the files of a project: the scanned ones below its top, and the others there."""
    own = [one for one in files.values() if one.place.is_relative_to(top)]
    if not marked:
        return own
    known = {one.place for one in own}
    others = discover([top]).files[:MAX_FILES]
    return [*own, *(one for one in others if one.language is language and one.place not in known)]


@dataclass(frozen=True, slots=True)
class _Rating:
    """Rates the findings of files. ``everywhere``: with the calls in tests and examples."""

    project: ProjectFiles
    lifetimes: Lifetimes
    everywhere: Lifetimes

    @classmethod
    def of(cls, project: ProjectFiles, unknown: str) -> _Rating:
        """Returns the rating for a project. ``unknown``: the reason if no caller is known."""
        table = lifetimes_of(project.language.key)
        whole = replace(project, whole=True, _found={}, _containers={})
        return cls(project, Lifetimes(project, table, unknown), Lifetimes(whole, table, unknown))

    def rated(self, result: FileResult, file: FileToScan) -> FileResult:
        """Returns the result of a file with the impact of its findings."""
        why = _beside(file)
        counted = [one for one in result.findings if self._counts(one)]
        return replace(result, findings=tuple(self._with_cost(one, why, result.text) for one in counted))

    def _counts(self, finding: Finding) -> bool:
        """Whether the function of a finding is repeated as it must be for that to count."""
        if finding.counts is Repeated.IN_ANY_CASE:
            return True
        lost = finding.trace[-1].span
        is_aside = lost.path in self.project.files and self.project.is_aside(self.project.files[lost.path])
        answer = (self.everywhere if is_aside else self.lifetimes).of(lost.path, lost.line, leaves=True)
        return answer.often is Often.REPEATED or (answer.near and finding.counts is Repeated.BY_A_LOOP)

    def _kept_busy(self, finding: Finding, text: Sequence[str]) -> Impact | None:
        """Returns the impact of what somebody waits for, however often it stays open; None if nobody does."""
        if finding.impact == LOCK:
            return LOCK
        acquired = (
            one.span for one in finding.trace if one.kind is EventKind.ACQUIRED and one.span.path == finding.span.path
        )
        span = next(acquired, finding.span)
        busy = self.lifetimes.table.entries.busy
        said = "\n".join(text[span.line - 1 : span.end_line])
        return next((Impact(Cost.HIGH, why) for word, why in busy.items() if word in said), None)

    def _is_file(self, finding: Finding) -> bool:
        """Whether it is a file or a device, in memory or with a path: nobody waits for its end."""
        catalog = catalog_of(self.project.files[finding.span.path].config.models, self.project.language)
        return {one.makes for one in catalog.lookup(finding.api or "")} in ({Made.PATH}, {Made.MEMFD})

    def _not_repeated(self, finding: Finding, found: Impact, often: Often) -> Impact:
        """Returns the impact of a finding in code that is not known to repeat."""
        public = often is Often.PUBLIC and self.project.installable
        if finding.impact in SELDOM or (finding.impact == FAILURE and not public):
            return replace(finding.impact, cost=Cost.LOW)
        if finding.collected and often is Often.BOUNDED:
            return Impact(Cost.LOW, f"{found.reason}, and it is closed when it is collected")
        inside = self.project.inside(self.project.files[finding.span.path])
        builds = inside in self.project.language.top_marks  # what marks the top and has code is a build
        return TOOL if builds or is_tool(inside) else found

    def _with_cost(self, finding: Finding, why: str, text: Sequence[str]) -> Finding:
        if why:
            return _beside_the_product(finding, why)
        path, line = finding.span.path, finding.span.line
        rare = finding.impact.cost is Cost.LOW
        if self.project.may_test(path) and self.lifetimes.tests(path, line):
            return replace(finding, impact=finding.impact if rare else TEST_CODE, in_tests=True)
        if finding.impact not in (*_BY_CALLERS, LOCK) and not finding.impact.awaited:
            return finding
        rule = by_code(finding.code).rule
        until, missing = finding.until_return, rule.makes_missing
        answer = self.lifetimes.of(path, line, leaves=finding.leaves, until_return=until, makes_missing=missing)
        found = Impact(COSTS[answer.often], answer.reason)
        if found.cost is Cost.MEDIUM:
            found = self._kept_busy(finding, text) or self._not_repeated(finding, found, answer.often)
        ends = rule.until_the_end and found.cost is Cost.LOW
        if finding.impact.awaited and not ends and not (rule.other_end and self._is_file(finding)):
            return finding
        if rule.once_is_enough and found.cost is Cost.LOW:
            found = Impact(Cost.MEDIUM, f"{found.reason}, but {rule.once_is_enough}")
        return replace(finding, impact=found)


def _question(memory: Memory, state: str, project: ProjectFiles, one: _Unrated) -> str:
    """Returns a key for all that the impact of a file's findings depends on. ``state``: that of the project's files."""
    asked = [
        (each.code, each.span, each.leaves, each.until_return, each.collected, each.impact, each.counts)
        for each in one.result.findings
    ]
    return memory.question(state, project.inside(one.file), one.file.below, *asked)


def _remembered(memory: Memory, one: _Unrated) -> FileResult:
    """Returns the result of a file with the impact that an earlier scan has found; the same result if it is not known.
    An answer is the text of all reasons, as numbers."""
    answer = memory.answer(str(one.file.place), one.question)
    told, findings = "".join(map(chr, answer)).split("\n") if answer else [], one.result.findings
    if len(told) != len(findings):
        return one.result
    return replace(one.result, findings=tuple(filter(None, map(_as_told, findings, told))))


def _noted(memory: Memory, one: _Unrated, rated: FileResult) -> FileResult:
    """Keeps the impact of a file's findings for later scans, unless an error left some out. Returns the result."""
    if rated.skipped == one.result.skipped:
        known = {(each.code, each.span, each.fingerprint): each for each in rated.findings}
        lines = (_told(known.get((each.code, each.span, each.fingerprint))) for each in one.result.findings)
        memory.note(str(one.file.place), one.question, tuple(map(ord, "\n".join(lines))))
    return rated


def _told(finding: Finding | None) -> str:
    """Returns what a rating has added to a finding, as a line; an empty one for a finding that does not count."""
    if finding is None:
        return ""
    impact = finding.impact
    return f"{impact.cost.value} {int(finding.in_tests)} {int(impact.awaited)} {impact.reason}"


def _as_told(finding: Finding, told: str) -> Finding | None:
    if not told:
        return None
    cost, in_tests, awaited, reason = told.split(" ", 3)
    return replace(finding, impact=Impact(Cost(cost), reason, awaited == "1"), in_tests=in_tests == "1")
