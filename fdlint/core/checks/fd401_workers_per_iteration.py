"""# FD401 workers-per-iteration

## What it does
Finds objects with pipes and worker processes that a loop, or a function that it calls, creates in every iteration and
nothing tears down. Such objects are a `torch.utils.data.DataLoader` with workers, `multiprocessing`'s `Pool`,
`Process`, `Queue`, `Pipe` and `Manager`, a `ProcessPoolExecutor`, and a `subprocess.Popen` with a `PIPE`.

## Why is this bad?
Each such object has a handful of descriptors (pipes to and from each worker, a semaphore, a sentinel), and processes
that hold copies of them. When it falls out of scope, they stay until the garbage collector and every finalizer have
run. A reference cycle, an exception with its traceback or a worker that hangs keeps them for good. A service that
creates one per job has tens of thousands of pipes after some days. Then every attempt to create another fails with
`EMFILE`, while the process still looks healthy.

`persistent_workers=True` does not help if each iteration creates a new loader: it only keeps the workers of the old one
longer.

## Bad: a loader for each job
```python
import torch.utils.data


def get_loader(job):
    return torch.utils.data.DataLoader(job.images, num_workers=4, persistent_workers=True)


def process(job, model):
    loader = get_loader(job)
    for batch in loader:
        job.post(model(batch))


def serve(queue, model):
    while True:
        process(queue.get(), model)
```

## Good: a loader for each job
```python
import gc

import torch.utils.data


def get_loader(job):
    return torch.utils.data.DataLoader(job.images, num_workers=4, persistent_workers=True)


def process(job, model):
    loader = get_loader(job)
    try:
        for batch in loader:
            job.post(model(batch))
    finally:
        del loader
        gc.collect()


def serve(queue, model):
    while True:
        process(queue.get(), model)
```

## Bad: a pool for each batch
```python
import multiprocessing


def convert(path):
    return path.upper()


def convert_all(batches):
    for batch in batches:
        pool = multiprocessing.Pool(4)
        pool.map(convert, batch)
```

## Good: a pool for each batch
```python
import multiprocessing


def convert(path):
    return path.upper()


def convert_all(batches):
    with multiprocessing.Pool(4) as pool:
        for batch in batches:
            pool.map(convert, batch)
```

## What to do
Create it once, before the loop, and use it in every iteration. If each iteration needs its own, tear it down in the
same iteration, on every path: with `with`, or in a `finally` with `close` and `join`, `terminate`, `shutdown`,
`communicate` or `wait`. A `DataLoader` has no such method: `del` every name that holds it or its iterator, and call
`gc.collect()`.

## What it does not report
A lost `Popen`, `Manager`, `Process`, `Queue` or `Pipe` has low impact: CPython closes its pipes at once.

An object that is stored in another one, put in a container, given to unknown code, captured or yielded has another
owner and is not reported. An object that is torn down anywhere in the function, on any path, is not reported either.
Unknown functions do not tear down a `DataLoader` that they get; methods of unknown objects may.

A loop that never ends by itself (`while True`, a generator of the project that polls, `iter(get, None)`) counts however
many calls lead from it to the function that loses the object. A loop that ends (`for`, `while n < 10`) counts if it
creates the object itself, or calls the function that loses it. In such a loop, a `DataLoader` counts only if the loop
creates it and its arguments do not change between iterations, so that it could be created before the loop. So a loader
for each fold or data set is not reported, and one that is the same in every epoch is. A loop over a literal, such as
`for split in ("train", "val")`, never counts, also if a variable or a constant of the module holds it.

A `DataLoader` counts if `num_workers` is given and not literally 0. An object that a function creates only if a
parameter asks for it, which it does not by default, does not count.

## References
- [torch.utils.data](https://pytorch.org/docs/stable/data.html), `num_workers` and `persistent_workers`
- [multiprocessing](https://docs.python.org/3/library/multiprocessing.html): "`Pool` objects have internal resources
  that need to be properly managed"
- ami-data-companion issue #145: 65,501 pipes after six days of a loader for each job
"""

from __future__ import annotations

from fdlint.core.checks.rule import Rule, Verdict
from fdlint.core.domain.facts import Rebuilding
from fdlint.core.finding import Confidence, Severity

RULE = Rule(
    "FD401", "workers-per-iteration", Severity.WARNING, rank=97, about=Rebuilding,
    defect="Worker processes are made in every round of a loop and never ended", cwe=772, precision="medium",
    once_is_enough="it adds up in one run",
    at_most=Confidence.MEDIUM,  # paths are ignored
)  # fmt: skip

RELEASED = "its pipes are closed when the next iteration lets go of it"


def check(rebuilding: Rebuilding) -> Verdict:
    """Holds for every such loop."""
    what = f"{rebuilding.api}() makes new pipes and worker processes in {rebuilding.again}"
    if rebuilding.collectors:
        how = f"delete it and call {rebuilding.collectors[0]}() on every path out"
    else:
        how = f"end each one there ({', '.join(f'{name}()' for name in rebuilding.ends[:3])})"
    return Verdict(
        rebuilding.trace,
        f"{what}, and nothing tears them down: make it once before the loop, or {how}",
        harmless=RELEASED if rebuilding.released else "",
    )
