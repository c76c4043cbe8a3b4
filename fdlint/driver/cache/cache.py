"""The interface of the cache: the driver asks it before an analysis, and gives it the result."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import msgspec

from fdlint.driver.cache.engine import engine
from fdlint.driver.cache.place import Place, named, usual
from fdlint.driver.cache.prints import Prints
from fdlint.driver.cache.store import FILE, Contents, Entry, Ground, read, today, write
from fdlint.files.discover import FileToScan
from fdlint.findings.finding import FileResult, Grounds, digest_of, lines_of
from fdlint.index.imports import Directories, real_path_of
from fdlint.reading import intake


def open_cache(directory: Path | None = None) -> Cache | None:
    """Opens the cache in a directory that the user names, which need not exist, or the usual one. Returns None if there
    is none. Raises ``UntrustedCacheError`` for a directory that others may have written to."""
    place = named(directory) if directory is not None else usual()
    return Cache(place, engine()) if place is not None else None


class Cache:
    """The stored data about the files of one scan. A ``question`` is the key of a request: who asks, and on which
    inputs the answer depends."""

    def __init__(self, place: Place, engine: str) -> None:
        self._place = place
        self._engine = engine
        self._contents = read(place, engine)
        self._prints = Prints(self._contents.files)
        self._decoder = msgspec.msgpack.Decoder(FileResult)
        self._directories = Directories()
        self._firm: set[int] = set()  # the grounds that are known to be unchanged
        self._before: dict[str, os.stat_result | None] = {}
        self._new: dict[str, Entry] = {}
        self._numbers: dict[Ground, int] = {}  # the grounds of the new entries
        self._answers: dict[str, tuple[int, ...]] = {}

    def question(self, *parts: object) -> str:
        """Returns a short key for a question. It includes the working directory, because imports depend on it."""
        return _short(os.getcwd(), *map(repr, parts))

    def answer(self, path: str, question: str) -> tuple[int, ...] | None:
        """Returns a file's stored answer to a question, which is a tuple of numbers, or None. ``path`` is resolved."""
        known = self._prints.known(path)
        if known is None or question in known.dull:
            return () if known is not None else None
        return self._contents.answers.get(_short(question, path, known.digest))

    def note(self, path: str, question: str, answer: tuple[int, ...]) -> None:
        """Stores the answer of a file that this scan has read."""
        known = self._prints.known(path)
        if not answer:
            self._prints.note_dull(path, question)
        elif known is not None:
            self._answers[_short(question, path, known.digest)] = answer

    def result(self, file: FileToScan, question: str) -> FileResult | None:
        """Returns the stored result of a file if all its inputs are unchanged."""
        known = self._prints.known(file.real)
        if known is None:
            self._before[file.real] = self._prints.status(file.real)
            return None
        if question in known.dull:
            return FileResult(file.shown, known.lines)
        key = self._key(file, question, known.digest)
        entry = self._contents.entries.get(key)
        if entry is None or not self._holds(entry):
            return None
        try:
            result = replace(self._decoder.decode(entry.result), digest=known.digest)
            if entry.quotes:
                result = replace(result, text=lines_of(_read(file.real, known.digest), result.encoding))
        except (msgspec.MsgspecError, LookupError, OSError):
            return None
        if entry.used != today():
            grounds = self._numbered(self._contents.grounds[number] for number in entry.grounds)
            self._new[key] = msgspec.structs.replace(entry, used=today(), grounds=grounds)
        return result

    def keep(self, file: FileToScan, question: str, result: FileResult) -> None:
        """Stores the result of a file."""
        status = self._before.pop(file.real, None)
        if status is not None and result.digest is not None:
            self._prints.note(file.real, status, result.digest, result.lines)
        if result.digest is None or not all(map(self._prints.is_settled, result.grounds.files)):
            return
        if not (result.analysed or result.skipped or result.suppressions):
            self._prints.note_dull(file.real, question, result.digest)
            return
        grounds = [(FILE, path, self._prints.print_of(path)) for path in result.grounds.files]
        grounds.extend(result.grounds.modules)
        try:
            msgspec.msgpack.encode(grounds)
            bare = msgspec.msgpack.encode(replace(result, text=(), digest=None, grounds=Grounds()))
        except UnicodeEncodeError:  # the name of a file is not valid text
            return
        entry = Entry(msgspec.Raw(bare), bool(result.text), self._numbered(sorted(grounds)), today())
        self._new[self._key(file, question, result.digest)] = entry

    def save(self) -> None:
        """Saves the new data for the next scan."""
        if self._new or self._answers or self._prints.new:
            contents = Contents(self._prints.new, self._new, self._answers, [*self._numbers])
            write(self._place, self._engine, contents)

    def _key(self, file: FileToScan, question: str, digest: str) -> str:
        return _short(question, file.shown, file.real, digest, self._prints.package(file.real))

    def _holds(self, entry: Entry) -> bool:
        for number in set(entry.grounds) - self._firm:
            if not self._is_firm(self._contents.grounds[number]):
                return False
            self._firm.add(number)
        return True

    def _is_firm(self, ground: Ground) -> bool:
        first, name, before = ground
        if first == FILE:
            return self._prints.print_of(name) == before
        return real_path_of(first, name, self._directories) == before

    def _numbered(self, grounds: Iterable[Ground]) -> tuple[int, ...]:
        return tuple(self._numbers.setdefault(ground, len(self._numbers)) for ground in grounds)


def _short(*parts: str) -> str:
    return hashlib.blake2b("\0".join(parts).encode(errors="surrogateescape"), digest_size=12).hexdigest()


def _read(path: str, digest: str) -> bytes:
    """Reads a file with a known digest. Raises ``LookupError`` if the file has changed."""
    data = intake.read(path, intake.SOURCE)
    if digest_of(data) != digest:
        raise LookupError(path)
    return data
