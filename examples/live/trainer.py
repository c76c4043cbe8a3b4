"""A trainer that builds a loader with workers for each job, and never tears it down. It needs PyTorch.

Each job fails at its second batch. The trainer keeps the errors for a report, each error keeps the frame in which it was
raised, and that frame has the loader with its pipes and workers. Run it, and examine it with doctor.
"""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator

import torch
from torch.utils.data import DataLoader, IterableDataset


class Images(IterableDataset[torch.Tensor]):
    """The images of one job."""

    def __iter__(self) -> Iterator[torch.Tensor]:
        for number in range(64):
            yield torch.full((8,), float(number))


def main(jobs: int = 8) -> None:
    """Do some jobs, then one a second until standard input ends."""
    torch.set_num_threads(1)
    failures = [error for _ in range(jobs) if (error := attempt()) is not None]
    print("ready", os.getpid(), flush=True)
    while not select.select([sys.stdin], [], [], 1)[0]:
        if (error := attempt()) is not None:
            failures.append(error)


def attempt() -> Exception | None:
    """Do a job. Return why it failed."""
    try:
        train(torch.nn.Linear(8, 1))
    except ArithmeticError as error:
        return error
    return None


def train(model: torch.nn.Module) -> None:
    """Train a model with the images of a job."""
    loader = DataLoader(Images(), batch_size=8, num_workers=2, persistent_workers=True)
    for batch in loader:
        if model(batch).sum() * 0 != 0 or batch.max() > 8:
            raise ArithmeticError("the loss is not finite")


if __name__ == "__main__":
    main()
