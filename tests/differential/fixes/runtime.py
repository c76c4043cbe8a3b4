"""A run of a generated module over numbers of descriptors that are never used again.

The real world may give the number of a closed descriptor to another file. Here each number is new, so a second close of
it, or a close of a number that the function does not own, shows.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FunctionType, MethodType
from typing import Any

from ..decisions import PathPruned
from ..shape import Shape
from ..world import call_lines
from .script import Script

_BROKEN = (NameError, TypeError, IndexError, AttributeError)
_FIRST = 100
_FIRST_BORROWED = 50
_MAX_STEPS = 400
EBADF = 9
DOUBLE, LATE, HANDED, NOTHING = "double close", "use after close", "closes what it handed on", "closes nothing"
"""The misdeeds: the last one is a close of None or -1."""


@dataclass(slots=True)
class Runtime:
    """The table of one run, and what the run did.

    ``lines``: the lines of the calls that led to each number, the first one in the function that has it. ``ends``:
    which end of a pair a number is. ``borrowed``: numbers of others. ``misdeeds``: closes and uses of closed numbers,
    and closes of none; ``misused_at``: their lines. ``log``: the calls that other code sees, each with the numbers that
    were open. ``roots``: what lives on after the function. ``doubtful``: the numbers that somebody kept, or not, before
    raising. ``stale``: a method began while an attribute held a closed number. ``broken``: something raised what no
    call raises.
    """

    script: Script
    shape: Shape | None = None
    lines: dict[int, tuple[int, ...]] = field(default_factory=dict)
    ends: dict[int, int] = field(default_factory=dict)
    open: set[int] = field(default_factory=set)
    borrowed: set[int] = field(default_factory=set)
    misdeeds: list[tuple[str, object]] = field(default_factory=list)
    log: list[tuple[object, ...]] = field(default_factory=list)
    roots: list[object] = field(default_factory=list)
    later: list[tuple[Any, tuple[object, ...]]] = field(default_factory=list)
    owners: list[Any] = field(default_factory=list)
    misused_at: set[int] = field(default_factory=set)
    doubtful: set[int] = field(default_factory=set)
    stale: bool = False
    broken: bool = False
    rounds: int = 2
    lenient: bool = False
    _steps: int = 0
    _things: int = 0

    def thing(self) -> int:
        """Returns the number of a new unknown object."""
        self._things += 1
        return self._things

    # What ``opaque`` asks of its world

    def choose(self, options: int) -> int:
        """Asks for a decision."""
        chosen = self.script.choose(options, lambda: list(range(options)))
        assert isinstance(chosen, int)
        return chosen

    def may_raise(self, *, of_os: bool = False, outcomes: int = 1) -> int:
        """Raises, or returns the number of one of the normal ``outcomes``."""
        self.step()

        def options() -> list[object]:
            assert self.shape is not None
            return [*range(outcomes), *self.shape.kinds(call_lines(sys._getframe(3)), of_os=of_os)]

        chosen = self.script.choose((of_os, outcomes), options)
        if isinstance(chosen, int):
            return chosen
        assert isinstance(chosen, type)
        raise chosen("call", len(self.log))

    def quiet(self) -> None:
        """Makes a call that does not raise."""
        self.step()

    def step(self) -> None:
        """Cuts a run that never ends."""
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise PathPruned("steps")

    # Numbers

    def acquire(self) -> int:
        """Returns a new number, opened by the function."""
        number = _FIRST + len(self.lines)
        self.lines[number] = call_lines(sys._getframe(1))
        self.open.add(number)
        return number

    def hand_back(self, value: object) -> None:
        """Notes that a function has returned numbers: from here on, its caller has them from the call."""
        numbers = self.known_in(value)
        here = call_lines(sys._getframe(2)) if numbers else ()
        for number in numbers:
            if len(self.lines.get(number, ())) > len(here):
                self.lines[number] = here

    def borrow(self) -> int:
        """Returns a new number that somebody else has opened and closes."""
        number = _FIRST_BORROWED + len(self.borrowed)
        self.borrowed.add(number)
        self.open.add(number)
        return number

    def close(self, number: object) -> None:
        """Closes a number. The second close of a number does nothing here, and is a misdeed."""
        if isinstance(number, int) and number in self.open:
            self.open.discard(number)
        elif isinstance(number, int) and self.is_known(number):
            self.misdeeds.append((DOUBLE, number))
            self.misused_at.update(call_lines(sys._getframe(1)))
        else:
            self.misdeeds.append((NOTHING, number if isinstance(number, int) else None))
            raise OSError(EBADF, "Bad file descriptor") if isinstance(number, int) else TypeError("no integer")

    def use(self, name: str, *args: object) -> None:
        """Notes a call that other code sees."""
        said = tuple(self.plain(arg) for arg in args)
        late = [(LATE, number) for number in numbers_in(args) if self.is_known(number, closed=True)]
        if late:
            self.misdeeds += late
            self.misused_at.update(call_lines(sys._getframe(1)))
        self.log.append((name, said, frozenset(self.open)))

    def is_known(self, number: int, *, closed: bool = False) -> bool:
        """Whether a number is one of a descriptor."""
        known = number in self.lines or number in self.borrowed
        return known and not (closed and number in self.open)

    def note(self, error: BaseException | None) -> None:
        """Notes an exception that a handler catches, or that leaves the function."""
        self.broken |= isinstance(error, _BROKEN)

    def keep(self, *values: object) -> None:
        """Keeps values beyond the function."""
        self.roots += values

    def plain(self, value: object) -> object:
        """Returns what two runs can compare of a value."""
        match value:
            case None | str() | bytes() | int():
                return value
            case list() | tuple() | set() | deque():
                return type(value).__name__, tuple(self.plain(one) for one in value)
            case dict():
                return "dict", tuple((self.plain(one), self.plain(other)) for one, other in value.items())
            case _:
                return getattr(value, "name_of_thing", type(value).__name__), tuple(self.known_in(value))

    def known_in(self, *values: object) -> list[int]:
        """Returns the numbers of descriptors that values hold."""
        return [number for number in numbers_in(values) if self.is_known(number)]


def numbers_in(values: object) -> Iterator[int]:
    """Yields the numbers that values hold: in containers, objects, and what functions capture."""
    pending, seen = [values], set()
    while pending:
        value = pending.pop()
        if isinstance(value, int):
            yield value
            continue
        if value is None or isinstance(value, (str, bytes, type)) or id(value) in seen:
            continue
        seen.add(id(value))
        match value:
            case list() | tuple() | set() | deque() | frozenset():
                pending += value
            case dict():
                pending += [*value.keys(), *value.values()]
            case FunctionType():
                pending += [cell.cell_contents for cell in value.__closure__ or () if _is_filled(cell)]
                pending += [*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
            case MethodType():
                pending.append(value.__self__)
            case _ if isinstance(value, (Runtime, Unseen)):
                pass
            case _:
                pending.append(getattr(value, "__dict__", None))


class Unseen:
    """An object of the test: what it holds is of no concern to the function."""


def _is_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False
