"""Distributes files over several processes.

Each process starts at its own place in the list and continues from there, because neighbouring files have the same
imports: a process reuses its results for the next file. A process at its end takes files from the end of the longest
remaining lot.
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import TypeAlias

from fdlint.files.discover import FileToScan
from fdlint.findings.finding import FileResult

Job: TypeAlias = Callable[[FileToScan], FileResult]
Lost: TypeAlias = Callable[[FileToScan, str], FileResult]
_DIED = "the process that scanned it died: out of memory?"
_AHEAD = 2  # files that a process gets in advance, so that it need not wait for the next one
_PATIENCE = 5.0  # seconds in which an idle process must end
_SAFE_PATH = "PYTHONSAFEPATH"
_starting = threading.Lock()  # all threads share the environment: each restores it
_SIGNALS = {  # the parent decides when it ends, and a fork inherits its handlers
    "SIGINT": signal.SIG_IGN,
    "SIGHUP": signal.SIG_IGN,
    "SIGTERM": signal.SIG_DFL,
}


def spread(
    job: Job, files: Sequence[FileToScan], jobs: int, lost: Lost, seconds: float | None = None
) -> Iterator[FileResult]:
    """Runs the job for every file, in ``jobs`` processes. Yields results in any order.

    ``seconds``: after this time the process of a file is ended. ``lost`` returns the result of a file whose process has
    died or was ended, from the reason.
    """
    lots = [deque(lot) for lot in _lots(files, jobs)]
    workers: list[_Worker] = []
    try:
        for _ in lots:
            workers.append(_Worker(job, workers))
        for worker, lot in zip(workers, lots, strict=True):
            worker.give(_taken(lot, lots, _AHEAD))
        while busy := [worker.connection for worker in workers if worker.waiting]:
            ready = wait(busy, _shortest(workers, seconds))
            for number, worker in enumerate(workers):
                late = seconds is not None and worker.left(seconds) <= 0
                if worker.connection in ready or late:
                    answer = worker.answer() if worker.connection in ready else None
                    if answer is None:
                        worker.end()
                        why = f"took more than {seconds:g} seconds" if late else _DIED
                        answer = lost(worker.waiting.popleft(), why)
                        lots[number].extendleft(reversed(worker.waiting))
                        workers[number] = _Worker(job, [one for one in workers if one is not worker])
                    room = _AHEAD - len(workers[number].waiting)
                    workers[number].give(_taken(lots[number], lots, room))
                    yield answer
    finally:
        for worker in workers:
            worker.end()


class _Worker:
    """A process, and its files without an answer."""

    def __init__(self, job: Job, others: Iterable[_Worker]) -> None:
        self.waiting: deque[FileToScan] = deque()
        self._begun = 0.0  # the start of the first of them
        self.connection, theirs = multiprocessing.Pipe()
        beside = [self.connection, *(one.connection for one in others)]
        self._process = multiprocessing.Process(target=_work, args=(job, theirs, beside), daemon=True)
        _start(self._process)
        theirs.close()

    def give(self, files: Sequence[FileToScan]) -> None:
        """Sends it more files. If the process is gone, ``answer`` notices that."""
        if not self.waiting:
            self._begun = time.monotonic()
        self.waiting.extend(files)
        with contextlib.suppress(OSError):
            for file in files:
                self.connection.send(file)

    def answer(self) -> FileResult | None:
        """Returns its result for the first of its files; None if the process has died. Raises the exception that was
        raised there."""
        try:
            found = self.connection.recv()
        except (EOFError, OSError):
            return None
        if isinstance(found, Exception):
            raise found
        self.waiting.popleft()
        self._begun = time.monotonic()
        assert isinstance(found, FileResult)
        return found

    def left(self, seconds: float) -> float:
        """Returns the remaining seconds for its present file."""
        return self._begun + seconds - time.monotonic() if self.waiting else seconds

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


def _shortest(workers: Iterable[_Worker], seconds: float | None) -> float | None:
    """Returns the time to wait for an answer before a file may exceed its limit."""
    return max(0.0, min(worker.left(seconds) for worker in workers)) if seconds is not None else None


def _work(job: Job, connection: Connection, beside: Iterable[Connection]) -> None:
    """The main function of a process. ``beside``: ends of pipes that only the parent needs; a copy here would hide the
    parent's end from other processes."""
    for name, action in _SIGNALS.items():
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), action)
    gc.disable()
    for one in beside:
        one.close()
    with contextlib.suppress(EOFError, OSError):
        while True:
            file = connection.recv()
            try:
                connection.send(job(file))
            except OSError:
                raise
            except Exception as error:
                connection.send(error)


def _taken(own: deque[FileToScan], lots: Iterable[deque[FileToScan]], number: int) -> list[FileToScan]:
    """Returns the next files of a process's own lot, otherwise the last ones of the largest other lot."""
    found = []
    for _ in range(number):
        if own:
            found.append(own.popleft())
        elif most := max(lots, key=len, default=None):
            found.append(most.pop())
    return found


def _lots(files: Sequence[FileToScan], number: int) -> list[list[FileToScan]]:
    """Splits files into lots of neighbours, with about as much to read in each."""
    sizes = [_size(file) for file in files]
    total, before = sum(sizes), 0
    lots: list[list[FileToScan]] = [[] for _ in range(min(number, len(files)))]
    for file, size in zip(files, sizes, strict=True):
        lots[min(before * len(lots) // total, len(lots) - 1)].append(file)
        before += size
    return lots


def _size(file: FileToScan) -> int:
    try:
        return os.path.getsize(file.name) + 1
    except OSError:
        return 1
