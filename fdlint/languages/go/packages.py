"""The packages of Go, as a scan uses them. The parser is imported late: without it, a scan only names the files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from fdlint.catalog import Catalog
from fdlint.languages.go.description import is_test
from fdlint.languages.go.modules import modules_around, stands_alone
from fdlint.languages.go.words import left_out
from fdlint.languages.packages import PackagedFile, PackageRules
from fdlint.program.units import File
from fdlint.scan.files.discover import FileToScan

if TYPE_CHECKING:
    from fdlint.languages.go.lowering.source import GoFile, GoSource
    from fdlint.languages.go.program import GoProgram

_NOT_IN_TESTS = frozenset({"FD107", "FD301", "FD302"})
"""A test often expects that the call fails, and the programs that it starts end with it."""


def _place(file: FileToScan, data: bytes) -> Path:
    """Returns the directory of a file. A test and a file that no build includes are packages of their own."""
    return file.place if stands_alone(data) or is_test(file.place.name) else file.place.parent


def _program(catalog: Catalog, unsaved: Mapping[Path, bytes]) -> GoProgram:
    from fdlint.languages.go.program import GoProgram

    return GoProgram(catalog, unsaved=unsaved)


def _source(file: File) -> GoSource:
    return cast("GoSource", file.source)


def _unparsed(file: PackagedFile) -> Sequence[str]:
    return [*cast("GoFile", file).troubles()]


def _silent(name: str) -> frozenset[str]:
    return _NOT_IN_TESTS if is_test(name) else frozenset()


PACKAGES = PackageRules(
    modules=modules_around,
    place=_place,
    program=_program,
    left_out=left_out,
    files=lambda file: _source(file).files,
    homes=lambda file: _source(file).homes,
    unparsed=_unparsed,
    silent=_silent,
)
