"""Finds the files that contain certain words, in one pass over a file's bytes for all words (Aho-Corasick).

Without the library for that (extra ``fdlint[fast]``) the search goes word by word and takes ten times longer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ahocorasick_rs import BytesAhoCorasick


_FEW = 50


class Words:
    """Alternatives. Each is a set of words that must all occur; the empty set always matches."""

    __slots__ = ("_always", "_search", "_sets", "_wanted")

    def __init__(self, alternatives: Iterable[Iterable[bytes]]) -> None:
        self._wanted = [frozenset(alternative) - {b""} for alternative in alternatives]
        self._always = frozenset() in self._wanted
        words = [] if self._always else sorted({word for words in self._wanted for word in words})
        self._sets = _by_their_first(self._wanted, words)
        self._search = _searcher(words) if words else None

    def occur_in(self, data: bytes) -> bool:
        """Whether all words of one alternative occur in the data."""
        if self._search is None:
            return self._always or any(all(word in data for word in words) for words in self._wanted)
        matches = self._search.find_matches_as_indexes(data, overlapping=True)
        if not matches:
            return False
        found = {number for number, _, _ in matches}
        return any(numbers <= found for first in found for numbers in self._sets[first])


def any_word(names: Collection[str], before: str = r"\b") -> Callable[[str], bool]:
    """Returns a test whether a text contains one of the names. ``before``: a pattern for the position before a name."""
    if not names:
        return lambda _: False
    if len(names) <= _FEW:  # a pattern tries all of its alternatives at each position
        few, wanted = re.compile(rf"{before}(?:{'|'.join(map(re.escape, sorted(names)))})\b"), tuple(names)
        return lambda text: any(map(text.__contains__, wanted)) and few.search(text) is not None
    many, words = frozenset(names), re.compile(rf"{before}(\w+)")
    return lambda text: not many.isdisjoint(words.findall(text))


def _by_their_first(wanted: Iterable[frozenset[bytes]], words: Sequence[bytes]) -> list[list[frozenset[int]]]:
    """Groups the alternatives by one of their words, so that a search looks at few of them."""
    number_of = {word: number for number, word in enumerate(words)}
    sets: list[list[frozenset[int]]] = [[] for _ in words]
    for alternative in wanted if words else ():
        numbers = frozenset(number_of[word] for word in alternative)
        sets[min(numbers)].append(numbers)
    return sets


def _searcher(words: Sequence[bytes]) -> BytesAhoCorasick | None:
    try:
        from ahocorasick_rs import BytesAhoCorasick
    except ImportError:
        return None
    return BytesAhoCorasick(words)
