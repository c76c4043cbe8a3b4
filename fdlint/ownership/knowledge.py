"""What has been worked out so far about the functions of a program."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TypeVar, cast

from fdlint.budget import Budget
from fdlint.catalog import Catalog
from fdlint.graph import Loop, Place
from fdlint.ownership.ended import Endings
from fdlint.ownership.outcomes import Summary
from fdlint.ownership.prospected import Prospected
from fdlint.ownership.relevance import Relevance
from fdlint.ownership.seeds import Seeds
from fdlint.ownership.units import Units
from fdlint.program import Function, Program
from fdlint.workers.making import Produced

T = TypeVar("T")


@dataclass(slots=True)
class Knowledge:
    """What has been worked out so far about all functions of a program."""

    program: Program
    catalog: Catalog
    relevance: Relevance
    summaries: dict[Hashable, Summary | None] = field(default_factory=dict)
    answers: dict[Hashable, object] = field(default_factory=dict)  # of ``once``
    acquiring: dict[Hashable, bool] = field(default_factory=dict)
    exits: dict[Hashable, tuple[bool, bool]] = field(default_factory=dict)
    called: dict[int, list[Function]] = field(default_factory=dict)
    closures: dict[Hashable, Function] = field(default_factory=dict)
    touched: dict[Hashable, frozenset[str]] = field(default_factory=dict)
    kept: dict[int, frozenset[Place]] = field(default_factory=dict)
    asked: dict[int, frozenset[Place]] = field(default_factory=dict)
    filled: dict[tuple[int, Place | None], frozenset[str]] = field(default_factory=dict)
    makers: dict[tuple[int, str], tuple[tuple[Function, Place], ...]] = field(default_factory=dict)  # by class
    made: dict[int, frozenset[str]] = field(default_factory=dict)  # by file
    workers: dict[int, Produced] = field(default_factory=dict)
    rounds: dict[int, list[tuple[Loop, frozenset[int]]]] = field(default_factory=dict)
    budget: Budget = field(default_factory=Budget)  # of the file that is being analysed
    active: list[Hashable] = field(default_factory=list)  # calls being followed, the caller before the called
    believed: dict[Hashable, Summary] = field(default_factory=dict)  # of functions that call themselves, so far
    beliefs: int = 0  # how often what is believed has changed
    functions: list[Hashable] = field(default_factory=list)  # the functions of ``active``
    leaning: set[Hashable] = field(default_factory=set)  # those on which what is being followed leans
    endings: Endings = field(init=False)
    prospected: Prospected = field(init=False)
    cut: bool = False  # recursion or depth has cut short what is being followed

    def once(self, question: Hashable, meanwhile: T, work_out: Callable[[], T]) -> T:
        """The answer to a question that takes runs of the engine: worked out once, and paid for by each file that asks.

        ``meanwhile``: the answer while it is being worked out, for a function that calls itself.
        """
        if question in self.answers:
            self.budget.look_up(question)
            return cast(T, self.answers[question])
        self.answers[question] = meanwhile
        self.budget.begin()
        found = self.answers[question] = work_out()
        self.budget.end(question)
        return found

    def __post_init__(self) -> None:
        self.endings = Endings(self.catalog)
        self.prospected = Prospected(Seeds(self.program, self.catalog, self.relevance), Units(self.program))
