"""Runs the jobs of a fleet on a Dask cluster: one that is there already, or one inside this process.

The cluster inside this process has threads for workers, and no port that others could reach. Each job has a process of
its own anyway.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeAlias

import dask
from distributed import Client, LocalCluster, as_completed
from distributed.client import Future
from distributed.scheduler import KilledWorker

from fdlint.fleet.job import Job, Outcome, State
from fdlint.fleet.task import DiedError, begin_all, do, end_all
from fdlint.scan.options import cores

_AGAIN, _ALONE = 5, 3
"""How often a job may be killed that gets nowhere: beside others, and then alone."""
_PATIENCE = 30  # seconds
_AHEAD = 1_000
"""The jobs that the scheduler gets in advance: a fleet may have many thousands."""


_Death: TypeAlias = DiedError | KilledWorker


class ClusterError(Exception):
    """The cluster cannot be reached, or has gone. The message is the reason."""


@contextlib.contextmanager
def connected(scheduler: str | None, workers: int) -> Iterator[Client]:
    """Yields a client of the cluster at an address, or of a local one. Raises ``ClusterError``."""
    for name in ("distributed", "distributed.worker", "distributed.scheduler"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what matters is in the outcome of each job
    with contextlib.ExitStack() as stack:
        stack.callback(begin_all)  # last of all
        if scheduler is None:
            places = {"dashboard_address": "127.0.0.1:0", "worker_dashboard_address": "127.0.0.1:0"}
            stack.enter_context(dask.config.set({"distributed.scheduler.http.routes": []}))
            stack.enter_context(dask.config.set({"distributed.worker.http.routes": []}))
            cluster = LocalCluster(
                n_workers=workers or cores(), threads_per_worker=1, processes=False, silence_logs=logging.CRITICAL,
                **places,
            )  # fmt: skip
            client = Client(stack.enter_context(cluster))
        else:
            try:
                client = Client(scheduler, timeout=_PATIENCE)
            except (OSError, ValueError) as error:
                raise ClusterError(f"{scheduler}: there is no scheduler: {error}") from None
        stack.enter_context(client)
        stack.callback(end_all)  # first of all: a thread that waits for a job cannot be ended
        yield client


def outcomes(
    client: Client, jobs: Iterable[Job], then: Callable[[Job, Outcome], Iterable[Job]]
) -> Iterator[tuple[Job, Outcome]]:
    """Runs jobs and yields each with its outcome, in any order. ``then`` gets each, too, and returns further jobs. A
    job whose process or worker was killed is begun again, unless it is the one that kills. Raises ``ClusterError`` if
    the cluster goes away."""
    work = _Work(client)
    waiting = iter(jobs)
    for job in islice(waiting, _AHEAD):
        work.begin(_Trial(job))
    for future in work.completed:
        trial = work.running.pop(str(future.key))
        death = _death(future)
        if death is not None and trial.goes_on_after(death):
            work.begin(trial)
        elif death is not None and not trial.alone:
            work.doubtful.append(trial)
        else:
            outcome = trial.given_up(death) if death is not None else _outcome(future)
            for further in (*then(trial.job, outcome), *islice(waiting, 1)):
                work.begin(_Trial(further))
            yield trial.job, outcome
        future.release()
        if not work.running and work.doubtful:
            work.begin(work.doubtful.pop().isolated())


@dataclass(slots=True)
class _Trial:
    """A job that is begun until it ends. Another one can be the reason that it is killed: a worker that dies takes all
    its jobs with it, and the kernel ends any process if there is no memory left. ``left``: how often it may still be
    killed without getting on. ``alone``: no other job runs beside it, so a death is its own fault."""

    job: Job
    left: int = _AGAIN
    kept: int = 0
    deaths: int = 0
    alone: bool = False

    def goes_on_after(self, death: _Death) -> bool:
        """Whether to begin it again as before."""
        self.deaths += 1
        if isinstance(death, KilledWorker):  # Dask has tried several workers
            return False
        if death.kept > self.kept:
            self.left, self.kept = _ALONE if self.alone else _AGAIN, death.kept
            return True
        self.left -= 1
        return self.left > 0

    def isolated(self) -> _Trial:
        """Returns the trial with no other job beside it."""
        return replace(self, left=_ALONE, alone=True)

    def given_up(self, death: _Death) -> Outcome:
        """Returns the outcome of a job that cannot be done."""
        reason = "its workers died" if isinstance(death, KilledWorker) else str(death)
        return Outcome(State.FAILED, self.job.tip, f"{reason}, {self.deaths} times, also with no other job beside it")


class _Work:
    """The jobs in hand. ``doubtful``: those that come last, one at a time."""

    def __init__(self, client: Client) -> None:
        self._client, self._begun = client, 0
        self.completed = as_completed(raise_errors=False)
        self.running: dict[str, _Trial] = {}
        self.doubtful: list[_Trial] = []

    def begin(self, trial: _Trial) -> None:
        """Gives a job to the scheduler."""
        job = trial.job
        self._begun += 1
        key = f"{job.place}-{job.parts}-{self._begun}"
        self.running[key] = trial
        self.completed.add(self._client.submit(do, job, key=key, pure=False))


def _death(future: Future[Outcome]) -> _Death | None:
    error = future.exception() if future.status == "error" else None
    return error if isinstance(error, DiedError | KilledWorker) else None


def _outcome(future: Future[Outcome]) -> Outcome:
    if future.status == "finished":
        found = future.result()
        assert isinstance(found, Outcome)
        return found
    if future.status in ("cancelled", "lost"):
        raise ClusterError("the cluster has gone")
    return Outcome(State.FAILED, reason=str(future.exception()).partition("\n")[0])
