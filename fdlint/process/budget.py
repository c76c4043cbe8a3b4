"""Limits the work for the analysis of one file, counted in steps of the engine and not in seconds: a file gets the same
result on a slow machine and on a fast one.

Later files reuse the results of earlier ones. A reused result costs as much as its computation did. Otherwise the order
of the files would decide which of them exceeds its budget.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

FILE_WORK = 2_000_000  # subprocess.py, the most expensive file of the standard library, takes two thirds of it
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
    """The work for one file.

    ``limit`` and ``spent``: units of work. ``visits``: the number of explored blocks. ``stop_at``: after this number of
    visits no more callees are followed; None means no limit.
    """

    limit: int = FILE_WORK
    spent: int = 0
    visits: int = 0
    stop_at: int | None = None
    _costs: dict[Hashable, Cost] = field(default_factory=dict)
    _paid: set[Hashable] = field(default_factory=set)
    _open: list[Cost] = field(default_factory=list)
    _counted: tuple[int, int] = (0, 0)  # the part of ``spent`` and ``visits`` that some cost already contains

    def renew(self) -> None:
        """Starts the budget of the next file."""
        self.spent = self.visits = 0
        self.stop_at = None
        self._paid.clear()
        self._open.clear()
        self._counted = 0, 0

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
        self._paid.add(name)
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
                self._paid.add(one)
                self.spent += cost.work
                self.visits += cost.visits
                pending.extend(cost.needs)
        self._counted = self.spent, self.visits
        if self.spent > self.limit:
            raise BudgetSpentError

    def _count(self) -> None:
        work, visits = self._counted
        if self._open:
            self._open[-1].work += self.spent - work
            self._open[-1].visits += self.visits - visits
        self._counted = self.spent, self.visits


def spent(budget: Budget) -> str:
    """Returns the reason why the rest of a file was not analysed."""
    return f"too much work: the limit is {budget.limit:,} steps a file; what comes after it was not analysed"
