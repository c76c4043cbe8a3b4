"""Watches one run: which descriptors the line of the finding acquires, how far the trace is followed, which exceptions
come that the trace does not have. It makes the steps of the trace raise that raise there."""

from __future__ import annotations

import dis
import errno
import os
import sys
from types import CodeType, FrameType, TracebackType
from typing import Any, NamedTuple

from fdlint.runtime.proof.machinery.choices import Choices
from fdlint.runtime.proof.machinery.descriptors import identity, is_inheritable, opened, owned_by_objects, registered
from fdlint.runtime.proof.machinery.stand_in import StandIn, Surroundings

_ENTRIES = ("__init__", "__enter__", "__aenter__", "__call__", "__next__")
_OF_THE_SYSTEM = ("posix", "fcntl", "select", "_socket", "termios")


class Defect(NamedTuple):
    """What to show. ``calls``: the functions to call in order, as qualified names; empty: run the module. ``first`` and
    ``last``: the lines of ``path`` that acquire, or misuse. ``steps``: the lines of the trace. ``raising``: where it
    raises, and the names that are called there. ``spelled``: lines with a ``raise``, or an ``assert``."""

    code: str
    top: str
    module: str
    calls: tuple[str, ...]
    path: str
    first: int
    last: int
    steps: tuple[tuple[str, int], ...]
    raising: tuple[tuple[str, int, tuple[str, ...]], ...]
    spelled: tuple[tuple[str, int], ...]


class MadeOSError(OSError):
    """An error of the system that the proof makes."""


class MadeError(RuntimeError):
    """Any other exception that the proof makes."""


class Watch:
    """The hooks of one run, and what they saw. ``acquired``: the complements of numbers, and what was open there.
    ``closed``: one of them was closed. ``strayed``: the first exception that is not in the trace; ``failed``: one
    before a descriptor was acquired; ``failing``: the function from which the first of them comes. ``has_zero``: the
    descriptor 0 is open when the line runs; ``after``: the lines to which the line leads. ``registered``: the
    complements of numbers that the line closes while a selector watches them."""

    def __init__(self, defect: Defect, choices: Choices, around: Surroundings) -> None:
        self._choices, self._around = choices, around
        self._files = {os.path.realpath(path): path for path, _ in (*defect.steps, (defect.path, 0))}
        self._span = defect.path, range(defect.first, defect.last + 1)
        self._steps = defect.steps
        self._raising = {(path, line): names for path, line, names in defect.raising}
        self._spelled = set(defect.spelled)
        self._early = defect.code.startswith("FD2")
        self._pending: dict[int, dict[int, str]] = {}
        self._planned: set[int] = set()
        self.acquired: dict[int, str] = {}
        self.progress = 0
        self.raised: list[str] = []
        self.strayed = self.failed = ""
        self.failing: CodeType | None = None
        self._top = os.path.realpath(defect.top)
        self.closed = self.misused = self.inheritable = self.stolen = self.has_zero = False
        self.registered: set[int] = set()
        self.after: list[int] = []
        self._tested = 0

    def start(self) -> None:
        """Begins to watch."""
        sys.setprofile(self._called)
        sys.settrace(self._entered)

    def end(self) -> None:
        """Ends it."""
        sys.settrace(None)
        sys.setprofile(None)

    def close_seen(self, number: int, frame: FrameType) -> None:
        """Is told of each ``os.close``, before it happens."""
        if self._early and self.is_within(frame) and identity(number) is not None:
            self.stolen |= ~number in owned_by_objects()
            self.registered |= (registered() | self._around.registered) & {~number}
        if self.acquired.pop(~number, None) is not None:
            self.closed = True

    def _entered(self, frame: FrameType, event: str, argument: object) -> Any:
        return self._within if frame.f_code.co_filename in self._files else None

    def _within(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self._at_line(frame)
        elif event == "exception":
            self._left(frame)
            if frame.f_code.co_name != "<module>" or not isinstance(argument[1], ModuleNotFoundError):
                self._judge(frame, argument[1], argument[2])
        elif event == "return":
            self._note_way(frame, 0, False)
            self._left(frame)
            self.inheritable |= any(
                is_inheritable(~one) for one, what in self.acquired.items() if identity(~one) == what
            )
        return self._within

    def _place(self, frame: FrameType) -> tuple[str, int]:
        return self._files.get(frame.f_code.co_filename, ""), frame.f_lineno

    def _is_here(self, frame: FrameType) -> bool:
        path, line = self._place(frame)
        return path == self._span[0] and line in self._span[1]

    def is_within(self, frame: FrameType | None) -> bool:
        """Whether the line of the finding runs, or a function that it has called."""
        while frame is not None:
            if self._is_here(frame):
                return True
            frame = frame.f_back
        return False

    def _at_line(self, frame: FrameType) -> None:
        if sys.getprofile() is None:  # it was dropped when it raised
            sys.setprofile(self._called)
        here = self._is_here(frame)
        self._note_way(frame, frame.f_lineno, here)
        self._forget_closed()
        if not here:
            self._left(frame)
        elif id(frame) not in self._pending:
            self._pending[id(frame)] = opened()
        while self.progress < len(self._steps) and self._steps[self.progress] == self._place(frame):
            self.progress += 1

    def _note_way(self, frame: FrameType, line: int, here: bool) -> None:
        """``line``: the next one of a frame; 0: its end."""
        if self._tested == id(frame) and not here:
            self.after.append(line)
            self._tested = 0
        if here:
            self._tested = id(frame)
            self.has_zero |= identity(0) is not None

    def _forget_closed(self) -> None:
        """A number that is closed can be that of the same file again."""
        gone = [one for one, what in self.acquired.items() if identity(~one) != what]
        for one in gone:
            del self.acquired[one]
            self.closed = True

    def _left(self, frame: FrameType) -> None:
        before = self._pending.pop(id(frame), None)
        if before is not None:
            own = {*self._around.own, *(~one.fileno() for one in self._around.sockets)}
            now = opened()
            self.acquired.update({one: what for one, what in now.items() if before.get(one) != what and one not in own})

    def _judge(self, frame: FrameType, error: BaseException, trace: TracebackType) -> None:
        place = self._place(frame)
        if isinstance(error, OSError) and error.errno == errno.EBADF and self._early:
            self.misused |= self.is_within(frame)
        elif isinstance(error, MadeOSError | MadeError | StopIteration | StopAsyncIteration | GeneratorExit):
            return
        elif place in self._spelled or place in self._raising:
            self._planned.add(id(error))
        elif id(error) not in self._planned and isinstance(error, Exception):
            told = f"{type(error).__name__} on line {place[1]}: {error!s:.100}"
            if self._early or self.acquired or self.closed or self._pending:
                self.strayed = self.strayed or told
            else:  # the code can handle it
                self.failed = self.failed or told
            if self.failing is None and not self._is_here(frame):
                self.failing = self._failing(trace)

    def _failing(self, trace: TracebackType) -> CodeType | None:
        """Returns the function that fails, called from the trace; None if the trace has it, or if the code of the
        project raises the exception."""
        called = trace.tb_next.tb_frame.f_code if trace.tb_next is not None else None
        while trace.tb_next is not None:
            trace = trace.tb_next
        code = trace.tb_frame.f_code
        spelled = dis.opname[code.co_code[trace.tb_lasti]] == "RAISE_VARARGS"
        if called is None or called.co_filename == __file__ or (spelled and code.co_filename.startswith(self._top)):
            return None
        path, lines = self._files.get(called.co_filename), {line for _, _, line in called.co_lines()}
        known = (*self._steps, *((self._span[0], line) for line in self._span[1]))
        return None if any(one == path and line in lines for one, line in known) else called

    def _called(self, frame: FrameType, event: str, argument: Any) -> None:
        """The profiler. What it raises comes out of the call."""
        if event == "c_call":
            caller, name = frame, argument.__name__
        elif event == "call" and frame.f_back is not None:
            caller, name = frame.f_back, frame.f_code.co_name
        else:
            return
        names = self._raising.get(self._place(caller))
        if names is None or not (self.acquired or self.closed or self._pending or self._early) or len(self.raised) > 3:
            return
        stands_in = isinstance(frame.f_locals.get("self"), StandIn) if event == "call" else False
        if name in names or stands_in or (event == "call" and name in _ENTRIES):
            shown = name if name in names or not names else names[0]
            self._raise(shown, self._place(caller)[1], event == "c_call" and argument.__module__ in _OF_THE_SYSTEM)

    def _raise(self, name: str, line: int, of_the_system: bool) -> None:
        chosen = self._choices.pick(2 if of_the_system else 3)
        if chosen == 1:
            return
        self.raised.append(f"`{name}` raises {'an OSError' if chosen == 0 else 'a RuntimeError'} on line {line}")
        if chosen == 0:
            raise MadeOSError(errno.EIO, "made by the proof")
        raise MadeError("made by the proof")
