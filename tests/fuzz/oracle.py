"""Scans inputs one after the other in a process with a time limit, and finds errors."""

from __future__ import annotations

import multiprocessing
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from tests.memory import forget_peak, held, own_peak

if TYPE_CHECKING:
    from fdlint.core.budget import Budget
    from fdlint.core.engine.context import AnalysisContext

_SLACK = 50_000  # units of work: one look-up, or one call with all its outcomes, may exceed the limit by this
_TIRED = 250  # MB: a process that holds more after an input is replaced, so that the next input is measured alone
_PATIENCE = 5
_LARGE = 100_000  # bytes: inputs up to this size must end within the limit, larger ones in proportion


@dataclass(frozen=True, slots=True)
class Input:
    """An input of a scan. ``name`` tells how to generate it again."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Limits:
    """``seconds``: processor time for an input of up to 100 kB; after five times as long the process is ended.
    ``megabytes``: the memory of that process."""

    seconds: float = 20
    megabytes: int = 512


@dataclass(frozen=True, slots=True)
class Measured:
    """The report of the process. ``seconds`` of processor time. ``megabytes``: the highest use of memory; ``held``: the
    use afterwards. ``spent`` and ``limit``: units of the budget. ``raised``: a traceback."""

    seconds: float
    megabytes: int
    held: int
    spent: int
    limit: int
    findings: int = 0
    skipped: tuple[str, ...] = ()
    raised: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """An input, its measurement (None if its process ended), and the error, if there is one."""

    given: Input
    measured: Measured | None
    failure: str | None


def fault(given: Input, measured: Measured, limits: Limits) -> str | None:
    """Returns the error in a result, or None. The first word is the kind of failure."""
    internal = [reason for reason in measured.skipped if "internal error" in reason]
    if measured.raised:
        return f"raised: {measured.raised}"
    if internal:
        return f"internal: {internal[0]}"
    if measured.spent > measured.limit + _SLACK:
        return f"overspent: {measured.spent:,} steps of {measured.limit:,}"
    if measured.megabytes > limits.megabytes:
        return f"memory: {measured.megabytes} MB"
    if measured.seconds > _allowed(given, limits):
        return f"slow: {measured.seconds:.1f} s for {len(given.data):,} bytes"
    return None


def _allowed(given: Input, limits: Limits) -> float:
    """Returns the allowed seconds of processor time."""
    return limits.seconds * max(1.0, len(given.data) / _LARGE)


class Oracle:
    """A process that scans. It is replaced after it was ended or has grown. Use it in a ``with`` statement."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._process: multiprocessing.process.BaseProcess | None = None
        self._connection: Connection | None = None

    def __enter__(self) -> Oracle:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def outcomes(self, inputs: Iterable[Input]) -> Iterator[Outcome]:
        """Yields the outcome of each input, in order."""
        for given in inputs:
            yield self.outcome(given)

    def outcome(self, given: Input) -> Outcome:
        """Returns the outcome of one input."""
        connection = self._ready()
        most = _PATIENCE * _allowed(given, self.limits)
        try:
            connection.send((given, most))
            measured: Measured = connection.recv()
        except (EOFError, OSError):
            code = self._end()
            late = code == -signal.SIGPROF
            return Outcome(given, None, f"endless: more than {most:g} s" if late else f"died: exit status {code}")
        if measured.held > _TIRED or measured.megabytes > self.limits.megabytes:
            self._end()
        return Outcome(given, measured, fault(given, measured, self.limits))

    def _ready(self) -> Connection:
        if self._connection is None:
            self._connection, theirs = multiprocessing.Pipe()
            context = multiprocessing.get_context("spawn")  # a fork would share this process's memory
            self._process = context.Process(target=_serve, args=(theirs, sys.path), daemon=True)
            self._process.start()
            theirs.close()
        return self._connection

    def _end(self) -> int | None:
        """Ends the process. Returns its exit status."""
        if self._process is None or self._connection is None:
            return None
        self._connection.close()
        self._process.join(0.5)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        code = self._process.exitcode
        self._process = self._connection = None
        return code


def _serve(connection: Connection, path: list[str]) -> None:
    """The main function of the process: receives inputs, sends back measurements."""
    sys.path[:] = path
    with connection, _watched() as budgets:
        while True:
            try:
                given, most = connection.recv()
            except (EOFError, OSError):
                return
            signal.setitimer(signal.ITIMER_PROF, most)  # the signal ends the process
            connection.send(_measured(given, budgets))


def _measured(given: Input, budgets: list[Budget]) -> Measured:
    import traceback

    from fdlint.scan.scan import scan_source

    budgets.clear()
    forget_peak()
    started = time.process_time()
    findings, raised = 0, ""
    skipped: tuple[str, ...] = ()
    try:
        report = scan_source(given.data, f"{given.name}.py")
        findings, skipped = len(report.findings), tuple(one.reason for one in report.skipped)
    except BaseException:  # the caller must see any error
        raised = traceback.format_exc()[-2000:]
    seconds = time.process_time() - started
    spent, limit = max(((one.spent, one.limit) for one in budgets), default=(0, 0))
    return Measured(seconds, own_peak() >> 20, held() >> 20, spent, limit, findings, skipped, raised)


@contextmanager
def _watched() -> Iterator[list[Budget]]:
    """Collects the budgets of all analyses."""
    from fdlint.core.engine.context import AnalysisContext

    made: list[Budget] = []
    usual = AnalysisContext.__init__

    def noting(self: AnalysisContext, *given: object, **named: object) -> None:
        usual(self, *given, **named)  # type: ignore[arg-type]
        made.append(self.budget)

    AnalysisContext.__init__ = noting  # type: ignore[method-assign]
    try:
        yield made
    finally:
        AnalysisContext.__init__ = usual  # type: ignore[method-assign]
