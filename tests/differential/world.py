"""One run of a generated function: its decisions, its exceptions, and its end."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import CellType, FrameType, FunctionType, MethodType

from .decisions import Decisions, PathPruned
from .managed import Managed
from .shape import EXCEPTIONS, PROGRAM, Place
from .table import State, Table, has_own_object, is_own_object, program_frame

CALL = object()
"""First argument of an exception that a call raised, as opposed to a ``raise`` of the function."""
AGAIN = object()
"""An argument of an exception that a bare ``raise`` has raised again."""

REFUSED = "closed"
"""An argument of the exception of a method that finds its object closed."""


class World:
    """Decides how the calls of one run end."""

    def __init__(self, table: Table, decisions: Decisions, rounds: int) -> None:
        self.table = table
        self.rounds = rounds
        self._decisions = decisions
        self.frames: list[FrameType] = []
        self.lenient = False  # the function under test received a non-descriptor
        self.declined: set[int] = set()  # lines
        self._steps = 0
        self._loops: dict[int, int] = {}

    def choose(self, options: int) -> int:
        """Asks for a decision. Cuts a run that never ends."""
        self._steps += 1
        if self.table.pruned or self._steps > 500:
            self.prune()
        try:
            return self._decisions.choose(options)
        except PathPruned:
            self.prune()
            raise

    def prune(self) -> None:
        """Cuts this run here: it is no path, or too long."""
        self.table.pruned = True
        raise PathPruned

    def decline(self) -> None:
        """Cuts this run: the caller has made an error beyond the rules about descriptors."""
        frame = program_frame(sys._getframe(1))
        self.declined.add(frame.f_lineno if frame is not None else 0)
        self.prune()

    def reject(self, why: str) -> None:
        """Rejects the program: no modelled call accepts what it does."""
        self.table.invalid = self.table.invalid or why
        self.prune()

    def may_raise(self, *, of_os: bool = False, outcomes: int = 1) -> int:
        """Raises, or returns the number of one of the normal ``outcomes``. Functions of ``os`` raise only
        ``OSError``."""
        kinds = self.table.shape.kinds(call_lines(sys._getframe(1)), of_os=of_os)
        self.table.raising = False
        chosen = self.choose(outcomes + len(kinds))
        if chosen < outcomes:
            return chosen
        self.table.raising = True
        raise kinds[chosen - outcomes](CALL)

    def quiet(self) -> None:
        """Makes a call that does not raise."""
        self.table.raising = False

    def call(self, *args: object, **kwargs: object) -> None:
        """Makes an unknown call, which only uses numbers, and takes over objects."""
        given = [*args, *kwargs.values()]
        self.table.settle([one for one in given if has_own_object(one)], State.HANDED_OVER)
        del args, kwargs, given
        self.may_raise()

    def keep(self, *values: object) -> None:
        """Hands over values that now outlive the function."""
        self.quiet()
        self.table.settle(values, State.HANDED_OVER)

    def hooks(self) -> dict[str, Callable[..., object]]:
        """Returns the functions that the instrumented code calls, by name."""
        return {
            "_assume": self.assume,
            "_loop": self.loop,
            "_round": self.round,
            "_caught": self.caught,
            "_again": self.again,
            "_capture": self.capture,
            "_enter": self.enter,
            "_own": self.own,
            "_managed": self.managed,
        }

    def enter(self) -> None:
        """Notes that one of the module's functions begins. Its frame holds its arguments until they are dropped
        here."""
        self.frames.append(sys._getframe(1))

    def own(self, where: Place, function: Callable[..., object], /, *args: object, **kwargs: object) -> object:
        """Calls one of the module's own functions. Its outcome decides the fate of its arguments."""
        if isinstance(function, MethodType) and not is_own_method(function):
            try:
                return function(*args, **kwargs)
            finally:
                del function, args, kwargs  # the traceback keeps this frame
        self.table.reach(where)
        self.table.depth += 1
        before = len(self.frames)
        try:
            result = function(*args, **kwargs)
        except Exception as error:
            if REFUSED in error.args:
                self.reject("a method of a closed object, which says so")
            error.args = (*(arg for arg in error.args if arg is not AGAIN), CALL)
            self._left(before, where, None, (function, args, kwargs), raised=True)
            del function, args, kwargs
            self.table.unwinding = False
            self.table.raising = True
            raise
        self._left(before, where, result, (function, args, kwargs), raised=False)
        if isinstance(function, type):
            self.table.take_over(where, result)
        del function, args, kwargs
        self.table.raising = False
        return result

    def managed(self, where: Place, value: object) -> object:
        """Returns the context manager of a ``with``: for an object of the module one that calls its methods."""
        return Managed(self, where, value) if is_own_object(value) else value

    def _left(self, before: int, where: Place, result: object, given: object, *, raised: bool) -> None:
        self.table.depth -= 1
        self.table.unwinding = raised
        self.table.give(where, result, given)
        del result, given
        for frame in self.frames[before:]:
            frame.clear()
        del self.frames[before:]

    def assume(self, condition: object) -> None:
        """Handles an assertion: a run in which it fails is no path."""
        if not condition:
            self.prune()

    def loop(self, number: int) -> None:
        """Handles the beginning of a ``while`` statement."""
        self._loops[number] = 0

    def round(self, number: int) -> None:
        """Handles another iteration of a ``while`` statement."""
        self._steps += 1
        self._loops[number] += 1
        if self._loops[number] > self.rounds or self.table.pruned:
            self.prune()

    def capture(self, function: FunctionType) -> FunctionType:
        """Makes a nested function the owner of the captured descriptors that it closes."""
        if any(cell == CellType() for cell in function.__closure__ or ()):
            self.reject("a function that captures what is not there yet")
        self.keep(function)
        return function

    def caught(self) -> None:
        """Handles the beginning of a handler or a ``finally``. It must not catch exceptions of the test itself."""
        error = sys.exc_info()[1]
        if isinstance(error, Exception):
            self.vet(error)

    def again(self) -> None:
        """Marks the exception that a bare ``raise`` is about to raise again."""
        error = sys.exc_info()[1]
        if error is not None:
            error.args = (*error.args, AGAIN)

    def vet(self, error: Exception) -> None:
        """Cuts the run if ``error`` came from a call that does not raise by the contract."""
        if isinstance(error, IndexError):
            self.table.impossible = True
            self.prune()
        if type(error) not in EXCEPTIONS.values():
            self.reject(f"{type(error).__name__}: {error}")


def is_own_method(function: MethodType) -> bool:
    """Whether a class of the module has this method."""
    return is_own_object(function.__self__) or getattr(function.__self__, "__module__", None) == PROGRAM


def call_lines(frame: FrameType) -> tuple[int, ...]:
    """Returns the line of the present call, of the call that led there, and so on."""
    lines = []
    inner = program_frame(frame)
    while inner is not None:
        lines.append(inner.f_lineno)
        inner = program_frame(inner.f_back)
    return tuple(lines)
