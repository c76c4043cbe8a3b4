"""The virtual descriptor table: the holders of each descriptor, and how the last one dropped it.

A descriptor is an ``Fd``, an int that notifies the table when CPython drops the last reference to it. This needs no
alias analysis, and cannot be wrong: the interpreter itself knows the holders.
"""

from __future__ import annotations

import contextlib
import dis
import enum
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import CodeType, FrameType, FunctionType, MethodType

from .shape import PROGRAM, Place, Shape

CLOSING = ("close", "stop", "shutdown", "release")
"""What the methods are called that close what an object owns."""


class State(enum.Enum):
    """The state of a descriptor."""

    OPEN = "open"
    CLOSED = "closed"
    HANDED_OVER = "handed over"


class How(enum.Enum):
    """How the last reference to an open descriptor disappeared."""

    DISCARDED = "discarded"
    REBOUND = "rebound"
    DELETED = "deleted"
    NEXT_ROUND = "next round"
    DROPPED = "dropped"  # removed from a list and never bound, or the list was cleared
    LEFT = "left"  # held until the function was left, or lost to an exception inside an expression


@dataclass(eq=False, slots=True)
class Descriptor:
    """One row of the table: descriptor ``index`` of the ``instance``-th acquisition of a run, at ``place``.

    ``depth``: the number of calls of the module's own functions between the function under test and the owner.
    """

    place: Place
    instance: int
    index: int
    state: State = State.OPEN
    sent: bool = False
    spawned: bool = False
    depth: int = 0
    owned: bool = False  # an object owns it and closes it
    received: bool = False
    lent: bool = False  # somebody else had the object that owned it when it was closed
    closed_at: int | None = None  # the line at which the function closed it, although an ``ExitStack`` owned it
    ended_at: int | None = None  # the line at which the function closed it first
    misused_at: set[int] = field(default_factory=set)  # the lines of its misdeeds


@dataclass(frozen=True, slots=True)
class Misdeed:
    """A use or close of a number after its end: the due code, the line, and where the number came from. ``doubtful``:
    silence is no error."""

    code: str
    line: int
    doubtful: bool
    place: Place


@dataclass(frozen=True, slots=True)
class Loss:
    """A descriptor that no code can close any more."""

    descriptor: Descriptor
    how: How
    sent: bool
    spawned: bool


class Fd(int):
    """The number of a descriptor in the function under test."""

    descriptor: Descriptor
    table: Table

    def __del__(self) -> None:
        self.table.died(self.descriptor)


@dataclass(slots=True)
class Table:
    """Every descriptor of one run. After ``left`` is set, the function has returned or raised."""

    shape: Shape
    rows: list[Descriptor] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)
    misdeeds: set[Misdeed] = field(default_factory=set)
    alone: set[tuple[int, Place]] = field(default_factory=set)  # lines that closed or used it while it was open
    watched: set[int] = field(default_factory=set)  # lines on which the function under test closes or uses
    left: bool = False
    pruned: bool = False
    invalid: str | None = None
    raising: bool = False  # the last call of the run raised
    impossible: bool = False  # cut, because it took an item from an empty list
    again: bool = False  # an exception left the function after a bare ``raise``
    depth: int = 0  # the number of active calls of the module's own functions
    unwinding: bool = False  # a function has raised, and its arguments are being dropped
    instances: int = 0
    received: set[Place] = field(default_factory=set)
    reached: set[Place] = field(default_factory=set)  # calls of the function under test that could give it a descriptor

    def acquire(self, place: Place, count: int) -> list[Fd]:
        """Returns ``count`` new descriptors from one call at ``place``."""
        self.instances += 1
        made = []
        for index in range(count):
            fd = Fd(len(self.rows) + 3)
            fd.table = self
            fd.descriptor = Descriptor(place, self.instances, index, depth=self.depth)
            self.rows.append(fd.descriptor)
            made.append(fd)
        return made

    def reach(self, where: Place) -> None:
        """Notes that the call at ``where`` is about to be made."""
        if not self.depth:
            self.reached.add(where)

    def give(self, place: Place, result: object, others: object) -> None:
        """Attributes the new descriptors that a callee gave its caller to the call at ``place``."""
        self.instances += 1
        items = result if isinstance(result, tuple) else (result,)
        for index, item in enumerate((*items, others)):
            for row in reachable(item):
                if row.depth > self.depth and row.state is State.OPEN:
                    if row.place in self.received:
                        self.received.add(place)
                    row.place, row.instance, row.index, row.depth = place, self.instances, index, self.depth

    def take_over(self, place: Place, made: object) -> None:
        """Attributes what a new object got to the call that made the object, if the object can close it."""
        if any(hasattr(made, name) for name in CLOSING):
            for row in reachable(made):
                if row.depth >= self.depth and row.state is State.OPEN:
                    row.place, row.instance, row.index, row.depth = place, self.instances, 0, self.depth

    def watch(self, value: object, *, closes: bool, doubtful: bool = False) -> None:
        """Notes that the function under test itself is about to close or use ``value``."""
        frame = self._doer(sys._getframe(2))
        if frame is None or self.pruned:
            return
        self.watched.add(frame.f_lineno)
        for row in reachable(value):
            code = None
            if row.state is State.OPEN:
                self.alone.add((frame.f_lineno, row.place))
                row.ended_at = frame.f_lineno if closes else None
            if row.state is State.CLOSED:
                code = "FD201" if closes else "FD202"
            elif closes and row.state is State.HANDED_OVER:
                row.lent = self.shape.has_objects
                code = "FD203" if row.owned else None
                row.state = State.CLOSED
                row.closed_at = None if row.owned else frame.f_lineno
            if code is not None:
                self.misdeeds.add(Misdeed(code, frame.f_lineno, doubtful or row.received or row.lent, row.place))
                row.misused_at.add(frame.f_lineno)

    def _doer(self, caller: FrameType) -> FrameType | None:
        """Returns the frame of the function under test if it acts itself, or by a method of an object."""
        if caller.f_code.co_filename != PROGRAM or (self.depth and not self.shape.has_objects):
            return None
        while self.shape.has_objects and (outer := program_frame(caller.f_back)) is not None:
            caller = outer
        return caller

    def closer(self, value: object) -> Callable[[], None]:
        """Returns a function that an ``ExitStack`` calls right before a callback closes all of ``value``."""
        frame = sys._getframe(2)
        line, own = frame.f_lineno, not isinstance(value, FunctionType)  # a nested function's close is watched itself
        if own and frame.f_code.co_filename == PROGRAM and not self.depth:
            self.watched.add(line)
        rows = list(reachable(value))
        late = {row: "FD201" if row.state is State.CLOSED else "FD203" if row.owned else None for row in rows}

        def end() -> None:
            for row, code in late.items():
                if self.depth or self.pruned:
                    continue
                if own and code is not None:
                    self.misdeeds.add(Misdeed(code, line, row.received, row.place))
                elif row.closed_at is not None and code is None:
                    self.misdeeds.add(Misdeed("FD203", row.closed_at, row.received, row.place))
                    row.state = State.HANDED_OVER  # it is reported: the callback's close does not count again

        return end

    def settle(self, value: object, state: State) -> None:
        """Closes or hands over every open descriptor that can be reached from ``value``."""
        for descriptor in reachable(value):
            if descriptor.state is State.OPEN and not self.pruned:
                descriptor.state = state

    def died(self, descriptor: Descriptor) -> None:
        """Handles a descriptor whose last reference CPython dropped."""
        if descriptor.state is not State.OPEN or self.pruned:
            return
        how = How.LEFT if self.left or self.unwinding else self._how(descriptor, sys._getframe(2))
        if (descriptor.place, descriptor.index) in self.shape.throwaways:
            how = How.DISCARDED
        self.losses.append(Loss(descriptor, how, descriptor.sent, descriptor.spawned))

    def _how(self, descriptor: Descriptor, top: FrameType) -> How:
        frame = program_frame(top)
        if frame is None:
            return How.LEFT
        if self.depth:
            return How.DROPPED  # out of a container that the function under test had given away
        opcode = _opcode(frame.f_code, frame.f_lasti)
        own = self.shape.same_statement(frame.f_lineno, descriptor.place[0])
        if frame is top and opcode.startswith("STORE") and self.shape.binds(frame.f_lineno):
            return How.NEXT_ROUND if own else How.REBOUND
        if frame is top and opcode.startswith("DELETE"):
            return How.DELETED
        if frame is top and opcode == "POP_TOP" and not self.raising and self.shape.leaves(frame.f_lineno):
            return How.DISCARDED  # on its way out, when another ``return`` intervened
        if frame is top and (self.raising or opcode == "RERAISE" or self.shape.leaves(frame.f_lineno)):
            return How.LEFT
        return How.DISCARDED if own else How.DROPPED

    def lost(self) -> list[Loss]:
        """Returns the losses of the function under test, without those of its callees."""
        return [loss for loss in self.losses if not loss.descriptor.depth]

    def open_rows(self) -> int:
        """Returns the number of descriptors that are neither closed nor handed over nor lost."""
        lost = {id(loss.descriptor) for loss in self.losses}
        return sum(row.state is State.OPEN and id(row) not in lost for row in self.rows)


def reachable(value: object) -> Iterator[Descriptor]:
    """Yields the descriptors that ``value`` keeps alive: itself, its elements, the captures of its closure."""
    match value:
        case Fd():
            yield value.descriptor
        case list() | tuple() | set():
            for item in value:
                yield from reachable(item)
        case dict():
            for item in value.values():
                yield from reachable(item)
        case MethodType():
            yield from reachable(value.__self__)
        case _ if is_own_object(value):
            for name in getattr(value, "__dict__", None) or getattr(value, "__slots__", ()):
                yield from reachable(getattr(value, name, None))
        case FunctionType():
            for cell in value.__closure__ or ():
                with contextlib.suppress(ValueError):  # an empty cell
                    yield from reachable(cell.cell_contents)
        case _:
            return


def is_own_object(value: object) -> bool:
    """Whether a class of the generated module made this."""
    return type(value).__module__ == PROGRAM


def has_own_object(value: object) -> bool:
    """Whether a value is such an object, or holds one."""
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple | set) else ()
    return is_own_object(value) or any(map(has_own_object, items))


def program_frame(frame: FrameType | None) -> FrameType | None:
    """Returns the innermost frame of the function under test, from ``frame`` outward."""
    while frame is not None and frame.f_code.co_filename != PROGRAM:
        frame = frame.f_back
    return frame


def _opcode(code: CodeType, at: int) -> str:
    return dis.opname[code.co_code[at]]
