"""The Go files of a scan, and the package of each. Which functions of a package matter is a question to the facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from fdlint.catalog import catalog_of
from fdlint.languages.go.description import GO, is_test
from fdlint.languages.go.modules import Modules, stands_alone
from fdlint.languages.go.words import left_out
from fdlint.report.findings.finding import FileResult, Skipped, digest_of
from fdlint.scan.files.discover import FileToScan
from fdlint.scan.reading import intake


@dataclass(slots=True)
class GoSurvey:
    """The files of a scan that need an analysis."""

    files: list[FileToScan] = field(default_factory=list)
    _packages: dict[str, Path] = field(default_factory=dict)  # by the paths that reports show

    @property
    def inputs(self) -> Sequence[object]:
        """Which files there are, and the paths of their modules."""
        modules = Modules()
        around = {found for one in self.files if (found := modules.around(one.place.parent)) is not None}
        return sorted(str(one.real) for one in self.files), sorted((str(top), path) for top, path in around)

    def add(self, file: FileToScan) -> FileResult:
        """Reads a file. Returns its result without an analysis."""
        try:
            data = intake.read(file.path, intake.SOURCE)
        except OSError as error:
            return FileResult(file.shown, skipped=(Skipped(file.shown, intake.why(error)),))
        read = FileResult(file.shown, data.count(b"\n") + 1, digest=digest_of(data))
        if left_out(file, data) is not None:
            return read
        if not GO.parser.is_installed:
            matters = catalog_of(file.config.models, GO).prefilter.passes(data)
            return replace(read, skipped=(Skipped(file.shown, GO.not_installed),)) if matters else read
        self.files.append(file)
        self._packages[file.shown] = package_of(file, data)
        return read

    def package(self, file: FileToScan) -> Path:
        """Returns the place of the package of an added file."""
        return self._packages[file.shown]


def package_of(file: FileToScan, data: bytes) -> Path:
    """Returns the directory of a file. A test and a file that no build includes are packages of their own."""
    return file.place if stands_alone(data) or is_test(file.place.name) else file.place.parent
