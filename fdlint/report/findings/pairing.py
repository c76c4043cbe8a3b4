"""Pairs the items of two lists by a key, and uses each partner once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

One = TypeVar("One")


def paired(
    items: Iterable[One], key: Callable[[One], Hashable], partners: Iterable[Hashable]
) -> tuple[tuple[One, ...], tuple[One, ...]]:
    """Returns the items that have a partner and those that have none, both in their order. ``partners``: the keys of
    the other list. A key that occurs there twice is the partner of two items."""
    left = Counter(partners)
    found, alone = [], []
    for item in items:
        mark = key(item)
        if left[mark] > 0:
            left[mark] -= 1
            found.append(item)
        else:
            alone.append(item)
    return tuple(found), tuple(alone)
