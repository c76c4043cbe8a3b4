"""The pipeline: files in, a report out."""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from fdlint.abroad import brought_home
from fdlint.catalog import NO_MODELS, Models
from fdlint.claims import accept, settle
from fdlint.config import UNCONFIGURED, Config, wanted
from fdlint.deep import call, uncollected
from fdlint.discover import GO, FileToScan, shown
from fdlint.finding import FileResult, Finding, Report, Skipped, Summary, Unused, Wrapper, digest_of, lines_of, mentions
from fdlint.imports import imported
from fdlint.rounds import Count, Progress, Rounds, contents
from fdlint.shard import WHOLE, Shard
from fdlint.suppress import Silenced, silence, speaks_of_fdlint, suppressions

if TYPE_CHECKING:
    from fdlint.cache import Cache

_WORTH_A_POOL = 20  # fewer files that matter are scanned sooner than processes start


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


def scan(
    files: Sequence[FileToScan],
    options: Options = Options(),
    progress: Progress | None = None,
    cache: Cache | None = None,
) -> Report:
    """Scans files; whatever goes wrong with one is said and the rest goes on. ``cache``: what earlier scans have found
    out."""
    with uncollected():
        return _scan(files, options, progress, cache)


def _scan(files: Sequence[FileToScan], options: Options, progress: Progress | None, cache: Cache | None) -> Report:
    started = time.perf_counter()
    count = Count(len(files), progress)
    own = [file for file in files if options.shard.holds(file.shown)]
    go = [file for file in own if file.is_go]
    python = [file for file in files if not file.is_go]
    rounds = Rounds(python, functools.partial(_results, jobs=options.jobs or _cores()), options.shard, cache)
    results = brought_home(rounds.results(count))
    results.update((file.shown, _read_again(file, results[file.shown])) for file in own if not file.is_go)
    results = settle(results, {file.shown: file for file in python}, cache)
    if go:
        results.update(_of_go(go, options, cache))
        count.add(len(go))
    if cache is not None:
        cache.save()
    configs = {file.shown: file.config for file in files}
    return _report([results[file.shown] for file in own], options, configs, time.perf_counter() - started)


def _read_again(file: FileToScan, result: FileResult) -> FileResult:
    """With its comments, if others found something in a file that was only glanced at."""
    return _with_comments(result, contents(file)) if result.findings and not result.analysed else result


def _of_go(files: Sequence[FileToScan], options: Options, cache: Cache | None = None) -> dict[str, FileResult]:
    from fdlint.go.scan import scan_go
    from fdlint.judge import judged

    results = scan_go(files, audit=options.audit, jobs=options.jobs or _cores(), cache=cache)
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
    import tempfile

    with tempfile.TemporaryDirectory(prefix="fdlint-") as scratch:
        place = Path(scratch, Path(path).name)
        place.write_bytes(data)
        return _of_go([FileToScan(str(place), path, config)], options)[path]


def scan_alone(path: Path, config: Config = UNCONFIGURED, options: Options = Options()) -> Report:
    """Scans one file of a project. What is learnt of it, and of the files that it imports, is kept for the next one
    that this process scans so: no file is taken to change meanwhile."""
    started = time.perf_counter()
    place = path.resolve()
    result = _kept(place, config)
    if not result.analysed:
        data = contents(FileToScan(str(place), ""))
        wrappers = frozenset(wrapper for one in imported(data, place) for wrapper in _kept(one, config).gives)
        if mentions(data, wrappers):
            result = scan_file(FileToScan(str(place), shown(path), config), wrappers)
    result = settle({result.path: result}, {result.path: FileToScan(str(place), result.path)})[result.path]
    return _report([result], options, {result.path: config}, time.perf_counter() - started)


@functools.lru_cache(maxsize=10_000)
def _kept(place: Path, config: Config) -> FileResult:
    return scan_file(FileToScan(str(place), shown(place), config))


def _results(
    files: Sequence[FileToScan], wrappers: frozenset[Wrapper], run: int, contributes: bool, jobs: int
) -> Iterator[FileResult]:
    mattering = []
    for file in files:
        result = _glanced_at(file, wrappers)
        if result is None:
            mattering.append(file)
        else:
            yield result
    job = functools.partial(scan_file, wrappers=wrappers, run=run, contributes=contributes)
    if jobs == 1 or len(mattering) < _WORTH_A_POOL:
        yield from map(job, mattering)
        return
    from fdlint.pool import spread

    yield from spread(job, mattering, jobs, _lost)


def _lost(file: FileToScan) -> FileResult:
    return FileResult(
        file.shown, skipped=(Skipped(file.shown, "the process that scanned it has died: out of memory?"),)
    )


def _glanced_at(file: FileToScan, wrappers: frozenset[Wrapper]) -> FileResult | None:
    """What comes of a file that cannot be read or has nothing in it that matters; None: it has to be scanned."""
    try:
        data = file.path.read_bytes()
    except OSError as error:
        return _unreadable(file, error)
    if _matters(data, wrappers, file.config.models) or speaks_of_fdlint(data):
        return None
    return FileResult(file.shown, _lines(data), digest=digest_of(data))


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def scan_file(
    file: FileToScan, wrappers: frozenset[Wrapper] = frozenset(), run: int = 0, *, contributes: bool = False
) -> FileResult:
    """Reads and scans one file. ``wrappers``: functions of the project known to acquire; ``run``: which scan;
    ``contributes``: only what it says about other files is asked for."""
    try:
        data = file.path.read_bytes()
    except OSError as error:
        return _unreadable(file, error)
    if contributes:
        result = _analysed(data, file.shown, file.path, wrappers, run, file.config.models, contributes=True)
    else:
        result = scan_bytes(data, file.shown, file.path, wrappers, run, file.config.models)
    return replace(result, digest=digest_of(data))


def _unreadable(file: FileToScan, error: OSError) -> FileResult:
    return FileResult(file.shown, skipped=(Skipped(file.shown, f"cannot be read: {error.strerror or error}"),))


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
    return _with_comments(_analysed(data, path, place, wrappers, run, models), data)


def _with_comments(result: FileResult, data: bytes) -> FileResult:
    """The same, with the comments that silence something in it."""
    comments = suppressions(data, result.path)
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
    if not _matters(data, wrappers, models):
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


def _matters(data: bytes, wrappers: frozenset[Wrapper], models: Models) -> bool:
    from fdlint.catalog import catalog_of

    return catalog_of(models).prefilter.passes(data) or mentions(data, wrappers)


def _lines(data: bytes) -> int:
    return data.count(b"\n") + 1


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
        new = _new(said.findings, config.baseline) if config.baseline else said.findings
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


def _new(findings: Sequence[Finding], baseline: str) -> Sequence[Finding]:
    from fdlint.baseline import read, unknown

    return unknown(findings, read(baseline))


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
    from fdlint.catalog import catalog_of
    from fdlint.dump import dump_function

    return dump_function(path.read_bytes(), str(path), name, catalog_of(config.models))
