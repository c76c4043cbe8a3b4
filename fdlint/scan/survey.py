"""The files of a scan of a language that is analysed package by package, and the package of each. Which functions of a
package matter is a question to the facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from fdlint.catalog import catalog_of
from fdlint.languages.description import LanguageDescription
from fdlint.languages.packages import packages_of
from fdlint.report.findings.finding import FileResult, Skipped, digest_of
from fdlint.scan.files.discover import FileToScan
from fdlint.scan.reading import intake


@dataclass(slots=True)
class Survey:
    """``files``: those added so far that need an analysis."""

    language: LanguageDescription
    files: list[FileToScan] = field(default_factory=list)
    _packages: dict[str, Path] = field(default_factory=dict)  # by the paths that reports show

    @property
    def inputs(self) -> Sequence[object]:
        """What all results depend on, beside the files that they are grounded on: which files there are, and the
        modules around them."""
        around = packages_of(self.language).modules({one.place.parent for one in self.files})
        return sorted(str(one.real) for one in self.files), sorted((str(top), path) for top, path in around)

    def add(self, file: FileToScan) -> FileResult:
        """Reads a file, and adds it if it needs an analysis. Returns its result without one."""
        try:
            data = intake.read(file.path, intake.SOURCE)
        except OSError as error:
            return FileResult(file.shown, skipped=(Skipped(file.shown, intake.why(error)),))
        read = FileResult(file.shown, data.count(b"\n") + 1, digest=digest_of(data))
        rules = packages_of(self.language)
        if rules.left_out(file, data) is not None:
            return read
        if not self.language.parser.is_installed:
            matters = catalog_of(file.config.models, self.language).prefilter.passes(data)
            return replace(read, skipped=(Skipped(file.shown, self.language.not_installed),)) if matters else read
        self.files.append(file)
        self._packages[file.shown] = rules.place(file, data)
        return read

    def package(self, file: FileToScan) -> Path:
        """Returns the place of the package of an added file."""
        return self._packages[file.shown]
