"""The virtual descriptor table: who holds which descriptor, and how the last holder let go.

A descriptor is an ``Fd``, an int that tells the table when CPython drops the last reference to it. No alias analysis
is needed, and none can be wrong: the interpreter itself says what still holds a descriptor.
"""

from __future__ import annotations

import contextlib
import dis
import enum
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import CodeType, FrameType, FunctionType

from .shape import PROGRAM, Place, Shape


class State(enum.Enum):
    """What is to be done about a descriptor."""

    OPEN = "open"
    CLOSED = "closed"
    HANDED_OVER = "handed over"


class How(enum.Enum):
    """How the last reference to an open descriptor died."""

    DISCARDED = "discarded"
    REBOUND = "rebound"
    DELETED = "deleted"
    NEXT_ROUND = "next round"
    DROPPED = "dropped"  # taken out of a list and bound to nothing, or the list was cleared
    LEFT = "left"  # it was held until the function was left, or lost to an exception in mid-expression


@dataclass(eq=False, slots=True)
class Descriptor:
    """One row of the table: descriptor ``index`` of the ``instance``-th acquisition of a run, made at ``place``.

    ``depth``: how many calls of the module's own functions lie between the function under test and the owner.
    """

    place: Place
    instance: int
    index: int
    state: State = State.OPEN
    sent: bool = False
    spawned: bool = False
    depth: int = 0
    owned: bool = False  # an object has it that closes it
    received: bool = False
    closed_at: int | None = None  # the line at which the function closed it though it belonged to an ``ExitStack``


@dataclass(frozen=True, slots=True)
class Misdeed:
    """A number used or closed after its end: the code due, and the line. ``doubtful``: to be silent is no mistake."""

    code: str
    line: int
    doubtful: bool


@dataclass(frozen=True, slots=True)
class Loss:
    """A descriptor that nobody can close any more."""

    descriptor: Descriptor
    how: How
    sent: bool
    spawned: bool


class Fd(int):
    """A descriptor's number, as the function under test sees it."""

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
    watched: set[int] = field(default_factory=set)  # lines on which the function under test closes or uses
    left: bool = False
    pruned: bool = False
    invalid: str | None = None
    raising: bool = False  # the last call of the run raised
    impossible: bool = False  # cut, for it took something from an empty list
    again: bool = False  # the function was left by an exception that a bare ``raise`` let go on
    depth: int = 0  # how many of the module's own functions have been called and not left yet
    unwinding: bool = False  # what a function was given is let go, for it has raised
    instances: int = 0
    received: set[Place] = field(default_factory=set)
    reached: set[Place] = field(default_factory=set)  # calls of the function under test that could give it some

    def acquire(self, place: Place, count: int) -> list[Fd]:
        """``count`` new descriptors, made by one call at ``place``."""
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
        """The call at ``where`` is about to be made."""
        if not self.depth:
            self.reached.add(where)

    def give(self, place: Place, result: object, others: object) -> None:
        """What a function just left made and gave its caller is acquired there, by the call at ``place``."""
        self.instances += 1
        items = result if isinstance(result, tuple) else (result,)
        for index, item in enumerate((*items, others)):
            for row in reachable(item):
                if row.depth > self.depth and row.state is State.OPEN:
                    if row.place in self.received:
                        self.received.add(place)
                    row.place, row.instance, row.index, row.depth = place, self.instances, index, self.depth

    def watch(self, value: object, *, closes: bool, doubtful: bool = False) -> None:
        """``value`` is about to be closed or used by the function under test itself."""
        frame = sys._getframe(2)
        if frame.f_code.co_filename != PROGRAM or self.depth or self.pruned:
            return
        self.watched.add(frame.f_lineno)
        for row in reachable(value):
            code = None
            if row.state is State.CLOSED:
                code = "FD201" if closes else "FD202"
            elif closes and row.state is State.HANDED_OVER:
                code = "FD203" if row.owned else None
                row.state = State.CLOSED
                row.closed_at = None if row.owned else frame.f_lineno
            if code is not None:
                self.misdeeds.add(Misdeed(code, frame.f_lineno, doubtful or row.received))

    def closer(self, value: object) -> Callable[[], None]:
        """What an ``ExitStack`` does to all of ``value`` that a callback will close: a call for right before that."""
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
                    self.misdeeds.add(Misdeed(code, line, row.received))
                elif row.closed_at is not None and code is None:
                    self.misdeeds.add(Misdeed("FD203", row.closed_at, row.received))
                    row.state = State.HANDED_OVER  # this one has been told: the callback's close is none of its own

        return end

    def settle(self, value: object, state: State) -> None:
        """Close or hand over every open descriptor that can be reached from ``value``."""
        for descriptor in reachable(value):
            if descriptor.state is State.OPEN and not self.pruned:
                descriptor.state = state

    def died(self, descriptor: Descriptor) -> None:
        """CPython dropped the last reference to ``descriptor``."""
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
            return How.DROPPED  # out of what the function under test had given to another
        opcode = _opcode(frame.f_code, frame.f_lasti)
        own = self.shape.same_statement(frame.f_lineno, descriptor.place[0])
        if frame is top and opcode.startswith("STORE") and self.shape.binds(frame.f_lineno):
            return How.NEXT_ROUND if own else How.REBOUND
        if frame is top and opcode.startswith("DELETE"):
            return How.DELETED
        if frame is top and opcode == "POP_TOP" and not self.raising and self.shape.leaves(frame.f_lineno):
            return How.DISCARDED  # on its way out, when another ``return`` came in between
        if frame is top and (self.raising or opcode == "RERAISE" or self.shape.leaves(frame.f_lineno)):
            return How.LEFT
        return How.DISCARDED if own else How.DROPPED

    def lost(self) -> list[Loss]:
        """What the function under test lost; what others lost on the way is theirs."""
        return [loss for loss in self.losses if not loss.descriptor.depth]

    def open_rows(self) -> int:
        """How many descriptors are neither closed nor handed over nor lost."""
        lost = {id(loss.descriptor) for loss in self.losses}
        return sum(row.state is State.OPEN and id(row) not in lost for row in self.rows)


def reachable(value: object) -> Iterator[Descriptor]:
    """The descriptors that ``value`` keeps alive: itself, its elements, what its closure captured."""
    match value:
        case Fd():
            yield value.descriptor
        case list() | tuple() | set():
            for item in value:
                yield from reachable(item)
        case dict():
            for item in value.values():
                yield from reachable(item)
        case FunctionType():
            for cell in value.__closure__ or ():
                with contextlib.suppress(ValueError):  # an empty cell
                    yield from reachable(cell.cell_contents)
        case _:
            return


def program_frame(frame: FrameType | None) -> FrameType | None:
    """The innermost frame of the function under test, from ``frame`` outward."""
    while frame is not None and frame.f_code.co_filename != PROGRAM:
        frame = frame.f_back
    return frame


def _opcode(code: CodeType, at: int) -> str:
    return dis.opname[code.co_code[at]]
