"""The cache on disk: one file, replaced as a whole, so that simultaneous scans do not harm each other.

Unreadable data, and data that this fdlint did not write for this user, is ignored. Nothing in it is ever executed.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import msgspec

from fdlint.scan.cache.place import KEPT_DAYS, TAG, Place, distrust, read_own
from fdlint.scan.reading.replacing import replacing

_SUFFIX = ".results"
_TAG_TEXT = "Signature: 8a477f597d28d172789f06886806bc55\n# A cache of fdlint's: see https://bford.info/cachedir/\n"
_SUM = 16  # bytes of the signature at the beginning of the file
_MAX_ENTRIES = 200_000
_MAX_ANSWERS = 10_000


class Known(msgspec.Struct, array_like=True, frozen=True):
    """A file as a scan saw it: its size, the times of its last changes in nanoseconds, a digest of its contents, its
    number of lines, and the questions without an answer in it."""

    size: int
    modified: int
    changed: int
    digest: str
    lines: int = 0
    dull: tuple[str, ...] = ()


Ground = tuple[str, str, str, bytes]
"""An input of results. For a file: ``FILE``, its path, its digest and package, and its print, empty if it has none. For
the place of a module: the directory in which imports start, the module's name, and its path, empty if there is none.
For the functions that were known to acquire: ``WRAPPERS`` and their list."""
FILE = ""
WRAPPERS = "\0"
Number = Annotated[int, msgspec.Meta(ge=0)]


class Entry(msgspec.Struct, array_like=True):
    """A result without the file's text; ``quotes``: it has one. ``grounds``: its inputs, by their numbers in
    ``Contents``, the files first. ``used``: the day of its last use, counted from 1970. ``parts``: for each of these
    files, the parts that the result depends on, by their numbers in the print."""

    result: msgspec.Raw
    quotes: bool
    grounds: tuple[Number, ...]
    used: int
    parts: tuple[tuple[Number, ...], ...] = ()


class Contents(msgspec.Struct, array_like=True):
    """The contents of the store: files, results, answers to questions, and the inputs of results. Results share most
    inputs, so ``grounds`` holds each once."""

    files: dict[str, Known] = msgspec.field(default_factory=dict)
    entries: dict[str, Entry] = msgspec.field(default_factory=dict)
    answers: dict[str, tuple[int, ...]] = msgspec.field(default_factory=dict)
    grounds: list[Ground] = msgspec.field(default_factory=list)


def today() -> int:
    """Returns the number of days since 1970."""
    return int(time.time() // 86_400)


def read(place: Place, engine: str) -> Contents:
    """Reads the data that this fdlint has stored in a directory for this user."""
    try:
        data = read_own(place.directory / f"{engine}{_SUFFIX}")
        if not hmac.compare_digest(_signature(data[_SUM:], place), data[:_SUM]):
            return Contents()
        contents = msgspec.msgpack.decode(data[_SUM:], type=Contents)
        most = max((max(entry.grounds, default=-1) for entry in contents.entries.values()), default=-1)
        return contents if most < len(contents.grounds) else Contents()
    except (OSError, msgspec.MsgspecError, RecursionError, UnicodeError):
        return Contents()


def write(place: Place, engine: str, contents: Contents) -> None:
    """Stores data. If the directory cannot be written, there is just no cache.

    It keeps the data that another scan has written meanwhile.
    """
    directory = place.directory
    if distrust(directory) is not None:
        return  # a scanned tree must not choose where fdlint writes
    data = msgspec.msgpack.encode(_together(read(place, engine), contents))
    with contextlib.suppress(OSError):
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name, text in ((".gitignore", "*\n"), (TAG, _TAG_TEXT)):
            if not (directory / name).exists():
                _write(directory / name, text.encode())
        _write(directory / f"{engine}{_SUFFIX}", _signature(data, place) + data)
        _forget(path for path in directory.glob(f"*{_SUFFIX}") if path.stem != engine)


def _signature(data: bytes, place: Place) -> bytes:
    return hashlib.blake2b(data, digest_size=_SUM, key=place.key).digest()


def _together(before: Contents, new: Contents) -> Contents:
    """Merges the new contents over the old, renumbers them, and drops data that no result depends on."""
    entries = _worth_keeping(before.entries | new.entries)
    answers = dict([*before.answers.items(), *new.answers.items()][-_MAX_ANSWERS:])
    numbers: dict[Ground, int] = {}
    for key, entry in entries.items():
        among = new.grounds if key in new.entries else before.grounds
        grounds = tuple(numbers.setdefault(among[number], len(numbers)) for number in entry.grounds)
        entries[key] = msgspec.structs.replace(entry, grounds=grounds)
    return Contents(before.files | new.files, entries, answers, [*numbers])


def _worth_keeping(entries: dict[str, Entry]) -> dict[str, Entry]:
    oldest = today() - KEPT_DAYS
    kept = [(key, entry) for key, entry in entries.items() if entry.used >= oldest]
    if len(kept) > _MAX_ENTRIES:
        kept = sorted(kept, key=lambda pair: pair[1].used)[-_MAX_ENTRIES:]
    return dict(kept)


def _write(path: Path, data: bytes) -> None:
    with replacing(path) as file:
        file.write(data)


def _forget(others: Iterable[Path]) -> None:
    """Removes the data of other versions of fdlint after a long time without use."""
    for path in others:
        if path.stat().st_mtime < time.time() - KEPT_DAYS * 86_400:
            path.unlink()
