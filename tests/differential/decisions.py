"""Runs all paths of a function by systematic replay.

Everything opaque in a run (a condition, the next iteration of a loop, whether a call raises) asks ``Decisions.choose``.
The run is repeated with the last choice that has another option changed, until no choice is left: depth first, and
complete.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from random import Random

from .table import program_frame


class PathPruned(BaseException):
    """This run is not a path of the function (an assertion fails, or it reaches a bound), so the rest does not
    count."""


class TooManyPaths(Exception):
    """The function has too many paths to run."""


class Decisions:
    """The choices of one run: first those of ``prefix``, then the first option each time."""

    def __init__(self, prefix: list[int], limit: int) -> None:
        self._prefix = prefix
        self._limit = limit
        self.trail: list[tuple[int, int]] = []

    def choose(self, options: int) -> int:
        """One of ``range(options)``; a choice without an alternative is not recorded."""
        if options == 1:
            return 0
        at = len(self.trail)
        if at >= self._limit:
            raise PathPruned("decisions")
        chosen = self._prefix[at] if at < len(self._prefix) else 0
        self.trail.append((chosen, options))
        return chosen

    def successor(self) -> list[int] | None:
        """The prefix of the next run in depth-first order, or None after the last."""
        trail = list(self.trail)
        while trail and trail[-1][0] + 1 == trail[-1][1]:
            trail.pop()
        if not trail:
            return None
        prefix = [chosen for chosen, _ in trail]
        prefix[-1] += 1
        return prefix


class Guesses(Decisions):
    """Random choices. Each run uses only some of the options of a line, because a long run needs calls that return."""

    def __init__(self, rng: Random, limit: int) -> None:
        super().__init__([], limit)
        self._rng = rng
        self._known: dict[tuple[int, int], list[int]] = {}

    def choose(self, options: int) -> int:
        """Returns a random number in ``range(options)``."""
        if len(self.trail) >= self._limit:
            raise PathPruned("decisions")
        frame = program_frame(sys._getframe(1))
        key = frame.f_lineno if frame is not None else 0, options
        if key not in self._known:
            self._known[key] = self._rng.sample(range(options), min(options, self._rng.choice([1, 2, 2, 3])))
        chosen = self._rng.choice(self._known[key])
        self.trail.append((chosen, options))
        return chosen


def explore(run: Callable[[Decisions], None], max_paths: int, max_decisions: int = 200) -> int:
    """Calls ``run`` once for each path. Returns the number of paths."""
    prefix: list[int] | None = []
    paths = 0
    while prefix is not None:
        if paths >= max_paths:
            raise TooManyPaths
        decisions = Decisions(prefix, max_decisions)
        run(decisions)
        paths += 1
        prefix = decisions.successor()
    return paths
