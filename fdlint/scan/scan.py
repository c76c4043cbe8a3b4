"""The pipeline: files in, a report out."""

from __future__ import annotations

import contextlib
import functools
import itertools
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from fdlint.catalog import NO_MODELS, Models
from fdlint.languages.description import LanguageDescription
from fdlint.languages.registry import LANGUAGES, language_of
from fdlint.languages.text import text_of
from fdlint.report.findings.finding import (
    NOT_SCANNED,
    FileResult,
    Report,
    Skipped,
    Wrapper,
    digest_of,
    lines_of,
    mentions,
)
from fdlint.scan.claims import accept, settle, unsettled
from fdlint.scan.config import UNCONFIGURED, Config
from fdlint.scan.cross_file import with_cross_file_findings
from fdlint.scan.files.bundle import Bundle
from fdlint.scan.files.discover import FileToScan, shown
from fdlint.scan.files.guard import guarded, lost, troubled
from fdlint.scan.options import NO_OPTIONS, Options, cores
from fdlint.scan.process.ending import Ended
from fdlint.scan.process.stack import call, uncollected
from fdlint.scan.reading import intake
from fdlint.scan.recall import Recall
from fdlint.scan.schedule import Count, Progress, Schedule, contents
from fdlint.scan.selection import made_of
from fdlint.scan.surroundings import surroundings

if TYPE_CHECKING:
    from fdlint.scan.cache import Cache
    from fdlint.scan.processes import Pool
    from fdlint.scan.survey import Survey

_WORTH_A_POOL = 8  # with fewer relevant files, a scan is faster than the start of processes


def scan(
    files: Sequence[FileToScan],
    options: Options = NO_OPTIONS,
    progress: Progress | None = None,
    cache: Cache | None = None,
    *,
    partial: bool = False,
) -> Report:
    """Scans files. Reports an error in one file and continues. ``cache``: the results of earlier scans. ``partial``: if
    a signal ends the scan, return a report on the finished files."""
    started = time.perf_counter()
    work = _Scan(files, options, Count(len(files), progress), cache)
    ended: int | None = None
    try:
        with uncollected():
            work.run()
    except Ended as signal:
        if not partial:
            raise
        ended = signal.status
    finally:  # a scan that is ended keeps what it has done: the next one goes on from there
        if cache is not None:
            cache.save()
    results = work.results if ended is None else work.so_far()
    configs = {file.shown: file.config for file in files}
    own = [results[file.shown] for file in work.own]
    return replace(made_of(own, options, configs, time.perf_counter() - started), ended=ended)


class _Scan:
    """The scan of a set of files. ``own``: the files to report. ``results``: by the paths that reports show."""

    def __init__(self, files: Sequence[FileToScan], options: Options, count: Count, cache: Cache | None) -> None:
        self.own = [file for file in files if options.shard.holds(file.shown)]
        self.results: dict[str, FileResult] = {}
        self._files, self._options, self._count, self._cache = files, options, count, cache
        self._schedule: Schedule | None = None

    def run(self) -> None:
        """Scans all files, one language after the other."""
        for language in LANGUAGES:
            files = [file for file in self._files if file.language is language]
            if any(self._options.shard.holds(file.shown) for file in files):
                self.results.update(self._of(language, files))

    def _of(self, language: LanguageDescription, files: Sequence[FileToScan]) -> dict[str, FileResult]:
        options, cache = self._options, self._cache
        survey = _survey(language)
        scanner = _Scanner(options.jobs or cores(), options.seconds, survey, grounded=cache is not None)
        own = [file for file in files if options.shard.holds(file.shown)]
        names = {file.shown for file in own}
        self._schedule = Schedule(files, scanner.results, names, surroundings(own), cache, survey)
        with contextlib.closing(scanner):
            results = with_cross_file_findings(self._schedule.results(self._count))
        results.update((file.shown, _read_again(file, results[file.shown])) for file in own)
        by_shown = {file.shown: file for file in files}
        return _with_impact(settle(results, by_shown, cache), by_shown, language, cache, options.jobs or cores())

    def so_far(self) -> dict[str, FileResult]:
        """Returns the results so far; unfinished files are skipped."""
        started = unsettled(self._schedule.so_far) if self._schedule is not None else {}
        return {file.shown: self.results.get(file.shown) or _cut_short(started, file) for file in self.own}


def _cut_short(started: Mapping[str, FileResult], file: FileToScan) -> FileResult:
    """Returns the result of a file whose scan a signal ended."""
    result = started.get(file.shown)
    if result is None:
        return lost(file, NOT_SCANNED)
    if not result.findings:
        return result
    from fdlint.scan.impact import without_callers

    return without_callers(result, file)


def _with_impact(
    results: dict[str, FileResult],
    files: Mapping[str, FileToScan],
    language: LanguageDescription,
    memory: Cache | None = None,
    jobs: int = 1,
) -> dict[str, FileResult]:
    """Returns the results with the impact of their findings. Nothing is imported for none."""
    if not any(result.findings for result in results.values()):
        return results
    from fdlint.scan.impact import with_impact

    return with_impact(results, files, language, memory, jobs)


def with_impact_of_one(result: FileResult, file: FileToScan, data: bytes) -> FileResult:
    """Returns the result of a file with these contents with the impact of its findings, without any other file."""
    if not result.findings:
        return result
    from fdlint.scan.impact import with_impact_alone

    return with_impact_alone(result, file, data)


def _survey(language: LanguageDescription) -> Survey | None:
    if not language.by_package:
        return None
    from fdlint.scan.survey import Survey

    return Survey(language)


def _read_again(file: FileToScan, result: FileResult) -> FileResult:
    """Adds the comments of a file if only another file's analysis found something in it."""
    if not result.findings or result.suppressions:
        return result
    return guarded(result, lambda: with_comments(result, contents(file)))


def scan_source(data: bytes, path: str, options: Options = NO_OPTIONS, config: Config = UNCONFIGURED) -> Report:
    """Scans one file's contents under a given name."""
    started = time.perf_counter()
    if language_of(path).by_package:
        return _scan_copy(data, path, options, config)
    result = accept(scan_bytes(data, path, models=config.models))
    result = with_impact_of_one(result, FileToScan(path, path, config), data)
    return made_of([result], options, {path: config}, time.perf_counter() - started)


def _scan_copy(data: bytes, path: str, options: Options, config: Config) -> Report:
    """Scans a copy of the contents: a package is read from a directory."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="fdlint-") as scratch:
        place = Path(scratch, Path(path).name)
        place.write_bytes(data)
        return scan([FileToScan(str(place), path, config)], options)


def scan_alone(
    path: Path, config: Config = UNCONFIGURED, options: Options = NO_OPTIONS, *, callers: bool = False
) -> Report:
    """Scans one file of a project. Keeps the results about this file and its imports for the next file in this process:
    it assumes that no file changes meanwhile. ``callers``: those in other files count for the impact of findings."""
    started = time.perf_counter()
    place = str(path.resolve())
    file = FileToScan(place, shown(path), config, place)
    result = guarded(FileResult(file.shown), lambda: _alone(file, callers=callers))
    return made_of([result], options, {result.path: config}, time.perf_counter() - started)


def _alone(file: FileToScan, *, callers: bool) -> FileResult:
    files = {file.shown: file}
    scanner = functools.partial(_one_by_one, 0)  # one run: the knowledge about other files stays for the next one
    schedule = Schedule([file], scanner, files, surroundings([file], _recall, alone=True), _recall)
    results = settle(schedule.results(Count(1, None)), files)
    if callers:
        return _with_impact(results, files, file.language)[file.shown]
    return with_impact_of_one(results[file.shown], file, contents(file))


def given_to(file: FileToScan, text: bytes, recall: Recall) -> frozenset[Wrapper]:
    """Returns the functions of the files that a file with this text imports which give descriptors or create
    workers."""
    scanner = functools.partial(_one_by_one, time.monotonic_ns())
    schedule = Schedule((), scanner, (), surroundings([file], recall, text, alone=True), recall)
    schedule.results(Count(0, None))
    return schedule.wrappers


def _one_by_one(
    run: int, files: Sequence[FileToScan], wrappers: frozenset[Wrapper], _: int, contributes: bool
) -> Iterator[FileResult]:
    return (scan_file(file, wrappers, run, contributes=contributes) for file in files)


_recall = Recall(fixed=True)


class _Scanner:
    """Scans files in ``jobs`` processes, or in this one if few of them matter. ``survey``: that of their packages.
    ``grounded``: the results of packages come with their grounds."""

    def __init__(self, jobs: int, seconds: float | None, survey: Survey | None, *, grounded: bool) -> None:
        self._jobs, self._seconds, self._survey, self._grounded = jobs, seconds, survey, grounded
        self._pool: Pool[Bundle, tuple[FileResult, ...]] | None = None

    def results(
        self, files: Sequence[FileToScan], wrappers: frozenset[Wrapper], run: int, contributes: bool
    ) -> Iterator[FileResult]:
        """Returns the result of each file, in any order."""
        mattering: list[Bundle] = []
        number = 0
        for bundle in _bundles(files, self._survey):
            result = _glanced_at(bundle.files[0], wrappers) if bundle.package is None else None
            if result is not None:
                yield result
                continue
            mattering.append(bundle)
            number += len(bundle.files)
            if number >= _WORTH_A_POOL and self._pool is None and self._jobs > 1:  # they import the analysis meanwhile
                self._started().start(_WORTH_A_POOL)
        job = functools.partial(
            scan_bundle, wrappers=wrappers, run=run, contributes=contributes, grounded=self._grounded
        )
        if mattering and (self._pool is not None or self._seconds is not None):
            found = self._started().run(job, mattering)
        else:
            found = map(job, mattering)
        yield from itertools.chain.from_iterable(found)

    def close(self) -> None:
        """Ends the processes."""
        if self._pool is not None:
            self._pool.close()

    def _started(self) -> Pool[Bundle, tuple[FileResult, ...]]:
        if self._pool is None:
            import fdlint.core.checks  # noqa: F401  # it is needed here, too, and a fork inherits what is imported
            from fdlint.scan.processes import Pool

            self._pool = Pool(self._jobs, _lost, self._seconds, _load_analysis)
        return self._pool


def _load_analysis() -> None:
    import fdlint.scan.analysis  # noqa: F401


def _lost(bundle: Bundle, reason: str) -> tuple[FileResult, ...]:
    return tuple(lost(file, reason) for file in bundle.files)


def _bundles(files: Iterable[FileToScan], survey: Survey | None) -> Iterable[Bundle]:
    """Returns what is analysed at once, in the order of the first files."""
    if survey is None:
        return (Bundle((file,)) for file in files)
    found: dict[tuple[Path, Models], list[FileToScan]] = {}
    for file in files:
        found.setdefault((survey.package(file), file.config.models), []).append(file)
    return [Bundle(tuple(group), place) for (place, _), group in found.items()]


def scan_bundle(
    bundle: Bundle, wrappers: frozenset[Wrapper], run: int, *, contributes: bool, grounded: bool
) -> tuple[FileResult, ...]:
    """Analyses a file, or the files of a package. The arguments are those of ``scan_file`` and ``analyse_package``."""
    if bundle.package is None:
        return (scan_file(bundle.files[0], wrappers, run, contributes=contributes),)
    from fdlint.scan.package import analyse_package

    return analyse_package(bundle, run, grounded=grounded)


def _glanced_at(file: FileToScan, wrappers: frozenset[Wrapper]) -> FileResult | None:
    """Returns the result of a file that cannot be read or contains nothing relevant; None if it needs a scan."""
    try:
        data = intake.read(file.path, intake.SOURCE)
        if may_matter(data, wrappers, file.config.models) or text_of(file.language).speaks_of_fdlint(data):
            return None
        return FileResult(file.shown, _lines(data), digest=digest_of(data))
    except OSError as error:
        return _unreadable(file, error)
    except Exception as error:
        return troubled(FileResult(file.shown), error)


def scan_file(
    file: FileToScan, wrappers: frozenset[Wrapper] = frozenset(), run: int = 0, *, contributes: bool = False
) -> FileResult:
    """Reads and scans one file. ``wrappers``: functions of the project known to acquire. ``run``: the number of the
    scan. ``contributes``: only the effects on other files are needed."""
    try:
        data = intake.read(file.path, intake.SOURCE)
        if contributes:
            result = _analysed(data, file.shown, file.path, wrappers, run, file.config.models, contributes=True)
        else:
            result = scan_bytes(data, file.shown, file.path, wrappers, run, file.config.models)
        return replace(result, digest=digest_of(data))
    except OSError as error:
        return _unreadable(file, error)
    except Exception as error:
        return troubled(FileResult(file.shown), error)


def _unreadable(file: FileToScan, error: OSError) -> FileResult:
    return FileResult(file.shown, skipped=(Skipped(file.shown, intake.why(error)),))


def scan_bytes(
    data: bytes,
    path: str,
    place: Path | None = None,
    wrappers: frozenset[Wrapper] = frozenset(),
    run: int = 0,
    models: Models = NO_MODELS,
) -> FileResult:
    """Scans one file's contents. An internal error of fdlint becomes a ``Skipped``.

    ``place``: the path for resolving its imports. ``models``: the project's additions to the catalog.
    """
    result = _analysed(data, path, place, wrappers, run, models)
    return guarded(result, lambda: with_comments(result, data))


def with_comments(result: FileResult, data: bytes) -> FileResult:
    """Returns the result with the comments that silence findings in it. Without any finding, only fdlint's own count:
    it reports those that are unused."""
    language = text_of(language_of(result.path))
    matter = result.findings or result.claims or language.speaks_of_fdlint(data)
    comments = language.suppressions(data, result.path) if matter else ()
    if not comments:
        return result
    return replace(result, suppressions=comments, text=result.text or lines_of(data, result.encoding))


def _analysed(
    data: bytes,
    path: str,
    place: Path | None,
    wrappers: frozenset[Wrapper],
    run: int,
    models: Models,
    *,
    contributes: bool = False,
) -> FileResult:
    lines = _lines(data)
    nothing = FileResult(path, lines)

    def analysed() -> FileResult:
        if not may_matter(data, wrappers, models):
            return nothing
        from fdlint.scan.analysis import analyse, contribute

        work = contribute if contributes else analyse
        return call(lambda: work(data, path, place, lines, wrappers, run, models))

    return guarded(nothing, analysed)


def may_matter(data: bytes, wrappers: frozenset[Wrapper], models: Models) -> bool:
    """Whether a file may contain something relevant: a word of the catalog, or the name of a wrapper."""
    from fdlint.catalog import catalog_of

    return catalog_of(models).prefilter.passes(data) or mentions(data, wrappers)


def _lines(data: bytes) -> int:
    return data.count(b"\n") + 1
