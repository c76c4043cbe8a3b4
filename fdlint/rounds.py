"""The Python files of a project, gone through until no more functions are found that acquire for their callers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from fdlint.discover import FileToScan
from fdlint.finding import FileResult, Wrapper, mentions

if TYPE_CHECKING:
    from fdlint.cache import Cache

_MAX_ROUNDS = 5  # wrappers of wrappers deeper than this are not looked for
Progress = Callable[[int, int], None]


class Scan(Protocol):
    """Analyses files, knowing of some functions that acquire; ``run`` tells one scan from another."""

    def __call__(self, files: Sequence[FileToScan], wrappers: frozenset[Wrapper], run: int) -> Iterable[FileResult]:
        """The result of each file, in any order."""


@dataclass(slots=True)
class Count:
    """Counts the files that are done, and says so."""

    total: int
    progress: Progress | None
    done: int = 0

    def add(self, number: int = 1) -> None:
        """Some more are done."""
        self.done = min(self.done + number, self.total)
        if self.progress is not None:
            self.progress(self.done, self.total)


@dataclass(slots=True)
class Rounds:
    """One scan of a project's Python files. ``cache``: what earlier scans have found out."""

    files: Sequence[FileToScan]
    scan: Scan
    cache: Cache | None = None

    def results(self, count: Count) -> dict[str, FileResult]:
        """The last word on each file, by the path that reports show."""
        results: dict[str, FileResult] = {}
        wrappers: frozenset[Wrapper] = frozenset()
        pending, run = self.files, time.monotonic_ns()
        for _ in range(_MAX_ROUNDS):
            for result in self._round(pending, wrappers, run):
                if result.path not in results:
                    count.add()
                results[result.path] = result
            found = frozenset(wrapper for result in results.values() for wrapper in result.gives)
            pending = self._mentioning(found - wrappers, results, first=not wrappers)
            if not pending:
                break
            wrappers = found
        return results

    def _round(self, files: Sequence[FileToScan], wrappers: frozenset[Wrapper], run: int) -> Iterable[FileResult]:
        cache = self.cache
        if cache is None:
            yield from self.scan(files, wrappers, run)
            return
        known = _in_order(wrappers)
        questions = {models: cache.question("scan", models, known) for models in {one.config.models for one in files}}
        unknown: dict[str, FileToScan] = {}
        for file in files:
            result = cache.result(file, questions[file.config.models])
            if result is None:
                unknown[file.shown] = file
            else:
                yield result
        for result in self.scan([*unknown.values()], wrappers, run):
            file = unknown[result.path]
            cache.keep(file, questions[file.config.models], result)
            yield result

    def _mentioning(self, new: frozenset[Wrapper], results: Mapping[str, FileResult], first: bool) -> list[FileToScan]:
        """The files that may call a function just found to acquire: they are to be scanned knowing it.

        The ``first`` round already saw the calls from one file it analysed to another, so it leaves only the others.
        """
        candidates = (file for file in self.files if not (first and results[file.shown].analysed))
        question = self.cache.question("mentions", _in_order(new)) if self.cache is not None else ""
        return [file for file in candidates if self._mentions(file, new, question)] if new else []

    def _mentions(self, file: FileToScan, new: frozenset[Wrapper], question: str) -> bool:
        if self.cache is None:
            return mentions(_read(file), new)
        known = self.cache.answer(file.real, question)
        if known is None:
            known = (1,) if mentions(_read(file), new) else ()
            self.cache.note(file.real, question, known)
        return bool(known)


def _in_order(wrappers: frozenset[Wrapper]) -> list[tuple[str, str, bool]]:
    return sorted((one.module, one.function, one.makes_workers) for one in wrappers)


def _read(file: FileToScan) -> bytes:
    try:
        return file.path.read_bytes()
    except OSError:
        return b""
