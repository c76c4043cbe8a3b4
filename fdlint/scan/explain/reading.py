"""Analyses one file with logs that keep what explanations need."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fdlint.core.budget import file_work
from fdlint.core.engine.call_resolution import CallResolver
from fdlint.core.engine.context import AnalysisContext
from fdlint.core.engine.detailed_log import DetailedLog
from fdlint.languages.go.catalog import go_catalog_of
from fdlint.languages.go.description import is_test
from fdlint.languages.go.lowering.source import GoSource
from fdlint.languages.go.program import GoProgram, stands_alone
from fdlint.languages.go.words import is_generated, left_out
from fdlint.languages.python.lowering.source import read_file
from fdlint.program.relevance import Relevance
from fdlint.report.findings.finding import Skipped, Wrapper, lines_of
from fdlint.scan.analysis import Search, fresh_knowledge
from fdlint.scan.files.discover import FileToScan
from fdlint.scan.go_package import package_budget
from fdlint.scan.process.stack import call
from fdlint.scan.reading import intake
from fdlint.scan.scan import given_by_imports

NOT_A_SOURCE = "the file is left out of scans: it is a test of fdlint's own rules"
GENERATED = "the file is generated, and scans leave generated Go out; `go-generated = true` includes it"
GO_TESTS = "the file is a test of Go, which the configuration leaves out (`go-tests`)"


@dataclass(frozen=True, slots=True)
class Read:
    """One analysed file. ``lines``: its text. ``refused``: why it was not analysed; then there is no ``search``.
    ``path``: the file's name in the analysis."""

    file: FileToScan
    lines: tuple[str, ...]
    path: str
    refused: str | None = None
    search: Search | None = None
    callees: CallResolver | None = None

    @property
    def followed(self) -> tuple[Search, CallResolver]:
        """The analysis. Only for a file that was not refused."""
        assert self.search is not None and self.callees is not None
        return self.search, self.callees


def read(file: FileToScan) -> Read:
    """Reads and analyses a file. Raises ``OSError`` if it cannot be read."""
    data = intake.read(file.path, intake.SOURCE)
    if file.language.by_package:
        return call(lambda: _go(data, file))
    wrappers = given_by_imports(data, file.place, file.config)  # its own calls need a deep stack, one at a time
    return call(lambda: _python(data, file, wrappers))


def _python(data: bytes, file: FileToScan, wrappers: frozenset[Wrapper]) -> Read:
    found = read_file(data, file.shown)
    if isinstance(found, Skipped):
        return Read(file, lines_of(data, "utf-8"), file.shown, refused=f"the file is skipped: {found.reason}")
    context = fresh_knowledge(wrappers, file.config.models)
    context.budget.renew(file_work(len(data)))
    callees = CallResolver(context, context.program.add(found[0], file.place, data, found[1]))
    search = Search(callees, logs=DetailedLog)
    search.everything()
    return Read(file, lines_of(data, found[0].encoding), file.shown, None, search, callees)


def _go(data: bytes, file: FileToScan) -> Read:
    nothing = Read(file, lines_of(data, "utf-8"), file.shown)
    if left_out(file, data):
        return replace(nothing, refused=_left_out(data, file))
    if not file.language.parser.is_installed:
        return replace(nothing, refused=file.language.not_installed)
    catalog = go_catalog_of(file.config.models)
    program = GoProgram(catalog)
    context = AnalysisContext(program, catalog, Relevance(catalog))
    alone = stands_alone(data) or is_test(file.place.name)
    package = program.package(file.place if alone else file.place.parent)
    if package is None:
        return replace(nothing, refused="the file has no Go that can be read")
    assert isinstance(package.source, GoSource)
    package_budget(context, package.source)
    callees = CallResolver(context, package)
    search = Search(callees, logs=DetailedLog)
    search.everything()
    path = next((one.path for one in package.source.files if one.place == file.place), file.shown)
    return replace(nothing, path=path, search=search, callees=callees)


def _left_out(data: bytes, file: FileToScan) -> str:
    if file.language.leaves_out_test(file.name, file.config.flags):
        return GO_TESTS
    return GENERATED if is_generated(data) else NOT_A_SOURCE
