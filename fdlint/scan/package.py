"""Analyses packages with the engine. A package, the files of one directory, is analysed as a whole, once for all of its
files."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from fdlint.catalog import Models, catalog_of
from fdlint.core.budget import file_work
from fdlint.core.checks.judge import findings, judged
from fdlint.core.engine.call_resolution import CallResolver
from fdlint.core.engine.closing_log import ClosingLog
from fdlint.core.engine.context import AnalysisContext
from fdlint.core.engine.log import Log
from fdlint.core.finding import Claim, Finding
from fdlint.core.ir import outermost
from fdlint.languages.description import LanguageDescription
from fdlint.languages.packages import PackageProgram, PackageRules, packages_of
from fdlint.languages.registry import language_of
from fdlint.languages.text import text_of
from fdlint.program.relevance import Relevance
from fdlint.program.units import File
from fdlint.report.findings.closings import Closing
from fdlint.report.findings.finding import FileResult, Skipped, digest_of
from fdlint.report.findings.grounds import Grounds, Seen
from fdlint.scan.analysis import TOO_LARGE, Search
from fdlint.scan.files.bundle import Bundle
from fdlint.scan.files.discover import FileToScan
from fdlint.scan.files.guard import guarded, troubled
from fdlint.scan.process.stack import call
from fdlint.scan.reading import intake
from fdlint.scan.reading.lines import split_at_newlines

_MAX_KEPT = 8_000_000  # bytes whose graphs are kept from one package to the next, if one package needs less than half
_Part = tuple[list[Finding], list[Skipped], Grounds, list[Claim], bool]  # the last: whether the file is idle
_Parts = dict[Path, _Part]


def analyse_package(bundle: Bundle, run: int, *, grounded: bool = True) -> tuple[FileResult, ...]:
    """Analyses a package and returns the results of its files. ``run``: the number of the scan. ``grounded``: the
    results come with their grounds."""
    one = bundle.files[0]
    try:
        parts = call(lambda: _of_package(bundle.package or one.place, run, one, grounded))
    except Exception as error:
        return tuple(troubled(FileResult(file.shown), error) for file in bundle.files)
    return tuple(guarded(FileResult(file.shown), functools.partial(_of_file, file, parts)) for file in bundle.files)


def analyse_unsaved_package(data: bytes, file: FileToScan) -> tuple[FileResult, Sequence[Closing]]:
    """Analyses a text in the place of a file, with the rest of its package. Returns the result of that file, and the
    closes in the package."""
    rules = packages_of(file.language)
    context = package_context(file.language, file.config.models, {file.place: data})
    closings: list[Closing] = []
    parts = _parts(rules.place(file, data), context, rules, closings=closings)
    return _in_package(data, file, parts), closings


def _of_file(file: FileToScan, parts: _Parts) -> FileResult:
    return _in_package(intake.read(file.path, intake.SOURCE), file, parts)


def _in_package(data: bytes, file: FileToScan, parts: _Parts) -> FileResult:
    found = parts.get(file.place)
    lines = _lines(data)
    nothing = FileResult(file.shown, len(lines), digest=digest_of(data))
    if found is None:
        return nothing
    said, skipped, grounds, claims, idle = found
    together = [*said, *(one.finding for one in claims)]
    named = tuple(judged([_named(one, file.shown) for one in together], lines)) if together else ()
    left = {(one.finding.code, one.finding.span.line, one.finding.span.column): one for one in claims}
    asked = {one: left.get((one.code, one.span.line, one.span.column)) for one in named}
    comments = text_of(file.language).suppressions(data, file.shown) if named else ()
    skips = tuple(replace(one, path=file.shown) for one in skipped)
    text = lines if named else ()
    return replace(
        nothing,
        analysed=True,
        idle=idle,
        findings=tuple(one for one, claim in asked.items() if claim is None),
        claims=tuple(_refutable(claim, one) for one, claim in asked.items() if claim is not None),
        skipped=skips,
        text=text,
        suppressions=comments,
        grounds=grounds,
    )


def _refutable(claim: Claim, finding: Finding) -> Claim:
    """Returns the claim with a finding in its final form; what holds otherwise costs as much as before."""
    impact = claim.otherwise.impact if claim.otherwise is not None else finding.impact
    return replace(claim, finding=finding, otherwise=replace(finding, impact=impact))


def _lines(data: bytes) -> tuple[str, ...]:
    return split_at_newlines(data.decode("utf-8", "replace"))


def _of_package(at: Path, run: int, file: FileToScan, grounded: bool) -> _Parts:
    """Returns the findings of each file of a package, by its path. ``file``: one of them."""
    context = _knowledge(run, file.config.models, file.language)
    if _is_full(context):
        _forget(context)
        context = _knowledge(run, file.config.models, file.language)
    return _parts(at, context, packages_of(file.language), grounded=grounded)


def _is_full(context: AnalysisContext) -> bool:
    """Whether to drop what was read. Where one package leads to nearly all others, as a test of a whole program does,
    the next would read the same again."""
    assert isinstance(context.program, PackageProgram)
    return context.program.size > max(_MAX_KEPT, 2 * context.program.first)


def _forget(context: AnalysisContext) -> None:
    context.program.forget()
    _knowledge.cache_clear()


def _parts(
    at: Path,
    context: AnalysisContext,
    rules: PackageRules,
    *,
    grounded: bool = True,
    closings: list[Closing] | None = None,
) -> _Parts:
    """Returns the findings of each file of a package. ``closings``: gets the closes in the package."""
    program = context.program
    assert isinstance(program, PackageProgram)
    file = program.package(at)
    if file is None:
        return {}
    start_budget(context, file)
    search = Search(CallResolver(context, file), logs=Log if closings is None else ClosingLog)
    search.everything()
    program.first = program.first or program.size
    if closings is not None:
        closings.extend(search.closings)
    parts = _by_file(search, file, rules, program if grounded else None)
    if search.exhausted:
        _forget(context)  # it holds incomplete results
    return parts


def start_budget(context: AnalysisContext, file: File) -> None:
    """Starts the budget of a package."""
    context.budget.renew(file_work(file.source.parsed))


def _by_file(search: Search, file: File, rules: PackageRules, program: PackageProgram | None) -> _Parts:
    """Returns the findings of each file. ``program``: that of which the grounds are asked; None: no grounds."""
    facts = defaultdict(list)
    for fact in search.all_facts():
        facts[fact.span.path].append(fact)
    read = {str(path): Seen("", None) for path in program.read_for(file)} if program is not None else {}
    skips, homes, files = defaultdict(list), rules.homes(file), rules.files(file)
    for skipped in _skipped(search, file):
        skips[homes.get(outermost(skipped.left_out), 0)].append(skipped)
    busy = {homes.get(name) for name in search.units}
    parts: _Parts = {}
    for number, one in enumerate(files):
        skips[number].extend(Skipped.part("", reason) for reason in rules.unparsed(one))
        lines = _lines(one.data)
        language = language_of(one.place.name)
        said, claims = findings(facts.get(one.path, ()), lines, language.key)
        private = (each for each in claims if not each.programs)
        said += filter(None, (each.finding if _is_private(each, file) else each.otherwise for each in private))
        grounds = Grounds({path: seen for path, seen in read.items() if path != str(one.place)})
        silent, worded = rules.silent(one.place.name), text_of(language).worded
        in_words = [worded(each, lines) for each in said if each.code not in silent]
        left = [each for each in claims if each.programs and each.finding.code not in silent]
        asked = [replace(each, finding=worded(each.finding, lines)) for each in left]
        parts[one.place] = in_words, skips[number], grounds, asked, number not in busy
    return parts


def _skipped(search: Search, file: File) -> list[Skipped]:
    """Returns what was not followed to its end, each with the name of its function first."""
    large = [name for name, graph in file.lowered.functions.known() if graph.too_large]
    said = {one.left_out for one in search.skipped}
    return [*search.skipped, *(Skipped.part("", f"{name}: {TOO_LARGE}") for name in large if name not in said)]


def _is_private(claim: Claim, file: File) -> bool:
    """Whether only the package itself knows the fields that a claim is about, so that no other can refute it."""
    return all(file.language.is_private(word) for word in claim.words)


def _named(finding: Finding, shown: str) -> Finding:
    """Returns the finding under the name that reports show of its file."""
    before = finding.span.path
    return finding.placed(lambda span: replace(span, path=shown) if span.path == before else span)


@functools.lru_cache(maxsize=1)
def _knowledge(_run: int, models: Models, language: LanguageDescription) -> AnalysisContext:
    """Returns this process's context, one per scan."""
    return package_context(language, models, {})


def package_context(language: LanguageDescription, models: Models, unsaved: Mapping[Path, bytes]) -> AnalysisContext:
    """Returns a context without results. ``unsaved``: texts that stand for files."""
    catalog = catalog_of(models, language)
    return AnalysisContext(packages_of(language).program(catalog, unsaved), catalog, Relevance(catalog))
