"""Finds out whether a change in one file can matter to the results of others."""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from fdlint.catalog import Models
from fdlint.report.findings.finding import Wrapper, mentions
from fdlint.report.findings.grounds import FilePrint
from fdlint.scan.cache.prints import Prints
from fdlint.scan.cache.store import FILE, Ground
from fdlint.scan.reading import intake

_MAX_WORDS = 200  # a pattern of more words is slow, and such a change most likely matters


@dataclass(frozen=True, slots=True)
class Change:
    """The difference between two contents of a file. ``words``: the names whose meaning has changed. ``near``: further
    names that mean something else in this file. ``texts``: the code of each part that is the same as before."""

    before: FilePrint
    after: FilePrint
    words: frozenset[str]
    near: frozenset[str]
    texts: dict[str, str]

    def matters_to(self, parts: Iterable[int]) -> bool:
        """Whether the change can matter to what was led to these parts of the file, by their numbers before."""
        names = list(self.before.parts)
        led_to = [names[part] for part in parts if part < len(names)]
        words = self.words | self.near
        if any(name not in self.texts for name in led_to) or not words.isdisjoint(led_to):
            return True
        return any(_mentions(self.texts[name].encode(errors="replace"), words) for name in led_to)

    def is_mentioned(self, data: bytes) -> bool:
        """Whether the code of another file mentions one of the names that have changed."""
        return _mentions(data, self.words)

    def renumbered(self, parts: Iterable[int]) -> tuple[int, ...]:
        """Returns the present numbers of parts."""
        names, numbers = list(self.before.parts), {name: number for number, name in enumerate(self.after.parts)}
        return tuple(numbers[names[part]] for part in parts)


class Changes:
    """The changes of files since earlier scans. ``prints``: the present files."""

    def __init__(self, prints: Prints) -> None:
        self._prints = prints
        self._known: dict[tuple[Ground, Models, frozenset[Wrapper]], Change | None] = {}
        self._texts: dict[str, bytes] = {}
        self._mentioned: dict[tuple[str, frozenset[str]], bool] = {}

    def of(self, ground: Ground, models: Models, wrappers: frozenset[Wrapper]) -> Change | None:
        """Returns the change of a file; None if it can matter to all that depends on the file."""
        key = ground, models, wrappers
        if key not in self._known:
            self._known[key] = self._compare(*key)
        return self._known[key]

    def are_mentioned(self, change: Change, files: Iterable[str]) -> bool:
        """Whether one of the files mentions a name that a change gives another meaning."""
        return bool(change.words) and any(self._mentions(change, path) for path in files)

    def may_call(self, files: Iterable[str], wrappers: frozenset[Wrapper]) -> bool:
        """Whether one of the files mentions one of the functions."""
        return any(mentions(self._text(path), wrappers) for path in files)

    def _mentions(self, change: Change, path: str) -> bool:
        key = path, change.words
        if key not in self._mentioned:
            self._mentioned[key] = change.is_mentioned(self._text(path))
        return self._mentioned[key]

    def _text(self, path: str) -> bytes:
        if path not in self._texts:
            with contextlib.suppress(OSError):  # the print of a file that is gone has changed
                self._texts[path] = intake.read(path, intake.SOURCE)
        return self._texts.get(path, b"")

    def _compare(self, ground: Ground, models: Models, wrappers: frozenset[Wrapper]) -> Change | None:
        first, path, then, stored = ground
        now = self._prints.print_of(path) if first == FILE and stored else ""
        if now.partition(" ")[2] != then.partition(" ")[2] or not now:
            return None
        before = msgspec.msgpack.decode(stored, type=FilePrint)
        change = _compared(path, before, models, wrappers)
        return change if change is not None and change.after.digest == now.partition(" ")[0] else None

    def now(self, ground: Ground, change: Change) -> Ground:
        """Returns the present form of a file that has changed."""
        return FILE, ground[1], self._prints.print_of(ground[1]), msgspec.msgpack.encode(change.after)


def _compared(path: str, before: FilePrint, models: Models, wrappers: frozenset[Wrapper]) -> Change | None:
    from fdlint.catalog import catalog_of
    from fdlint.languages.front_end import front_end_of
    from fdlint.languages.index.prints import EVERYTHING, changed_words, overriding_words, parts_of
    from fdlint.program.consulted import Readings

    data = intake.read(path, intake.DEPENDENCY)
    reading = Readings(catalog_of(models), wrappers, front_end_of()).of(data, whole=bool(before.parts))
    if reading is None:
        return None
    after = reading.print
    words, near = changed_words(before, after, reading.skeleton), overriding_words(before, after)
    plain = len(words | near) <= _MAX_WORDS and all(map(str.isascii, words | near)) and EVERYTHING not in words
    if after.flags != before.flags or not plain:
        return None
    texts = dict(parts_of(reading.outline)) if reading.outline is not None else {}
    same = {name: text for name, text in texts.items() if before.parts.get(name) == after.parts[name]}
    in_order = [name for name in before.parts if name in same] == [name for name in after.parts if name in same]
    return Change(before, after, words, near, same) if in_order else None


def _mentions(data: bytes, words: frozenset[str]) -> bool:
    return any(word.encode() in data for word in words) and _pattern(words).search(data) is not None


@functools.lru_cache(maxsize=64)
def _pattern(words: frozenset[str]) -> re.Pattern[bytes]:
    return re.compile(rb"\b(?:%s)\b" % "|".join(map(re.escape, sorted(words))).encode())
