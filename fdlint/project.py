"""The pipeline: files in, a report out."""

from __future__ import annotations

import functools
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from fdlint.abroad import brought_home
from fdlint.baseline import read as read_baseline
from fdlint.baseline import unknown
from fdlint.catalog import NO_MODELS, Models, catalog_of
from fdlint.claims import GUARDED, accept, settle
from fdlint.config import UNCONFIGURED, Config, wanted
from fdlint.deep import call
from fdlint.discover import GO, FileToScan, shown
from fdlint.finding import FileResult, Finding, Report, Skipped, Summary, Unused, Wrapper, mentions
from fdlint.imports import imported
from fdlint.shard import WHOLE, Shard
from fdlint.suppress import Silenced, silence, suppressions

_MAX_ROUNDS = 5  # wrappers of wrappers deeper than this are not looked for
_WORTH_A_POOL = 200  # fewer files are scanned sooner than processes start
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Options:
    """What the user asked for. Codes may be prefixes (``FD1``); an empty ``select`` means every rule; ``jobs`` 0
    means one a core; ``audit``: Go is searched also for what needs a reader's judgement; ``shard``: the part of the
    files that is reported. The others are read for what they say about it."""

    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    jobs: int = 0
    audit: bool = False
    shard: Shard = WHOLE

    def wants(self, code: str, config: Config = UNCONFIGURED, path: str = "") -> bool:
        """Whether findings of a code are reported where a configuration holds; what is asked here comes first, but
        for what the configuration says of single files."""
        chosen = wanted(code, self.select, self.extend_select, self.ignore, otherwise=config.wants(code))
        return chosen and not config.hides(code, path)


def scan(files: Sequence[FileToScan], options: Options = Options(), progress: Progress | None = None) -> Report:
    """Scans files; whatever goes wrong with one is said and the rest goes on."""
    started = time.perf_counter()
    results: dict[str, FileResult] = {}
    wrappers: frozenset[Wrapper] = frozenset()
    asked: dict[str, frozenset[Wrapper]] = {}
    run = time.monotonic_ns()
    own = [file for file in files if options.shard.holds(file.shown)]
    go = [file for file in own if file.path.suffix == GO]
    python = [file for file in files if file.path.suffix != GO]
    pending = python
    for _ in range(_MAX_ROUNDS):
        for result, only_asked in _results(pending, options, wrappers, run, results):
            results[result.path] = result
            asked.pop(result.path, None)
            if only_asked:
                asked[result.path] = wrappers
            if progress is not None:
                progress(len(results), len(files))
        found = frozenset(wrapper for result in results.values() for wrapper in result.gives)
        pending = _mentioning(python, found - wrappers, results, first=not wrappers)
        if not pending:
            break
        wrappers = found
    configs = {file.shown: file.config for file in files}
    results.update(_guarding(python, results, options, asked, run))
    results = brought_home(results)
    results = settle(results, {file.shown: file.path for file in python})
    if go:
        results.update(_of_go(go, options))
        if progress is not None:
            progress(len(results), len(files))
    return _report([results[file.shown] for file in own], options, configs, time.perf_counter() - started)


def _of_go(files: Sequence[FileToScan], options: Options) -> dict[str, FileResult]:
    from fdlint.go.scan import scan_go
    from fdlint.judge import judged

    results = scan_go(files, audit=options.audit, jobs=options.jobs or _cores())
    return {path: replace(one, findings=tuple(judged(one.findings, one.text))) for path, one in results.items()}


def scan_source(data: bytes, path: str, options: Options = Options(), config: Config = UNCONFIGURED) -> Report:
    """Scans one file's contents under a name of the caller's choice."""
    started = time.perf_counter()
    if path.endswith(GO):
        result = _go_source(data, path, options, config)
    else:
        result = accept(scan_bytes(data, path, models=config.models))
    return _report([result], options, {path: config}, time.perf_counter() - started)


def _go_source(data: bytes, path: str, options: Options, config: Config) -> FileResult:
    with tempfile.TemporaryDirectory(prefix="fdlint-") as scratch:
        place = Path(scratch, Path(path).name)
        place.write_bytes(data)
        return _of_go([FileToScan(place, path, config)], options)[path]


def scan_alone(path: Path, config: Config = UNCONFIGURED, options: Options = Options()) -> Report:
    """Scans one file of a project. What is learnt of it, and of the files that it imports, is kept for the next one
    that this process scans so: no file is taken to change meanwhile."""
    started = time.perf_counter()
    place = path.resolve()
    result = _kept(place, config)
    if not result.analysed:
        data = _read(FileToScan(place, ""))
        wrappers = frozenset(wrapper for one in imported(data, place) for wrapper in _kept(one, config).gives)
        if mentions(data, wrappers):
            result = scan_file(FileToScan(place, shown(path), config), wrappers)
    result = settle({result.path: result}, {result.path: place})[result.path]
    return _report([result], options, {result.path: config}, time.perf_counter() - started)


@functools.lru_cache(maxsize=10_000)
def _kept(place: Path, config: Config) -> FileResult:
    return scan_file(FileToScan(place, shown(place), config))


def _mentioning(
    files: Sequence[FileToScan], new: frozenset[Wrapper], results: Mapping[str, FileResult], first: bool
) -> list[FileToScan]:
    """The files that may call a function just found to acquire: they are to be scanned knowing it.

    The ``first`` round already saw the calls from one file it analysed to another, so it leaves only the others.
    """
    candidates = (file for file in files if not (first and results[file.shown].analysed))
    return [file for file in candidates if mentions(_read(file), new)] if new else []


def _results(
    files: Sequence[FileToScan],
    options: Options,
    wrappers: frozenset[Wrapper],
    run: int,
    results: Mapping[str, FileResult],
) -> Iterator[tuple[FileResult, bool]]:
    """What each file comes to, and whether only its part in others was asked for. The shard's own files come first:
    what is found there says what has to be asked of the others."""
    own = [file for file in files if options.shard.holds(file.shown)]
    others = [file for file in files if not options.shard.holds(file.shown)] if len(own) < len(files) else []
    job = functools.partial(scan_file, wrappers=wrappers, run=run)
    yield from ((result, False) for result in _each(job, own, options))
    asked = not _receives(results, options.shard)
    yield from ((result, asked) for result in _each(functools.partial(job, contributes=asked), others, options))


def _receives(results: Mapping[str, FileResult], shard: Shard) -> bool:
    """Whether something in a shard is said that files anywhere may guard against."""
    return any(one.code == GUARDED for path, result in results.items() if shard.holds(path) for one in result.findings)


def _each(
    job: Callable[[FileToScan], FileResult], files: Sequence[FileToScan], options: Options
) -> Iterator[FileResult]:
    jobs = options.jobs or _cores()
    if jobs == 1 or len(files) < _WORTH_A_POOL:
        yield from map(job, files)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(job, files, chunksize=max(1, min(64, len(files) // (jobs * 4))))


def _guarding(
    files: Sequence[FileToScan],
    results: Mapping[str, FileResult],
    options: Options,
    asked: Mapping[str, frozenset[Wrapper]],
    run: int,
) -> Iterator[tuple[str, FileResult]]:
    """The files that were only ``asked`` for their part in others with what they guard, if that matters after all."""
    others = [file for file in files if file.shown in asked and results[file.shown].analysed]
    for wrappers in dict.fromkeys(asked[file.shown] for file in others) if _receives(results, options.shard) else ():
        job = functools.partial(scan_file, wrappers=wrappers, run=run)
        for result in _each(job, [file for file in others if asked[file.shown] == wrappers], options):
            yield result.path, replace(results[result.path], guards=result.guards)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _read(file: FileToScan) -> bytes:
    try:
        return file.path.read_bytes()
    except OSError:
        return b""


def scan_file(
    file: FileToScan, wrappers: frozenset[Wrapper] = frozenset(), run: int = 0, *, contributes: bool = False
) -> FileResult:
    """Reads and scans one file. ``wrappers``: functions of the project known to acquire; ``run``: which scan;
    ``contributes``: only what it says about other files is asked for."""
    try:
        data = file.path.read_bytes()
    except OSError as error:
        return FileResult(file.shown, skipped=(Skipped(file.shown, f"cannot be read: {error.strerror or error}"),))
    if contributes:
        return _analysed(data, file.shown, file.path, wrappers, run, file.config.models, contributes=True)
    return scan_bytes(data, file.shown, file.path, wrappers, run, file.config.models)


def scan_bytes(
    data: bytes,
    path: str,
    place: Path | None = None,
    wrappers: frozenset[Wrapper] = frozenset(),
    run: int = 0,
    models: Models = NO_MODELS,
) -> FileResult:
    """Scans one file's contents; an error of fdlint's own becomes a ``Skipped``.

    ``place``: where its imports are looked up; ``models``: what its project adds to the catalog.
    """
    result = _analysed(data, path, place, wrappers, run, models)
    comments = suppressions(data, path)
    if not comments:
        return result
    return replace(result, suppressions=comments, text=result.text or tuple(data.decode(errors="replace").splitlines()))


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
    lines = data.count(b"\n") + 1
    if not catalog_of(models).prefilter.passes(data) and not mentions(data, wrappers):
        return FileResult(path, lines)
    try:
        from fdlint.analysis import analyse, contribute

        work = contribute if contributes else analyse
        return call(lambda: work(data, path, place, lines, wrappers, run, models))
    except RecursionError:
        return FileResult(path, lines, skipped=(Skipped(path, "nested too deeply to analyse"),))
    except Exception as error:  # a defect of fdlint must not end the scan of everything else
        if isinstance(error.__context__, RecursionError):
            return FileResult(path, lines, skipped=(Skipped(path, "nested too deeply to analyse"),))
        reason = f"internal error, please report it: {type(error).__name__}: {_first_words(error)}"
        return FileResult(path, lines, skipped=(Skipped(path, reason),))


def _first_words(error: Exception) -> str:
    """What an error says, unless even that goes wrong."""
    try:
        return str(error)[:200]
    except Exception:
        return "it cannot be shown"


def _report(results: Sequence[FileResult], options: Options, configs: Mapping[str, Config], seconds: float) -> Report:
    findings: list[Finding] = []
    unused: list[Unused] = []
    silenced = baselined = 0
    for result in results:
        config = configs[result.path]
        said = _said(result, functools.partial(options.wants, config=config, path=result.path))
        new = unknown(said.findings, read_baseline(config.baseline)) if config.baseline else said.findings
        silenced += said.hidden
        baselined += len(said.findings) - len(new)
        findings.extend(replace(one, severity=config.severity_of(one.code, one.severity)) for one in new)
        unused.extend(said.unused)
    findings.sort(key=lambda finding: (finding.span, finding.code))
    wanted = {finding.span.path for finding in findings}
    return Report(
        tuple(findings),
        tuple(skipped for result in results for skipped in result.skipped),
        Summary(len(results), sum(r.analysed for r in results), sum(r.lines for r in results), seconds),
        {result.path: result.text for result in results if result.path in wanted},
        tuple(unused),
        silenced,
        baselined,
        scanned=tuple(result.path for result in results),
        shard=str(options.shard) if options.shard != WHOLE else None,
    )


def _said(result: FileResult, wants: Callable[[str], bool]) -> Silenced:
    """The findings of one file that are reported, those about comments that silence nothing among them."""
    found = tuple(finding for finding in result.findings if wants(finding.code))
    if not result.suppressions:
        return Silenced(found)
    from fdlint.checks import all_rules
    from fdlint.judge import findings

    silenced = silence(found, result.suppressions, wants, (loaded.rule.code for loaded in all_rules()))
    if result.skipped:
        return replace(silenced, unused=())  # what was not analysed may be what a comment is for
    about = (finding for finding in findings(silenced.unused, result.text)[0] if wants(finding.code))
    return replace(silenced, findings=(*silenced.findings, *about))


def graph_dump(path: Path, name: str, config: Config = UNCONFIGURED) -> str:
    """The graph of one function and the states at each of its blocks. Raises ``LookupError`` when there is no such
    function."""
    from fdlint.dump import dump_function

    return dump_function(path.read_bytes(), str(path), name, catalog_of(config.models))
