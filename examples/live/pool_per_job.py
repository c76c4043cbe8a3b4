"""A worker that makes a new pool for each job and never tears it down. Run it, and examine it with doctor.

Like a data loader, the pool prefetches the next batch, and that one never arrives. A pool with an unfinished batch lives
on with its pipes and its process, although no variable refers to it any more.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import time


def main(jobs: int = 16) -> None:
    """Do some jobs, then wait until standard input ends."""
    work(range(jobs))
    print("ready", os.getpid(), flush=True)
    sys.stdin.read()
    sys.unraisablehook = lambda _error: None  # the pools complain when the interpreter ends


def work(jobs: range) -> None:
    """Do each job in a pool of its own: use the first batch, and prefetch the second."""
    for _job in jobs:
        pool = multiprocessing.Pool(1)
        batches = pool.imap(load, (0, 1))
        next(batches)


def load(batch: int) -> int:
    """Load a batch. The storage does not answer the second request."""
    time.sleep(batch * 3600)
    return batch


if __name__ == "__main__":
    main()
