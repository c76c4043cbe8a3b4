"""Runs the jobs of a fleet on a Dask cluster: one that is there already, or one inside this process.

The cluster inside this process has threads for workers, and no port that others could reach. Each job has a process of
its own anyway.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Iterable, Iterator

import dask
from distributed import Client, LocalCluster, as_completed
from distributed.client import Future

from fdlint.fleet.job import Job, Outcome, State
from fdlint.fleet.task import begin_all, do, end_all

_AGAIN = 5
"""How often a job is begun again whose process or worker was killed: other jobs kill workers, too."""
_PATIENCE = 30  # seconds
_AHEAD = 1_000
"""The jobs that the scheduler gets in advance: a fleet may have many thousands."""


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
                n_workers=workers or _cores(), threads_per_worker=1, processes=False, silence_logs=logging.CRITICAL,
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
    """Runs jobs and yields each with its outcome, in any order. ``then`` gets each, too, and returns further jobs.
    Raises ``ClusterError`` if the cluster goes away."""
    waiting, running = iter(jobs), dict[str, Job]()

    def submit(job: Job) -> Future[Outcome]:
        future = client.submit(do, job, key=f"{job.key}-{job.part}-{job.parts}", pure=False, retries=_AGAIN)
        running[str(future.key)] = job
        return future

    completed = as_completed(raise_errors=False)
    for job in _next(waiting, _AHEAD):
        completed.add(submit(job))
    for future in completed:
        job = running.pop(str(future.key))
        outcome = _outcome(future)
        future.release()
        for further in (*then(job, outcome), *_next(waiting, 1)):
            completed.add(submit(further))
        yield job, outcome


def _next(jobs: Iterator[Job], number: int) -> Iterator[Job]:
    for _, job in zip(range(number), jobs, strict=False):
        yield job


def _outcome(future: Future[Outcome]) -> Outcome:
    if future.status == "finished":
        found = future.result()
        assert isinstance(found, Outcome)
        return found
    if future.status in ("cancelled", "lost"):
        raise ClusterError("the cluster has gone")
    return Outcome(State.FAILED, reason=str(future.exception()).partition("\n")[0])


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
