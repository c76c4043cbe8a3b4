"""Scans Go with the engine: the files whose package may acquire descriptors, in several processes.

It needs the extra ``fdlint[go]``; without it, only the Semgrep rules look at Go.
"""

from __future__ import annotations

import functools
import importlib.util
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from fdlint.files.discover import FileToScan
from fdlint.files.guard import lost, troubled
from fdlint.findings.finding import NOT_INSTALLED, Confidence, FileResult, Finding
from fdlint.go.scan import Remembers, left_out
from fdlint.reading import intake

_WORTH_A_POOL = 8  # files; fewer are faster in this process
_TEST = "_test.go"
_IMPORTED = re.compile(rb'"([^"\s]+/[^"\s]+)"')
_LEAKS = "FD1"


def is_installed() -> bool:
    """Whether the parser of Go is there."""
    return all(importlib.util.find_spec(name) is not None for name in ("tree_sitter", "tree_sitter_go"))


def followed(
    files: Sequence[FileToScan], jobs: int, run: int, cache: Remembers | None = None, seconds: float | None = None
) -> dict[str, FileResult]:
    """Returns the engine's results for those Go files that may matter, by the path that reports show. ``seconds``: the
    longest time for a file; None: no limit."""
    if not files or not is_installed():
        return {}
    found: dict[str, FileResult] = {}
    asked: list[FileToScan] = []
    mattering = _Mattering()
    for file in files:
        if not file.name.endswith(_TEST):
            mattering.add(file)
    question = (
        cache.question("go engine", sorted(str(one.real) for one in mattering.files)) if cache is not None else ""
    )
    for file in mattering.chosen():
        try:
            known = cache.result(file, question) if cache is not None else None
        except Exception as error:
            known = troubled(FileResult(file.shown), error)
        if known is not None:
            found[file.shown] = known
        else:
            asked.append(file)
    by_path = {file.shown: file for file in asked}
    for result in _analysed(asked, jobs, run, seconds) if asked else ():
        found[result.path] = result
        if cache is not None and result.analysed:
            cache.keep(by_path[result.path], question, result)
    return found


@dataclass(slots=True)
class _Mattering:
    """The files of a scan, and what decides whether they matter: the words of the catalog, and the imports of packages
    that have them."""

    files: list[FileToScan] = field(default_factory=list)
    _words: dict[Path, bool] = field(default_factory=dict)
    _imports: dict[str, frozenset[str]] = field(default_factory=dict)

    def add(self, file: FileToScan) -> None:
        """Reads a file."""
        try:
            data = intake.read(file.path, intake.SOURCE)
        except OSError:
            return  # the scan with rules reports it
        if left_out(file, data):
            return
        self.files.append(file)
        directory = file.place.parent
        self._words[directory] = self._words.get(directory, False) or _words().search(data) is not None
        imported = _IMPORTED.findall(data[: data.find(b"\nfunc ") + 1 or None])
        self._imports[file.shown] = frozenset(one.decode("utf-8", "replace") for one in imported)

    def chosen(self) -> list[FileToScan]:
        """Returns the files whose package has a word, or imports a package that has one."""
        acquiring = {one for one, has in self._words.items() if has}
        ends = {"/".join(one.parts[-2:]) for one in acquiring}
        imported = {
            file.place.parent
            for file in self.files
            if any("/".join(path.split("/")[-2:]) in ends for path in self._imports[file.shown])
        }
        return [file for file in self.files if file.place.parent in acquiring | imported]


@functools.cache
def _words() -> re.Pattern[bytes]:
    """Returns a pattern of the calls that acquire."""
    from fdlint.catalog.catalog import go_catalog
    from fdlint.catalog.shape import acquires

    apis = (api for found in go_catalog().by_name.values() for api in found)
    names = sorted({api.name.rpartition(".")[2] for api in apis if acquires(api.returns)})
    return re.compile(rf"\.(?:{'|'.join(names)})\(".encode())


def _analysed(files: Sequence[FileToScan], jobs: int, run: int, seconds: float | None) -> Iterator[FileResult]:
    from fdlint.driver.go_package import go_file

    job = functools.partial(go_file, run=run)
    if seconds is None and (jobs == 1 or len(files) < _WORTH_A_POOL):
        yield from map(job, files)
        return
    from fdlint.driver.processes import Pool

    pool = Pool(jobs, lost, seconds)
    try:
        yield from pool.run(job, files)
    finally:
        pool.close()


def together(ruled: Mapping[str, FileResult], followed_: Mapping[str, FileResult]) -> dict[str, FileResult]:
    """Returns the results of the Semgrep rules with those of the engine. Where both report a leak of one call, the
    engine's finding stays, because it knows the path, unless it is doubtful."""
    return {path: _joined(one, followed_.get(path)) for path, one in ruled.items()}


def _joined(ruled: FileResult, own: FileResult | None) -> FileResult:
    if own is None:
        return ruled
    ruled_places = set(map(_place, ruled.findings))
    kept = [one for one in own.findings if one.confidence is not Confidence.LOW or _place(one) not in ruled_places]
    places = set(map(_place, kept))
    more = [one for one in ruled.findings if _place(one) not in places]
    skipped = tuple(one for one in ruled.skipped if one.reason != NOT_INSTALLED)
    return replace(
        own,
        findings=(*kept, *more),
        skipped=(*skipped, *own.skipped),
        text=own.text or ruled.text,
        suppressions=own.suppressions or ruled.suppressions,
        digest=ruled.digest or own.digest,
    )


def _place(finding: Finding) -> tuple[str, int]:
    return _LEAKS if finding.code.startswith(_LEAKS) else finding.code, finding.span.line
