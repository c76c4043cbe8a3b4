"""The order in which the files of a language are analysed: first those with words of the catalog, then those that may
call a function which is known by then to acquire for its callers, and so on. A file is analysed again only if it calls
one in a file without such words."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from fdlint.report.findings.finding import FileResult, Wrapper
from fdlint.scan.claims import Memory
from fdlint.scan.files.discover import FileToScan
from fdlint.scan.files.guard import guarded, troubled
from fdlint.scan.reading import intake

if TYPE_CHECKING:
    from fdlint.catalog import Models
    from fdlint.scan.survey import Survey

_MAX_AGAIN = 5  # a chain of helpers without a word of the catalog is not followed further
Progress = Callable[[int, int, str], None]
"""Takes the number of finished files, that of all files, and the file that was finished last."""


class Scan(Protocol):
    """Analyses files, given functions that are known to acquire. ``run``: the number of the scan. ``contributes``: only
    a file's effects on others are needed."""

    def __call__(
        self, files: Sequence[FileToScan], wrappers: frozenset[Wrapper], run: int, contributes: bool
    ) -> Iterable[FileResult]:
        """Returns the result of each file, in any order."""


class Results(Memory, Protocol):
    """A memory of results, too."""

    def result(self, file: FileToScan, question: str, wrappers: frozenset[Wrapper] = ...) -> FileResult | None:
        """Returns the result of a file if no change of what it depends on can matter to it."""

    def keep(self, file: FileToScan, question: str, result: FileResult, wrappers: frozenset[Wrapper] = ...) -> None:
        """Stores the result of a file."""


@dataclass(slots=True)
class Count:
    """Counts the finished files and reports the progress."""

    total: int
    progress: Progress | None
    done: int = 0

    def add(self, number: int, last: str = "") -> None:
        """Adds finished files. ``last``: the last one of them."""
        self.done = min(self.done + number, self.total)
        if self.progress is not None:
            self.progress(self.done, self.total, last)


@dataclass(slots=True)
class Schedule:
    """One scan of a project's files in one language. ``own``: the shown paths of those to report; the other files are
    analysed only for their effects on them. ``around``: files that were not named, and whose functions may give.
    ``cache``: the results of earlier scans. ``survey``: the packages of the files, if they are analysed by package: a
    package reads what it needs of the others itself. ``wrappers``: the functions that are known to acquire so far."""

    files: Sequence[FileToScan]
    scan: Scan
    own: Container[str]
    around: Sequence[FileToScan] = ()
    cache: Results | None = None
    survey: Survey | None = None
    wrappers: frozenset[Wrapper] = frozenset()
    _run: int = field(default_factory=time.monotonic_ns)
    _found: dict[str, FileResult] = field(default_factory=dict)
    _asked: dict[str, frozenset[Wrapper]] = field(default_factory=dict)  # analysed only for others: the wrappers known
    _waves: dict[frozenset[Wrapper], int] = field(default_factory=dict)  # the number of the wave that knew them

    @property
    def so_far(self) -> Mapping[str, FileResult]:
        """Returns the results of the finished files, while ``results`` runs."""
        return self._found

    def results(self, count: Count) -> dict[str, FileResult]:
        """Returns the final result of each file, by the path that reports show."""
        pending, wave = [*self._chosen(count), *self.around], 0
        while pending:
            self._analyse(pending, self.wrappers, count)
            found = frozenset(wrapper for result in self._found.values() for wrapper in result.gives)
            pending = self._calling(found - self.wrappers, again=0 < wave < _MAX_AGAIN)
            self.wrappers, wave = found, wave + 1
        self._ask_who_guards()
        return {file.shown: self._found[file.shown] for file in self.files}

    def _chosen(self, count: Count) -> Sequence[FileToScan]:
        """Returns the files to analyse."""
        survey = self.survey
        if survey is None:
            return self.files
        read = {}
        for file in self.files:
            read[file.shown] = guarded(FileResult(file.shown), functools.partial(survey.add, file))
        chosen = [file for file in survey.files if file.shown in self.own]
        asked = {file.shown for file in chosen}
        self._found = {shown: result for shown, result in read.items() if shown not in asked}
        count.add(len(self._found))
        return chosen

    def _analyse(self, files: Sequence[FileToScan], wrappers: frozenset[Wrapper], count: Count) -> None:
        """Scans the own files first: their findings decide which questions the others must answer."""
        around = {file.shown for file in self.around}
        own = [file for file in files if file.shown in self.own]
        others = [file for file in files if file.shown not in self.own and file.shown not in around]
        for result in self._results(own, wrappers, contributes=False):
            count.add(result.path not in self._found, result.path)
            self._found[result.path] = result
        for result in self._results([one for one in files if one.shown in around], wrappers, contributes=True):
            self._found[result.path] = result
        asked = not self._receives()
        for result in self._results(others, wrappers, contributes=asked):
            count.add(result.path not in self._found, result.path)
            self._found[result.path] = result
            if asked:
                self._asked[result.path] = wrappers
            else:
                self._asked.pop(result.path, None)

    def _receives(self) -> bool:
        """Whether the own files have findings that callers in other files may refute."""
        own = [result for path, result in self._found.items() if path in self.own]
        found = [*(one for each in own for one in each.findings), *(one.finding for each in own for one in each.claims)]
        if not found:
            return False
        from fdlint.core.checks import left_to_callers

        codes = left_to_callers()
        return any(one.code in codes for one in found)

    def _ask_who_guards(self) -> None:
        """Analyses the files for their guards that were only analysed for other effects, if guards matter."""
        others = [file for file in self.files if file.shown in self._asked and self._found[file.shown].analysed]
        for wrappers in dict.fromkeys(self._asked[file.shown] for file in others) if self._receives() else ():
            alike = [file for file in others if self._asked[file.shown] == wrappers]
            for result in self._results(alike, wrappers, contributes=False):
                self._found[result.path] = replace(self._found[result.path], guards=result.guards)

    def _results(
        self, files: Sequence[FileToScan], wrappers: frozenset[Wrapper], contributes: bool
    ) -> Iterable[FileResult]:
        cache = self.cache
        if cache is None:
            yield from self.scan(files, wrappers, self._run, contributes)
            return
        wave = self._waves.setdefault(wrappers, len(self._waves))  # a file may be asked again, with more that is known
        inputs = [wave, *([self.survey.inputs] if self.survey is not None else [])]
        words = ["contribute", "scan"] if contributes else ["scan"]  # a whole result tells the effects, too
        questions = {
            models: [cache.question(word, models, *inputs) for word in words]
            for models in {one.config.models for one in files}
        }
        unknown: dict[str, FileToScan] = {}
        for file in files:
            asked = questions[file.config.models]
            result = next(filter(None, (_remembered(cache, file, one, wrappers) for one in asked)), None)
            if result is None:
                unknown[file.shown] = file
            else:
                yield result
        for result in self.scan([*unknown.values()], wrappers, self._run, contributes):
            if result.analysed or self.survey is None:
                yield _kept(cache, unknown[result.path], questions, result, wrappers)
            else:
                yield result

    def _calling(self, new: frozenset[Wrapper], again: bool) -> list[FileToScan]:
        """Returns the files that may call a function which was just found to acquire. Those with an analysis have
        followed their calls, unless the function itself is in a file that was of no interest before (``again``)."""
        own = frozenset(one for one in new if not one.passed_on) if again else frozenset[Wrapper]()
        return [*self._mentioning(new, analysed=False), *self._mentioning(own, analysed=True)]

    def _mentioning(self, new: frozenset[Wrapper], *, analysed: bool) -> list[FileToScan]:
        files = (
            [one for one in (*self.files, *self.around) if self._found[one.shown].analysed is analysed] if new else []
        )
        question = self.cache.question("mentions", _in_order(new)) if self.cache is not None else ""
        return [one for one in files if self._mentions(one, new, question)]

    def _mentions(self, file: FileToScan, new: frozenset[Wrapper], question: str) -> bool:
        try:
            if self.cache is None:
                return _may_call(file, new)
            known = self.cache.answer(file.real, question)
            if known is None:
                known = (1,) if _may_call(file, new) else ()
                self.cache.note(file.real, question, known)
            return bool(known)
        except Exception as error:
            self._found[file.shown] = troubled(self._found[file.shown], error)
            return False


def _may_call(file: FileToScan, wrappers: frozenset[Wrapper]) -> bool:
    from fdlint.languages.index.mentions import may_call

    return may_call(contents(file), wrappers)


def _remembered(cache: Results, file: FileToScan, question: str, wrappers: frozenset[Wrapper]) -> FileResult | None:
    try:
        return cache.result(file, question, wrappers)
    except Exception as error:
        return troubled(FileResult(file.shown), error)


def _kept(
    cache: Results,
    file: FileToScan,
    questions: Mapping[Models, Sequence[str]],
    result: FileResult,
    wrappers: frozenset[Wrapper],
) -> FileResult:
    try:
        cache.keep(file, questions[file.config.models][0], result, wrappers)
    except Exception as error:
        return troubled(result, error)
    return result


def _in_order(wrappers: frozenset[Wrapper]) -> list[tuple[object, ...]]:
    return sorted(map(astuple, wrappers))


def contents(file: FileToScan) -> bytes:
    """Returns a file's contents, empty if it cannot be read."""
    try:
        return intake.read(file.path, intake.SOURCE)
    except OSError:
        return b""
