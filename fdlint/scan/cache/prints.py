"""Decides which files are unchanged: by size and times if these are sufficient, otherwise by contents."""

from __future__ import annotations

import os
import time
from pathlib import Path

import msgspec

from fdlint.languages.index.imports import place_of
from fdlint.report.findings.finding import digest_of
from fdlint.scan.cache.store import Known
from fdlint.scan.reading import intake

_TICK = 20_000_000  # nanoseconds: times in file systems are no finer than the kernel's clock ticks
_MAX_DULL = 12


class Prints:
    """The identities of files. ``known``: those from earlier scans.

    A file that changed just before it was read may change again without a new time, so its data is not stored.
    """

    def __init__(self, known: dict[str, Known]) -> None:
        self._known = known
        self._started = time.time_ns()
        self._seen: dict[str, Known | None] = {}
        self._packages: dict[str, str] = {}
        self.new: dict[str, Known] = {}

    def known(self, path: str) -> Known | None:
        """Returns the data about a file in its present form. Returns None if it cannot be read, or if it is new: then
        its reader calls ``note``."""
        if path not in self._seen:
            self._seen[path] = self._look(path) if path in self._known else None
        return self._seen[path]

    def print_of(self, path: str) -> str:
        """Returns a hash of a file's contents and of its package; empty if it cannot be read."""
        known = self._now(path)
        return f"{known.digest} {self.package(path)}" if known is not None else ""

    def is_settled(self, path: str) -> bool:
        """Whether a file that this scan has read is surely unchanged since then."""
        known = self._now(path)
        return known is not None and max(known.modified, known.changed) < self._started - _TICK

    def package(self, path: str) -> str:
        """Returns the package of a file, by its directories."""
        directory = os.path.dirname(path)
        if directory not in self._packages:
            self._packages[directory] = place_of(Path(path))[1]
        return self._packages[directory]

    def status(self, path: str) -> os.stat_result | None:
        """Returns the file system's data about a file, taken before the file is read."""
        return _status(path)

    def note(self, path: str, status: os.stat_result, digest: str, lines: int) -> None:
        """Notes that a file was read; ``status`` is from before that."""
        self._keep(path, Known(status.st_size, status.st_mtime_ns, status.st_ctime_ns, digest, lines))

    def note_dull(self, path: str, question: str, digest: str | None = None) -> None:
        """Notes that a file of this scan, with contents of this ``digest``, has no answer to a question."""
        known = self.known(path)
        if known is not None and question not in known.dull and digest in (None, known.digest):
            self._keep(path, msgspec.structs.replace(known, dull=(*known.dull, question)[-_MAX_DULL:]))

    def _now(self, path: str) -> Known | None:
        known = self.known(path)
        if known is None and (status := _status(path)) is not None:
            known = self._seen[path] = self._read(path, status)
        return known

    def _look(self, path: str) -> Known | None:
        status, before = _status(path), self._known[path]
        if status is None:
            return None
        if (status.st_size, status.st_mtime_ns, status.st_ctime_ns) == (before.size, before.modified, before.changed):
            return before
        return self._read(path, status)

    def _read(self, path: str, status: os.stat_result) -> Known | None:
        try:
            data = intake.read(path, intake.SOURCE)
        except OSError:
            return None
        digest, before = digest_of(data), self._known.get(path)
        dull = before.dull if before is not None and before.digest == digest else ()
        times = status.st_size, status.st_mtime_ns, status.st_ctime_ns
        return self._keep(path, Known(*times, digest, data.count(b"\n") + 1, dull))

    def _keep(self, path: str, known: Known) -> Known:
        self._seen[path] = known
        if max(known.modified, known.changed) < self._started - _TICK and _is_text(path):
            self.new[path] = known
        return known


def _is_text(path: str) -> bool:
    """Whether a path can be stored as text: on some systems names are any bytes."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:
        return None
