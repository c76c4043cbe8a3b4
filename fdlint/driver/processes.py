"""Files over several processes.

Each process starts at a place of its own in the list and goes on from there, for files that lie side by side import the
same: what one has taught a process, the next need not. A process that has come to its end takes over from the end of
whoever has most left.
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
_AHEAD = 2  # files that a process has been given: it need not wait for the next
_PATIENCE = 5.0  # seconds for a process to end that has nothing left to do
_SAFE_PATH = "PYTHONSAFEPATH"
_starting = threading.Lock()  # the environment belongs to all threads: each leaves it as it was
_SIGNALS = {  # the parent says when it is over, and has handlers of its own that a fork passes on
    "SIGINT": signal.SIG_IGN,
    "SIGHUP": signal.SIG_IGN,
    "SIGTERM": signal.SIG_DFL,
}


def spread(
    job: Job, files: Sequence[FileToScan], jobs: int, lost: Lost, seconds: float | None = None
) -> Iterator[FileResult]:
    """Does the job for every file, in so many processes; results come in any order.

    ``seconds``: the process of a file that takes longer is ended. ``lost``: the result of a file whose process has
    died or was ended, and why.
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
    """A process, and the files that it has been given and has not answered for."""

    def __init__(self, job: Job, others: Iterable[_Worker]) -> None:
        self.waiting: deque[FileToScan] = deque()
        self._begun = 0.0  # when the first of them was
        self.connection, theirs = multiprocessing.Pipe()
        beside = [self.connection, *(one.connection for one in others)]
        self._process = multiprocessing.Process(target=_work, args=(job, theirs, beside), daemon=True)
        _start(self._process)
        theirs.close()

    def give(self, files: Sequence[FileToScan]) -> None:
        """Hands it more to do. A process that is gone will be missed when it is asked for an answer."""
        if not self.waiting:
            self._begun = time.monotonic()
        self.waiting.extend(files)
        with contextlib.suppress(OSError):
            for file in files:
                self.connection.send(file)

    def answer(self) -> FileResult | None:
        """What it has found out about the first file that it was given; None if it has died. What was raised there is
        raised here."""
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
        """How many seconds it has left for the file that it is at."""
        return self._begun + seconds - time.monotonic() if self.waiting else seconds

    def end(self) -> None:
        """Nothing more is wanted of it."""
        self.connection.close()
        if self.waiting:
            self._process.terminate()
        self._process.join(_PATIENCE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self._process.close()


def _start(process: BaseProcess) -> None:
    """Starts a process that imports nothing from the working directory, which can be the tree under scan.

    Unless it forks, multiprocessing runs ``python -c``, which searches that directory first. Python 3.10 has no way to
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
    """How long to wait for an answer before some file may have taken too long."""
    return max(0.0, min(worker.left(seconds) for worker in workers)) if seconds is not None else None


def _work(job: Job, connection: Connection, beside: Iterable[Connection]) -> None:
    """What a process does. ``beside``: ends of pipes that only its parent needs; with a copy of one here, others would
    not be told when their parent has ended."""
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
    """The next files of a process's own lot; if there are none, the last of the largest of the others."""
    found = []
    for _ in range(number):
        if own:
            found.append(own.popleft())
        elif most := max(lots, key=len, default=None):
            found.append(most.pop())
    return found


def _lots(files: Sequence[FileToScan], number: int) -> list[list[FileToScan]]:
    """Neighbours together, and in each lot about as much to read."""
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
