"""A worker that makes a new pool for each job and never tears it down. Run it, and examine it with doctor.

Threads of the pool refer to it, so that it lives on with its pipes and its process.
"""

from __future__ import annotations

import multiprocessing
import os
import sys


def main(jobs: int = 16) -> None:
    """Do some jobs, then wait until standard input ends."""
    work(range(jobs))
    print("ready", os.getpid(), flush=True)
    sys.stdin.read()


def work(jobs: range) -> None:
    """Do each job in a pool of its own."""
    for job in jobs:
        pool = multiprocessing.Pool(1)
        pool.apply(abs, (job,))


if __name__ == "__main__":
    main()
