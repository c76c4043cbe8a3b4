"""The files of a project, read as far as the search for callers asks for them."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fdlint.catalog.lifetimes import lifetimes_of
from fdlint.languages.description import LanguageDescription
from fdlint.program.usage import Usage, Where, means, usage_rules
from fdlint.report.findings.finding import FileResult
from fdlint.report.findings.tests import aside
from fdlint.scan.files.discover import FileToScan
from fdlint.scan.reading import intake
from fdlint.scan.recall import state_of
from fdlint.scan.top import is_installable, is_repository

_FROM_HERE = (b"from . import", b"from .. import")  # such an import names no module
_MAX_BYTES = 200_000_000  # of the sources that stay in memory


@dataclass
class ProjectFiles:
    """Implements ``Project`` for the files below a directory. It reads each file at most once. ``whole``: also tests
    and examples count as callers."""

    top: Path
    files: Mapping[str, FileToScan]
    language: LanguageDescription
    whole: bool = False
    _data: dict[str, bytes] = field(default_factory=dict)
    _usages: dict[str, Usage | None] = field(default_factory=dict)
    _found: dict[object, tuple[Usage, ...]] = field(default_factory=dict)
    _containers: dict[str, list[FileToScan]] = field(default_factory=dict)
    _commands: Mapping[str, str] | None = None
    _kept: int = 0

    @functools.cached_property
    def installable(self) -> bool:
        """Whether other projects may call its code."""
        return is_installable(self.top, self.language)

    def inside(self, file: FileToScan) -> str:
        """Returns the path of a file below the top."""
        place = file.place
        return place.relative_to(self.top).as_posix() if place.is_relative_to(self.top) else place.name

    def state(self, results: Mapping[str, FileResult]) -> list[tuple[str, object]]:
        """Returns what all answers depend on: the contents of all files, or their status if they were not scanned."""
        declaring = (*self.language.top_marks, *self.language.project_files)
        found: list[tuple[str, object]] = [(name, state_of(self.top / name)) for name in declaring]
        found.append(("repository", is_repository(self.top)))
        for shown, file in sorted(self.files.items()):
            known = results[shown].digest if shown in results else None
            found.append((shown, (known or state_of(file.path), file.config.in_tests(shown))))
        return found

    def usage(self, path: str) -> Usage | None:
        """Returns the facts of a file by its path in reports."""
        if path not in self._usages:
            file = self.files.get(path)
            self._usages[path] = self._read(file) if file is not None else None
        return self._usages[path]

    def _read(self, file: FileToScan) -> Usage | None:
        return usage_rules(self.language).usage(self._contents(file), file.shown, file.place, self.top)

    def _contents(self, file: FileToScan) -> bytes:
        known = self._data.get(file.shown)
        if known is not None:
            return known
        try:
            data = intake.content(file.path, intake.SOURCE) or b""
        except Exception:  # the result of that file reports it; the others do not need it
            data = b""
        if self._kept < _MAX_BYTES:
            self._data[file.shown] = data
            self._kept += len(data)
        return data

    def mentioning(self, name: str, where: Where) -> Sequence[Usage]:
        """Returns the facts of the files that may mention a function or class of a name."""
        if where.private:
            home = self.files[where.path].place.parent
            return self._with(("private", name, home), name, lambda file, _: file.place.parent == home)
        if where.method:
            attribute = re.compile(rb"\.%s(?!\w)" % re.escape(os.fsencode(name)))
            return self._with(("method", name), name, lambda _, data: attribute.search(data) is not None)
        names = [os.fsencode(part) for part in where.module.split(".")[-2:] if part]
        return self._with(
            ("plain", name, where.module),
            name,
            lambda file, data: (
                file.shown == where.path
                or not names
                or any(one in data for one in names)
                or any(one in data for one in _FROM_HERE)
            ),
        )

    def defining(self, name: str, full: str = "") -> Sequence[Usage]:
        """Returns the facts of the files that may define a function or a class of a name."""
        words = usage_rules(self.language).defines(name)
        parts = frozenset(full.replace(":", ".").split(".")) if full else frozenset[str]()

        def fits(file: FileToScan, data: bytes) -> bool:
            home = file.place.parent
            named = not parts or file.place.stem in parts or home.name in parts or home == self.top
            return named and any(one in data for one in words)

        return self._with(("defines", name, full), name, fits)

    def deriving(self, name: str) -> Sequence[Usage]:
        """Returns the facts of the files that may derive a class from one of a name."""
        pattern = usage_rules(self.language).derives(name)
        return self._with(("derives", name), name, lambda _, data: pattern.search(data) is not None)

    def _with(self, key: object, name: str, fits: Callable[[FileToScan, bytes], bool]) -> Sequence[Usage]:
        """Returns the facts of the files that contain a name and fit, without tests and examples if these do not
        count."""
        if key not in self._found:
            found = [file for file in self._containing(name) if fits(file, self._contents(file))]
            self._found[key] = tuple(filter(None, (self.usage(file.shown) for file in found)))
        return self._found[key]

    def _containing(self, name: str) -> Sequence[FileToScan]:
        if name not in self._containers:
            bare = os.fsencode(name)
            word = re.escape(bare)
            pattern = re.compile(rb"%s(?<!\w%s)(?!\w)" % (word, word))
            texts = ((one, self._contents(one)) for one in self._product)
            self._containers[name] = [one for one, data in texts if bare in data and pattern.search(data)]
        return self._containers[name]

    @functools.cached_property
    def _product(self) -> Sequence[FileToScan]:
        """The files whose calls count, in the order of their paths."""
        files = (file for _, file in sorted(self.files.items()))
        return [one for one in files if self.whole or not self.is_aside(one)]

    def is_aside(self, file: FileToScan) -> bool:
        """Whether a file is a test or an example."""
        return bool(aside(self.inside(file))) or file.config.in_tests(file.shown)

    def may_test(self, path: str) -> bool:
        """Whether a file may have functions that are test code wherever they stand."""
        words = lifetimes_of(self.language.key).entries.tests
        return path in self.files and any(one.encode() in self._contents(self.files[path]) for one in words)

    def command(self, full: str) -> str | None:
        """Returns the declared program that runs a function."""
        if self._commands is None:
            self._commands = usage_rules(self.language).commands(self.top)
        return next((command for known, command in sorted(self._commands.items()) if means(known, full)), None)
