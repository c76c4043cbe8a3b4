"""The interface of the cache: the driver asks it before an analysis, and gives it the result."""

from __future__ import annotations

import functools
import hashlib
import os
import time
from collections.abc import Iterable
from dataclasses import astuple, dataclass, replace
from pathlib import Path

import msgspec

from fdlint.languages.index.imports import Directories, real_path_of
from fdlint.report.findings.finding import FileResult, Wrapper, digest_of, lines_of
from fdlint.report.findings.grounds import FilePrint, Grounds
from fdlint.scan.cache.change import Changes
from fdlint.scan.cache.engine import engine
from fdlint.scan.cache.place import Place, named, usual
from fdlint.scan.cache.prints import Prints
from fdlint.scan.cache.store import FILE, WRAPPERS, Contents, Entry, Ground, read, today, write
from fdlint.scan.files.discover import FileToScan
from fdlint.scan.reading import intake

_SECONDS, _SHARE = 30.0, 50
"""How often new data is saved: after some seconds, but in no more than a small share of the time."""


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
        self._file_prints: dict[str, tuple[FilePrint, bytes]] = {}  # by key
        self._changes = Changes(self._prints)
        self._questions: dict[tuple[str, frozenset[Wrapper]], str] = {}
        self._answers: dict[str, tuple[int, ...]] = {}
        self._due = time.monotonic() + _SECONDS

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

    def result(self, file: FileToScan, question: str, wrappers: frozenset[Wrapper] = frozenset()) -> FileResult | None:
        """Returns the stored result of a file if no change of its inputs can matter to it. ``wrappers``: the functions
        of the project that are known to acquire."""
        known = self._prints.known(file.real)
        if known is None:
            self._before[file.real] = self._prints.status(file.real)
            return None
        if self._asked(question, wrappers) in known.dull:
            return FileResult(file.shown, known.lines, digest=known.digest)
        key = self._key(file, question, known.digest)
        entry = self._contents.entries.get(key)
        inputs = self._inputs(entry, file, wrappers) if entry is not None else None
        if entry is None or inputs is None:
            return None
        try:
            result = replace(self._decoder.decode(entry.result), digest=known.digest)
            if entry.quotes:
                result = replace(result, text=lines_of(_read(file.real, known.digest), result.encoding))
        except (msgspec.MsgspecError, LookupError, OSError):
            return None
        if inputs.changed or entry.used != today():
            self._new[key] = Entry(
                entry.result, entry.quotes, self._numbered(inputs.grounds), today(), tuple(inputs.parts)
            )
        return result

    def keep(
        self, file: FileToScan, question: str, result: FileResult, wrappers: frozenset[Wrapper] = frozenset()
    ) -> None:
        """Stores the result of a file, sooner or later: a scan that is killed loses the last half minute."""
        if time.monotonic() >= self._due:
            self.save()
        status = self._before.pop(file.real, None)
        if status is not None and result.digest is not None:
            self._prints.note(file.real, status, result.digest, result.lines)
        if result.digest is None or not all(map(self._prints.is_settled, result.grounds.files)):
            return
        if not (result.analysed or result.skipped or result.suppressions):
            self._prints.note_dull(file.real, self._asked(question, wrappers), result.digest)
            return
        inputs = self._grounds(result.grounds, wrappers)
        try:
            msgspec.msgpack.encode(inputs.grounds)
            bare = msgspec.msgpack.encode(replace(result, text=(), digest=None, grounds=Grounds()), enc_hook=_as_text)
        except UnicodeEncodeError:  # the name of a file is not valid text
            return
        numbers = self._numbered(inputs.grounds)
        entry = Entry(msgspec.Raw(bare), bool(result.text), numbers, today(), tuple(inputs.parts))
        self._new[self._key(file, question, result.digest)] = entry

    def save(self) -> None:
        """Saves the new data for the next scan."""
        started = time.monotonic()
        if self._new or self._answers or self._prints.new:
            contents = Contents(self._prints.new, self._new, self._answers, [*self._numbers])
            write(self._place, self._engine, contents)
        took = time.monotonic() - started
        self._due = started + max(_SECONDS, _SHARE * took)

    def _asked(self, question: str, wrappers: frozenset[Wrapper]) -> str:
        """Returns a key of a question to which the contents of a file alone are the answer."""
        if (question, wrappers) not in self._questions:
            self._questions[question, wrappers] = _short(question, _known_to_acquire(wrappers)[1])
        return self._questions[question, wrappers]

    def _key(self, file: FileToScan, question: str, digest: str) -> str:
        return _short(question, file.shown, file.real, digest, self._prints.package(file.real))

    def _grounds(self, grounds: Grounds, wrappers: frozenset[Wrapper]) -> _Inputs:
        """Returns the inputs of a new result."""
        self._file_prints.update((key, (one, msgspec.msgpack.encode(one))) for key, one in grounds.prints.items())
        found = _Inputs([], [])
        for path, (key, led_to) in sorted(grounds.files.items()):
            print_ = self._prints.print_of(path)
            known, encoded = self._file_prints.get(key, (None, b""))
            if known is None or led_to is None or known.digest != print_.partition(" ")[0]:
                found.grounds.append((FILE, path, print_, b""))
                found.parts.append(())
            else:
                found.grounds.append((FILE, path, print_, encoded))
                found.parts.append(tuple(number for number, name in enumerate(known.parts) if name in led_to))
        found.grounds.extend((*module, b"") for module in sorted(grounds.modules))
        found.grounds.extend([_known_to_acquire(wrappers)] if wrappers else [])
        return found

    def _inputs(self, entry: Entry, file: FileToScan, wrappers: frozenset[Wrapper]) -> _Inputs | None:
        """Returns the present inputs of a result; None if a change may matter to it."""
        acquire = _known_to_acquire(wrappers)
        # Most results share their grounds: the set answers for nearly all of them.
        unsure = [place for place, number in enumerate(entry.grounds) if number not in self._firm]
        changed = [place for place in unsure if not self._is_unchanged(entry.grounds[place], acquire)]
        inputs = _Inputs([self._contents.grounds[number] for number in entry.grounds], [*entry.parts], bool(changed))
        files = [file.real, *(path for first, path, *_ in inputs.grounds if first == FILE)] if changed else []
        for place in changed:
            ground = inputs.grounds[place]
            if ground[0] == WRAPPERS:
                if self._changes.may_call(files, _wrappers_in(ground) ^ wrappers):
                    return None
                inputs.grounds[place] = acquire
                continue
            change = self._changes.of(ground, file.config.models, wrappers)
            if change is None or place >= len(inputs.parts) or change.matters_to(inputs.parts[place]):
                return None
            if self._changes.are_mentioned(change, (one for one in files if one != ground[1])):
                return None
            inputs.grounds[place] = self._changes.now(ground, change)
            inputs.parts[place] = change.renumbered(inputs.parts[place])
        return inputs

    def _is_unchanged(self, number: int, acquire: Ground) -> bool:
        if self._contents.grounds[number][0] == WRAPPERS:
            return self._contents.grounds[number] == acquire
        if not self._is_firm(self._contents.grounds[number]):
            return False
        self._firm.add(number)
        return True

    def _is_firm(self, ground: Ground) -> bool:
        first, name, before, _ = ground
        if first == FILE:
            return self._prints.print_of(name) == before
        return real_path_of(first, name, self._directories) == before

    def _numbered(self, grounds: Iterable[Ground]) -> tuple[int, ...]:
        return tuple(self._numbers.setdefault(ground, len(self._numbers)) for ground in grounds)


@dataclass(slots=True)
class _Inputs:
    """The inputs of a result, the files first, and the numbers of the parts of each file that it depends on.
    ``changed``: some are not as they were when it was stored."""

    grounds: list[Ground]
    parts: list[tuple[int, ...]]
    changed: bool = False


@functools.lru_cache(maxsize=16)
def _known_to_acquire(wrappers: frozenset[Wrapper]) -> Ground:
    return WRAPPERS, msgspec.json.encode(sorted(map(astuple, wrappers))).decode(), "", b""


def _wrappers_in(ground: Ground) -> frozenset[Wrapper]:
    return frozenset(Wrapper(*one) for one in msgspec.json.decode(ground[1], type=list[tuple[str, str, bool, bool]]))


def _as_text(name: object) -> str:
    """Returns the text of a name of the analysis, such as an access path: for a type checker it is a string, for the
    encoder it is not. Raises ``TypeError`` for anything else."""
    if not isinstance(name, str):
        raise TypeError(f"the cache cannot store a {type(name).__name__}")
    return str(name)


def _short(*parts: str) -> str:
    return hashlib.blake2b("\0".join(parts).encode(errors="surrogateescape"), digest_size=12).hexdigest()


def _read(path: str, digest: str) -> bytes:
    """Reads a file with a known digest. Raises ``LookupError`` if the file has changed."""
    data = intake.read(path, intake.SOURCE)
    if digest_of(data) != digest:
        raise LookupError(path)
    return data
