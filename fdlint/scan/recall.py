"""What a process remembers of files from one look at them to the next: their imports, answers and results."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from fdlint.report.findings.finding import FileResult, Wrapper, mentions
from fdlint.scan.config import Config
from fdlint.scan.files.discover import FileToScan
from fdlint.scan.reading import intake

_MAX_RESULTS, _MAX_ANSWERS = 10_000, 20_000
Key = TypeVar("Key")
Value = TypeVar("Value")
State = tuple[int, int, int]


@dataclass(slots=True)
class Recall:
    """A memory that lives as long as the process. ``fixed``: no file changes meanwhile. Otherwise each file is compared
    with the disk before something about it is used again."""

    fixed: bool = False
    _answers: dict[tuple[str, str], tuple[State | None, tuple[int, ...]]] = field(default_factory=dict)
    _results: dict[tuple[str, str, str], _Remembered] = field(default_factory=dict)
    _imports: dict[str, tuple[State | None, Config, tuple[FileToScan, ...]]] = field(default_factory=dict)

    def question(self, *parts: object) -> str:
        """Returns the key of a question."""
        return repr(parts)

    def answer(self, path: str, question: str) -> tuple[int, ...] | None:
        """Returns the answer of a file that has not changed since, or None."""
        known = self._answers.get((path, question))
        return known[1] if known is not None and self._is_as(path, known[0]) else None

    def note(self, path: str, question: str, answer: tuple[int, ...]) -> None:
        """Stores the answer of a file."""
        self._answers[path, question] = self._state(path), answer
        limit(self._answers, _MAX_ANSWERS)

    def imports(self, file: FileToScan, find: Callable[[], Iterable[FileToScan]]) -> tuple[FileToScan, ...]:
        """Returns the files that a file imports. ``find`` finds them if the file was not asked in its present form."""
        path = file.real or str(file.place)
        known = self._imports.get(path)
        if known is None or known[1] != file.config or not self._is_as(path, known[0]):
            known = self._imports[path] = self._state(path), file.config, tuple(find())
            limit(self._imports, _MAX_RESULTS)
        return known[2]

    def result(self, file: FileToScan, question: str, wrappers: frozenset[Wrapper] = frozenset()) -> FileResult | None:
        """Returns the result of a file if nothing has changed that it depends on. ``wrappers``: the functions of the
        project that are known to acquire."""
        known = self._results.get((file.real, file.shown, question))
        if known is None or not (self.fixed or all(self._is_as(path, then) for path, then in known.read.items())):
            return None
        other = known.wrappers ^ wrappers
        return None if other and any(mentions(_contents(path), other) for path in known.read) else known.result

    def keep(
        self, file: FileToScan, question: str, result: FileResult, wrappers: frozenset[Wrapper] = frozenset()
    ) -> None:
        """Stores the result of a file."""
        read = {path: self._state(path) for path in {file.real, *result.grounds.files}}
        self._results[file.real, file.shown, question] = _Remembered(result, wrappers, read)
        limit(self._results, _MAX_RESULTS)

    def forget(self) -> None:
        """Forgets everything that depends on which files there are."""
        self._imports.clear()
        self._results.clear()

    def _state(self, path: str) -> State | None:
        return None if self.fixed else state_of(path)

    def _is_as(self, path: str, then: State | None) -> bool:
        return self.fixed or (then is not None and state_of(path) == then)


@dataclass(frozen=True, slots=True)
class _Remembered:
    """A result, the functions that were known to acquire, and the files that were read."""

    result: FileResult
    wrappers: frozenset[Wrapper]
    read: Mapping[str, State | None]


def state_of(path: str | Path) -> State | None:
    """Returns what changes when a file is written; None if it is not there."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def limit(known: dict[Key, Value], most: int) -> None:
    """Drops the oldest entries of a memory that has become too large."""
    while len(known) > most:
        del known[next(iter(known))]


def _contents(path: str) -> bytes:
    return intake.content(Path(path), intake.SOURCE) or b""
