"""Finds the functions that may acquire, close or create workers, directly or through a call. It reads only the text of
a file's pieces, before any of them is parsed.

The text yields every function that the graphs would yield. So a piece that is no candidate need not be lowered for
this question.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

from fdlint.core.budget import BudgetSpentError
from fdlint.core.engine.context import AnalysisContext, Worth
from fdlint.core.ir import Graph
from fdlint.core.memo import Reader
from fdlint.program.components import reversed_edges, strongly_connected
from fdlint.program.facts import Kind, is_constructor
from fdlint.program.units import File, Function, Unit
from fdlint.report.findings.grounds import REST


@dataclass(frozen=True, slots=True)
class Candidates:
    """Answers questions about the functions of one program. ``worth`` reads the graph of a function and returns how
    much its callers depend on it. Without ``worth``, the text alone decides."""

    context: AnalysisContext
    worth: Callable[[Kind, Function], Worth] | None = None

    # -- questions

    def may(self, kind: Kind, function: Function) -> bool:
        """Whether a function may act in this way (``kind``), itself or through calls. Reads only texts."""
        return self.context.facts.may(kind, function.unit)

    def is_candidate(self, kind: Kind, function: Function) -> bool:
        """Whether a function may act in this way itself, or calls a function for which that matters to its callers."""
        return self._is_candidate(kind, function.unit)

    def is_settled(self, kind: Kind, function: Function) -> bool:
        """Whether it is already known that a function does not matter to its callers. What it captured may: the answer
        for its text was found without that."""
        return not function.captured and self.context.worth.look((kind, function.unit)) is Worth.NOTHING

    def lower(self, file: File, kinds: Iterable[Kind]) -> list[Graph]:
        """Lowers the pieces of a file that are candidates for some kinds. Returns their graphs and those in no piece,
        the body of the module last; none if the file has no candidate."""
        found = [name for kind in kinds for name in self._in_file(kind, file)]
        return file.graphs_of(found) if found else []

    def _in_file(self, kind: Kind, file: File) -> list[str]:
        """Returns the names of the pieces of a file, and of its rest, that are candidates."""

        def work_out() -> list[str]:
            return [name for name in (*file.pieces, REST) if self._deserves_a_look(kind, Unit(file, name))]

        return self.context.candidates.of((kind, file), work_out)

    def _deserves_a_look(self, kind: Kind, unit: Unit) -> bool:
        """Whether a unit is a candidate, or it is much work to find out."""
        try:
            with self.context.limited():
                return self._is_candidate(kind, unit)
        except BudgetSpentError:
            return True

    def mentioning(self, file: File, words: Collection[str]) -> list[Graph]:
        """Lowers the pieces of a file whose text has one of the words. Returns their graphs and those in no piece, the
        body of the module last."""
        return file.graphs_of(file.pieces_with(words))

    def methods(self, file: File, owner: str) -> Iterator[Function]:
        """Yields the methods of a class, own and inherited, that may acquire or close. Also yields the functions nested
        in them."""
        for home, one in self.context.program.with_bases(file, owner, thorough=True):
            prefix = f"{one}."
            for name in home.names.functions:
                if name.startswith(prefix):
                    unit = home.unit(name)
                    if self._is_candidate(Kind.CLOSES, unit) or self._is_candidate(Kind.ACQUIRES, unit):
                        yield from (Function(home, inside) for inside, _ in home.lowered.functions.under(name))

    # -- how much the functions called matter

    def _is_candidate(self, kind: Kind, unit: Unit) -> bool:
        if kind in self.context.facts.itself(unit):
            return True
        return any(self._worth_of(kind, called) >= least for called, least in self._calls(kind, unit))

    def _worth_of(self, kind: Kind, unit: Unit) -> Worth:
        if (kind, unit) not in self.context.worth:
            with Reader(apart=True):
                for part in strongly_connected((unit,), lambda one: self._undecided(kind, one)):
                    with Reader() as reader:
                        self._decide(kind, part)
                    for one in part:
                        self.context.worth.note((kind, one), reader.bits)
        self.context.worth.has((kind, unit))
        return self.context.worth[kind, unit]

    def _undecided(self, kind: Kind, unit: Unit) -> list[Unit]:
        """Returns the units called that may act in this way, and whose worth is not known."""
        return [one for one, _ in self._calls(kind, unit) if (kind, one) not in self.context.worth]

    def _decide(self, kind: Kind, part: Collection[Unit]) -> None:
        """Finds the worth of units that call each other. That of the units that they call is known.

        A function that does nothing itself is examined only if a function that it calls is known to matter.
        """
        worth, facts = self.context.worth, self.context.facts
        callers = reversed_edges(part, lambda unit: self._undecided(kind, unit)) if len(part) > 1 else {}
        pending = [*part]
        while pending:
            unit = pending.pop()
            if (kind, unit) in worth:
                continue
            calls = ((worth.look((kind, one)) or Worth.NOTHING, least) for one, least in self._calls(kind, unit))
            creates = kind is Kind.ACQUIRES and is_constructor(unit)
            if creates or kind in facts.itself(unit) or any(found >= least for found, least in calls):
                worth[kind, unit] = self._confirmed(kind, unit)
                pending.extend(callers.get(unit, ()))
        for unit in part:
            worth.setdefault((kind, unit), Worth.NOTHING)

    def _confirmed(self, kind: Kind, unit: Unit) -> Worth:
        worth = self.worth
        if worth is None:
            return Worth.ALL
        functions = unit.file.lowered.functions
        if unit.name in unit.file.pieces:
            names = functions.of_piece(unit.name)
        else:
            names = [name for name, _ in functions.known() if unit.file.unit(name) == unit]
        return max((worth(kind, Function(unit.file, name)) for name in names), default=Worth.NOTHING)

    def _calls(self, kind: Kind, unit: Unit) -> Iterator[tuple[Unit, Worth]]:
        """Yields the units that may act in this way and that a unit may call, each with the least worth that it must
        have to matter."""
        facts = self.context.facts
        for one in facts.calls(kind, unit):
            if facts.may(kind, one.unit):
                yield one.unit, Worth.ALL if kind is Kind.CLOSES and not one.own else Worth.OWN
