"""A polling worker that builds a loader with worker processes for each job, and lets it fall out of scope."""

from __future__ import annotations

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
    """A loader whose workers would be kept between epochs. It never sees a second epoch: the next job has its own."""
    return DataLoader(JobImages(job, fetch), batch_size=8, num_workers=4, persistent_workers=True)


def process(job: int, fetch: Callable[[int], Iterable[torch.Tensor]], model: torch.nn.Module) -> int:
    """Run the model over one job's images and return how many batches there were."""
    batches = 0
    for batch in loader_for(job, fetch):
        model(batch)
        batches += 1
    return batches


def run(poll: Callable[[], list[int]], fetch: Callable[[int], Iterable[torch.Tensor]], model: torch.nn.Module) -> None:
    """Work for ever. A job that fails is logged, and the worker goes on; so it does with EMFILE, doing nothing."""
    while True:
        for job in poll():
            try:
                process(job, fetch, model)
            except Exception as error:
                print(f"job {job} failed: {error}")
        time.sleep(5)
