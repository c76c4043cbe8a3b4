"""A polling worker that tears down each job's loader, with its pipes and worker processes, before the next job."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable

import torch
from torch.utils.data import DataLoader, IterableDataset


class JobImages(IterableDataset[torch.Tensor]):
    """The images of one job."""

    def __init__(self, job: int, fetch: Callable[[int], Iterable[torch.Tensor]]) -> None:
        self.job = job
        self.fetch = fetch

    def __iter__(self) -> Iterable[torch.Tensor]:
        yield from self.fetch(self.job)


def loader_for(job: int, fetch: Callable[[int], Iterable[torch.Tensor]]) -> DataLoader[torch.Tensor]:
    """A loader for one job. A fork server's children do not inherit the pipes of the loaders before them."""
    return DataLoader(
        JobImages(job, fetch), batch_size=8, num_workers=4, multiprocessing_context="forkserver", timeout=120
    )


def process(job: int, fetch: Callable[[int], Iterable[torch.Tensor]], model: torch.nn.Module) -> int:
    """Run the model over one job's images and return how many batches there were."""
    loader = loader_for(job, fetch)
    try:
        batches = 0
        for batch in loader:
            model(batch)
            batches += 1
        return batches
    finally:
        # Not left to chance: a reference cycle would keep the workers and their pipes until some later collection.
        del loader
        gc.collect()


def run(poll: Callable[[], list[int]], fetch: Callable[[int], Iterable[torch.Tensor]], model: torch.nn.Module) -> None:
    """Work for ever. A job that fails is logged, and the worker goes on."""
    while True:
        for job in poll():
            try:
                process(job, fetch, model)
            except Exception as error:
                print(f"job {job} failed: {error}")
        time.sleep(5)
