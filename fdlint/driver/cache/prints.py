"""Which files are as they were: by size and times where that is enough to tell, by their contents where not."""

from __future__ import annotations

import os
import time
from pathlib import Path

import msgspec

from fdlint.driver.cache.store import Known
from fdlint.findings.finding import digest_of
from fdlint.index.imports import place_of
from fdlint.reading import intake

_TICK = 20_000_000  # nanoseconds: file systems tell times no finer than the kernel's clock ticks
_MAX_DULL = 12


class Prints:
    """What files are known by. ``known``: as earlier scans saw them.

    A file that was changed a moment before it was looked at may change again without a trace in its times; what is
    known of it is not kept.
    """

    def __init__(self, known: dict[str, Known]) -> None:
        self._known = known
        self._started = time.time_ns()
        self._seen: dict[str, Known | None] = {}
        self._packages: dict[str, str] = {}
        self.new: dict[str, Known] = {}

    def known(self, path: str) -> Known | None:
        """A file as it is now, None when it cannot be read, or when nothing was known of it before: then it is the
        business of whoever reads it (``note``)."""
        if path not in self._seen:
            self._seen[path] = self._look(path) if path in self._known else None
        return self._seen[path]

    def print_of(self, path: str) -> str:
        """What tells a file, as it is now, from any other: its contents and the package that it is in. Empty when it
        cannot be read."""
        known = self._now(path)
        return f"{known.digest} {self.package(path)}" if known is not None else ""

    def is_settled(self, path: str) -> bool:
        """Whether a file that was read in this scan is sure to be still the one that was read."""
        known = self._now(path)
        return known is not None and max(known.modified, known.changed) < self._started - _TICK

    def package(self, path: str) -> str:
        """The package that a file is in, as its directories say."""
        directory = os.path.dirname(path)
        if directory not in self._packages:
            self._packages[directory] = place_of(Path(path))[1]
        return self._packages[directory]

    def status(self, path: str) -> os.stat_result | None:
        """The file system's data about a file, taken before the file is read."""
        return _status(path)

    def note(self, path: str, status: os.stat_result, digest: str, lines: int) -> None:
        """A file has been read; ``status`` is from before that."""
        self._keep(path, Known(status.st_size, status.st_mtime_ns, status.st_ctime_ns, digest, lines))

    def note_dull(self, path: str, question: str, digest: str | None = None) -> None:
        """A file that was seen in this scan, with contents of this ``digest``, has nothing to say to a question."""
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
    """Whether a path can be written down: on some systems names are any bytes."""
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
