"""Analyses Go packages with the engine. A package, the files of one directory, is analysed as a whole, once for all of
its files."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fdlint.catalog import Models, go_catalog_of
from fdlint.core.budget import file_work
from fdlint.core.checks.judge import findings
from fdlint.core.engine.call_resolution import CallResolver
from fdlint.core.engine.closing_log import ClosingLog
from fdlint.core.engine.context import AnalysisContext
from fdlint.core.engine.log import Log
from fdlint.core.finding import Claim, Event, Finding
from fdlint.core.ir import outermost
from fdlint.languages.go.lowering.language import GO
from fdlint.languages.go.lowering.source import GoSource
from fdlint.languages.go.suppressions import suppressions
from fdlint.program.go_modules import GoProgram, stands_alone
from fdlint.program.relevance import Relevance
from fdlint.program.units import File
from fdlint.report.findings.closings import Closing
from fdlint.report.findings.finding import FileResult, Skipped, digest_of
from fdlint.report.findings.grounds import Grounds, Seen
from fdlint.scan.analysis import TOO_LARGE, Search
from fdlint.scan.files.discover import GO_TEST, FileToScan
from fdlint.scan.files.guard import guarded, troubled
from fdlint.scan.go_wording import worded
from fdlint.scan.process.stack import call
from fdlint.scan.reading import intake
from fdlint.scan.reading.lines import split_at_newlines

_MAX_KEPT = 8_000_000  # bytes of Go whose graphs are kept from one package to the next
_NOT_IN_TESTS = frozenset({"FD107", "FD301"})
"""A test often expects that the call fails, and the programs that it starts end with it."""
_NOT_IN_GO = frozenset({"FD205"})  # functions of Go return 0 beside an error, and callers test for it


@dataclass(frozen=True, slots=True)
class GoPackage:
    """The files of one package that a scan asks about. ``place``: its directory. A test and a file that no build
    includes are packages of their own."""

    place: Path
    files: tuple[FileToScan, ...]

    @property
    def name(self) -> str:
        """The path of its first file."""
        return self.files[0].name

    @property
    def size(self) -> int:
        """The number of bytes to read."""
        return sum(file.size for file in self.files)


def packages_of(files: Iterable[FileToScan], alone: Collection[str]) -> list[GoPackage]:
    """Returns the packages of files, in the order of their first files. ``alone``: the files that no build includes,
    by the paths that reports show."""
    found: dict[tuple[Path, Models], list[FileToScan]] = {}
    for file in files:
        itself = file.shown in alone or file.name.endswith(GO_TEST)
        found.setdefault((file.place if itself else file.place.parent, file.config.models), []).append(file)
    return [GoPackage(place, tuple(group)) for (place, _), group in found.items()]


def go_package(package: GoPackage, run: int, *, grounded: bool = True) -> tuple[FileResult, ...]:
    """Analyses a package and returns the results of its files. ``run``: the number of the scan. ``grounded``: the
    results come with their grounds."""
    models = package.files[0].config.models
    try:
        parts = call(lambda: _of_package(package.place, run, models, grounded))
    except Exception as error:
        return tuple(troubled(FileResult(file.shown), error) for file in package.files)
    return tuple(guarded(FileResult(file.shown), functools.partial(_of_file, file, parts)) for file in package.files)


def go_file(file: FileToScan, run: int) -> FileResult:
    """Analyses the package of a file and returns the result of that file. ``run``: the number of the scan."""

    def analysed() -> FileResult:
        alone = {file.shown} if stands_alone(intake.read(file.path, intake.SOURCE)) else set[str]()
        return go_package(packages_of([file], alone)[0], run)[0]

    return guarded(FileResult(file.shown), analysed)


def go_unsaved(data: bytes, file: FileToScan) -> tuple[FileResult, Sequence[Closing]]:
    """Analyses a text in the place of a file, with the rest of its package. Returns the result of that file, and the
    closes in the package."""
    place = file.place
    at = place if stands_alone(data) or place.name.endswith(GO_TEST) else place.parent
    closings: list[Closing] = []
    parts = _parts(at, _fresh_knowledge(file.config.models, {place: data}), closings=closings)
    return _in_package(data, file, parts), closings


def _of_file(file: FileToScan, parts: _Parts) -> FileResult:
    return _in_package(intake.read(file.path, intake.SOURCE), file, parts)


def _in_package(data: bytes, file: FileToScan, parts: _Parts) -> FileResult:
    """Returns the result of one file of a package."""
    found = parts.get(file.place)
    lines = _lines(data)
    nothing = FileResult(file.shown, len(lines), digest=digest_of(data))
    if found is None:
        return nothing
    said, skipped, grounds = found
    named = tuple(_named(one, file.shown) for one in said)
    comments = suppressions(file.shown, lines) if named else ()
    skips = tuple(replace(one, path=file.shown) for one in skipped)
    text = lines if named else ()
    return replace(
        nothing, analysed=True, findings=named, skipped=skips, text=text, suppressions=comments, grounds=grounds
    )


def _lines(data: bytes) -> tuple[str, ...]:
    return split_at_newlines(data.decode("utf-8", "replace"))


_Parts = dict[Path, tuple[list[Finding], list[Skipped], Grounds]]


def _of_package(at: Path, run: int, models: Models, grounded: bool) -> _Parts:
    """Returns the findings of each file of a package, by its path."""
    context = _knowledge(run, models)
    if context.program.size > _MAX_KEPT:
        _forget(context)
        context = _knowledge(run, models)
    return _parts(at, context, grounded=grounded)


def _forget(context: AnalysisContext) -> None:
    context.program.forget()
    _knowledge.cache_clear()


def _parts(
    at: Path, context: AnalysisContext, *, grounded: bool = True, closings: list[Closing] | None = None
) -> _Parts:
    """Returns the findings of each file of a package. ``closings``: gets the closes in the package."""
    program = context.program
    assert isinstance(program, GoProgram)
    file = program.package(at)
    if file is None:
        return {}
    source = file.source
    assert isinstance(source, GoSource)
    package_budget(context, source)
    search = Search(CallResolver(context, file), logs=Log if closings is None else ClosingLog)
    search.everything()
    if closings is not None:
        closings.extend(search.closings)
    parts = _by_file(search, file, source, program if grounded else None)
    if search.exhausted:
        _forget(context)  # it holds incomplete results
    return parts


def package_budget(context: AnalysisContext, source: GoSource) -> None:
    """Starts the budget of a package."""
    context.budget.renew(file_work(source.parsed))


def _by_file(search: Search, file: File, source: GoSource, program: GoProgram | None) -> _Parts:
    """Returns the findings of each file. ``program``: that of which the grounds are asked; None: no grounds."""
    facts = defaultdict(list)
    for fact in search.all_facts():
        facts[fact.span.path].append(fact)
    read = {str(path): Seen("", None) for path in program.read_for(file)} if program is not None else {}
    skips = defaultdict(list)
    for skipped in _skipped(search, file):
        skips[_home(skipped, source)].append(skipped)
    for number, one in enumerate(source.files):
        skips[number].extend(Skipped("", reason) for reason in one.troubles())
    parts: _Parts = {}
    for number, one in enumerate(source.files):
        lines = _lines(one.data)
        said, claims = findings(facts.get(one.path, ()), lines)
        said += filter(None, (each.finding if _is_private(each) else each.otherwise for each in claims))
        grounds = Grounds({path: seen for path, seen in read.items() if path != str(one.place)})
        left_out = _NOT_IN_TESTS if one.place.name.endswith(GO_TEST) else frozenset()
        in_go = [worded(each, lines) for each in said if each.code not in left_out | _NOT_IN_GO]
        parts[one.place] = in_go, skips[number], grounds
    return parts


def _skipped(search: Search, file: File) -> list[Skipped]:
    """Returns what was not followed to its end, each with the name of its function first."""
    large = [name for name, graph in file.lowered.functions.known() if graph.too_large]
    said = {one.reason.partition(":")[0] for one in search.skipped}
    return [*search.skipped, *(Skipped("", f"{name}: {TOO_LARGE}") for name in large if name not in said)]


def _home(skipped: Skipped, source: GoSource) -> int:
    return source.homes.get(outermost(skipped.reason.partition(":")[0]), 0)


def _is_private(claim: Claim) -> bool:
    """Whether only the package itself knows the fields that a claim is about, so that no other can refute it."""
    return all(GO.is_private(word) for word in claim.words)


def _named(finding: Finding, shown: str) -> Finding:
    """Returns the finding under the name that reports show of its file."""
    before = finding.span.path

    def here(event: Event) -> Event:
        return replace(event, span=replace(event.span, path=shown)) if event.span.path == before else event

    return replace(finding, span=replace(finding.span, path=shown), trace=tuple(map(here, finding.trace)))


@functools.lru_cache(maxsize=1)
def _knowledge(_run: int, models: Models) -> AnalysisContext:
    """Returns this process's context, one per scan."""
    return _fresh_knowledge(models, {})


def _fresh_knowledge(models: Models, unsaved: Mapping[Path, bytes]) -> AnalysisContext:
    catalog = go_catalog_of(models)
    return AnalysisContext(GoProgram(catalog, unsaved=unsaved), catalog, Relevance(catalog))
