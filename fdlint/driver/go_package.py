"""Analyses Go packages with the engine. A package, the files of one directory, is analysed as a whole, once for all of
its files."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from fdlint.callgraph.go_modules import GoProgram, stands_alone
from fdlint.callgraph.relevance import Relevance
from fdlint.callgraph.units import File
from fdlint.catalog import Models, go_catalog_of
from fdlint.checks.judge import findings
from fdlint.driver.analysis import TOO_LARGE, Search
from fdlint.engine.call_resolution import CallResolver
from fdlint.engine.context import AnalysisContext
from fdlint.files.discover import GO_TEST, FileToScan
from fdlint.files.guard import guarded
from fdlint.findings.finding import Claim, Event, FileResult, Finding, Skipped, digest_of
from fdlint.findings.grounds import Grounds, Seen
from fdlint.frontend.go.language import GO
from fdlint.frontend.go.source import GoSource
from fdlint.go.text import GoText, suppressions
from fdlint.ir import outermost
from fdlint.process.stack import call
from fdlint.reading import intake

_MAX_KEPT = 8_000_000  # bytes of Go whose graphs are kept from one package to the next
_WORK = 400_000  # units of work for each file of a package beyond the first
_NOT_IN_TESTS = frozenset({"FD107", "FD301"})
"""A test often expects that the call fails, and the programs that it starts end with it."""
_NOT_IN_GO = frozenset({"FD205"})  # functions of Go return 0 beside an error, and callers test for it


def go_file(file: FileToScan, run: int) -> FileResult:
    """Analyses the package of a file and returns the result of that file. ``run``: the number of the scan."""
    return guarded(FileResult(file.shown), lambda: call(lambda: _of_file(file, run)))


def go_unsaved(data: bytes, file: FileToScan) -> FileResult:
    """Analyses a text in the place of a file, with the rest of its package, and returns the result of that file."""
    models = file.config.models
    return _in_package(data, file, lambda at: _parts(at, _fresh_knowledge(models, {file.place: data})))


def _of_file(file: FileToScan, run: int) -> FileResult:
    data = intake.read(file.path, intake.SOURCE)
    return _in_package(data, file, lambda at: _of_package(at, run, file.config.models))


def _in_package(data: bytes, file: FileToScan, parts: Callable[[Path], _Parts]) -> FileResult:
    """Returns the result of one file of a package."""
    place = Path(file.real or file.path.resolve())
    at = place if stands_alone(data) or place.name.endswith(GO_TEST) else place.parent
    found = parts(at).get(place)
    text = GoText(file.shown, data)
    nothing = FileResult(file.shown, len(text.lines), digest=digest_of(data))
    if found is None:
        return nothing
    said, skipped, grounds, acquiring = found
    named = tuple(_named(one, file.shown) for one in said)
    comments = suppressions(text) if named else ()
    lines = text.lines if named else ()
    skips = tuple(replace(one, path=file.shown) for one in skipped)
    return replace(
        nothing, analysed=True, findings=named, skipped=skips, text=lines, suppressions=comments, grounds=grounds,
        acquiring=acquiring,
    )  # fmt: skip


_Parts = dict[Path, tuple[list[Finding], list[Skipped], Grounds, frozenset[int]]]


@functools.lru_cache(maxsize=4)
def _of_package(at: Path, run: int, models: Models) -> _Parts:
    """Returns the findings of each file of a package, by its path."""
    context = _knowledge(run, models)
    if context.program.size > _MAX_KEPT:
        context.program.forget()
        _knowledge.cache_clear()
        context = _knowledge(run, models)
    return _parts(at, context)


def _parts(at: Path, context: AnalysisContext) -> _Parts:
    program = context.program
    assert isinstance(program, GoProgram)
    file = program.package(at)
    if file is None:
        return {}
    source = file.source
    assert isinstance(source, GoSource)
    package_budget(context, source)
    search = Search(CallResolver(context, file), notes=True)
    search.everything()
    return _by_file(search, file, source, program)


def package_budget(context: AnalysisContext, source: GoSource) -> None:
    """Starts the budget of a package: more files may take more work."""
    context.budget.renew()
    context.budget.limit += _WORK * (len(source.files) - 1)


def _by_file(search: Search, file: File, source: GoSource, program: GoProgram) -> _Parts:
    facts = defaultdict(list)
    for fact in search.all_facts():
        facts[fact.span.path].append(fact)
    read = program.read_for(file)
    parts: _Parts = {}
    for number, one in enumerate(source.files):
        lines = GoText(one.path, one.data).lines
        said, claims = findings(facts.get(one.path, ()), lines)
        said += filter(None, (each.finding if _is_private(each) else each.otherwise for each in claims))
        skipped = [each for each in _skipped(search, file) if _home(each, source) == number]
        grounds = Grounds({str(path): Seen("", None) for path in read if path != one.place})
        acquiring = frozenset(each.line for each in search.acquiring if each.path == one.path)
        left_out = _NOT_IN_TESTS if one.place.name.endswith(GO_TEST) else frozenset()
        in_go = list(filter(None, (_as_go(each) for each in said if each.code not in left_out)))
        parts[one.place] = in_go, skipped, grounds, acquiring
    return parts


def _skipped(search: Search, file: File) -> list[Skipped]:
    """Returns what was not followed to its end, each with the name of its function first."""
    large = [name for name, graph in file.lowered.functions.known() if graph.too_large]
    said = {one.reason.partition(":")[0] for one in search.skipped}
    return [*search.skipped, *(Skipped("", f"{name}: {TOO_LARGE}") for name in large if name not in said)]


def _home(skipped: Skipped, source: GoSource) -> int:
    return source.homes.get(outermost(skipped.reason.partition(":")[0]), 0)


def _as_go(finding: Finding) -> Finding | None:
    """Returns the finding in Go's terms; None if the rule does not hold in Go."""
    if finding.code in _NOT_IN_GO:
        return None
    trace = tuple(replace(one, message=GO.worded(one.message)) for one in finding.trace)
    return replace(finding, message=GO.worded(finding.message), trace=trace, language="go")


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
