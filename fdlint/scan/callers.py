"""The files of a project, read as far as the search for callers asks for them."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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

_ANYTHING = re.compile(b"")
# A part of a name of a module, in it or where it is imported. An import from the directory names no module. A line of
# words such as `import` must not be read to its end for each of them.
_NAMES_MODULE = rb"\b(?:%s)\s{0,9}[.\"]|\b(?:from|import|package)\b.{0,200}\b(?:%s)\b|from \.\.? import"
_TOP = "/"  # the directory of the files at the top: no part of a name
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
    _found: dict[object, list[FileToScan]] = field(default_factory=dict)
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

    def mentioning(self, name: str, where: Where) -> Iterator[Usage]:
        """Yields the facts of the files that may mention a function or class of a name."""
        if where.private:
            home = self.files[where.path].place.parent
            return self._with(("private", name, home), name, lambda file: file.place.parent == home)
        if where.method:
            attribute = re.compile(rb"\.%s(?!\w)" % re.escape(os.fsencode(name)))
            return self._with(("method", name), name, lambda file: attribute.search(self._contents(file)) is not None)
        parts = b"|".join(re.escape(os.fsencode(part)) for part in where.module.split(".")[-2:] if part)
        module = re.compile(_NAMES_MODULE % (parts, parts)) if parts else _ANYTHING

        def fits(file: FileToScan) -> bool:
            return file.shown == where.path or module.search(self._contents(file)) is not None

        return self._with(("plain", name, where.module), name, fits)

    def defining(self, name: str, full: str = "") -> Iterator[Usage]:
        """Yields the facts of the files that may define a function or a class of a name."""
        if not name:
            return iter(())
        words = usage_rules(self.language).defines(name)
        parts = frozenset(full.replace(":", ".").split(".")) if full else frozenset[str]()

        def fits(file: FileToScan) -> bool:
            data = self._contents(file)
            return any(one in data for one in words)

        return self._with(("defines", name, full), name, fits, self._near(parts) if parts else None)

    def deriving(self, name: str) -> Iterator[Usage]:
        """Yields the facts of the files that may derive a class from one of a name."""
        pattern = usage_rules(self.language).derives(name)
        return self._with(("derives", name), name, lambda file: pattern.search(self._contents(file)) is not None)

    def _with(
        self, key: object, name: str, fits: Callable[[FileToScan], bool], among: Iterable[FileToScan] | None = None
    ) -> Iterator[Usage]:
        """Yields the facts of the files that contain a name and fit, without tests and examples if these do not count.
        Reads each when it is asked for. ``among``: looks at no other files."""
        if key not in self._found:
            self._found[key] = list(filter(fits, self._containing(name) if among is None else self._named(name, among)))
        return filter(None, (self.usage(file.shown) for file in self._found[key]))

    def _containing(self, name: str) -> Sequence[FileToScan]:
        if name not in self._containers:
            self._containers[name] = list(self._named(name, self._product))
        return self._containers[name]

    def _named(self, name: str, files: Iterable[FileToScan]) -> Iterator[FileToScan]:
        """Yields the files that contain a name as a whole word."""
        bare = os.fsencode(name)
        word = re.escape(bare)
        pattern = re.compile(rb"%s(?<!\w%s)(?!\w)" % (word, word))
        texts = ((one, self._contents(one)) for one in files)
        return (one for one, data in texts if bare in data and pattern.search(data))

    def _near(self, parts: Iterable[str]) -> Iterator[FileToScan]:
        """Yields the files at the top, and those that a part of a full name may mean, or whose directory it may."""
        numbers = {number for part in (_TOP, *parts) for number in self._by_part.get(part, ())}
        return (self._product[number] for number in sorted(numbers))

    @functools.cached_property
    def _by_part(self) -> Mapping[str, Sequence[int]]:
        """The numbers of the files by their names without suffix, and by those of their directories."""
        found: dict[str, list[int]] = {}
        for number, file in enumerate(self._product):
            home = file.place.parent
            for part in (file.place.stem, _TOP if home == self.top else home.name):
                found.setdefault(part, []).append(number)
        return found

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
