"""Distributes work over several processes: files of Python, packages of Go.

Each process starts at its own place in the list and continues from there, because neighbouring files have the same
imports: a process reuses its results for the next file. A process at its end takes files from the end of the longest
remaining lot. The processes stay from one round of a scan to the next, with all that they have loaded, and get files
from the same directories again.
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import PurePath
from typing import Generic, NamedTuple, Protocol, TypeAlias, TypeVar, cast


class Work(Protocol):
    """What one process does at a time: a file, or a few of one directory."""

    @property
    def name(self) -> str:
        """The path, which tells whose neighbour it is."""

    @property
    def size(self) -> int:
        """The number of bytes to read."""


W = TypeVar("W", bound=Work)
R = TypeVar("R")
Job: TypeAlias = Callable[[W], R]
Lost: TypeAlias = Callable[[W, str], R]
_DIED = "the process that scanned it died: out of memory?"
_AHEAD = 2  # files that a process gets in advance, so that it need not wait for the next one
_PATIENCE = 5.0  # seconds in which an idle process must end
_WAITS = 0.02  # a process that uses a smaller part of the time than this waits for something
_SAFE_PATH = "PYTHONSAFEPATH"
_starting = threading.Lock()  # all threads share the environment: each restores it
_SIGNALS = {  # the parent decides when it ends, and a fork inherits its handlers
    "SIGINT": signal.SIG_IGN,
    "SIGHUP": signal.SIG_IGN,
    "SIGTERM": signal.SIG_DFL,
}


def _nothing() -> None:
    pass


class _Order(NamedTuple):
    """The job for all work that follows."""

    job: Callable[[object], object]


class Pool(Generic[W, R]):
    """The processes of one scan, at most ``jobs``. ``lost`` returns the result of a file whose process has died or was
    ended, from the reason. ``seconds``: after this processor time the process of a file is ended, or after this time if
    it waits. ``prepare`` runs in each process while it has no file yet."""

    def __init__(
        self, jobs: int, lost: Lost[W, R], seconds: float | None = None, prepare: Callable[[], None] = _nothing
    ) -> None:
        self._jobs, self._lost, self._seconds, self._prepare = jobs, lost, seconds, prepare
        self._workers: list[_Worker[W, R]] = []
        self._homes: dict[str, int] = {}  # the process that scanned files of a directory, or below it

    def start(self, number: int) -> None:
        """Starts processes until there are ``number``."""
        while len(self._workers) < min(number, self._jobs):
            self._workers.append(_Worker[W, R](self._prepare, self._workers))

    def run(self, job: Job[W, R], files: Sequence[W]) -> Iterator[R]:
        """Runs the job for every file. Yields results in any order."""
        known = len(self._workers) if self._homes else 0
        self.start(len(files))
        self._replace_dead()
        lots = self._lots_for(files, known)
        try:
            for worker, lot in zip(self._workers, lots, strict=True):
                worker.work_on(job)
                worker.give(_taken(lot, lots, _AHEAD))
            while busy := [worker.connection for worker in self._workers if worker.waiting]:
                ready = wait(busy, _shortest(self._workers, self._seconds))
                for number in range(len(self._workers)):
                    answer = self._answer(number, ready, lots[number], job)
                    if answer is not None:
                        worker = self._workers[number]
                        worker.give(_taken(lots[number], lots, _AHEAD - len(worker.waiting)))
                        yield answer
        finally:
            if any(worker.waiting for worker in self._workers):
                self.close()

    def close(self) -> None:
        """Ends the processes."""
        self._homes.clear()
        while self._workers:
            self._workers.pop().end()

    def _answer(self, number: int, ready: Sequence[object], lot: deque[W], job: Job[W, R]) -> R | None:
        """Returns the next result of a process, None if it has none yet. Replaces a process that has died or takes too
        long."""
        worker, seconds = self._workers[number], self._seconds
        late = seconds is not None and worker.left(seconds) <= 0
        if worker.connection not in ready and not late:
            return None
        answer = worker.answer() if worker.connection in ready else None
        if answer is None:
            worker.end()
            why = f"took more than {seconds:g} seconds" if late else _DIED
            answer = self._lost(worker.waiting.popleft(), why)
            lot.extendleft(reversed(worker.waiting))
            self._renew(number)
            self._workers[number].work_on(job)
        return answer

    def _renew(self, number: int) -> None:
        others = [one for at, one in enumerate(self._workers) if at != number]
        self._workers[number] = _Worker[W, R](self._prepare, others)

    def _replace_dead(self) -> None:
        """Replaces the processes that ended while they had no file."""
        for number, worker in enumerate(self._workers):
            if not worker.is_alive:
                worker.end()
                self._renew(number)

    def _lots_for(self, files: Sequence[W], known: int) -> list[deque[W]]:
        """Returns the files of each process. ``known``: the number of processes that have scanned files before: one
        that has scanned the neighbours of a file gets it."""
        lots: list[deque[W]] = [deque() for _ in self._workers]
        if known:
            for file in files:
                above = map(str, PurePath(file.name).parents)
                lots[next((self._homes[one] for one in above if one in self._homes), 0)].append(file)
            return lots
        for number, lot in enumerate(_lots(files, len(lots))):
            lots[number].extend(lot)
            for parent in {parent for file in lot for parent in PurePath(file.name).parents}:
                self._homes.setdefault(str(parent), number)
        return lots


class _Worker(Generic[W, R]):
    """A process, and its files without an answer."""

    def __init__(self, prepare: Callable[[], None], others: Iterable[_Worker[W, R]]) -> None:
        self.waiting: deque[W] = deque()
        self._begun = 0.0  # the start of the first of them
        self._used = 0.0  # the processor time of the process at that moment
        self.connection, theirs = multiprocessing.Pipe()
        beside = [self.connection, *(one.connection for one in others)]
        self._process = multiprocessing.Process(target=_work, args=(prepare, theirs, beside), daemon=True)
        _start(self._process)
        theirs.close()

    @property
    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self._process.is_alive()

    def work_on(self, job: Job[W, R]) -> None:
        """Sends it the job for all following files."""
        with contextlib.suppress(OSError):
            self.connection.send(_Order(cast("Callable[[object], object]", job)))

    def give(self, files: Sequence[W]) -> None:
        """Sends it more files. If the process is gone, ``answer`` notices that."""
        if not self.waiting:
            self._begin()
        self.waiting.extend(files)
        with contextlib.suppress(OSError):
            for file in files:
                self.connection.send(file)

    def answer(self) -> R | None:
        """Returns its result for the first of its files; None if the process has died. Raises the exception that was
        raised there."""
        try:
            found = self.connection.recv()
        except (EOFError, OSError):
            return None
        if isinstance(found, Exception):
            raise found
        self.waiting.popleft()
        self._begin()
        return cast("R", found)

    def left(self, seconds: float) -> float:
        """Returns the remaining seconds for its present file. On a busy machine this is processor time: what is found
        must not depend on the load."""
        if not self.waiting:
            return seconds
        took = time.monotonic() - self._begun
        if took < seconds:
            return seconds - took
        used = _processor_time(self._process.pid)
        return seconds - (used - self._used) if used - self._used > took * _WAITS else 0.0

    def _begin(self) -> None:
        self._begun, self._used = time.monotonic(), _processor_time(self._process.pid)

    def end(self) -> None:
        """Ends the process."""
        self.connection.close()
        if self.waiting:
            self._process.terminate()
        self._process.join(_PATIENCE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self._process.close()


def _processor_time(pid: int | None) -> float:
    """Returns the processor seconds of a process; 0 where only Linux could tell. The clock's number is that of
    ``clock_getcpuclockid`` in glibc."""
    if not sys.platform.startswith("linux") or pid is None:
        return 0.0
    try:
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return 0.0


def _start(process: BaseProcess) -> None:
    """Starts a process that imports nothing from the working directory, which can be the scanned tree.

    Without a fork, multiprocessing runs ``python -c``, which searches that directory first. Python 3.10 has no way to
    prevent it.
    """
    with _starting:
        before = os.environ.get(_SAFE_PATH)
        os.environ[_SAFE_PATH] = "1"
        try:
            process.start()
        finally:
            if before is None:
                del os.environ[_SAFE_PATH]
            else:
                os.environ[_SAFE_PATH] = before


def _shortest(workers: Iterable[_Worker[W, R]], seconds: float | None) -> float | None:
    """Returns the time to wait for an answer before a file may exceed its limit."""
    return max(0.0, min(worker.left(seconds) for worker in workers)) if seconds is not None else None


def _work(prepare: Callable[[], None], connection: Connection, beside: Iterable[Connection]) -> None:
    """The main function of a process. It receives jobs, and the files for the last job. ``beside``: ends of pipes that
    only the parent needs; a copy here would hide the parent's end from other processes."""
    for name, action in _SIGNALS.items():
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), action)
    gc.disable()
    for one in beside:
        one.close()
    with contextlib.suppress(EOFError, OSError):
        with contextlib.suppress(Exception):  # the job fails in the same way, and its result tells why
            prepare()
        order = connection.recv()
        while True:
            file = connection.recv()
            if isinstance(file, _Order):
                order = file
                continue
            try:
                connection.send(order.job(file))
            except OSError:
                raise
            except Exception as error:
                connection.send(error)


def _taken(own: deque[W], lots: Iterable[deque[W]], number: int) -> list[W]:
    """Returns the next files of a process's own lot, otherwise the last ones of the largest other lot."""
    found = []
    for _ in range(number):
        if own:
            found.append(own.popleft())
        elif most := max(lots, key=len, default=None):
            found.append(most.pop())
    return found


def _lots(files: Sequence[W], number: int) -> list[list[W]]:
    """Splits files into lots of neighbours, with about as much to read in each."""
    sizes = [file.size for file in files]
    total, before = sum(sizes), 0
    lots: list[list[W]] = [[] for _ in range(number)]
    for file, size in zip(files, sizes, strict=True):
        lots[min(before * len(lots) // total, len(lots) - 1)].append(file)
        before += size
    return lots
