"""The differences that keep the states of a function apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from fdlint.core.ir import Condition, Place


class Apart(NamedTuple):
    """The differences that keep states apart at a block. ``places``: those whose values count. ``types``: those whose
    type alone counts. ``iterated``: those that only count as containers or not. ``conditions``: those whose results
    count."""

    places: frozenset[Place]
    types: frozenset[Place]
    iterated: frozenset[Place]
    conditions: frozenset[Condition]


class Correlated(NamedTuple):
    """The differences that keep states of a function apart. ``always``: they count everywhere. ``ahead``: the places
    whose plain values count at the entry of a block, because the function asks about them later."""

    always: Apart
    ahead: Mapping[int, frozenset[Place]]

    def at(self, block: int) -> Apart:
        """Returns the differences that count at the entry of a block."""
        return self.always._replace(places=self.always.places | self.ahead.get(block, frozenset()))
