"""# FD401 workers-per-iteration

## What it does
Finds objects backed by pipes and worker processes that are made anew in every round of a loop, there or in a function
that the loop calls, and that nothing tears down: a `torch.utils.data.DataLoader` with workers, `multiprocessing`'s
`Pool`, `Process`, `Queue`, `Pipe` and `Manager`, a `ProcessPoolExecutor`, a `subprocess.Popen` with a `PIPE`.

## Why is this bad?
Each such object is a handful of descriptors – pipes to and from each worker, a semaphore, a sentinel – and processes
that hold copies of them. When it falls out of scope, they stay until the garbage collector comes by and every
finalizer has had its way; a reference cycle, an exception with its traceback or a worker that hangs keeps them for
good. A service that makes one per job has, after some days, tens of thousands of pipes, and then `EMFILE` on every
attempt to make another, while the process still looks healthy.

`persistent_workers=True` is no help for a loader that is made anew each time: it only keeps the workers of the old one
longer.

## Bad
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

## Good
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

## Bad
```python
import multiprocessing


def convert(path):
    return path.upper()


def convert_all(batches):
    for batch in batches:
        pool = multiprocessing.Pool(4)
        pool.map(convert, batch)
```

## Good
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
Make it once, before the loop, and use it in every round. Where each round needs one of its own, end it in that round
whatever happens: `with`, or in a `finally` `close` and `join`, `terminate`, `shutdown`, `communicate` or `wait`. A
`DataLoader` has no such method: `del` every name that holds it, or what iterates over it, and call `gc.collect()`.

## What it does not say
What is stored in an object, put in a container, given to somebody unknown, captured or yielded has another owner, and
is left alone; so is what is torn down anywhere in the function, whatever the path. A `DataLoader` that unknown
functions get is not torn down by them; one that is given to a method of an unknown object is left alone.

A loop that never ends by itself (`while True`, a generator of the project that polls, `iter(get, None)`) counts at
any distance: up to five calls may lie between it and the construction. A loop that ends (`for`, `while n < 10`) counts
if it makes the object itself or calls the function that does; and a `DataLoader` in it only if it could be made before
the loop, since nothing that it is made of changes from round to round. So a loader for each fold or data set is left
alone, and one that is the same in every epoch is not. A loop over a display, such as `for split in ("train", "val")`,
never counts. A `DataLoader` counts if `num_workers` is given and not literally 0.

## References
- [torch.utils.data](https://pytorch.org/docs/stable/data.html), `num_workers` and `persistent_workers`
- [multiprocessing](https://docs.python.org/3/library/multiprocessing.html): "`Pool` objects have internal resources
  that need to be properly managed"
- ami-data-companion issue #145: 65,501 pipes after six days of a loader for each job
"""

from __future__ import annotations

from fdlint.checks.rule import Rule, Verdict
from fdlint.facts import Rebuilding
from fdlint.finding import Severity

RULE = Rule(
    "FD401", "workers-per-iteration", Severity.WARNING, rank=97, about=Rebuilding,
    defect="Worker processes are made in every round of a loop and never ended", cwe=772, precision="medium",
)  # fmt: skip


def check(rebuilding: Rebuilding) -> Verdict:
    """Holds for every such loop."""
    what = f"{rebuilding.api}() makes pipes and worker processes anew in every round of `{rebuilding.loop}`"
    if rebuilding.collectors:
        how = f"delete it and call {rebuilding.collectors[0]}() on every way out of a round"
    else:
        how = f"end each one in its round ({', '.join(f'{name}()' for name in rebuilding.ends[:3])})"
    return Verdict(rebuilding.trace, f"{what}, and nothing tears them down: make it once before the loop, or {how}")
