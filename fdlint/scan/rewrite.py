"""Rewrites a file, mostly its comments and nothing else: reads it again, rewrites, checks and replaces it.

The tree can be hostile, and the file can have changed since the scan. After anything unexpected the file stays as it
is.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tokenize
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from fdlint.core.finding import Finding, Unused
from fdlint.languages.registry import language_of
from fdlint.languages.text import text_of
from fdlint.report.findings.finding import digest_of
from fdlint.scan.reading import intake
from fdlint.scan.reading.replacing import replacing

_OPEN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # do not follow a link, do not wait at a FIFO
_Change = Callable[[Sequence[str]], list[str]]


class NotFixedError(Exception):
    """The file stays as it is. The message is the reason."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A file and its new text. ``path``: as reports show it. ``place``: resolved. ``status``: that of the file that was
    read. ``before``: its lines. ``after``: the new ones, an empty text for a deleted line."""

    path: str
    place: Path
    status: os.stat_result
    encoding: str
    before: Sequence[str]
    after: Sequence[str]


def roots_of(paths: Iterable[str]) -> tuple[str, ...]:
    """Returns the paths of a command line, resolved. A file that is a link stands for itself."""
    return tuple(os.path.realpath(path) if os.path.isdir(path) else str(_place(path)) for path in paths)


def rewritten(path: str, unused: Iterable[Unused], digest: str | None, roots: Iterable[str]) -> Rewritten:
    """Returns a file without its ``unused`` comments, and writes nothing. ``digest``: that of the scanned contents.
    ``roots``: resolved paths; the file must be one of them or below one. Raises ``NotFixedError``."""
    language = language_of(path)
    without = text_of(language).without
    if without is None:
        raise NotFixedError(f"is a {language.title} file")
    return _changed(path, digest, roots, lambda lines: without(lines, unused))


def unchanged(path: str, digest: str | None, roots: Iterable[str]) -> Rewritten:
    """Returns a file as it is, for a change that the caller proves. The arguments and errors are those of
    ``rewritten``."""
    return _changed(path, digest, roots, list)


def annotated(path: str, findings: Iterable[Finding], digest: str | None, roots: Iterable[str]) -> Rewritten:
    """Returns a file with a comment for each of its findings that silences it, and writes nothing. The other arguments
    and errors are those of ``rewritten``."""
    add = text_of(language_of(path)).with_ignores
    return _changed(path, digest, roots, lambda lines: add(lines, findings))


def _changed(path: str, digest: str | None, roots: Iterable[str], change: _Change) -> Rewritten:
    place = _place(path)
    if not any(place.is_relative_to(root) for root in roots):
        raise NotFixedError("is outside of the paths that were named")
    data, status = _read(place)
    if digest_of(data) != digest:
        raise NotFixedError("has changed since the scan")
    rules = text_of(language_of(path))
    try:
        before, encoding = rules.lines(data)
        after = change(before)
        same = rules.meaning(data) == rules.meaning("".join(after).encode(encoding))
    except (ValueError, LookupError, SyntaxError, tokenize.TokenError) as error:
        raise NotFixedError(f"cannot be rewritten: {error}") from None
    if not same:
        raise NotFixedError("would not be the same code")
    return Rewritten(path, place, status, encoding, before, after)


def overwrite(new: Rewritten) -> None:
    """Writes the new text: replaces the whole file, or leaves it as it is. Raises ``NotFixedError``."""
    try:
        with replacing(new.place) as file:
            file.write("".join(new.after).encode(new.encoding))
            file.flush()
            os.fsync(file.fileno())
            _as_before(new, file)
    except OSError as error:
        raise NotFixedError(f"cannot be written: {error.strerror}") from None


def _place(path: str) -> Path:
    """Resolves the links in a path, except for its last part."""
    directory, name = os.path.split(path)
    return Path(os.path.realpath(directory), name)


def _read(place: Path) -> tuple[bytes, os.stat_result]:
    """Returns the contents and the status of a regular file with a single name."""
    try:
        with open(place, "rb", opener=lambda name, flags: os.open(name, flags | _OPEN)) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise NotFixedError("is not a regular file")
            if status.st_nlink > 1:
                raise NotFixedError("has another name (a hard link)")
            return intake.read_stream(file, intake.SOURCE), status
    except intake.RefusedError as error:
        raise NotFixedError(f"is {error}") from None
    except OSError as error:
        reason = "is a link" if error.errno == errno.ELOOP else f"cannot be read: {error.strerror}"
        raise NotFixedError(reason) from None


def _as_before(new: Rewritten, file: IO[bytes]) -> None:
    """Gives a new file the owner, mode and extended attributes of the old one, which must be unchanged since it was
    read."""
    old, now = new.status, os.lstat(new.place)
    if not os.path.samestat(old, now) or (old.st_size, old.st_mtime_ns) != (now.st_size, now.st_mtime_ns):
        raise NotFixedError("has changed since the scan")
    if not os.access(new.place, os.W_OK):
        raise NotFixedError("cannot be written: it is read-only")
    made = os.fstat(file.fileno())
    if (made.st_uid, made.st_gid) != (old.st_uid, old.st_gid):
        try:
            os.chown(file.fileno(), old.st_uid, old.st_gid)
        except OSError:
            raise NotFixedError("would get another owner") from None
    shutil.copystat(new.place, file.name)
    os.utime(file.name)  # the contents are new: programs that cache by times must notice
