"""What one run of a proof decides, and the order in which runs are tried."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

MOST_CHOICES = 60
MOST_RUNS = 300


class Halted(BaseException):
    """Ends one run. The message is the reason."""


class Choices:
    """Answers open questions: those of ``given`` first, then the first answer of each."""

    def __init__(self, given: tuple[int, ...]) -> None:
        self._given = given
        self.made: list[int] = []
        self.counts: list[int] = []

    def pick(self, count: int) -> int:
        """Returns a number below ``count``. Raises ``Halted`` after too many questions."""
        at = len(self.made)
        if at >= MOST_CHOICES:
            raise Halted("too many decisions")
        chosen = min(self._given[at], count - 1) if at < len(self._given) else 0
        self.made.append(chosen)
        self.counts.append(count)
        return chosen

    def others(self) -> Iterator[tuple[int, ...]]:
        """Yields the beginnings of runs that differ in one answer of its own."""
        for at in range(len(self._given), len(self.made)):
            for other in range(1, self.counts[at]):
                yield (*self.made[:at], other)


class Waiting:
    """The beginnings of runs that wait: the most promising first, then those with few unusual answers."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, int, tuple[int, ...]]] = [(0, 0, 0, ())]
        self._count = 1

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        for _ in range(MOST_RUNS):
            if not self._heap:
                return
            yield heapq.heappop(self._heap)[-1]

    def again(self, given: tuple[int, ...]) -> None:
        """Adds the beginning of a run that was tried, and now goes another way."""
        heapq.heappush(self._heap, (-MOST_CHOICES, 0, self._count, given))
        self._count += 1

    def add(self, choices: Choices, progress: int) -> None:
        """Adds what differs from a run. ``progress``: how many steps of the trace it reached."""
        for other in choices.others():
            unusual = sum(map(bool, other))
            heapq.heappush(self._heap, (unusual - 2 * progress, unusual, self._count, other))
            self._count += 1
