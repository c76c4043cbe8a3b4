"""How much work the analysis of one file may take, counted in steps of the engine and not in seconds: the same file
gets the same result on a slow machine and on a fast one.

What one file has worked out serves the next, so a result that is looked up costs what it cost when it was worked out.
Otherwise the order of the files would decide which of them runs out of its budget.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

FILE_WORK = 2_000_000  # subprocess.py, the dearest file of the standard library, takes two thirds of it
_VISIT = 3
_SIZE = 32  # values: a step in a state of as many takes twice as long as one in a small state


class BudgetSpentError(Exception):
    """The analysis of a file has taken all the work that it may."""


@dataclass(slots=True)
class Cost:
    """What went into one result, apart from the results that it ``needs``: units of work, and blocks explored."""

    work: int = 0
    visits: int = 0
    needs: set[Hashable] = field(default_factory=set)


@dataclass(slots=True)
class Budget:
    """The work of one file.

    ``limit`` and ``spent``: units of work. ``visits``: how many blocks have been explored; ``stop_at``: the number of
    visits past which no more callees are followed, None while there is no such number.
    """

    limit: int = FILE_WORK
    spent: int = 0
    visits: int = 0
    stop_at: int | None = None
    _costs: dict[Hashable, Cost] = field(default_factory=dict)
    _paid: set[Hashable] = field(default_factory=set)
    _open: list[Cost] = field(default_factory=list)
    _counted: tuple[int, int] = (0, 0)  # what of ``spent`` and ``visits`` has been added to some cost

    def renew(self) -> None:
        """Starts the budget of the next file."""
        self.spent = self.visits = 0
        self.stop_at = None
        self._paid.clear()
        self._open.clear()
        self._counted = 0, 0

    def spend(self, units: int) -> None:
        """Takes some work. Raises ``BudgetSpentError`` if none is left."""
        self.spent += units
        if self.spent > self.limit:
            raise BudgetSpentError

    def steps(self, number: int, size: int) -> None:
        """Takes the work of some steps in a state of ``size`` values."""
        self.spend(number * (1 + size // _SIZE))

    def visit(self, size: int) -> None:
        """Takes the work of entering a block in a state of ``size`` values: the state is copied, trimmed and hashed."""
        self.visits += 1
        self.spend(_VISIT * (1 + size // _SIZE))

    @property
    def exhausted(self) -> bool:
        """Whether no more callees are to be followed."""
        return self.stop_at is not None and self.visits > self.stop_at

    def begin(self) -> None:
        """What is spent from here to ``end`` goes into one result."""
        self._count()
        self._open.append(Cost())

    def end(self, name: Hashable) -> None:
        """The result that was begun last can be looked up by this name from now on."""
        self._count()
        self._costs[name] = self._open.pop()
        self._paid.add(name)
        if self._open:
            self._open[-1].needs.add(name)

    def look_up(self, name: Hashable) -> None:
        """Takes the work that went into a result, and into all that it needs, unless this file has paid for it."""
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
    """Why the rest of a file was not analysed."""
    return f"too much work: the limit is {budget.limit:,} steps a file; what comes after it was not analysed"
