"""The choices of a run, recorded before the fixes and replayed after them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Protocol

from ..decisions import Decisions, PathPruned

Trail = list[tuple[object, object]]
"""The label of each choice, and what was chosen."""
_LIMIT = 24


class Diverged(BaseException):
    """The run after the fixes asks for another choice than the run before them."""


class Script(Protocol):
    """Makes the choices of one run."""

    trail: Trail

    def choose(self, label: object, options: Callable[[], list[object]]) -> object:
        """Returns one of the options."""


class Recorded:
    """Records the choices."""

    def __init__(self, decisions: Decisions) -> None:
        self._decisions = decisions
        self.trail: Trail = []

    def choose(self, label: object, options: Callable[[], list[object]]) -> object:
        """Asks for a decision."""
        listed = options()
        chosen = listed[self._decisions.choose(len(listed))]
        self.trail.append((label, chosen))
        return chosen


class Replayed:
    """Repeats recorded choices. ``trail``: those that are left."""

    def __init__(self, trail: Trail) -> None:
        self.trail = trail
        self._at = 0

    def choose(self, label: object, options: Callable[[], list[object]]) -> object:
        """Returns what was chosen before. Raises ``Diverged`` if something else was asked."""
        del options
        if self._at >= len(self.trail) or self.trail[self._at][0] != label:
            raise Diverged
        self._at += 1
        return self.trail[self._at - 1][1]


class _Random(Decisions):
    """Random choices, most of them the first option."""

    def __init__(self, rng: Random) -> None:
        super().__init__([], _LIMIT)
        self._rng = rng

    def choose(self, options: int) -> int:
        """Returns a random number in ``range(options)``."""
        if len(self.trail) >= _LIMIT:
            raise PathPruned("decisions")
        chosen = self._rng.randrange(options) if self._rng.random() < 0.6 else 0
        self.trail.append((chosen, options))
        return chosen


def decisions(most: int) -> Iterator[Decisions]:
    """Yields the decisions of each run: all paths, or the first of them and as many random ones if there are more."""
    prefix: list[int] | None = []
    for _ in range(most):
        if prefix is None:
            return
        made = Decisions(prefix, _LIMIT)
        yield made
        prefix = made.successor()
    rng = Random(most)
    for _ in range(most):
        yield _Random(rng)
