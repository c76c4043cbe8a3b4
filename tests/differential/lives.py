"""The virtual descriptor table of one object's life: the values of its attributes, their losses, and stale numbers."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

from .shape import Place
from .table import Descriptor, State, Table, program_frame, reachable


@dataclass(frozen=True, slots=True)
class Moment:
    """A statement of a run: its line, the methods on the stack (the first is the one called from outside), and the
    number of that outside call."""

    line: int
    chain: tuple[str, ...]
    entry: int

    @property
    def public(self) -> str:
        """The method that was called from outside."""
        return self.chain[0]


@dataclass(frozen=True, slots=True)
class Overwritten:
    """An attribute lost an open descriptor. ``fills``: to another one. ``moved``: a variable held it for a while."""

    attribute: str
    at: Moment
    filled: Moment
    fills: bool
    moved: bool = False


@dataclass(frozen=True, slots=True)
class ClosedAgain:
    """A number was closed in one outside call, and again through an attribute in a later one."""

    first: Moment
    again: Moment
    normal: bool  # the first call returned


@dataclass(slots=True)
class Lives(Table):
    """``filled``: who stored the values of attributes. ``homes``: the attributes that held a descriptor."""

    entry: int = -1
    returned: list[bool] = field(default_factory=list)  # for each call from outside
    filled: dict[str, Moment] = field(default_factory=dict)
    homes: dict[Descriptor, set[str]] = field(default_factory=dict)
    taken: dict[Descriptor, Overwritten] = field(default_factory=dict)
    storing: bool = False
    pending: list[Overwritten] = field(default_factory=list)
    overwritten: list[Overwritten] = field(default_factory=list)
    closed: dict[Descriptor, Moment] = field(default_factory=dict)
    closing: set[int] = field(default_factory=set)  # lines that closed something
    again: list[tuple[Moment, Moment]] = field(default_factory=list)
    released: set[str] = field(default_factory=set)
    strayed: set[Place] = field(default_factory=set)  # acquired, and lost before any attribute had it

    def moment(self) -> Moment:
        """Returns the present moment."""
        frame = program_frame(sys._getframe(1))
        assert frame is not None
        line, chain = frame.f_lineno, []
        while frame is not None:
            chain.append(frame.f_code.co_name)
            frame = program_frame(frame.f_back)
        return Moment(line, tuple(reversed(chain)), self.entry)

    def store(self, holder: object, name: str, value: object, *, delete: bool = False) -> None:
        """``holder.name = value``, or ``del holder.name``."""
        if delete and name not in vars(holder):
            raise AttributeError(name, name=name, obj=holder)
        now = self.moment()
        new = set(reachable(value))
        old = vars(holder).pop(name, None)
        for row in reachable(old):
            if row.state is State.OPEN and row not in new:
                self.taken[row] = Overwritten(name, now, self.filled[name], bool(new))
        if not delete:
            vars(holder)[name] = value
        for row in new:
            self.filled[name] = now
            self.taken.pop(row, None)
            self.homes.setdefault(row, set()).add(name)
        self.storing = True
        del old
        self.storing = False

    def settle(self, value: object, state: State) -> None:
        """Closes or hands over. ``closed`` handles a number that is closed already."""
        for row in reachable(value):
            if self.pruned:
                return
            if state is State.CLOSED:
                self.closing.add(self.moment().line)
            if row.state is State.OPEN:
                row.state = state
                self.released |= self.homes.get(row, set())
                if state is State.CLOSED:
                    self.closed[row] = self.moment()
            elif row.state is State.CLOSED and state is State.CLOSED:
                self.again.append((self.closed[row], self.moment()))

    def give(self, place: Place, result: object, others: object) -> None:
        """Handles a method that returns to another: its result lives on, and a new descriptor counts as acquired
        there."""
        for row in reachable(result):
            self.taken.pop(row, None)
            if row.state is State.OPEN and row not in self.homes and row.depth > self.depth:
                row.place, row.depth = place, self.depth

    def reach(self, where: Place) -> None:
        """Notes that a method is about to make the call at ``where``."""
        self.reached.add(where)

    def died(self, descriptor: Descriptor) -> None:
        """Handles the loss of the last reference: at the store itself, or with the variable that it was moved to."""
        if descriptor.state is not State.OPEN or self.pruned or self.left:
            return
        event = self.taken.get(descriptor)
        if self.unwinding:
            return  # an exception ended a method
        if event is None:
            self.strayed.add(descriptor.place)
        elif self.storing:
            self.overwritten.append(event)
        else:
            self.pending.append(event)

    def leave(self, *, normal: bool) -> None:
        """Ends an outside call: the losses of variables count if it returned."""
        self.returned.append(normal)
        if normal:
            moved = (Overwritten(one.attribute, one.at, one.filled, one.fills, True) for one in self.pending)
            self.overwritten.extend(moved)
        self.pending.clear()

    def reset(self, holder: object) -> set[Descriptor]:
        """Returns the closed descriptors that no attribute holds any more."""
        held = {row for value in vars(holder).values() for row in reachable(value)}
        return self.closed.keys() - held

    def closed_again(self) -> list[ClosedAgain]:
        """Returns the descriptors that more than one outside call closed."""
        return [
            ClosedAgain(*pair, self.returned[pair[0].entry]) for pair in self.again if pair[0].entry != pair[1].entry
        ]
