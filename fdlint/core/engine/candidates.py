"""Finds the functions that may acquire, close or create workers, directly or through a call. It reads only the text of
a file's pieces, before any of them is parsed.

The text yields every function that the graphs would yield. So a piece that is no candidate need not be lowered for
this question.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

from fdlint.core.budget import BudgetSpentError
from fdlint.core.engine.context import AnalysisContext, CandidateFacts, Worth
from fdlint.core.ir import Graph
from fdlint.program.seeds import Kind
from fdlint.program.units import File, Function, Unit
from fdlint.report.findings.grounds import REST
from fdlint.scan.reading.search import any_word


@dataclass(frozen=True, slots=True)
class Candidates:
    """Answers questions about the functions of one program. ``worth`` reads the graph of a function and returns how
    much its callers depend on it. Without ``worth``, the text alone decides."""

    context: AnalysisContext
    worth: Callable[[Kind, Function], Worth] | None = None

    @property
    def _found(self) -> CandidateFacts:
        return self.context.candidate_facts

    # -- questions

    def may(self, kind: Kind, function: Function) -> bool:
        """Whether a function may act in this way (``kind``), itself or through calls. Reads only texts."""
        return self._reaches(kind, function.unit)

    def is_candidate(self, kind: Kind, function: Function) -> bool:
        """Whether a function may act in this way itself, or calls a function for which that matters to its callers."""
        return self._is_candidate(kind, function.unit)

    def is_settled(self, kind: Kind, function: Function) -> bool:
        """Whether it is already known that a function does not matter to its callers."""
        return self._found.worth.get((kind, function.unit)) is Worth.NOTHING

    def lower(self, file: File, kinds: Iterable[Kind], only: Collection[str] | None = None) -> list[Graph]:
        """Lowers the pieces of a file that are candidates for some kinds. Returns all graphs of the file that exist
        then, the body of the module last; none if the file has no candidate. ``only``: asks about no other pieces."""
        if only is None:
            found = [name for kind in kinds for name in self._in_file(kind, file)]
        else:
            found = [name for kind in kinds for name in only if self._is_candidate(kind, Unit(file, name))]
        if not found:
            return []
        functions = file.lowered.functions
        functions.ask_for(found)
        return [*(graph for _, graph in functions.known()), file.lowered.body]

    def _in_file(self, kind: Kind, file: File) -> list[str]:
        """Returns the names of the pieces of a file, and of its rest, that are candidates."""
        known = self._found.in_file
        if (kind, file) not in known:
            known[kind, file] = [name for name in (*file.pieces, REST) if self._deserves_a_look(kind, Unit(file, name))]
        return known[kind, file]

    def _deserves_a_look(self, kind: Kind, unit: Unit) -> bool:
        """Whether a unit is a candidate, or it is much work to find out."""
        try:
            with self.context.limited():
                return self._is_candidate(kind, unit)
        except BudgetSpentError:
            return True

    def mentioning(self, file: File, words: Collection[str]) -> list[Graph]:
        """Lowers the pieces of a file whose text has one of the words. Returns all graphs of the file that exist then,
        the body of the module last."""
        functions = file.lowered.functions
        stand_in = any_word(words)
        functions.ask_for(name for name in list(functions.waiting) if stand_in(file.pieces[name]))
        return [*(graph for _, graph in functions.known()), file.lowered.body]

    def methods(self, file: File, owner: str) -> Iterator[Function]:
        """Yields the methods of a class, own and inherited, that may acquire, or that close something themselves. Also
        yields the functions nested in them."""
        for home, one in self.context.program.with_bases(file, owner, thorough=True):
            prefix = f"{one}."
            for name in home.names.functions:
                if name.startswith(prefix):
                    unit = home.unit(name)
                    if self._found.seeds.are_in(Kind.CLOSES, unit) or self._is_candidate(Kind.ACQUIRES, unit):
                        yield from (Function(home, inside) for inside, _ in home.lowered.functions.under(name))

    # -- from callers to what they call

    def _reaches(self, kind: Kind, start: Unit) -> bool:
        """Whether a unit may act in this way, itself or through calls. Reads only texts."""
        known = self._found.reached
        if (kind, start) in known:
            return known[kind, start]
        led_by: dict[Unit, Unit | None] = {start: None}
        pending = [start]
        while pending:
            unit = pending.pop()
            before = known.get((kind, unit))
            if before if before is not None else self._found.seeds.are_in(kind, unit):
                on_the_way: Unit | None = unit
                while on_the_way is not None:  # so that a chain of calls is not searched again from each of its units
                    known[kind, on_the_way] = True
                    on_the_way = led_by[on_the_way]
                return True
            for called in self._called(kind, unit):
                if called not in led_by:
                    led_by[called] = unit
                    pending.append(called)
        known.update(((kind, unit), False) for unit in led_by)
        return False

    def _called(self, kind: Kind, unit: Unit) -> list[Unit]:
        """Returns the units that a unit calls; none if the answer for the unit is already known."""
        return [one for one, _ in self._calls(kind, unit)] if (kind, unit) not in self._found.reached else []

    def _is_candidate(self, kind: Kind, unit: Unit) -> bool:
        if not self._reaches(kind, unit):
            return False
        return self._found.seeds.are_in(kind, unit) or any(
            self._worth_of(kind, called) >= least for called, least in self._calls(kind, unit)
        )

    def _worth_of(self, kind: Kind, unit: Unit) -> Worth:
        if (kind, unit) not in self._found.worth:
            self._settle(kind, unit)
        return self._found.worth[kind, unit]

    def _settle(self, kind: Kind, start: Unit) -> None:
        """Finds the worth of a unit and of the units that it reaches, callees before callers.

        A function that does nothing itself is examined only if a function that it calls is known to matter.
        """
        callers: dict[Unit, list[tuple[Unit, Worth]]] = {start: []}
        ready: list[Unit] = []
        pending = [start]
        while pending:
            unit = pending.pop()
            if not self._reaches(kind, unit):
                continue
            if self._found.seeds.are_in(kind, unit):
                ready.append(unit)
            for called, least in self._calls(kind, unit):
                if self._found.worth.get((kind, called), Worth.NOTHING) >= least:
                    ready.append(unit)
                elif called not in callers and (kind, called) not in self._found.worth:
                    pending.append(called)
                callers.setdefault(called, []).append((unit, least))
        while ready:
            unit = ready.pop()
            if (kind, unit) not in self._found.worth:
                self._found.worth[kind, unit] = self._confirmed(kind, unit)
                ready.extend(one for one, least in callers[unit] if self._found.worth[kind, unit] >= least)
        for unit in callers:
            self._found.worth.setdefault((kind, unit), Worth.NOTHING)

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
        """Yields the units that a unit may call in a way that matters, each with the least worth that it must have."""
        for one in self._found.units.calls(unit):
            if kind is not Kind.CLOSES:
                if kind is not Kind.ACQUIRES or self._found.units.gives(one.unit):
                    yield one.unit, Worth.OWN
            elif one.own or not one.bare:  # any other call passes nothing that could be closed
                yield one.unit, Worth.OWN if one.own else Worth.ALL
