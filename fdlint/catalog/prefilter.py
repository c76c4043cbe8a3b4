"""Finds the files that can matter, by their bytes, before any decoding.

A word is a substring, or several joined by `` & `` that must all occur. An entry may have its own ``words``. Otherwise
the word of an entry that acquires, closes or sends a descriptor is the last part of its name, which occurs in every
form of import.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from fdlint.catalog.model import Api
from fdlint.catalog.shape import acquires
from fdlint.core.domain.event import Event
from fdlint.scan.reading.search import Words


@dataclass(frozen=True, slots=True)
class Prefilter:
    """Alternatives, each a set of substrings that must all occur."""

    alternatives: tuple[tuple[bytes, ...], ...] = ()

    def passes(self, data: bytes) -> bool:
        """Whether a file with these contents needs an analysis."""
        return _words_of(self.alternatives).occur_in(data)

    def passing(self, words: Iterable[str]) -> Prefilter:
        """Returns this prefilter with each of the words as another alternative."""
        return Prefilter((*self.alternatives, *((word.encode(),) for word in words)))

    def words(self) -> tuple[bytes, ...]:
        """One substring of each alternative: a file without any of them cannot pass."""
        return tuple(sorted({parts[0] for parts in self.alternatives}))


@functools.lru_cache(maxsize=64)
def _words_of(alternatives: tuple[tuple[bytes, ...], ...]) -> Words:
    return Words(alternatives)


def prefilter_of(
    by_name: Mapping[str, tuple[Api, ...]], aliases: Mapping[str, str], makers: Iterable[Api] = ()
) -> Prefilter:
    """Derives the words of all entries, of their aliases, and of the calls that create workers."""
    words = {word for apis in by_name.values() for api in apis for word in _words(api)}
    words.update(word for api in makers for word in api.words or (api.name.rpartition(".")[2],))
    starts = {name for name, apis in by_name.items() if any(_starts(api) for api in apis)}
    words.update(alias.rpartition(".")[2] for alias, name in aliases.items() if name in starts)
    return Prefilter(tuple(tuple(part.encode() for part in word.split(" & ")) for word in sorted(words)))


def _words(api: Api) -> Iterator[str]:
    if api.words:
        yield from api.words
    elif _starts(api):
        yield api.name.rpartition(".")[2]


def _starts(api: Api) -> bool:
    return acquires(api.returns) or bool(api.closed) or Event.SENT in api.actions.values()
