"""Analyses one file with logs that keep what explanations need."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fdlint.core.budget import file_work
from fdlint.core.engine.call_resolution import CallResolver
from fdlint.core.engine.detailed_log import DetailedLog
from fdlint.languages.front_end import front_end_of
from fdlint.languages.packages import PackageProgram, packages_of
from fdlint.report.findings.finding import Skipped, Wrapper, lines_of
from fdlint.scan.analysis import Search, fresh_knowledge
from fdlint.scan.files.discover import FileToScan
from fdlint.scan.package import package_context, start_budget
from fdlint.scan.process.stack import call
from fdlint.scan.reading import intake
from fdlint.scan.recall import Recall
from fdlint.scan.scan import given_to


@dataclass(frozen=True, slots=True)
class Read:
    """One analysed file. ``lines``: its text. ``refused``: why it was not analysed; then there is no ``search``.
    ``path``: the file's name in the analysis."""

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
        return call(lambda: _in_package(data, file))
    wrappers = given_to(file, data, Recall(fixed=True))  # its own calls need a deep stack, one at a time
    return call(lambda: _alone(data, file, wrappers))


def _alone(data: bytes, file: FileToScan, wrappers: frozenset[Wrapper]) -> Read:
    found = front_end_of(file.language).read(data, file.shown)
    if isinstance(found, Skipped):
        return Read(lines_of(data, "utf-8"), file.shown, refused=f"the file is skipped: {found.reason}")
    context = fresh_knowledge(wrappers, file.config.models)
    context.budget.renew(file_work(len(data)))
    callees = CallResolver(context, context.program.add(found[0], file.place, data, found[1]))
    search = Search(callees, logs=DetailedLog)
    search.everything()
    return Read(lines_of(data, found[0].encoding), file.shown, None, search, callees)


def _in_package(data: bytes, file: FileToScan) -> Read:
    language, rules = file.language, packages_of(file.language)
    nothing = Read(lines_of(data, "utf-8"), file.shown)
    reason = rules.left_out(file, data)
    if reason is not None:
        return replace(nothing, refused=reason)
    if not language.parser.is_installed:
        return replace(nothing, refused=language.not_installed)
    context = package_context(language, file.config.models, {})
    assert isinstance(context.program, PackageProgram)
    package = context.program.package(rules.place(file, data))
    if package is None:
        return replace(nothing, refused=f"the file has no {language.title} that can be read")
    start_budget(context, package)
    callees = CallResolver(context, package)
    search = Search(callees, logs=DetailedLog)
    search.everything()
    path = next((one.path for one in rules.files(package) if one.place == file.place), file.shown)
    return replace(nothing, path=path, search=search, callees=callees)
