"""Runs a Go program before and after its safe fixes, with the machine of ``tests.differential.golang``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..decisions import Decisions, PathPruned
from ..golang.machine import Ended, Literal, Machine, Opaque, parameters
from ..golang.machine import Scope as Block
from ..golang.structs import Struct
from ..golang.syntax import Node, functions
from ..golang.table import Handle, OsFile, reachable
from ..table import State
from .compare import FixComparison, compare_runs
from .running import DIVERGED, Ran
from .runtime import DOUBLE, HANDED, LATE
from .script import Diverged, decisions

_MAX_PATHS = 150
_SILENT = frozenset({"uintptr", "int", "append", "len", "errors.New", "fmt.Errorf", "unix.UnixRights", "os.NewFile"})
_CLOSES = frozenset({"unix.Close", "*.Close"})


class _Replay(Decisions):
    """The choices of a run before the fixes, again."""

    def __init__(self, trail: list[tuple[int, int]]) -> None:
        super().__init__([], len(trail) + 1)
        self._recorded = trail

    def choose(self, options: int) -> int:
        """Returns what was chosen before. Raises ``Diverged`` if something else was asked."""
        if options == 1:
            return 0
        at = len(self.trail)
        if at >= len(self._recorded) or self._recorded[at][1] != options:
            raise Diverged
        self.trail.append(self._recorded[at])
        return self._recorded[at][0]


class _Traced(Machine):
    """A run that notes what other code sees, and what it closes."""

    def __init__(self, known: dict[str, Node], choices: Decisions) -> None:
        super().__init__(known, choices)
        self.log: list[tuple[object, ...]] = []
        self.misdeeds: list[tuple[str, object]] = []
        self.misused_at: set[int] = set()
        self.closed_of_others: set[int] = set()
        self._late = False

    def run_to_end(self, name: str) -> tuple[object, ...]:
        """Runs a function, and then the goroutines that it has started. Returns how it ended."""
        node = self._functions[name]
        try:
            values = self._enter(node, Block(), [Opaque(kind) for _, kind in parameters(node.get("parameters"))])
            self.table.hand_over(values)
            ended = ("return", *map(self._plain, values))
            self._late = True
            for function, given, call in self._started:
                self._apply(function, given, call, wanted=False)
        except Ended:
            return ("exit",)
        except Diverged:
            return DIVERGED
        return ended

    def _store(self, target: Node, value: Any, scope: Block) -> None:
        super()._store(target, value, scope)
        if isinstance(self._value(target.parts[0], scope), Opaque):
            self.table.hand_over([value])  # whoever passed the object has it

    def _apply(self, function: Any, values: list[Any], node: Node, *, wanted: bool) -> list[Any]:
        if isinstance(function, str) and function not in self._functions:
            if function in _CLOSES:
                self._note_close(values[0], node)
                wanted = False  # a close that a fix adds must not ask for a decision
            elif function not in _SILENT:
                self._note(function, values, node)
            if function.startswith("*.") and isinstance(values[0], Opaque):
                self.table.hand_over(values[1:])
                return []
        return super()._apply(function, values, node, wanted=wanted)

    def _note(self, function: str, values: list[Any], node: Node) -> None:
        late = [one for one in reachable(values) if one.state is State.CLOSED]
        self.misdeeds += [(LATE, self._number(one)) for one in late]
        if late:
            self.misused_at |= self._lines(node)
        self.log.append((function, tuple(map(self._plain, values)), self.open()))

    def _note_close(self, value: object, node: Node) -> None:
        if isinstance(value, int) and value >= 0:
            self.closed_of_others.add(value)
        if not isinstance(value, Handle):
            return
        found = value.descriptor
        if found.state is State.CLOSED:
            self.misdeeds.append((HANDED if self._late else DOUBLE, self._number(found)))
        elif found.state is State.HANDED_OVER and not self._late:
            self.misdeeds.append((HANDED, self._number(found)))
        elif found.wrapped:
            self.misdeeds.append(("closes under its owner", self._number(found)))
        else:
            return
        self.misused_at |= self._lines(node)

    def _lines(self, node: Node) -> set[int]:
        return {node.place[0], *([self.table.call[0]] if self.table.call is not None else [])}

    def open(self) -> frozenset[int]:
        """Returns the numbers that are not closed."""
        return frozenset(number for number, one in enumerate(self.table.descriptors) if one.state is not State.CLOSED)

    def _number(self, descriptor: object) -> int:
        return next(number for number, one in enumerate(self.table.descriptors) if one is descriptor)

    def _plain(self, value: object) -> object:
        match value:
            case Handle() | OsFile():
                return type(value).__name__, self._number(value.descriptor)
            case list():
                return tuple(map(self._plain, value))
            case Struct():
                return value.kind, tuple((name, self._plain(one)) for name, one in sorted(value.fields.items()))
            case int() | str() | None:
                return value
            case Literal():
                return "literal", tuple(self._number(one) for one in reachable([value]))
            case _:
                return type(value).__name__


def compare_go_fixes(source: str) -> FixComparison:
    """Compares one program. Raises ``InvalidProgram`` if that is impossible."""
    return compare_runs(source, "generated.go", go_pairs)


def go_pairs(source: str, changed: str) -> Iterator[tuple[Ran, Ran]]:
    before, after = functions(source), functions(changed)
    if before.keys() != after.keys():
        raise SyntaxError
    for name in before:
        if "." in name:
            continue  # a method runs when another function calls it
        for choices in decisions(_MAX_PATHS):
            try:
                first = _ran(before, name, choices)
                yield first, _ran(after, name, _Replay(choices.trail))
            except PathPruned:
                continue


def _ran(known: dict[str, Node], name: str, choices: Decisions) -> Ran:
    machine = _Traced(known, choices)
    ended = machine.run_to_end(name)
    rows = list(enumerate(machine.table.descriptors))
    others = frozenset({-number - 1 for number in (0, 5)})
    closed = {-number - 1 for number in machine.closed_of_others}
    return Ran(
        ended=ended, log=machine.log,
        lost=frozenset(number for number, one in rows if one.state is State.OPEN and ended != ("exit",)),
        given=frozenset(number for number, one in rows if one.state is State.HANDED_OVER),
        borrowed=others, open=machine.open() | (others - closed), misdeeds=machine.misdeeds,
        lines={number: (one.place[0],) for number, one in rows}, misused_at=machine.misused_at, stale=False,
    )  # fmt: skip
