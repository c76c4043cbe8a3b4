"""Limits the work for the analysis of one file, counted in steps of the engine and not in seconds: a file gets the same
result on a slow machine and on a fast one.

Later files reuse the results of earlier ones. A reused result costs as much as its computation did. Otherwise the order
of the files would decide which of them exceeds its budget.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

_LEAST = 120_000  # units of work for a file without contents; 150,000 take about a second
_A_BYTE = 75  # of a small file: some tests of 16 kB need more than a million units for what they import
_MOST = 1_250_000  # for a file of up to 200 kB
_A_BYTE_BEYOND = 3  # of a large file, or a large package of Go
_ATTEMPTS = 4  # first attempts in vain may take together a quarter of the limit, each a quarter of what is left
_VISIT = 3
_SIZE = 32  # values: a step in a state of this size costs twice as much as in a small one


class BudgetSpentError(Exception):
    """The analysis of a file has used up its budget."""


@dataclass(slots=True)
class Cost:
    """The cost of one result, without the results that it ``needs``: units of work, and explored blocks."""

    work: int = 0
    visits: int = 0
    needs: set[Hashable] = field(default_factory=set)


@dataclass(slots=True)
class Budget:
    """The work for one file, and for its parts one after the other.

    ``limit`` and ``spent``: units of work. ``visits``: the number of explored blocks. ``stop_at``: after this number of
    visits no more callees are followed; None means no limit.
    """

    limit: int = _MOST
    spent: int = 0
    visits: int = 0
    stop_at: int | None = None
    _costs: dict[Hashable, Cost] = field(default_factory=dict)
    _paid: set[Hashable] = field(default_factory=set)
    _open: list[Cost] = field(default_factory=list)
    _counted: tuple[int, int] = (0, 0)  # the part of ``spent`` and ``visits`` that some cost already contains
    _in_vain: int = _MOST // _ATTEMPTS  # what first attempts in vain may still take
    _newly_paid: list[Hashable] = field(default_factory=list)  # in the current part of the file
    _too_dear: dict[Hashable, int] = field(default_factory=dict)  # results that take more alone, with these limits

    def renew(self, limit: int = _MOST) -> None:
        """Starts the budget of the next file."""
        self.limit, self._in_vain = limit, limit // _ATTEMPTS
        self.spent = self.visits = 0
        self.stop_at = None
        self._paid.clear()
        self._newly_paid.clear()
        self._open.clear()
        self._counted = 0, 0

    @contextmanager
    def part(self, *, last: bool = False) -> Iterator[None]:
        """Limits the work inside, for one part of the file, so that enough is left for the others. The first attempt
        gets little, and costs nothing if it is in vain; the ``last`` gets most of what is left. All results of an
        attempt in vain have to be paid again: so it makes no difference which were known before. Raises
        ``BudgetSpentError``.
        """
        self._count()
        whole, start, left = self.limit, self._counted, self.limit - self.spent
        most = left * 15 // 16 if last else min(left, self._in_vain // _ATTEMPTS)
        self.limit = self.spent + most
        depth, before = len(self._open), len(self._newly_paid)
        try:
            yield
        except BudgetSpentError:
            del self._open[depth:]
            self._paid.difference_update(self._newly_paid[before:])
            del self._newly_paid[before:]
            self.spent, self._counted = start[0] + most * last, start
            self._in_vain -= most * (not last)
            self._count()
            raise
        finally:
            self.limit = whole

    def spend(self, units: int) -> None:
        """Charges units of work. Raises ``BudgetSpentError`` if the budget is used up."""
        self.spent += units
        if self.spent > self.limit:
            raise BudgetSpentError

    def steps(self, number: int, size: int) -> None:
        """Charges the work of several steps in a state of ``size`` values."""
        self.spent += number * (1 + size // _SIZE)
        if self.spent > self.limit:
            raise BudgetSpentError

    def visit(self, size: int) -> None:
        """Charges the work of entering a block in a state of ``size`` values, which is copied, trimmed and hashed."""
        self.visits += 1
        self.spent += _VISIT * (1 + size // _SIZE)
        if self.spent > self.limit:
            raise BudgetSpentError

    def refuse(self, name: Hashable) -> None:
        """Raises ``BudgetSpentError`` for a result that was too much work for a whole budget of this size."""
        if self._too_dear.get(name, -1) >= self.limit:
            self.spend(self.limit - self.spent + 1)

    def note_as_too_dear(self, name: Hashable, limit: int) -> None:
        """Notes that a result alone takes more than a budget of this size."""
        self._too_dear[name] = limit

    def forget(self, name: Hashable) -> None:
        """Forgets a result that has to be worked out again."""
        self._costs.pop(name, None)
        self._too_dear.pop(name, None)

    @property
    def is_outside(self) -> bool:
        """Whether no result has begun that has not ended."""
        return not self._open

    @property
    def exhausted(self) -> bool:
        """Whether to follow no more callees."""
        return self.stop_at is not None and self.visits > self.stop_at

    def begin(self) -> None:
        """Begins a result: all work up to the matching ``end`` belongs to it."""
        self._count()
        self._open.append(Cost())

    def end(self, name: Hashable) -> None:
        """Ends the result that was begun last; ``look_up`` finds it by this name."""
        self._count()
        self._costs[name] = self._open.pop()
        self._pay(name)
        if self._open:
            self._open[-1].needs.add(name)

    def look_up(self, name: Hashable) -> None:
        """Charges the work of a result, and of all results that it needs, unless this file has already paid for it."""
        self._count()
        if self._open:
            self._open[-1].needs.add(name)
        pending = [name] if name not in self._paid else []
        while pending:
            one = pending.pop()
            cost = self._costs.get(one)
            if cost is not None and one not in self._paid:
                self._pay(one)
                self.spent += cost.work
                self.visits += cost.visits
                pending.extend(cost.needs)
        self._counted = self.spent, self.visits
        if self.spent > self.limit:
            raise BudgetSpentError

    def _pay(self, name: Hashable) -> None:
        self._paid.add(name)
        self._newly_paid.append(name)

    def _count(self) -> None:
        work, visits = self._counted
        if self._open:
            self._open[-1].work += self.spent - work
            self._open[-1].visits += self.visits - visits
        self._counted = self.spent, self.visits


def file_work(size: int) -> int:
    """Returns the limit for a file, or a package of Go, of ``size`` bytes."""
    return max(min(_LEAST + _A_BYTE * size, _MOST), _A_BYTE_BEYOND * size)


def spent(budget: Budget) -> str:
    """Returns the reason why a part of a file was not analysed."""
    return f"too much work: the limit is {budget.limit:,} steps for a file of its size; it was not followed to its end"
