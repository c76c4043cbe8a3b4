"""Scans Go with the engine: the files whose package may acquire descriptors, in several processes.

It needs the extra ``fdlint[go]``; without it, the files that speak of descriptors are listed as skipped.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from fdlint.catalog import Models
from fdlint.languages.go.description import GO, is_test
from fdlint.languages.go.words import left_out, mentions_descriptors
from fdlint.report.findings.finding import FileResult, Skipped, digest_of
from fdlint.scan.files.discover import FileToScan
from fdlint.scan.files.guard import guarded, lost, troubled
from fdlint.scan.reading import intake

if TYPE_CHECKING:
    from fdlint.scan.cache import Cache

_WORTH_A_POOL = 8  # files; fewer are faster in this process
_IMPORTED = re.compile(rb'"([^"\s]+/[^"\s]+)"')
_FEW = 64  # files, which are soon read


def followed(
    files: Sequence[FileToScan],
    jobs: int,
    run: int,
    cache: Cache | None = None,
    seconds: float | None = None,
    others: Sequence[FileToScan] = (),
) -> dict[str, FileResult]:
    """Returns the engine's result of each Go file, by the path that reports show. ``seconds``: the longest time for a
    package; None: no limit. ``others``: files of the same tree that another shard reports."""
    installed = GO.parser.is_installed
    mattering = _Mattering(installed)
    found = {file.shown: guarded(FileResult(file.shown), functools.partial(mattering.add, file)) for file in files}
    if not installed:
        return found
    for file in others:
        guarded(FileResult(file.shown), functools.partial(mattering.add, file))
    chosen = [file for file in mattering.chosen() if file.shown in found]
    questions = _questions(mattering.files, cache) if cache is not None else {}
    asked: list[FileToScan] = []
    for file in chosen:
        try:
            known = cache.result(file, questions[file.config.models]) if cache is not None else None
        except Exception as error:
            known = troubled(FileResult(file.shown), error)
        if known is not None:
            found[file.shown] = known
        else:
            asked.append(file)
    by_path = {file.shown: file for file in asked}
    for result in _analysed(asked, mattering.alone, jobs, run, seconds, grounded=cache is not None) if asked else ():
        found[result.path] = result
        if cache is not None and result.analysed:
            file = by_path[result.path]
            found[result.path] = kept(cache, file, questions[file.config.models], result)
    return found


def kept(cache: Cache, file: FileToScan, question: str, result: FileResult) -> FileResult:
    """Stores the result of a file and returns it; with the reason if that fails."""
    try:
        cache.keep(file, question, result)
    except Exception as error:  # a defect of fdlint must not end the whole scan
        return troubled(result, error)
    return result


def _questions(files: Sequence[FileToScan], cache: Cache) -> dict[Models, str]:
    """Returns the questions to the cache. The answers depend on which files there are, and on the paths of their
    modules."""
    from fdlint.languages.go.program import Modules

    modules = Modules()
    places = sorted(str(one.real) for one in files)
    around = {found for one in files if (found := modules.around(one.place.parent)) is not None}
    return {
        models: cache.question("go engine", models, places, sorted((str(top), path) for top, path in around))
        for models in {one.config.models for one in files}
    }


@dataclass(slots=True)
class _Mattering:
    """The files of a scan, and what decides whether they matter: the words of the catalog, and the imports of packages
    that have them. ``installed``: whether the parser of Go is."""

    installed: bool
    files: list[FileToScan] = field(default_factory=list)
    alone: set[str] = field(default_factory=set)  # the files that no build includes, by the paths that reports show
    _words: dict[Path, bool] = field(default_factory=dict)
    _imports: dict[str, frozenset[str]] = field(default_factory=dict)

    def add(self, file: FileToScan) -> FileResult:
        """Reads a file. Returns its result without an analysis."""
        try:
            data = intake.read(file.path, intake.SOURCE)
        except OSError as error:
            return FileResult(file.shown, skipped=(Skipped(file.shown, intake.why(error)),))
        read = FileResult(file.shown, data.count(b"\n") + 1, digest=digest_of(data))
        if left_out(file, data):
            return read
        if not self.installed:
            return (
                replace(read, skipped=(Skipped(file.shown, GO.not_installed),)) if mentions_descriptors(data) else read
            )
        self._note(file, data)
        return read

    def _note(self, file: FileToScan, data: bytes) -> None:
        from fdlint.languages.go.program import stands_alone

        self.files.append(file)
        if stands_alone(data):
            self.alone.add(file.shown)
        package = _package(file)
        self._words[package] = self._words.get(package, False) or _words(file.config.models).search(data) is not None
        imported = _IMPORTED.findall(data[: data.find(b"\nfunc ") + 1 or None])
        self._imports[file.shown] = frozenset(one.decode("utf-8", "replace") for one in imported)

    def chosen(self) -> list[FileToScan]:
        """Returns the files whose package has a word, or imports a package that has one. A few files are all chosen:
        the packages that they import may not be among them."""
        if len(self.files) <= _FEW:
            return self.files
        acquiring = {one for one, has in self._words.items() if has}
        ends = {"/".join(one.parts[-2:]) for one in acquiring}
        imported = {
            _package(file)
            for file in self.files
            if any("/".join(path.split("/")[-2:]) in ends for path in self._imports[file.shown])
        }
        return [file for file in self.files if _package(file) in acquiring | imported]


def _package(file: FileToScan) -> Path:
    """Returns the directory of a file; a test is a package of its own."""
    return file.place if is_test(file.name) else file.place.parent


@functools.cache
def _words(models: Models) -> re.Pattern[bytes]:
    """Returns a pattern of the calls that acquire."""
    from fdlint.catalog.shape import acquires
    from fdlint.languages.go.catalog import go_catalog_of

    apis = (api for found in go_catalog_of(models).by_name.values() for api in found)
    names = sorted({api.name.rpartition(".")[2] for api in apis if acquires(api.returns)})
    return re.compile(rf"\.(?:{'|'.join(names)})\(".encode())


def _analysed(
    files: Sequence[FileToScan],
    alone: Collection[str],
    jobs: int,
    run: int,
    seconds: float | None,
    *,
    grounded: bool,
) -> Iterator[FileResult]:
    from fdlint.scan.go_package import GoPackage, go_package, packages_of

    job = functools.partial(go_package, run=run, grounded=grounded)
    packages = packages_of(files, alone)
    if seconds is None and (jobs == 1 or len(files) < _WORTH_A_POOL):
        yield from chain.from_iterable(map(job, packages))
        return
    from fdlint.scan.processes import Pool

    def lost_package(package: GoPackage, reason: str) -> tuple[FileResult, ...]:
        return tuple(lost(file, reason) for file in package.files)

    pool = Pool(jobs, lost_package, seconds)
    try:
        yield from chain.from_iterable(pool.run(job, packages))
    finally:
        pool.close()
