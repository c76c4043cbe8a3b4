"""The cache on the disk: one file, replaced as a whole, so that scans at the same time do not harm each other.

What cannot be read, or was not written by this fdlint, counts as nothing. Nothing in it is ever executed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from collections.abc import Iterable
from pathlib import Path

import msgspec

_SUFFIX = ".results"
_TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# A cache of fdlint's: see https://bford.info/cachedir/\n"
_SUM = 16  # bytes of the checksum that the file begins with
_MAX_ENTRIES = 200_000
_MAX_ANSWERS = 10_000
_KEPT_DAYS = 30


class Known(msgspec.Struct, array_like=True, frozen=True):
    """A file as it was seen: its size, the times of its last changes in nanoseconds, a digest of its contents, how
    many lines it has, and the questions to which it has nothing to say."""

    size: int
    modified: int
    changed: int
    digest: str
    lines: int = 0
    dull: tuple[str, ...] = ()


class Entry(msgspec.Struct, array_like=True):
    """A result, but for the file's text; ``quotes``: it has one. ``files``: what it rests on, as pairs of path and
    print; ``modules``: where modules were found, as directory, name, path; ``used``: the day when it was last asked
    for, counted from 1970."""

    result: msgspec.Raw
    quotes: bool
    files: tuple[tuple[str, str], ...]
    modules: tuple[tuple[str, str, str], ...]
    used: int


class Contents(msgspec.Struct, array_like=True):
    """All that is kept: what files were like, results, and the numbers that answer questions."""

    files: dict[str, Known] = msgspec.field(default_factory=dict)
    entries: dict[str, Entry] = msgspec.field(default_factory=dict)
    answers: dict[str, tuple[int, ...]] = msgspec.field(default_factory=dict)


def today() -> int:
    """Days since 1970."""
    return int(time.time() // 86_400)


def read(directory: Path, engine: str) -> Contents:
    """What this fdlint has kept in a directory."""
    try:
        data = (directory / f"{engine}{_SUFFIX}").read_bytes()
        if hashlib.blake2b(data[_SUM:], digest_size=_SUM).digest() != data[:_SUM]:
            return Contents()
        return msgspec.msgpack.decode(data[_SUM:], type=Contents)
    except (OSError, msgspec.MsgspecError, RecursionError, UnicodeError):
        return Contents()


def write(directory: Path, engine: str, contents: Contents) -> None:
    """Keeps something. A directory in which nothing can be written is no error: there is just no cache.

    What another scan has written meanwhile is kept, too.
    """
    if directory.is_symlink():
        return  # what is scanned must not choose where something is written
    before = read(directory, engine)
    answers = dict([*before.answers.items(), *contents.answers.items()][-_MAX_ANSWERS:])
    together = Contents(before.files | contents.files, _worth_keeping(before.entries | contents.entries), answers)
    data = msgspec.msgpack.encode(together)
    with contextlib.suppress(OSError):
        directory.mkdir(parents=True, exist_ok=True)
        for name, text in ((".gitignore", "*\n"), ("CACHEDIR.TAG", _TAG)):
            if not (directory / name).exists():
                _replace(directory / name, text.encode())
        _replace(directory / f"{engine}{_SUFFIX}", hashlib.blake2b(data, digest_size=_SUM).digest() + data)
        _forget(path for path in directory.glob(f"*{_SUFFIX}") if path.stem != engine)


def _worth_keeping(entries: dict[str, Entry]) -> dict[str, Entry]:
    oldest = today() - _KEPT_DAYS
    kept = [(key, entry) for key, entry in entries.items() if entry.used >= oldest]
    if len(kept) > _MAX_ENTRIES:
        kept = sorted(kept, key=lambda pair: pair[1].used)[-_MAX_ENTRIES:]
    return dict(kept)


def _replace(path: Path, data: bytes) -> None:
    """Writes a file that is there either as it was or as it is to be, never in between."""
    import tempfile

    number, scratch = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(number, "wb") as file:
            file.write(data)
        os.replace(scratch, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(scratch)
        raise


def _forget(others: Iterable[Path]) -> None:
    """What other versions of fdlint have left, and have not used for long."""
    for path in others:
        if path.stat().st_mtime < time.time() - _KEPT_DAYS * 86_400:
            path.unlink()
