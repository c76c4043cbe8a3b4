"""Says of each finding what it costs: how often its code runs, by the calls of the whole project.

It comes after all findings are known, and reads only the files that contain the names in question. A scan without
findings pays nothing.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from fdlint.catalog.lifetimes import lifetimes_of
from fdlint.core.checks import by_code
from fdlint.core.finding import UNKNOWN_CALLERS, Cost, Finding, Impact
from fdlint.languages.description import LanguageDescription
from fdlint.program.lifetimes import Lifetimes, Where
from fdlint.program.usage import Usage, means, usage_rules
from fdlint.report.findings.finding import FileResult
from fdlint.report.findings.tests import aside
from fdlint.scan.files.discover import FileToScan, discover
from fdlint.scan.files.guard import guarded
from fdlint.scan.reading import intake
from fdlint.scan.top import MAX_FILES, marked_top_of

UNKNOWN_CALLERS_HERE = "its callers are outside this file"
_TESTS = "test code"
_FROM_HERE = (b"from . import", b"from .. import")  # such an import names no module
_MAX_BYTES = 200_000_000  # of the sources that stay in memory


def with_impact(
    results: Mapping[str, FileResult], files: Mapping[str, FileToScan], language: LanguageDescription
) -> dict[str, FileResult]:
    """Returns the results of files in one language with the impact of each finding. ``files``: the scanned ones, by the
    paths that reports show."""
    found = dict(results)
    wanted = [shown for shown, result in results.items() if result.findings and shown in files]
    scanned = {shown: one for shown, one in files.items() if one.language is language}
    for (top, marked), shown in _by_top(wanted, scanned).items():
        inside = {one.shown: one for one in _files(top, scanned, language, marked=marked)}
        project = _Project(top, inside, language)
        lifetimes = Lifetimes(project, lifetimes_of(language.key))
        for path in shown:
            found[path] = guarded(found[path], functools.partial(_rated, found[path], files[path], lifetimes))
    return found


def with_impact_alone(result: FileResult, file: FileToScan, data: bytes) -> FileResult:
    """Returns the result of a file with these contents with the impact of each finding, without any other file."""
    top = marked_top_of(file.place.parent) or file.place.parent
    project = _Project(top, {file.shown: file}, file.language, {file.shown: data})
    lifetimes = Lifetimes(project, lifetimes_of(file.language.key), UNKNOWN_CALLERS_HERE)
    return guarded(result, functools.partial(_rated, result, file, lifetimes))


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


def _rated(result: FileResult, file: FileToScan, lifetimes: Lifetimes) -> FileResult:
    why = aside(file.shown) or (_TESTS if file.config.in_tests(file.shown) else "")
    return replace(result, findings=tuple(_with_cost(one, why, lifetimes) for one in result.findings))


def _with_cost(finding: Finding, why: str, lifetimes: Lifetimes) -> Finding:
    if why:
        return replace(finding, impact=Impact(Cost.LOW, why))
    if lifetimes.tests(finding.span.path, finding.span.line):
        return replace(finding, impact=Impact(Cost.LOW, _TESTS), in_tests=True)
    if finding.impact != UNKNOWN_CALLERS:
        return finding
    found = lifetimes.impact(finding.span.path, finding.span.line, leaves=finding.leaves)
    enough = by_code(finding.code).rule.once_is_enough
    if enough and found.cost is Cost.LOW:
        found = Impact(Cost.MEDIUM, f"{found.reason}, but {enough}")
    return replace(finding, impact=found)


@dataclass
class _Project:
    """Implements ``Project`` for the files below a directory. It reads each file at most once."""

    top: Path
    files: Mapping[str, FileToScan]
    language: LanguageDescription
    _data: dict[str, bytes] = field(default_factory=dict)
    _usages: dict[str, Usage | None] = field(default_factory=dict)
    _found: dict[object, tuple[Usage, ...]] = field(default_factory=dict)
    _containers: dict[str, list[FileToScan]] = field(default_factory=dict)
    _commands: Mapping[str, str] | None = None
    _kept: int = 0

    def usage(self, path: str) -> Usage | None:
        """Returns the facts of a file by its path in reports."""
        if path not in self._usages:
            file = self.files.get(path)
            self._usages[path] = self._read(file) if file is not None else None
        return self._usages[path]

    def _read(self, file: FileToScan) -> Usage | None:
        return usage_rules(self.language).usage(self._contents(file), file.shown, file.place, self.top)

    def _contents(self, file: FileToScan) -> bytes:
        known = self._data.get(file.shown)
        if known is not None:
            return known
        data = intake.content(file.path, intake.SOURCE) or b""
        if self._kept < _MAX_BYTES:
            self._data[file.shown] = data
            self._kept += len(data)
        return data

    def mentioning(self, name: str, where: Where) -> Sequence[Usage]:
        """Returns the facts of the files that may mention a function or class of a name."""
        if where.private:
            home = self.files[where.path].place.parent
            return self._with(("private", name, home), name, lambda file, _: file.place.parent == home)
        if where.method:
            word = f".{name}".encode()
            return self._with(("method", name), name, lambda _, data: word in data)
        names = [part.encode() for part in where.module.split(".")[-2:] if part]
        return self._with(
            ("plain", name, where.module),
            name,
            lambda file, data: (
                file.shown == where.path
                or not names
                or any(one in data for one in names)
                or any(one in data for one in _FROM_HERE)
            ),
        )

    def defining(self, name: str) -> Sequence[Usage]:
        """Returns the facts of the files that may define a function or a class of a name."""
        words = usage_rules(self.language).defines(name)
        return self._with(("defines", name), name, lambda _, data: any(one in data for one in words))

    def deriving(self, name: str) -> Sequence[Usage]:
        """Returns the facts of the files that may derive a class from one of a name."""
        pattern = usage_rules(self.language).derives(name)
        return self._with(("derives", name), name, lambda _, data: pattern.search(data) is not None)

    def _with(self, key: object, name: str, fits: Callable[[FileToScan, bytes], bool]) -> Sequence[Usage]:
        """Returns the facts of the files that contain a name and fit, without tests and examples."""
        if key not in self._found:
            found = [file for file in self._containing(name) if fits(file, self._contents(file))]
            self._found[key] = tuple(filter(None, (self.usage(file.shown) for file in found)))
        return self._found[key]

    def _containing(self, name: str) -> Sequence[FileToScan]:
        if name not in self._containers:
            word = name.encode()
            self._containers[name] = [one for one in self._product if word in self._contents(one)]
        return self._containers[name]

    @functools.cached_property
    def _product(self) -> Sequence[FileToScan]:
        """The files that are neither tests nor examples, in the order of their paths."""
        files = (file for _, file in sorted(self.files.items()))
        return [one for one in files if not aside(one.shown) and not one.config.in_tests(one.shown)]

    def command(self, full: str) -> str | None:
        """Returns the declared program that runs a function."""
        if self._commands is None:
            self._commands = usage_rules(self.language).commands(self.top)
        return next((command for known, command in sorted(self._commands.items()) if means(known, full)), None)
