"""The analysis context: the results so far about the functions of a program."""

from __future__ import annotations

import enum
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeVar, cast

from fdlint.catalog import Catalog
from fdlint.core.budget import Budget, BudgetSpentError
from fdlint.core.domain.correlated import Correlated
from fdlint.core.domain.owner import OwnerClass, Parts
from fdlint.core.engine.parameter_effects import Endings
from fdlint.core.engine.provenance import Provenances
from fdlint.core.engine.summary import Summary
from fdlint.core.engine.touched import Touched
from fdlint.core.ir import Field, Place
from fdlint.core.memo import Memo
from fdlint.program.facts import Kind, ProgramFacts
from fdlint.program.modules import Program
from fdlint.program.relevance import Relevance
from fdlint.program.units import File, Function, Unit


class Worth(enum.IntEnum):
    """How much it matters to callers which function they call."""

    NOTHING = 0
    OWN = 1  # to methods of the same object
    ALL = 2


class FilledFields(NamedTuple):
    """The attributes of an object that a function fills with new descriptors. It stores them in some (``stored``), and
    adds them to others as items or by a method (``added``)."""

    stored: frozenset[Field] = frozenset()
    added: frozenset[Field] = frozenset()


class Short(enum.IntEnum):
    """How a limit cut something short: not at all, for calls of functions that call themselves, which holds below any
    other calls, or by the number of calls around it or the budget."""

    NOT = 0
    AGAIN = 1
    HERE = 2


class Cut(NamedTuple):
    """A summary that a limit cut short, by its name in ``summaries``. ``calls``: the number of calls around it, if it
    matters; ``again``: those of functions that were called again inside."""

    name: Hashable
    calls: int | None
    again: tuple[Hashable, ...]


class Inside(NamedTuple):
    """What a summary that does not always hold met: ``functions`` around it that were called again, and a limit."""

    functions: frozenset[Hashable]
    short: Short


class Question(NamedTuple):
    """A question that needs runs of the engine, with the arguments of ``once``."""

    name: Hashable
    meanwhile: object
    work_out: Callable[[], object]


class Owners(Protocol):
    """Knows the classes whose objects own a descriptor."""

    def of(self, asking: AnalysisContext, file: File, name: str, parts: Parts = ()) -> OwnerClass | None:
        """Returns what is known of a class of a file, if its objects own a descriptor; None otherwise. ``asking``: the
        context that remembers the answer. ``parts``: what the constructor gets."""

    def acquires(self, asking: AnalysisContext, file: File, name: str) -> bool:
        """Whether the objects of a class may own what the class itself acquires."""


T = TypeVar("T")


@dataclass(slots=True)
class AnalysisContext:
    """Keeps the results so far about all functions of a program."""

    program: Program
    catalog: Catalog
    relevance: Relevance
    owners: Owners | None = None  # None where only descriptors count
    workers: AnalysisContext | None = None  # that in which only objects with worker processes count
    reads_all: bool = False  # also files without a word of descriptors
    summaries: Memo[Hashable, Summary | None] = field(default_factory=Memo)
    answers: Memo[Hashable, object] = field(default_factory=Memo)  # of ``once``
    exits: Memo[Hashable, tuple[bool, bool]] = field(default_factory=Memo)
    naming: Memo[Hashable, bool] = field(default_factory=Memo)
    called: Memo[int, list[Function]] = field(default_factory=Memo)
    closures: dict[Hashable, Function] = field(default_factory=dict)
    touched: Memo[Hashable, Touched] = field(default_factory=Memo)
    letting_go: Memo[Hashable, bool] = field(default_factory=Memo)  # they let unknown code change their object
    kept: Memo[Hashable, frozenset[Place]] = field(default_factory=Memo)
    asked: Memo[int, frozenset[Place]] = field(default_factory=Memo)
    correlated: Memo[Hashable, Correlated] = field(default_factory=Memo)
    filled: Memo[tuple[Hashable, Place | None, Hashable], FilledFields] = field(default_factory=Memo)
    creating: Memo[Hashable, OwnerClass | None] = field(default_factory=Memo)
    plain: Memo[Hashable, tuple[Unit, Function | None] | None] = field(default_factory=Memo)  # classes without methods
    makers: Memo[tuple[int, str], tuple[tuple[Function, Place], ...]] = field(default_factory=Memo)  # by class
    made: Memo[int, frozenset[str]] = field(default_factory=Memo)  # by file
    parts: dict[type, object] = field(default_factory=dict)
    budget: Budget = field(default_factory=Budget)  # of the file that is being analysed
    active: list[Hashable] = field(default_factory=list)  # the calls being followed, callers before callees
    believed: dict[Hashable, Summary] = field(default_factory=dict)  # assumptions about recursive functions
    beliefs: int = 0  # how often an assumption has changed
    functions: list[Hashable] = field(default_factory=list)  # the functions of ``active``
    leaning: set[Hashable] = field(default_factory=set)  # the assumptions that the current result depends on
    endings: Endings = field(init=False)
    provenances: Provenances = field(init=False)
    facts: ProgramFacts = field(init=False)
    worth: Memo[tuple[Kind, Unit], Worth] = field(default_factory=Memo)
    candidates: Memo[tuple[Kind, File], list[str]] = field(default_factory=Memo)  # their names
    cut: Short = Short.NOT  # what has cut short what is being followed
    cuts: dict[Hashable, list[Cut]] = field(default_factory=dict)  # summaries that were cut short
    met: set[Hashable] = field(default_factory=set)  # functions around the present call that were called again inside
    met_in: dict[Hashable, Inside] = field(default_factory=dict)  # by the names of such summaries
    asked_last: list[Question] | None = None  # inside of ``whole``: the last question outside of all others

    def part(self, kind: type[T]) -> T:
        """Returns the results of an analysis that is built on the engine: one object of the given type, made when it is
        first asked for."""
        if kind not in self.parts:
            self.parts[kind] = kind()
        return cast(T, self.parts[kind])

    def once(self, question: Hashable, meanwhile: T, work_out: Callable[[], T]) -> T:
        """Returns the answer to a question that needs runs of the engine. It is computed once; each file that asks is
        charged for it.

        ``meanwhile``: the answer during the computation, for a function that calls itself.
        """
        if self.answers.has(question):
            self.budget.look_up(question)
            return cast(T, self.answers[question])
        self.budget.refuse(question)
        if self.asked_last is not None and self.budget.is_outside:
            self.asked_last[:] = [Question(question, meanwhile, work_out)]

        def charged() -> T:
            self.budget.begin()
            return work_out()

        found = cast(T, self.answers.of(question, charged, meanwhile))
        self.budget.end(question)
        return found

    @contextmanager
    def whole(self, limit: int) -> Iterator[None]:
        """Starts a budget for the work inside. If that uses it up, asks the last question once more with a budget of
        its own. If it uses up that as well, no later asker with such a budget has to find out. Raises
        ``BudgetSpentError``."""
        self.budget.renew(limit)
        self.asked_last = []
        try:
            yield
        except BudgetSpentError:
            for last in self.asked_last:
                self._ask_alone(last, limit)
            raise
        finally:
            self.asked_last = None  # it refers to this object

    def _ask_alone(self, asked: Question, limit: int) -> None:
        self.budget.renew(limit)
        self.asked_last = None
        try:
            self.once(*asked)
        except BudgetSpentError:
            self.budget.note_as_too_dear(asked.name, limit)

    @contextmanager
    def limited(self, *, last: bool = False) -> Iterator[None]:
        """Limits the work for a part of a file, as ``Budget.part`` does. Raises ``BudgetSpentError``."""
        before = self.leaning.copy(), self.believed.copy(), self.cut
        try:
            with self.budget.part(last=last):
                yield
        except BudgetSpentError:
            self.leaning, self.believed, self.cut = before
            self.beliefs += 1
            raise

    def is_so(self, question: Callable[[], bool]) -> bool:
        """Returns the answer to a question about a part of the file; no if it is too much work to find out."""
        for last in (False, True):
            with suppress(BudgetSpentError), self.limited(last=last):
                return question()
        return False

    def __post_init__(self) -> None:
        self.answers.dropped = self.summaries.dropped = self.budget.forget
        self.endings = Endings(self.catalog)
        self.provenances = Provenances(self.catalog, self.relevance)
        self.facts = ProgramFacts(self.program, self.catalog, self.relevance)
