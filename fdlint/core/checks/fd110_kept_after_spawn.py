"""# FD110 kept-after-spawn

## What it does
Finds a descriptor that is given to a child process (`subprocess.Popen(stdout=w)`, `pass_fds=(fd,)`, `os.fork()`) while
the parent's own copy stays open on an explicit path.

## Why is this bad?
A child gets a *copy*. `Popen` borrows its arguments and never closes them. Besides the leak, this can look like a
deadlock: a reader of a pipe sees end-of-file only when **every** descriptor of the write end is closed. The child
exits, the parent still holds the write end, and the parent's own `read()` waits forever.

## Bad: an end of a pipe
```python
import os
import subprocess


def output_of(command: list[str]) -> bytes:
    r, w = os.pipe()
    child = subprocess.Popen(command, stdout=w)
    with open(r, "rb") as stream:
        data = stream.read()
    child.wait()
    return data
```

## Good: an end of a pipe
```python
import os
import subprocess


def output_of(command: list[str]) -> bytes:
    r, w = os.pipe()
    try:
        child = subprocess.Popen(command, stdout=w)
    except BaseException:
        os.close(r)
        raise
    finally:
        os.close(w)
    with open(r, "rb") as stream:
        data = stream.read()
    child.wait()
    return data
```

## Bad: after a fork
After a fork, both processes hold both ends.

```python
import os


def ask_child() -> bytes:
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(r)
        try:
            os.write(w, b"hello")
        finally:
            os._exit(0)
    with open(r, "rb") as stream:
        answer = stream.read()
    os.waitpid(pid, 0)
    return answer
```

## Good: after a fork
Each side closes the end it does not use, first thing.

```python
import os


def ask_child() -> bytes:
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(r)
        try:
            os.write(w, b"hello")
        finally:
            os._exit(0)
    os.close(w)
    with open(r, "rb") as stream:
        answer = stream.read()
    os.waitpid(pid, 0)
    return answer
```

## What to do
Close the parent's copy right after the start of the child, in a `finally`, because `Popen` can raise. Often
`stdout=subprocess.PIPE` is enough: then `subprocess` creates the pipe and closes the right ends.

## What it does not report
If only an exception from `Popen` leaves the descriptor open, that is FD103. The rule ignores descriptors that children
inherit by accident: since Python 3.4 descriptors are not inheritable by default (PEP 446).

## References
- [pipe(7)](https://man7.org/linux/man-pages/man7/pipe.7.html): end-of-file is seen when all descriptors of the
  write end are closed, so close unneeded duplicates after a fork
- [subprocess.Popen](https://docs.python.org/3/library/subprocess.html#subprocess.Popen), [PEP
  446](https://peps.python.org/pep-0446/)
- Fixed in public: gentoo/portage commit 981f27f79e and kovidgoyal/kitty commit 1a42356f68, both a pipe end kept
  after `fork`
"""

from __future__ import annotations

from fdlint.core.checks.endings import clearest, spelled_out, verdict
from fdlint.core.checks.rule import Rule, Verdict, subject
from fdlint.core.domain.event import Event
from fdlint.core.domain.facts import Lifetime
from fdlint.core.finding import Confidence, Severity

RULE = Rule(
    "FD110", "kept-after-spawn", Severity.ERROR, rank=4,
    defect="The parent keeps its copy of a file descriptor that a child was given", cwe=775,
    waits="whoever reads or waits at the other end sees no end while a copy stays open", other_end=True,
    at_most=Confidence.MEDIUM,
)  # fmt: skip


def check(lifetime: Lifetime) -> Verdict | None:
    """Holds if a child process got the descriptor and the parent's open copy is lost, other than by an exception from a
    call."""
    inherits = {Event.SPAWNED, Event.FORKED} if Event.USED_BY_CHILD in lifetime.events else {Event.SPAWNED}
    ending = clearest([ending for ending in spelled_out(lifetime) if ending.marks & inherits])
    if ending is None:
        return None
    when = "there too" if lifetime.given_away else "once the child runs"
    message = f"{subject(lifetime)} stays open in the parent: the child has a copy, so close it {when}"
    return verdict(ending, message)
