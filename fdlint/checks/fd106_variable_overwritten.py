"""# FD106 variable-overwritten

## What it does
Finds the loss of the last reference to an open descriptor by a statement: its variable is assigned something else
or deleted, the container that holds it is cleared, or it is popped from there and not used.

## Why is this bad?
Forgetting the number does not close the descriptor: an `int` has no destructor. `fd = -1` or `del fd` *looks* like
a clean-up and is the opposite of one, as afterwards nothing can close the descriptor any more.

## Bad
```python
import fcntl
import os


def open_above_stdio(path: str) -> int:
    fd = os.open(path, os.O_RDONLY)
    fd = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3)
    return fd
```

## Good
```python
import fcntl
import os


def open_above_stdio(path: str) -> int:
    low = os.open(path, os.O_RDONLY)
    try:
        return fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, 3)
    finally:
        os.close(low)
```

## Bad
```python
import os


def head(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY)
    data = os.read(fd, 512)
    del fd
    return data
```

## Good
```python
import os


def head(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY)
    try:
        return os.read(fd, 512)
    finally:
        os.close(fd)
```

## Bad
The container was the only owner.

```python
import os


def sizes(left: str, right: str) -> list[int]:
    fds = []
    for path in (left, right):
        fds.append(os.open(path, os.O_RDONLY))
    result = [os.fstat(fd).st_size for fd in fds]
    fds.clear()
    return result
```

## Good
```python
import os


def sizes(left: str, right: str) -> list[int]:
    fds: list[int] = []
    try:
        for path in (left, right):
            fds.append(os.open(path, os.O_RDONLY))
        return [os.fstat(fd).st_size for fd in fds]
    finally:
        for fd in fds:
            os.close(fd)
```

## What to do
Close before you assign: `os.close(fd)`, and only then `fd = -1`. Give the second descriptor a name of its own.
Close what you take out of a container.

## What it does not say
Nothing while another variable, tuple, list, dict or attribute still holds the number. The *same* statement that
acquires again in the next loop round is FD101 or FD102. An attribute that is overwritten is FD105.

## References
- [close(2)](https://man7.org/linux/man-pages/man2/close.2.html),
  [os.close](https://docs.python.org/3/library/os.html#os.close)
- Fixed in public: kovidgoyal/kitty commit 116128ebb5 (popped from a dict and dropped), WireGuard/wireguard-go
  commit aabc3770ba (a retry that overwrites, in Go)
"""

from __future__ import annotations

from fdlint.checks.endings import FORGOTTEN, clearest, dying_by
from fdlint.checks.rule import Rule, Verdict, subject
from fdlint.facts import Acquisition, Death
from fdlint.finding import Severity

RULE = Rule("FD106", "variable-overwritten", Severity.ERROR, rank=5)

_WHAT_HAPPENED = {
    Death.REBOUND: "is overwritten while it is open: close it first, nothing else holds it",
    Death.DELETED: "is deleted while it is open: `del` forgets the number, it does not close the descriptor",
    Death.DROPPED: "is dropped from what held it while it is open: close it as you take it out",
}


def check(acquisition: Acquisition) -> Verdict | None:
    """Holds when a statement overwrote, deleted or dropped the last thing that held the open descriptor."""
    ending = clearest(dying_by(acquisition, FORGOTTEN))
    if ending is None:
        return None
    return Verdict(ending, f"{subject(acquisition)} {_WHAT_HAPPENED[ending.death]}")
