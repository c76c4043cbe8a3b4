"""Selects the Go files that matter: those whose package may acquire descriptors, or imports one that may."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from fdlint.catalog import Models
from fdlint.catalog.shape import acquires
from fdlint.languages.go.catalog import go_catalog_of
from fdlint.languages.go.description import GO, is_test
from fdlint.languages.go.modules import Modules, stands_alone
from fdlint.languages.go.words import left_out, mentions_descriptors
from fdlint.report.findings.finding import FileResult, Skipped, digest_of
from fdlint.scan.files.discover import FileToScan
from fdlint.scan.reading import intake

_IMPORTED = re.compile(rb'"([^"\s]+/[^"\s]+)"')
_FEW = 64  # files, which are soon read


@dataclass(slots=True)
class GoSurvey:
    """The files of a scan, and what decides whether they matter: the words of the catalog, and the imports of packages
    that have them."""

    files: list[FileToScan] = field(default_factory=list)
    _alone: set[str] = field(default_factory=set)  # the files that no build includes, by the paths that reports show
    _words: dict[Path, bool] = field(default_factory=dict)
    _imports: dict[str, frozenset[str]] = field(default_factory=dict)

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
            return (
                replace(read, skipped=(Skipped(file.shown, GO.not_installed),)) if mentions_descriptors(data) else read
            )
        self._note(file, data)
        return read

    def _note(self, file: FileToScan, data: bytes) -> None:
        self.files.append(file)
        if stands_alone(data):
            self._alone.add(file.shown)
        package = _package(file)
        self._words[package] = self._words.get(package, False) or _words(file.config.models).search(data) is not None
        imported = _IMPORTED.findall(data[: data.find(b"\nfunc ") + 1 or None])
        self._imports[file.shown] = frozenset(one.decode("utf-8", "replace") for one in imported)

    def package(self, file: FileToScan) -> Path:
        """Returns the place of the package of an added file."""
        return file.place if file.shown in self._alone else _package(file)

    def chosen(self) -> list[FileToScan]:
        """Returns the files whose package has a word, or imports a package that has one. A few files are all chosen:
        the packages that they import may not be among them."""
        if len(self.files) <= _FEW:
            return self.files
        acquiring = {one for one, has in self._words.items() if has}
        ends = {"/".join(one.parts[-2:]) for one in acquiring}
        imported = {
            _package(file)
            for file in self.files
            if any("/".join(path.split("/")[-2:]) in ends for path in self._imports[file.shown])
        }
        return [file for file in self.files if _package(file) in acquiring | imported]


def _package(file: FileToScan) -> Path:
    """Returns the directory of a file; a test is a package of its own."""
    return file.place if is_test(file.name) else file.place.parent


@functools.cache
def _words(models: Models) -> re.Pattern[bytes]:
    """Returns a pattern of the calls that acquire."""
    apis = (api for found in go_catalog_of(models).by_name.values() for api in found)
    names = sorted({api.name.rpartition(".")[2] for api in apis if acquires(api.returns)})
    return re.compile(rf"\.(?:{'|'.join(names)})\(".encode())
