"""The pipeline: files in, a report out."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from fdlint.catalog import default_catalog
from fdlint.discover import FileToScan
from fdlint.finding import FileResult, Report, Skipped, Summary

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Options:
    """What the user asked for. Codes may be prefixes (``FD1``); an empty ``select`` means every rule; ``jobs`` 0
    means one a core."""

    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    jobs: int = 0

    def wants(self, code: str) -> bool:
        """Whether findings of a code are reported."""
        chosen = (
            not self.select
            or code.startswith(self.select)
            or (bool(self.extend_select) and code.startswith(self.extend_select))
        )
        return chosen and not (bool(self.ignore) and code.startswith(self.ignore))


def scan(files: Sequence[FileToScan], options: Options = Options(), progress: Progress | None = None) -> Report:
    """Scans files; whatever goes wrong with one is said and the rest goes on."""
    started = time.perf_counter()
    results = []
    for done, result in enumerate(_results(files, options), 1):
        results.append(result)
        if progress is not None:
            progress(done, len(files))
    return _report(results, options, time.perf_counter() - started)


def scan_source(data: bytes, path: str, options: Options = Options()) -> Report:
    """Scans one file's contents under a name of the caller's choice."""
    started = time.perf_counter()
    return _report([scan_bytes(data, path)], options, time.perf_counter() - started)


def _results(files: Sequence[FileToScan], options: Options) -> Iterator[FileResult]:
    jobs = options.jobs or _cores()
    if jobs == 1 or len(files) < 200:
        yield from map(scan_file, files)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(scan_file, files, chunksize=max(1, min(64, len(files) // (jobs * 4))))


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def scan_file(file: FileToScan) -> FileResult:
    """Reads and scans one file."""
    try:
        data = file.path.read_bytes()
    except OSError as error:
        return FileResult(file.shown, skipped=(Skipped(file.shown, f"cannot be read: {error.strerror or error}"),))
    return scan_bytes(data, file.shown, file.path)


def scan_bytes(data: bytes, path: str, place: Path | None = None) -> FileResult:
    """Scans one file's contents; an error of fdlint's own becomes a ``Skipped``. ``place``: where its imports are
    looked up."""
    catalog = default_catalog()
    lines = data.count(b"\n") + 1
    if not catalog.prefilter.passes(data):
        return FileResult(path, lines)
    try:
        from fdlint.analysis import analyse

        return analyse(data, path, place, lines)
    except RecursionError:
        return FileResult(path, lines, skipped=(Skipped(path, "nested too deeply to analyse"),))
    except Exception as error:  # a defect of fdlint must not end the scan of everything else
        reason = f"internal error, please report it: {type(error).__name__}: {error}"
        return FileResult(path, lines, skipped=(Skipped(path, reason),))


def _report(results: Sequence[FileResult], options: Options, seconds: float) -> Report:
    findings = [finding for result in results for finding in result.findings if options.wants(finding.code)]
    findings.sort(key=lambda finding: (finding.span, finding.code))
    skipped = tuple(skipped for result in results for skipped in result.skipped)
    wanted = {finding.span.path for finding in findings}
    return Report(
        tuple(findings),
        skipped,
        Summary(len(results), sum(r.analysed for r in results), sum(r.lines for r in results), seconds),
        {result.path: result.text for result in results if result.path in wanted},
    )


def graph_dump(path: Path, name: str) -> str:
    """The graph of one function and the states at each of its blocks. Raises ``LookupError`` when there is no such
    function."""
    from fdlint.dump import dump_function

    return dump_function(path.read_bytes(), str(path), name, default_catalog())
